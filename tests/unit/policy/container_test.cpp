// SPDX-License-Identifier: Apache-2.0

#include "policy/container.h"

#include <doctest/doctest.h>

#include "base/arena.h"
#include "base/source.h"
#include "yaml/read/reader.h"
#include "yaml/write/writer.h"

namespace trainjobc::policy {
namespace {

// Ports of which many have the number or the name of another, in an order without a pattern.
NodeList ports(const yaml::Maker& make, int64_t count) {
  NodeList list;
  for (int64_t i = 0; i < count; ++i) {
    const yaml::Node* name = i % 3 == 0 ? nullptr : make.copied("p" + std::to_string(i * 5 % 19));
    list.push_back(make.map({{"containerPort", make.integer(8000 + i * 7 % 23)}, {"name", name}}));
  }
  return list;
}

std::string json(const yaml::Node& node) {
  std::string text;
  yaml::write_json(node, yaml::KeyOrder::AsIs, 0, text);
  return text;
}

}  // namespace

TEST_CASE("upserts: many at once, in lists of any length, do what each does by itself") {
  base::Arena arena;
  const yaml::Maker make(arena);
  for (const int64_t count : {0, 3, 16, 17, 40, 200}) {
    CAPTURE(count);
    Container container;
    container.node = make.map(std::initializer_list<yaml::Entry>{});
    container.ports = ports(make, count);
    NodeList expected;
    for (const yaml::Node* port : container.ports) upsert_port(expected, port);
    CHECK(written_back(container).ports == expected);
  }
}

TEST_CASE(
    "the env of a job as the controller writes it: an element for each name, and the fields that its Go "
    "types have") {
  base::Arena arena;
  const yaml::Maker make(arena);
  const base::SourceFile file("env.yaml", R"(
- {name: A, value: b, more: x}
- {name: EMPTY}
- {value: nameless}
- {name: A, value: c}
- {name: FIELD, valueFrom: {fieldRef: {apiVersion: v1, fieldPath: metadata.name}}}
- {name: NO_PATH, valueFrom: {fieldRef: {}}}
- {name: CPU, valueFrom: {resourceFieldRef: {resource: limits.cpu}}}
- {name: MEMORY, valueFrom: {resourceFieldRef: {containerName: a, resource: limits.memory, divisor: 1Mi}}}
- {name: CONFIG, valueFrom: {configMapKeyRef: {name: a, key: b, optional: true}}}
- {name: SECRET, valueFrom: {secretKeyRef: {key: b}}}
- {name: FILE, valueFrom: {fileKeyRef: {key: a}}}
- {name: NOTHING, valueFrom: {}}
)");
  base::Diagnostics problems;
  const auto documents = yaml::read(file, arena, problems);
  NodeList list{make.map({{"name", make.string("A")}, {"value", make.string("runtime's")}})};
  upsert_job_env(make, list, documents.front().root);
  std::string text;
  for (const yaml::Node* element : list) text += json(*element) + "\n";
  CHECK(text == R"({"name":"A","value":"c"}
{"name":"EMPTY","value":""}
{"name":"","value":"nameless"}
{"name":"FIELD","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}
{"name":"NO_PATH","valueFrom":{"fieldRef":{"fieldPath":""}}}
{"name":"CPU","valueFrom":{"resourceFieldRef":{"containerName":"","resource":"limits.cpu","divisor":"0"}}}
{"name":"MEMORY","valueFrom":{"resourceFieldRef":{"containerName":"a","resource":"limits.memory","divisor":"1Mi"}}}
{"name":"CONFIG","valueFrom":{"configMapKeyRef":{"name":"a","key":"b","optional":true}}}
{"name":"SECRET","valueFrom":{"secretKeyRef":{"name":"","key":"b"}}}
{"name":"FILE","valueFrom":{}}
{"name":"NOTHING","valueFrom":{}}
)");
}

TEST_CASE("an image or a command that is empty leaves the template's") {
  base::Arena arena;
  const yaml::Maker make(arena);
  Container container;
  container.node = make.map(
      {{"image", make.string("runtime:1")}, {"command", make.list(std::vector{make.string("run")})}});
  container.image = make.string("");
  container.command = make.list(NodeList{});
  CHECK(to_node(make, container) == container.node);
  container.image = make.string("job:2");
  container.command = make.list(std::vector{make.string("train")});
  CHECK(json(*to_node(make, container)) == R"({"image":"job:2","command":["train"]})");
}

}  // namespace trainjobc::policy
