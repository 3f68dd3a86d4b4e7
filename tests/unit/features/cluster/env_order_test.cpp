// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include "features/cluster/live_fields.h"
#include "support/jobset.h"
#include "yaml/write/writer.h"

namespace trainjobc::env_order_test {
namespace {

using trainjobc::test::JobSetBench;
using trainjobc::yaml::Node;

std::string with_env(const std::string& env, const std::string& list = "containers") {
  return "spec: {replicatedJobs: [{name: node, template: {spec: {template: {spec: {" + list +
         ": [{name: a, env: [" + env + "]}]}}}}}]}\n";
}

// The variables of the result: "B A", or "same" where the JobSet is returned as it is.
std::string ordered(const std::string& rendered, const std::string& live) {
  JobSetBench bench;
  const Node* ours = bench.read(rendered);
  const Node& result = *trainjobc::cluster::with_live_env_order(*ours, *bench.read(live), bench.make());
  if (&result == ours) return "same";
  const Node* pod =
      result.at({"spec", "replicatedJobs"})->items()[0]->at({"template", "spec", "template", "spec"});
  std::string names;
  for (const Node* variable : pod->entries()[0].value->items()[0]->get("env")->items())
    names += (names.empty() ? "" : " ") + std::string(variable->get("name")->text());
  return names;
}

}  // namespace

TEST_CASE("variables take the order of the live ones if the order doesn't matter") {
  const std::string ab = "{name: A, value: '1'}, {name: B, value: '2'}";
  const std::string ba = "{name: B, value: '2'}, {name: A, value: '1'}";
  CHECK(ordered(with_env(ab), with_env(ba)) == "B A");
  CHECK(ordered(with_env(ab, "initContainers"), with_env(ba, "initContainers")) == "B A");
  CHECK(ordered(with_env(ab), with_env(ab)) == "same");
  CHECK(ordered(with_env(ab), with_env("{name: B}, {name: A, valueFrom: {fieldRef: {fieldPath: x}}}")) ==
        "B A");
  CHECK(ordered(with_env(ab), with_env(ba + ", {name: C}")) == "same");
  CHECK(ordered(with_env(ab), with_env("{name: B}, {name: C}")) == "same");
  CHECK(ordered(with_env("{name: A}, {name: A}, {name: B}"), with_env("{name: B}, {name: A}, {name: A}")) ==
        "same");
  CHECK(ordered(with_env(ab), with_env(ba, "initContainers")) == "same");
  CHECK(ordered(with_env(ab), "spec: {}\n") == "same");
}

TEST_CASE("variables that refer to others keep their order") {
  const std::string live = with_env("{name: B, value: $(A)}, {name: C}, {name: A, value: '1'}");
  CHECK(ordered(with_env("{name: A, value: '1'}, {name: B, value: $(A)}, {name: C}"), live) == "same");
  CHECK(ordered(with_env("{name: C}, {name: B, value: $(A)}, {name: A, value: '1'}"), live) == "B C A");
}

}  // namespace trainjobc::env_order_test
