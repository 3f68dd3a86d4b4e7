// SPDX-License-Identifier: Apache-2.0

#include "support/properties/merging.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>
#include <vector>

#include "schema/schema.h"
#include "schema/strategic_merge.h"
#include "yaml/read/reader.h"
#include "yaml/write/writer.h"

namespace trainjobc::test {
namespace {

using schema::MergeError;
using schema::MergeResult;
using yaml::Node;

constexpr yaml::ReadLimits kLimits{.max_values = 5'000};

const schema::Schema& pod_template() {
  static const schema::Schema& found = []() -> const schema::Schema& {
    const schema::Schema* at = schema::find_version("2.3")->kind("JobSet")->schema;
    for (const char* key : {"spec", "replicatedJobs", "template", "spec", "template"}) {
      if (at->items) at = at->items;
      at = at->property(key)->schema;
    }
    return *at;
  }();
  return found;
}

const Node* merged(const MergeResult& result) {
  const auto* node = std::get_if<const Node*>(&result);
  return node ? *node : nullptr;
}

std::string shown(const Node& node) {
  std::string text;
  yaml::write_yaml(node, yaml::KeyOrder::AsIs, text);
  return text;
}

std::string wrong_with_error(const MergeError& error, const yaml::Document& patch) {
  if (error.message.empty()) return "the error has no message";
  if (!error.culprit) return "the error has no culprit: " + error.message;
  const base::Location at = yaml::locate(*error.culprit);
  return at.file && at.line >= patch.first_line ? "" : "the error is not in the patch: " + error.message;
}

bool all_in_file(const Node& node) {
  const base::Location at = yaml::locate(node);
  if (!at.file || at.line == 0 || at.line > at.file->line_count()) return false;
  return std::ranges::all_of(node.items(), [](const Node* item) { return all_in_file(*item); }) &&
         std::ranges::all_of(node.entries(),
                             [](const yaml::Entry& entry) { return all_in_file(*entry.value); });
}

bool comes_back(const Node& node) {
  const base::SourceFile file("written.yaml", shown(node));
  base::Arena arena;
  base::Diagnostics problems;
  const std::vector<yaml::Document> read = yaml::read(file, arena, problems);
  return problems.empty() && read.size() == 1 && yaml::equal(node, *read.front().root);
}

// Whether each merge of the patch gives the same: directives delete, and lists may grow.
bool can_repeat(const Node& patch) {
  if (patch.is_list()) return false;
  return std::ranges::all_of(patch.entries(), [](const yaml::Entry& entry) {
    return !entry.key.starts_with('$') && can_repeat(*entry.value);
  });
}

}  // namespace

std::string wrong_with_merge(const std::string& text) {
  const base::SourceFile file("merge.yaml", text);
  base::Arena arena;
  base::Diagnostics problems;
  const std::vector<yaml::Document> read = yaml::read(file, arena, problems, kLimits);
  if (read.size() < 2 || !read[0].root->is_map() || !read[1].root->is_map()) return "";
  const Node& original = *read[0].root;
  const Node& patch = *read[1].root;
  const yaml::Maker make(arena);
  const auto merge = [&](const Node* into, const Node& change) {
    return schema::strategic_merge(into, change, pod_template(), make);
  };

  const Node& nothing = *make.map({});
  const Node* unchanged = merged(merge(&original, nothing));
  if (!unchanged || !yaml::equal(*unchanged, original)) return "an empty patch changes something\n";
  const MergeResult from_none = merge(nullptr, patch);
  const MergeResult from_empty = merge(&nothing, patch);
  if (!merged(from_none) != !merged(from_empty) ||
      (merged(from_none) && !yaml::equal(*merged(from_none), *merged(from_empty)))) {
    return "no original is not the same as an empty one\n";
  }

  const MergeResult result = merge(&original, patch);
  if (const auto* error = std::get_if<MergeError>(&result)) return wrong_with_error(*error, read[1]);
  const Node& node = *merged(result);
  if (!all_in_file(node)) return "a value comes from nowhere:\n" + shown(node);
  if (!comes_back(node)) return "what was merged does not read back:\n" + shown(node);
  if (!can_repeat(patch)) return "";
  const MergeResult repeated = merge(&node, patch);
  const Node* again = merged(repeated);
  if (!again || yaml::equal(*again, node)) return "";
  return fmt::format("the patch changes what it patched:\n{}---\n{}", shown(node), shown(*again));
}

}  // namespace trainjobc::test
