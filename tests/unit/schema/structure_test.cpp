// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include <string>

#include "schema/validate.h"
#include "support/schema.h"

namespace trainjobc::schema::structure_test {
namespace {

using test::Parsed;
using Fields = std::vector<std::string>;

Validation validate(const Parsed& document, std::string_view kind, std::string_view version) {
  return validate_structure(*document, test::kind_schema(version, kind));
}

// The report on a TrainJob's trainer.
std::string trainer_report(const std::string& trainer, std::string_view version = "2.3") {
  const Parsed document("spec:\n  runtimeRef: {name: r}\n  trainer:\n" + trainer);
  return test::report(validate(document, "TrainJob", version).violations);
}

Fields fields(const std::string& text, std::string_view kind = "TrainJob", std::string_view version = "2.3") {
  const Parsed document(text);
  return test::fields(validate(document, kind, version).violations);
}

bool types_fit(const std::string& text, std::string_view kind = "TrainJob",
               std::string_view version = "2.3") {
  const Parsed document(text);
  return validate(document, kind, version).types_fit;
}

}  // namespace

TEST_CASE("structure: integers of 64 bits are exact") {
  const auto report = [](const std::string& seconds) {
    const Parsed document("spec: {runtimeRef: {name: r}, activeDeadlineSeconds: " + seconds + "}\n");
    return test::report(validate(document, "TrainJob", "2.3").violations);
  };
  CHECK(report("9223372036854775807") == "");
  CHECK(report("9223372036854775808") ==
        "t.yaml:1:54: error: spec.activeDeadlineSeconds must fit in 64 bits, 9223372036854775808 does not "
        "[input/type]\n"
        "    1 | spec: {runtimeRef: {name: r}, activeDeadlineSeconds: 9223372036854775808}\n"
        "      |                                                      ^~~~~~~~~~~~~~~~~~~\n");
  CHECK(report("-9223372036854775808") ==
        "t.yaml:1:54: error: spec.activeDeadlineSeconds must be at least 1, not -9223372036854775808 "
        "[input/bounds]\n"
        "    1 | spec: {runtimeRef: {name: r}, activeDeadlineSeconds: -9223372036854775808}\n"
        "      |                                                      ^~~~~~~~~~~~~~~~~~~~\n");
}

TEST_CASE("structure: an unquoted scalar instead of a string") {
  CHECK(trainer_report("    env:\n    - name: A\n      value: yes\n    - name: B\n      value: 0x1f\n") ==
        "t.yaml:6:14: error: spec.trainer.env[0].value must be a string, not the boolean true [input/type]\n"
        "    6 |       value: yes\n"
        "      |              ^~~ quote it: \"yes\"\n"
        "t.yaml:8:14: error: spec.trainer.env[1].value must be a string, not the integer 31 [input/type]\n"
        "    8 |       value: 0x1f\n"
        "      |              ^~~~ quote it: \"0x1f\"\n");
}

TEST_CASE("structure: quoting is offered as a fix") {
  const Parsed document("spec: {runtimeRef: {name: 42}}");
  const Validation validation = validate(document, "TrainJob", "2.3");
  REQUIRE(validation.violations.size() == 1);
  REQUIRE(validation.violations[0].fix.size() == 1);
  CHECK(validation.violations[0].fix[0].text == "\"42\"");
  CHECK(validation.violations[0].fix[0].range == validation.violations[0].location);
  CHECK_FALSE(validation.types_fit);
}

TEST_CASE("structure: a quoted number instead of an integer") {
  CHECK(trainer_report("    numNodes: \"4\"\n") ==
        "t.yaml:4:15: error: spec.trainer.numNodes must be an integer, not the string \"4\" [input/type]\n"
        "    4 |     numNodes: \"4\"\n"
        "      |               ^~~ leave the quotes out: 4\n");
  CHECK(trainer_report("    numNodes: many\n") ==
        "t.yaml:4:15: error: spec.trainer.numNodes must be an integer, not the string \"many\" [input/type]\n"
        "    4 |     numNodes: many\n"
        "      |               ^~~~\n");
}

TEST_CASE("structure: a scalar or a map instead of a list") {
  CHECK(trainer_report("    command: python train.py\n    args: 7\n    env: {EPOCHS: '10'}\n") ==
        "t.yaml:4:14: error: spec.trainer.command must be a list, not the string \"python train.py\" "
        "[input/type]\n"
        "    4 |     command: python train.py\n"
        "      |              ^~~~~~~~~~~~~~~ write a list: [\"python\", \"train.py\"]\n"
        "t.yaml:5:11: error: spec.trainer.args must be a list, not the integer 7 [input/type]\n"
        "    5 |     args: 7\n"
        "      |           ^ write a list: [\"7\"]\n"
        "t.yaml:6:10: error: spec.trainer.env must be a list, not a map [input/type]\n"
        "    6 |     env: {EPOCHS: '10'}\n"
        "      |          ^ write a list: - {name: EPOCHS, value: \"10\"}\n");
  CHECK(trainer_report("    command: sh -c 'a; b'\n    env:\n      name: A\n") ==
        "t.yaml:4:14: error: spec.trainer.command must be a list, not the string \"sh -c 'a; b'\" "
        "[input/type]\n"
        "    4 |     command: sh -c 'a; b'\n"
        "      |              ^~~~~~~~~~~~ write a list: [\"sh\", \"-c\", \"a; b\"]\n"
        "t.yaml:6:7: error: spec.trainer.env must be a list, not a map [input/type]\n"
        "    6 |       name: A\n"
        "      |       ^~~~ begin each element with a dash: - name:\n");
}

TEST_CASE("structure: a scalar or a list instead of a map") {
  const Parsed document("spec:\n  runtimeRef: torch\n  initializer:\n  - model: {}\n  trainer: 4\n");
  CHECK(test::report(validate(document, "TrainJob", "2.3").violations) ==
        "t.yaml:2:15: error: spec.runtimeRef must be a map, not the string \"torch\" [input/type]\n"
        "    2 |   runtimeRef: torch\n"
        "      |               ^~~~~ write {name: torch}\n"
        "t.yaml:4:3: error: spec.initializer must be a map, not a list [input/type]\n"
        "    4 |   - model: {}\n"
        "      |   ^ leave the dash out\n"
        "t.yaml:5:12: error: spec.trainer must be a map, not the integer 4 [input/type]\n"
        "    5 |   trainer: 4\n"
        "      |            ^\n");
}

TEST_CASE("structure: integers") {
  const Parsed document("spec:\n  runtimeRef: {name: r}\n  activeDeadlineSeconds: 0\n");
  CHECK(test::report(validate(document, "TrainJob", "2.3").violations) ==
        "t.yaml:3:26: error: spec.activeDeadlineSeconds must be at least 1, not 0 [input/bounds]\n"
        "    3 |   activeDeadlineSeconds: 0\n"
        "      |                          ^\n");
  CHECK(trainer_report("    numNodes: 3000000000\n") ==
        "t.yaml:4:15: error: spec.trainer.numNodes must fit in 32 bits, 3000000000 does not [input/type]\n"
        "    4 |     numNodes: 3000000000\n"
        "      |               ^~~~~~~~~~\n");
  CHECK(trainer_report("    numNodes: 2.5\n") ==
        "t.yaml:4:15: error: spec.trainer.numNodes must be an integer, not the number 2.5 [input/type]\n"
        "    4 |     numNodes: 2.5\n"
        "      |               ^~~\n");
  CHECK(trainer_report("    numNodes: 2.0\n") == "");
  CHECK(trainer_report("    numNodes: 100000000000000000000\n") ==
        "t.yaml:4:15: error: spec.trainer.numNodes must fit in 64 bits, 100000000000000000000 does not "
        "[input/type]\n"
        "    4 |     numNodes: 100000000000000000000\n"
        "      |               ^~~~~~~~~~~~~~~~~~~~~\n");
}

TEST_CASE("structure: quantities") {
  CHECK(trainer_report(
            "    resourcesPerNode:\n      limits: {cpu: 3.2, memory: 32 GB, a: 10gi, b: '', c: 1e3}\n") ==
        "t.yaml:5:21: error: spec.trainer.resourcesPerNode.limits.cpu must be a quantity, not the number 3.2 "
        "[input/type]\n"
        "    5 |       limits: {cpu: 3.2, memory: 32 GB, a: 10gi, b: '', c: 1e3}\n"
        "      |                     ^~~ quote it: \"3.2\"\n"
        "t.yaml:5:34: error: spec.trainer.resourcesPerNode.limits.memory must be a quantity, not \"32 GB\" "
        "[input/quantity]\n"
        "    5 |       limits: {cpu: 3.2, memory: 32 GB, a: 10gi, b: '', c: 1e3}\n"
        "      |                                  ^~~~~ did you mean \"32G\"?\n"
        "t.yaml:5:44: error: spec.trainer.resourcesPerNode.limits.a must be a quantity, not \"10gi\" "
        "[input/quantity]\n"
        "    5 |       limits: {cpu: 3.2, memory: 32 GB, a: 10gi, b: '', c: 1e3}\n"
        "      |                                            ^~~~ did you mean \"10Gi\"?\n"
        "t.yaml:5:53: error: spec.trainer.resourcesPerNode.limits.b must be a quantity, not \"\" "
        "[input/quantity]\n"
        "    5 |       limits: {cpu: 3.2, memory: 32 GB, a: 10gi, b: '', c: 1e3}\n"
        "      |                                                     ^~ such as 4, 500m, 1.5G or 32Gi\n");
}

TEST_CASE("structure: enums") {
  const Parsed document(
      "spec: {template: {spec: {successPolicy: {operator: any}, startupPolicy:\n"
      "  {startupPolicyOrder: Backwards}}}}\n");
  CHECK(test::report(validate(document, "TrainingRuntime", "2.3").violations) ==
        "t.yaml:1:52: error: spec.template.spec.successPolicy.operator can't be \"any\" [input/enum]\n"
        "    1 | spec: {template: {spec: {successPolicy: {operator: any}, startupPolicy:\n"
        "      |                                                    ^~~ did you mean \"Any\"? (one of "
        "\"All\", \"Any\")\n"
        "t.yaml:2:24: error: spec.template.spec.startupPolicy.startupPolicyOrder can't be \"Backwards\" "
        "[input/enum]\n"
        "    2 |   {startupPolicyOrder: Backwards}}}}\n"
        "      |                        ^~~~~~~~~ one of \"AnyOrder\", \"InOrder\"\n");
}

TEST_CASE("structure: required fields, and maps that can't be empty") {
  const Parsed job("metadata: {name: a}\nspec:\n  suspend: true\n");
  CHECK(test::report(validate(job, "TrainJob", "2.3").violations) ==
        "t.yaml:3:3: error: spec.runtimeRef is required [input/required]\n"
        "    3 |   suspend: true\n"
        "      |   ^~~~~~~ add runtimeRef:\n");
  const Parsed runtime("spec:\n  template: {}\n");
  CHECK(test::report(validate(runtime, "TrainingRuntime", "2.3").violations) ==
        "t.yaml:2:13: error: spec.template can't be empty [input/bounds]\n"
        "    2 |   template: {}\n"
        "      |             ^\n");
  // Unknown fields don't count: the API server drops them first.
  CHECK(fields("spec: {template: {tempalte: 1}}", "TrainingRuntime") == Fields{"spec.template"});
}

TEST_CASE("structure: lengths") {
  CHECK(fields("spec: {runtimeRef: {name: ''}}") == Fields{"spec.runtimeRef.name"});
  CHECK(trainer_report("    image: " + std::string(501, 'a') + "\n")
            .find("spec.trainer.image must have at most 500 characters, it has 501 [input/bounds]") !=
        std::string::npos);
  std::string umlauts;
  for (int i = 0; i < 500; ++i) umlauts += "ä";
  CHECK(trainer_report("    image: " + umlauts + "\n") == "");
  std::string patches;
  for (int i = 0; i < 17; ++i) patches += "  - manager: a/" + std::to_string(i) + "\n";
  const Parsed document("spec:\n  runtimeRef: {name: r}\n  runtimePatches:\n" + patches);
  const Validation validation = validate(document, "TrainJob", "2.3");
  REQUIRE(validation.violations.size() == 1);
  CHECK(validation.violations[0].message == "spec.runtimePatches must have at most 16 items, it has 17");
}

TEST_CASE("structure: a repeated element is reported once, at its second place") {
  CHECK(trainer_report("    env:\n    - {name: A}\n    - {name: B}\n    - {name: A}\n    - {name: A}\n") ==
        "t.yaml:7:7: error: spec.trainer.env contains name \"A\" twice [input/duplicate]\n"
        "    7 |     - {name: A}\n"
        "      |       ^ remove one of the two\n"
        "  note: the first one at t.yaml:5:7\n");
  const std::string ports =
      "spec: {template: {spec: {replicatedJobs: [{name: a, template: {spec: {template: {spec: {containers:"
      " [{name: b, ports: [{containerPort: 1, protocol: TCP}, {containerPort: 1, protocol: UDP},"
      " {containerPort: 1, protocol: TCP}]}]}}}}}]}}}";
  CHECK(fields(ports, "TrainingRuntime") ==
        Fields{"spec.template.spec.replicatedJobs[0].template.spec.template.spec.containers[0].ports[2]"});
  // Among elements of the wrong type nothing is compared.
  CHECK(fields("spec: {runtimeRef: {name: r}, trainer: {env: [{name: A}, 7, {name: A}]}}") ==
        Fields{"spec.trainer.env[1]"});
}

TEST_CASE("structure: a null in a list is of the wrong type") {
  CHECK(trainer_report("    args: [a, null]\n") ==
        "t.yaml:4:15: error: spec.trainer.args[1] must be a string, not null [input/type]\n"
        "    4 |     args: [a, null]\n"
        "      |               ^~~~\n");
}

TEST_CASE("structure: wrong types in metadata") {
  const Parsed document("metadata:\n  name: a\n  annotations:\n    pa: no\nspec: {runtimeRef: {name: r}}\n");
  CHECK(test::report(validate(document, "TrainJob", "2.3").violations) ==
        "t.yaml:4:9: error: metadata.annotations.pa must be a string, not the boolean false [input/type]\n"
        "    4 |     pa: no\n"
        "      |         ^~ quote it: \"no\"\n");
}

TEST_CASE("structure: date-times") {
  const auto time = [](const std::string& text) {
    return fields("spec: {runtimeRef: {name: r}, runtimePatches: [{manager: a/b, time: '" + text + "'}]}");
  };
  CHECK(time("2026-01-31T08:00:00Z").empty());
  CHECK(time("2026-01-31T08:00:00.5+02:00").empty());
  CHECK(time("2026-02-30T08:00:00Z") == Fields{"spec.runtimePatches[0].time"});
  CHECK(time("2026-01-31") == Fields{"spec.runtimePatches[0].time"});
}

TEST_CASE("structure: the status is dropped at creation, so it isn't checked") {
  CHECK(fields("{spec: {runtimeRef: {name: r}}, status: {conditions: 7}}").empty());
}

TEST_CASE("structure: the errors after which the API server still evaluates CEL rules") {
  CHECK(types_fit("spec: {runtimeRef: {name: ''}, trainer: {numNodes: 0}}"));
  CHECK(types_fit("spec: {runtimeRef: {name: r}, trainer: {resourcesPerNode: {limits: {cpu: oops}}}}"));
  CHECK(types_fit("spec: {runtimeRef: {name: r}, trainer: {env: [{name: A}, {name: A}]}}"));
  CHECK_FALSE(types_fit("spec: {}"));
  CHECK_FALSE(types_fit("spec: {runtimeRef: {name: r}, trainer: {image: " + std::string(501, 'a') + "}}"));
  CHECK_FALSE(types_fit("spec: {template: {spec: {successPolicy: {operator: x}}}}", "TrainingRuntime"));
  CHECK_FALSE(types_fit("spec: {runtimeRef: 7}"));
}

}  // namespace trainjobc::schema::structure_test
