// SPDX-License-Identifier: Apache-2.0

// What groups of one scope get of each other's runtimes.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "inputs/groups.h"

namespace trainjobc::shared_runtimes_test {
namespace {

std::string runtime(const std::string& name) {
  return fmt::format(
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\nmetadata: {{name: {}}}\n",
      name);
}

std::string job(const std::string& runtime) {
  return fmt::format(
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {{name: j}}\n"
      "spec: {{runtimeRef: {{name: {}, kind: ClusterTrainingRuntime}}}}\n",
      runtime);
}

inputs::InputGroup group(const std::string& name, const std::string& text) {
  inputs::InputGroup made;
  made.config = std::make_shared<inputs::Config>();
  made.inputs.push_back({name, text});
  return made;
}

// The runtimes of each group: "a.yaml b.yaml".
std::vector<std::string> shared(std::vector<inputs::InputGroup> groups,
                                inputs::Sharing sharing = inputs::Sharing::Named) {
  inputs::share_runtimes(groups, sharing);
  std::vector<std::string> all;
  for (const inputs::InputGroup& one : groups) {
    std::string& names = all.emplace_back();
    for (const Source& source : one.runtimes) names.append(names.empty() ? "" : " ").append(source.name);
  }
  return all;
}

// 40 groups, each with a runtime of its own, whose job names that of the group before it.
std::vector<inputs::InputGroup> many() {
  std::vector<inputs::InputGroup> groups;
  for (int i = 0; i < 40; ++i) {
    groups.push_back(group(fmt::format("{}.yaml", i), runtime(fmt::format("rt-{}", i)) + "---\n" +
                                                          job(fmt::format("rt-{}", (i + 39) % 40))));
  }
  return groups;
}

}  // namespace

TEST_CASE("shared runtimes: those of other groups of the scope, at their lines, before the group's own") {
  std::vector<inputs::InputGroup> groups{group("a.yaml", job("one") + "---\n" + runtime("one")),
                                         group("b.yaml", job("one")), group("c.yaml", runtime("two"))};
  groups[1].runtimes.push_back({"own.yaml", runtime("one")});
  groups[2].scope = "elsewhere";
  CHECK(shared(groups) == std::vector<std::string>{"", "a.yaml own.yaml", ""});
  inputs::share_runtimes(groups, inputs::Sharing::Named);
  CHECK(groups[1].runtimes.front().text == "\n\n\n\n---\n" + runtime("one"));
}

TEST_CASE("shared runtimes: a document that several groups have is shared once") {
  const std::string text = runtime("same");
  CHECK(shared({group("a.yaml", text + "---\n" + job("same")), group("b.yaml", text), group("c.yaml", text),
                group("d.yaml", runtime("other") + "---\n" + text)}) ==
        std::vector<std::string>{"d.yaml", "a.yaml d.yaml", "a.yaml d.yaml", "a.yaml"});
}

TEST_CASE("shared runtimes: of many, a group gets those that its TrainJobs refer to") {
  std::vector<inputs::InputGroup> groups = many();
  const std::vector<std::string> names = shared(groups);
  CHECK(names[0] == "39.yaml");
  CHECK(names[7] == "6.yaml");
  CHECK(shared(groups, inputs::Sharing::All)[7].size() > names[7].size());
}

TEST_CASE(
    "shared runtimes: a group whose TrainJob refers to an unknown one gets all, to say which there are") {
  std::vector<inputs::InputGroup> groups = many();
  groups[3].inputs.push_back({"typo.yaml", job("rt-17x")});
  groups[4].inputs.push_back({"catalogue.yaml", job("torch-distributed")});
  groups[5].inputs.push_back({"other.yaml", job("configured")});
  groups[5].runtimes.push_back({"own.yaml", runtime("configured")});
  const std::vector<std::string> names = shared(groups);
  CHECK(std::ranges::count(names[3], ' ') == 38);
  CHECK(names[4] == "3.yaml");
  CHECK(names[5] == "4.yaml own.yaml");
}

}  // namespace trainjobc::shared_runtimes_test
