// SPDX-License-Identifier: Apache-2.0

// One cause, one finding.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/diagnostic.h"
#include "support/advice.h"
#include "support/test_console.h"

namespace trainjobc::consequences_test {
namespace {

std::string errors_of(const std::string& text) {
  Options options;
  options.render = false;
  options.threads = 1;
  options.trainer_version = "2.3";
  const Compilation compiled = compile_sources({{"in.yaml", text}}, {}, options);
  std::string out;
  const base::Diagnostics causes = base::without_consequences(compiled.diagnostics);
  for (const base::Diagnostic& found : causes.items()) {
    if (found.severity == base::Severity::Error) out += base::format_text(found, {});
  }
  return out;
}

std::string report(const std::string& spec) {
  return errors_of("apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: j}\nspec:\n" +
                   spec);
}

constexpr const char* kRef = "  runtimeRef: {name: torch-distributed}\n";

}  // namespace

TEST_CASE("consequences: a misspelled field is not reported as missing too") {
  CHECK(report("  runtimeReff: {name: torch-distributed}\n") ==
        R"(in.yaml:5:3: error: unknown field "runtimeReff" in spec [input/unknown-field]
    5 |   runtimeReff: {name: torch-distributed}
      |   ^~~~~~~~~~~ did you mean "runtimeRef"?
)");
  CHECK(report("  runtime: {name: torch-distributed}\n") ==
        R"(in.yaml:5:3: error: unknown field "runtime" in spec [input/unknown-field]
    5 |   runtime: {name: torch-distributed}
      |   ^~~~~~~ did you mean "runtimeRef"?
)");
  CHECK(report("  runtimeRef: {nme: torch-distributed}\n") ==
        R"(in.yaml:5:16: error: unknown field "nme" in spec.runtimeRef [input/unknown-field]
    5 |   runtimeRef: {nme: torch-distributed}
      |                ^~~ did you mean "name"?
)");
  CHECK(report(std::string(kRef) + "  trainer:\n    env:\n    - A: b\n") ==
        R"(in.yaml:8:7: error: unknown field "A" in spec.trainer.env[0] [input/unknown-field]
    8 |     - A: b
      |       ^ write {name: A, value: b}
)");
}

TEST_CASE("consequences: nothing inside a value of the wrong type is reported") {
  CHECK(report(std::string(kRef) + "  trainer:\n    env: {A: b, C: d}\n") ==
        R"(in.yaml:7:10: error: spec.trainer.env must be a list, not a map [input/type]
    7 |     env: {A: b, C: d}
      |          ^ write a list: - {name: A, value: b}
)");
  CHECK(report(std::string(kRef) + "  trainer:\n    args: [--x: y]\n") ==
        R"(in.yaml:7:12: error: spec.trainer.args[0] must be a string, not a map [input/type]
    7 |     args: [--x: y]
      |            ^~~ quote it: "--x: y"
)");
  CHECK(report(std::string(kRef) + "  trainer: [[{numNodes: 2}]]\n") ==
        R"(in.yaml:6:12: error: spec.trainer must be a map, not a list [input/type]
    6 |   trainer: [[{numNodes: 2}]]
      |            ^
)");
}

TEST_CASE("consequences: one error per value, in however many fields it ends up") {
  CHECK(report(std::string(kRef) + "  trainer: {numNodes: -1}\n") ==
        R"(in.yaml:6:23: error: numNodes can't be negative, it is -1 [job/spec]
    6 |   trainer: {numNodes: -1}
      |                       ^~
)");
}

TEST_CASE("consequences: the fix for part of a device doesn't cause another error") {
  const auto resources = [](const std::string& lists) {
    return std::string(kRef) + "  trainer:\n    resourcesPerNode:\n" + lists;
  };
  CHECK(
      report(resources("      requests: {nvidia.com/gpu: 0.5}\n")) ==
      R"(in.yaml:8:34: error: spec.trainer.resourcesPerNode.requests.nvidia.com/gpu must be a whole number, not 0.5 [input/type]
    8 |       requests: {nvidia.com/gpu: 0.5}
      |                                  ^~~ extended resources must be whole numbers
)");
  CHECK(report(resources("      requests: {nvidia.com/gpu: \"0.5\"}\n")) ==
        R"(in.yaml:8:34: error: nvidia.com/gpu "500m" is not a whole number [job/resources]
    8 |       requests: {nvidia.com/gpu: "0.5"}
      |                                  ^~~~~ extended resources must be whole numbers
)");
  // Whatever else is refused: the name of one resource begins that of the other.
  CHECK(report(resources("      requests: {nvidia.com/g: \"0.5\", nvidia.com/gpu: 1}\n")) ==
        R"(in.yaml:8:32: error: nvidia.com/g "500m" is not a whole number [job/resources]
    8 |       requests: {nvidia.com/g: "0.5", nvidia.com/gpu: 1}
      |                                ^~~~~ extended resources must be whole numbers
in.yaml:8:39: error: nvidia.com/gpu is requested without a limit [job/gpu-limit]
    8 |       requests: {nvidia.com/g: "0.5", nvidia.com/gpu: 1}
      |                                       ^~~~~~~~~~~~~~ extended resources need an equal limit; add limits: {nvidia.com/gpu: 1}
)");
}

TEST_CASE("consequences: JSON has what the cluster would say, and marks what other formats leave out") {
  const auto counts = [](const std::string& trainer) {
    base::MemoryFileSystem files;
    files.files["a.yaml"] =
        "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: j}\nspec:\n" +
        std::string(kRef) + "  trainer: {image: \"a/b:1\", command: [torchrun, x.py], " + trainer + "}\n";
    const auto parsed = nlohmann::json::parse(test::lint(files, {"--format", "json", "a.yaml"}).out);
    int marked = 0;
    for (const auto& one : parsed["diagnostics"]) marked += one.value("consequence", false) ? 1 : 0;
    const std::string text = test::lint(files, {"a.yaml"}).out;
    return fmt::format("{} of {} marked; {}", marked, parsed["diagnostics"].size(),
                       text.substr(text.rfind("\n\n") + 2));
  };
  CHECK(counts("env: {A: b, C: d}") ==
        R"(2 of 3 marked; 1 finding (1 error) in 1 of 1 file; 1 fixable with --fix=all
)");
  CHECK(counts("env: [{key: A, value: b}]") ==
        R"(1 of 2 marked; 1 finding (1 error) in 1 of 1 file; 1 fixable with --fix=all
)");
}

TEST_CASE("consequences: one finding about the runtime of several jobs") {
  const auto job = [](const std::string& name) {
    return "---\napiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: " + name +
           "}\nspec: {runtimeRef: {name: r}}\n";
  };
  const auto report_of = [&](const std::vector<std::string>& jobs) {
    std::string text =
        "apiVersion: trainer.kubeflow.org/v1alpha1\n"
        "kind: ClusterTrainingRuntime\n"
        "metadata: {name: r, labels: {trainer.kubeflow.org/framework: plainml}}\n"
        "spec:\n"
        "  template:\n"
        "    spec:\n"
        "      replicatedJobs:\n"
        "      - name: node\n"
        "        template:\n"
        "          spec:\n"
        "            template:\n"
        "              spec:\n"
        "                containers:\n"
        "                - name: node\n"
        "                  image: i:1\n"
        "                  volumeMounts: [{name: gone, mountPath: /x}]\n";
    for (const std::string& name : jobs) text += job(name);
    return errors_of(text);
  };
  const std::string error = R"(in.yaml:16:41: error: the pod has no volume "gone" [job/volume-mount]
   16 |                   volumeMounts: [{name: gone, mountPath: /x}]
      |                                         ^~~~ add a volume of that name to the pod's volumes
)";
  CHECK(report_of({"a"}) == error);
  CHECK(report_of({"a", "b"}) == error + "  note: the same for TrainJob/default/b\n");
  CHECK(report_of({"a", "b", "c", "d", "e", "f"}) ==
        error +
            "  note: the same for TrainJob/default/b, TrainJob/default/c, TrainJob/default/d and 2 more\n");
}

}  // namespace trainjobc::consequences_test
