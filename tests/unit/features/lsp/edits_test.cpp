// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/text.h"
#include "features/lsp/answers.h"
#include "support/lsp.h"
#include "support/properties/lsp_edits.h"

namespace trainjobc::edits_test {
namespace {

constexpr std::string_view kList = R"(kind: List
items:
- apiVersion: trainer.kubeflow.org/v1alpha1
  kind: TrainJob
  metadata:
    name: a
  spec:
    runtimeRef:
      name: torch
    runtimePatches:
    - trainingRuntimeSpec:
        template:
          spec:
            replicatedJobs:
            - name: node
              template: {spec: {template: {spec: {containers: [{name: node}]}}}}
)";
constexpr std::string_view kRuntime = R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata:
  name: torch
spec:
  mlPolicy:
    torch: {}
  template:
    spec:
      replicatedJobs:
      - name: node
        dependsOn:
        - name: fetch
)";

// Answers to all requests on each word of the text; their number.
size_t ask_everywhere(std::string_view text) {
  test::LspWorkspace open;
  open.file("runtime.yaml", std::string(kRuntime)).open("open.yaml", std::string(text) + "@@");
  const lsp::Workspace& workspace = open.workspace();
  size_t answers = lsp::document_symbols(workspace, open.document()).size();
  uint32_t number = 0;
  for (const std::string_view line : base::Lines(text)) {
    for (uint32_t column = 0; column <= line.size(); ++column) {
      const bool begins_word =
          column == line.size() || (line[column] != ' ' && (column == 0 || line[column - 1] == ' '));
      if (!begins_word) continue;
      const lsp::Position at{number, column};
      for (const auto& answer :
           {lsp::hover(workspace, open.document(), at), lsp::complete(workspace, open.document(), at),
            lsp::find_definition(workspace, open.document(), at),
            lsp::find_references(workspace, open.document(), at, true)}) {
        if (!answer.is_null()) ++answers;
      }
    }
    ++number;
  }
  return answers;
}

}  // namespace

TEST_CASE("server: random edits and requests") {
  std::mt19937 random(1);
  for (int run = 0; run < 20; ++run) {
    std::string bytes(60, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    REQUIRE(test::wrong_with_edits(bytes, run % 2 == 0) == "");
  }
}

TEST_CASE("server: requests in a document with lines written twice, or missing") {
  constexpr size_t kMost = 3;
  size_t answers = 0;
  for (const std::string_view text : {kList, kRuntime}) {
    std::vector<std::string> lines;
    for (const std::string_view line : base::Lines(text)) lines.push_back(std::string(line) + "\n");
    const auto join = [&](size_t from, size_t to) {
      std::string out;
      for (size_t i = from; i < to; ++i) out += lines[i];
      return out;
    };
    for (size_t begin = 0; begin < lines.size(); ++begin) {
      answers += ask_everywhere(join(0, begin + 1) + join(begin, lines.size()));
      answers += ask_everywhere(join(0, lines.size()) + join(begin, lines.size()));
      for (size_t end = begin + 1; end <= std::min(begin + kMost, lines.size()); ++end)
        answers += ask_everywhere(join(0, begin) + join(end, lines.size()));
    }
  }
  CHECK(answers > 1'000);
}

TEST_CASE("server: lines that come and go") {
  constexpr std::array<std::string_view, 5> kLines{"\n", "# a comment\n", "---\n", "a: 1\n",
                                                   "  suspend: true\n"};
  constexpr char kPublish = '\xC8';
  std::mt19937 random(2);
  const auto any = [&](size_t size) { return static_cast<char>(random() % size); };
  for (int run = 0; run < 100; ++run) {
    std::string bytes;
    for (int edit = 0; edit < 6; ++edit) {
      const char line = any(16);
      const bool deletes = any(4) == 0;
      const std::string_view added = deletes ? "" : kLines[static_cast<size_t>(any(kLines.size()))];
      bytes += {'\0', any(2), line, '\0', static_cast<char>(line + (deletes ? 1 : 0)), '\0'};
      bytes += static_cast<char>(added.size());
      bytes += added;
      if (any(3) == 0) bytes += kPublish;
    }
    REQUIRE(test::wrong_with_edits(bytes, run % 2 == 0) == "");
  }
}

}  // namespace trainjobc::edits_test
