// SPDX-License-Identifier: Apache-2.0

// Comparing under the JobSet's schema.
#include "schema/compare.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "yaml/read/reader.h"
#include "yaml/write/writer.h"

namespace trainjobc::compare_test {
namespace {

std::string shown_text_of(const yaml::Node* node) {
  std::string text;
  if (node) yaml::write_json(*node, yaml::KeyOrder::AsIs, 0, text);
  return node ? text : "-";
}

// The differences of two pod specs, one per line: path, live, rendered.
std::string differences(const std::string& rendered, const std::string& live) {
  const std::string around = "spec: {replicatedJobs: [{name: node, template: {spec: {template: {spec: ";
  const base::SourceFile rendered_file("rendered", around + rendered + "}}}}]}");
  const base::SourceFile live_file("live", around + live + "}}}}]}");
  base::Arena arena;
  base::Diagnostics diagnostics;
  const auto a = yaml::read(rendered_file, arena, diagnostics);
  const auto b = yaml::read(live_file, arena, diagnostics);
  REQUIRE(diagnostics.empty());
  const schema::Schema* schema = schema::find_version("2.3")->kind("JobSet")->schema;
  std::string out;
  for (const auto& difference : schema::compare(*a.front().root, *b.front().root, schema)) {
    const std::string path = schema::to_string(difference.path);
    out += fmt::format("{} {} {}{}\n",
                       path.substr(std::string("spec.replicatedJobs[0].template.spec.template.spec.").size()),
                       shown_text_of(difference.live), shown_text_of(difference.rendered),
                       difference.order ? " order" : "");
  }
  return out;
}

}  // namespace

TEST_CASE("list maps are compared by key, whatever the order of their items") {
  CHECK(differences("{volumes: [{name: a, emptyDir: {}}, {name: b, emptyDir: {}}]}",
                    "{volumes: [{name: b, emptyDir: {}}, {name: a, emptyDir: {medium: Memory}}]}") ==
        "volumes[0].emptyDir.medium \"Memory\" -\n");
}

TEST_CASE("items of one side") {
  CHECK(differences("{volumes: [{name: a, emptyDir: {}}, {name: b, hostPath: {path: /b}}]}",
                    "{volumes: [{name: a, emptyDir: {}}, {name: c, hostPath: {path: /c}}]}") ==
        "volumes[1] - {\"name\":\"b\",\"hostPath\":{\"path\":\"/b\"}}\n"
        "volumes[2] {\"name\":\"c\",\"hostPath\":{\"path\":\"/c\"}} -\n");
}

TEST_CASE("a changed key is a change of the item") {
  CHECK(differences("{containers: [{name: n, ports: [{containerPort: 80, protocol: TCP}]}]}",
                    "{containers: [{name: n, ports: [{containerPort: 80, protocol: UDP}]}]}") ==
        "containers[0].ports[0].protocol \"UDP\" \"TCP\"\n");
  CHECK(differences("{imagePullSecrets: [{name: a}]}", "{imagePullSecrets: [{name: b}]}") ==
        "imagePullSecrets[0].name \"b\" \"a\"\n");
}

TEST_CASE("atomic lists are compared in order, as a whole if their lengths differ") {
  CHECK(differences("{containers: [{name: n, args: [a, b]}]}", "{containers: [{name: n, args: [a, c]}]}") ==
        "containers[0].args[1] \"c\" \"b\"\n");
  CHECK(
      differences("{containers: [{name: n, args: [a, b]}]}", "{containers: [{name: n, args: [a, x, b]}]}") ==
      "containers[0].args [\"a\",\"x\",\"b\"] [\"a\",\"b\"]\n");
}

TEST_CASE("quantities by value, int-or-string by text") {
  CHECK(differences("{containers: [{name: n, resources: {limits: {cpu: 1, memory: 1Gi}}}]}",
                    "{containers: [{name: n, resources: {limits: {cpu: 1000m, memory: 1024Mi}}}]}") == "");
  CHECK(differences("{containers: [{name: n, livenessProbe: {tcpSocket: {port: 80}}}]}",
                    "{containers: [{name: n, livenessProbe: {tcpSocket: {port: '80'}}}]}") == "");
}

TEST_CASE("empty counts as absent only if Go can't tell the two apart") {
  CHECK(differences("{containers: [{name: n, args: [], workingDir: '', resources: {}}], nodeSelector: {}}",
                    "{containers: [{name: n}]}") == "");
  CHECK(differences("{volumes: [{name: a, emptyDir: {}}]}", "{volumes: [{name: a}]}") ==
        "volumes[0].emptyDir - {}\n");
  CHECK(differences("{containers: [{name: n, securityContext: {runAsUser: 0}}]}",
                    "{containers: [{name: n, securityContext: {}}]}") ==
        "containers[0].securityContext.runAsUser - 0\n");
}

TEST_CASE("the order of init containers matters, that of containers doesn't") {
  CHECK(differences("{initContainers: [{name: a}, {name: b}], containers: [{name: c}, {name: d}]}",
                    "{initContainers: [{name: b}, {name: a}], containers: [{name: d}, {name: c}]}") ==
        "initContainers [{\"name\":\"b\"},{\"name\":\"a\"}] [{\"name\":\"a\"},{\"name\":\"b\"}] order\n");
}

TEST_CASE("the order of variables matters if one is expanded in the other") {
  CHECK(differences("{containers: [{name: n, env: [{name: A, value: x}, {name: B, value: y}]}]}",
                    "{containers: [{name: n, env: [{name: B, value: y}, {name: A, value: x}]}]}") == "");
  CHECK(differences("{containers: [{name: n, env: [{name: A, value: x}, {name: B, value: $(A)}]}]}",
                    "{containers: [{name: n, env: [{name: B, value: $(A)}, {name: A, value: x}]}]}") ==
        "containers[0].env [{\"name\":\"B\",\"value\":\"$(A)\"},{\"name\":\"A\",\"value\":\"x\"}] "
        "[{\"name\":\"A\",\"value\":\"x\"},{\"name\":\"B\",\"value\":\"$(A)\"}] order\n");
}

TEST_CASE("keys with a dot or a slash are in brackets") {
  CHECK(differences("{containers: [{name: n, resources: {limits: {nvidia.com/gpu: 1}}}]}",
                    "{containers: [{name: n, resources: {limits: {nvidia.com/gpu: 2}}}]}") ==
        "containers[0].resources.limits[nvidia.com/gpu] 2 1\n");
}

}  // namespace trainjobc::compare_test
