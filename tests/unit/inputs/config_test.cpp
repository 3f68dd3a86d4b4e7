// SPDX-License-Identifier: Apache-2.0

#include "inputs/config.h"

#include <doctest/doctest.h>

#include "support/test_console.h"

namespace trainjobc::config_test {
namespace {

std::string read_error(const std::string& text) {
  base::MemoryFileSystem files;
  files.files["team/.trainjobc.yaml"] = text;
  test::TestConsole console(files);
  const inputs::ConfigResult result = inputs::load_config(console.files(), "team/.trainjobc.yaml");
  const auto* error = std::get_if<inputs::Message>(&result);
  return error ? error->text : "";
}

}  // namespace

TEST_CASE("a configuration is read, its paths relative to its folder") {
  base::MemoryFileSystem files;
  files.files["team/.trainjobc.yaml"] =
      "trainerVersion: 2.3\nruntimes: [platform, /etc/runtimes]\ncatalogue: false\nnamespace: research\n"
      "failOn: warning\nrules:\n  advice/image-tag: off\n  input/unknown-field: warning\n"
      "suppress:\n- rule: advice/image-tag\n  paths: ['scratch/**']\n  reason: experiments\n";
  test::TestConsole console(files);
  const inputs::ConfigResult result = inputs::load_config(console.files(), "team/.trainjobc.yaml");
  REQUIRE(std::holds_alternative<inputs::Config>(result));
  const auto& config = std::get<inputs::Config>(result);
  CHECK(config.folder == "team");
  CHECK(config.trainer_version == "2.3");
  CHECK(config.runtimes == std::vector<std::string>{"team/platform", "/etc/runtimes"});
  CHECK(config.catalogue == false);
  CHECK(config.ns == "research");
  CHECK(config.fail_on == "warning");
  CHECK(config.rules.at("advice/image-tag").severity == std::nullopt);
  CHECK(config.rules.at("input/unknown-field").severity == base::Severity::Warning);
  REQUIRE(config.suppressions.size() == 1);
  CHECK(config.suppressions[0].paths == std::vector<std::string>{"scratch/**"});
  CHECK(config.suppressions[0].reason == "experiments");
}

TEST_CASE("an unknown key is refused at its place") {
  CHECK(read_error("runtime: [x]\n") ==
        "team/.trainjobc.yaml:1:1: error: unknown key \"runtime\" [config/invalid]\n"
        "    1 | runtime: [x]\n"
        "      | ^~~~~~~ did you mean \"runtimes\"?\n");
}

TEST_CASE("scope is true or false") {
  CHECK(read_error("scope: prod\n") ==
        "team/.trainjobc.yaml:1:8: error: scope must be true or false [config/invalid]\n"
        "    1 | scope: prod\n"
        "      |        ^~~~\n");
}

TEST_CASE("an unknown rule is refused with a suggestion") {
  CHECK(read_error("rules:\n  input/unknown-feild: off\n") ==
        "team/.trainjobc.yaml:2:3: error: there is no rule \"input/unknown-feild\" [config/invalid]\n"
        "    2 |   input/unknown-feild: off\n"
        "      |   ^~~~~~~~~~~~~~~~~~~ did you mean \"input/unknown-field\"?\n");
}

TEST_CASE("a suppression needs a reason") {
  CHECK(read_error("suppress:\n- rule: input/unknown-field\n  paths: [a]\n") ==
        "team/.trainjobc.yaml:2:3: error: a suppression needs a reason [config/invalid]\n"
        "    2 | - rule: input/unknown-field\n"
        "      |   ^~~~\n");
}

TEST_CASE("a suppression needs paths or labels") {
  CHECK(read_error("suppress:\n- {rule: input/unknown-field, reason: known}\n") ==
        R"(team/.trainjobc.yaml:2:3: error: a suppression needs paths or labels [config/invalid]
    2 | - {rule: input/unknown-field, reason: known}
      |   ^
)");
  CHECK(read_error("suppress:\n- {rule: input/unknown-field, reason: known, labels: {}}\n") ==
        R"(team/.trainjobc.yaml:2:54: error: labels must be a map, and not empty [config/invalid]
    2 | - {rule: input/unknown-field, reason: known, labels: {}}
      |                                                      ^
)");
  CHECK(read_error("suppress:\n- {rule: input/unknown-field, reason: known, labels: {team: 1}}\n") ==
        R"(team/.trainjobc.yaml:2:61: error: the value of a label must be a string [config/invalid]
    2 | - {rule: input/unknown-field, reason: known, labels: {team: 1}}
      |                                                             ^
)");
}

TEST_CASE("the paths of a suppression and excluded globs say something") {
  for (const char* nothing : {"{}", "~", "12", "''"}) {
    CHECK(read_error("suppress:\n- {rule: input/unknown-field, reason: known, paths: [a, " +
                     std::string(nothing) + "]}\n")
              .find(": error: a path must be a string, and not empty [config/invalid]\n") !=
          std::string::npos);
  }
  CHECK(read_error("exclude: [charts, ./]\n") ==
        "team/.trainjobc.yaml:1:19: error: a glob must be a string, and not empty [config/invalid]\n"
        "    1 | exclude: [charts, ./]\n"
        "      |                   ^~\n");
}

TEST_CASE("an unknown version is refused") {
  CHECK(read_error("trainerVersion: 3.1\n") ==
        "team/.trainjobc.yaml:1:17: error: there is no Trainer version \"3.1\" [config/invalid]\n"
        "    1 | trainerVersion: 3.1\n"
        "      |                 ^~~ use auto, or a version such as 2.3\n");
}

TEST_CASE("a platform is one of two") {
  CHECK(read_error("platform: OpenShift\n") ==
        "team/.trainjobc.yaml:1:11: error: platform must be kubernetes or openshift [config/invalid]\n"
        "    1 | platform: OpenShift\n"
        "      |           ^~~~~~~~~\n");
}

TEST_CASE("allowPrivileged is true or false") {
  CHECK(read_error("allowPrivileged: most\n") == R"(team/.trainjobc.yaml:1:18: error: allowPrivileged must be true or false [config/invalid]
    1 | allowPrivileged: most
      |                  ^~~~
)");
}

TEST_CASE("exemptions from Pod Security are lists of names") {
  CHECK(read_error("podSecurity: {exempt: {}}\n") ==
        R"(team/.trainjobc.yaml:1:15: error: unknown key "exempt" [config/invalid]
    1 | podSecurity: {exempt: {}}
      |               ^~~~~~
)");
  CHECK(read_error("podSecurity: {exemptions: {namespace: [a]}}\n") ==
        R"(team/.trainjobc.yaml:1:28: error: unknown key "namespace" [config/invalid]
    1 | podSecurity: {exemptions: {namespace: [a]}}
      |                            ^~~~~~~~~ did you mean "namespaces"?
)");
  CHECK(read_error("podSecurity: {exemptions: {namespaces: a}}\n") ==
        R"(team/.trainjobc.yaml:1:40: error: namespaces must be a list of strings, not empty [config/invalid]
    1 | podSecurity: {exemptions: {namespaces: a}}
      |                                        ^
)");
  CHECK(read_error("podSecurity: {exemptions: [a]}\n") ==
        R"(team/.trainjobc.yaml:1:27: error: exemptions must be a map of lists [config/invalid]
    1 | podSecurity: {exemptions: [a]}
      |                           ^
)");
}

TEST_CASE("a policy of the settings is an object with a name") {
  CHECK(
      read_error("policies:\n- {kind: ValidatingAdmissionPolicy}\n") ==
      R"(team/.trainjobc.yaml:2:3: error: an object needs apiVersion, kind and metadata.name [config/invalid]
    2 | - {kind: ValidatingAdmissionPolicy}
      |   ^
)");
  CHECK(
      read_error("policies:\n- {apiVersion: v1, kind: ConfigMap, metadata: {}}\n") ==
      R"(team/.trainjobc.yaml:2:3: error: an object needs apiVersion, kind and metadata.name [config/invalid]
    2 | - {apiVersion: v1, kind: ConfigMap, metadata: {}}
      |   ^
)");
}

TEST_CASE("exclude is a list of globs") {
  CHECK(read_error("exclude: charts\n") ==
        "team/.trainjobc.yaml:1:10: error: exclude must be a list of globs [config/invalid]\n"
        "    1 | exclude: charts\n"
        "      |          ^~~~~~\n");
}

}  // namespace trainjobc::config_test
