// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include "features/explain/explain.h"
#include "support/advice.h"
#include "support/test_console.h"

namespace trainjobc::field_selector_test {
namespace {

// The paths that explain prints.
std::string selected(const std::string& field) {
  base::MemoryFileSystem files;
  files.files["in.yaml"] =
      test::runtime("{torch: {}}", test::trainer()) + test::job("  trainer: {numNodes: 2}\n");
  test::TestConsole console(files);
  CHECK(cli::run({"explain", "--no-config", "--field", field, "-o", "json", "in.yaml"}, console) == 0);
  std::string paths;
  const std::string key = "\"path\": \"";
  for (size_t at = console.out.find(key); at != std::string::npos; at = console.out.find(key, at)) {
    at += key.size();
    paths += console.out.substr(at, console.out.find('"', at) - at) + "\n";
  }
  return paths;
}

constexpr const char* kNode = "spec.replicatedJobs[0].template.spec.template.spec.containers[0].";

}  // namespace

TEST_CASE("explain --field takes JSONPath") {
  const std::string image = std::string(kNode) + "image\n";
  CHECK(selected("..image") == image);
  CHECK(selected("$..image") == image);
  CHECK(selected("{..containers[0].image}") == image);
  CHECK(selected("..containers[-1].image") == image);
  CHECK(selected("..containers[1].image") == "");
  CHECK(
      selected(".spec.replicatedJobs[*].template.spec.template.spec.containers[?(@.name==\"node\")].image") ==
      image);
  CHECK(selected("..containers[?(@.name!='node')].image") == "");
  CHECK(selected("..env[?(@.name==\"PET_NNODES\")].value") == std::string(kNode) + "env[0].value\n");
  CHECK(selected("..labels.trainer\\.kubeflow\\.org/trainjob-ancestor-step") ==
        "spec.replicatedJobs[0].template.metadata.labels[trainer.kubeflow.org/trainjob-ancestor-step]\n");
  CHECK(selected("..labels['trainer.kubeflow.org/trainjob-ancestor-step']") ==
        "spec.replicatedJobs[0].template.metadata.labels[trainer.kubeflow.org/trainjob-ancestor-step]\n");
  CHECK(selected(".metadata") == "metadata.name\n");
  CHECK(selected(".metadata.*") == "metadata.name\n");
  CHECK(selected(".spec.replicatedJobs[*]['name']") == "spec.replicatedJobs[0].name\n");
}

TEST_CASE("what is no JSONPath") {
  CHECK(explain::FieldSelector::check("image") == "");
  CHECK(explain::FieldSelector::check("..image") == "");
  CHECK(explain::FieldSelector::check(".a[") == "at \"[\": ] is missing");
  CHECK(explain::FieldSelector::check(".a[x]") ==
        "at \"[x]\": write a number, *, 'key' or ?(@.name==\"value\")");
  CHECK(explain::FieldSelector::check(".a[?(@.b)]") == "at \"[?(@.b)]\": a filter is ?(@.name==\"value\")");
  CHECK(explain::FieldSelector::check("$") == "at \"\": it selects nothing");
  CHECK(explain::FieldSelector::check("$a") == "at \"a\": a step must begin with . or [");
}

}  // namespace trainjobc::field_selector_test
