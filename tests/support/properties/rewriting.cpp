// SPDX-License-Identifier: Apache-2.0

#include "support/properties/rewriting.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <vector>

#include "k8s/object_meta.h"
#include "model/behaviours.h"
#include "model/v1_kinds.h"
#include "support/test_console.h"
#include "yaml/read/reader.h"
#include "yaml/write/writer.h"

namespace trainjobc::test {
namespace {

using yaml::Node;

// A text as it reads.
struct Reading {
  explicit Reading(const std::string& text)
      : file("in.yaml", text), documents(yaml::read(file, arena, problems)) {}

  base::SourceFile file;
  base::Arena arena;
  base::Diagnostics problems;
  std::vector<yaml::Document> documents;
};

// "in.yaml" holds the text before and after.
Run run_in(std::string& text, const std::vector<std::string>& arguments, const std::string& in = "") {
  base::MemoryFileSystem files;
  files.files["in.yaml"] = text;
  Run done = run(files, arguments, {}, in);
  text = files.files["in.yaml"];
  return done;
}

// What an object of a cluster has beside what was applied: one fix removes all of it.
bool is_of_server(const yaml::Entry& entry) {
  constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";
  if (k8s::is_server_metadata(entry.key) || entry.key == "status" || entry.key == kLastApplied) return true;
  return entry.key == "annotations" && entry.value->is_map() && entry.value->size() == 1 &&
         entry.value->get(kLastApplied);
}

// How many values of the old tree are gone or others, and how many entries have come; without what a server
// set and what is gone.
size_t changes(const Node& before, const Node& after) {
  if (before.is_null() && after.is_map()) return 1;
  if (before.is_map() && after.is_map()) {
    size_t count = 0;
    for (const yaml::Entry& entry : before.entries()) {
      const Node* other = after.get(entry.key);
      count += other ? changes(*entry.value, *other) : is_of_server(entry) ? 0 : 1;
    }
    for (const yaml::Entry& entry : after.entries()) count += before.get(entry.key) ? 0 : 1;
    return count;
  }
  if (before.is_list() && after.is_list() && before.size() == after.size()) {
    size_t count = 0;
    for (size_t i = 0; i < before.size(); ++i) count += changes(*before.items()[i], *after.items()[i]);
    return count;
  }
  return yaml::equal(before, after) ? 0 : 1;
}

size_t leading_number(std::string_view text) {
  size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string indented(std::string_view text, std::string_view first, std::string_view rest) {
  std::string out(first);
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string_view line = text.substr(at, end - at);
    if (at > 0 && line != "\n") out += rest;
    out += line;
    at = end;
  }
  return out.ends_with('\n') ? out : out + "\n";
}

// The documents as the items of a ResourceList, in their own lines.
std::string as_resource_list(const Reading& read) {
  std::string list = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n";
  for (size_t i = 0; i < read.documents.size(); ++i) {
    const size_t begin = read.file.line_start(read.documents[i].first_line);
    const bool is_last = i + 1 == read.documents.size();
    std::string_view text = read.file.text();
    text = text.substr(begin,
                       is_last ? text.npos : read.file.line_start(read.documents[i + 1].first_line) - begin);
    if (const size_t mark = text.find("\n---"); mark != text.npos) text = text.substr(0, mark + 1);
    const size_t dash = text.find_first_not_of(" \n");
    if (text.starts_with("---") || dash == text.npos || text.front() == '{') return "";
    list += indented(text, text.front() == '#' ? "-\n  " : "- ", "  ");
  }
  return list;
}

bool is_v1_kind(const Node& object) {
  const Node* version = object.get("apiVersion");
  const Node* kind = object.get("kind");
  return version && kind && model::find_v1_kind(version->text(), kind->text());
}

bool is_trainer_kind(const Node& object) {
  const Node* kind = object.get("kind");
  return kind && (kind->text() == "TrainJob" || kind->text() == "TrainingRuntime" ||
                  kind->text() == "ClusterTrainingRuntime");
}

bool is_input(const Node& item) {
  const Node* version = item.get("apiVersion");
  return version && version->text().substr(0, version->text().find('/')) == "trainer.kubeflow.org" &&
         is_trainer_kind(item);
}

// Results are of one run, not of the list.
std::string_view without_results(std::string_view list) {
  const size_t results = list.find("\nresults:\n");
  return results == list.npos ? list : list.substr(0, results + 1);
}

}  // namespace

std::string wrong_with_fix(const std::string& text, std::string_view level) {
  std::string after = text;
  const std::string flag = fmt::format("--fix={}", level);
  const std::vector<std::string> fix{"lint", "--no-config", "--threads", "1", flag, "in.yaml"};
  const Run first = run_in(after, fix);
  if (after == text) return "";
  const size_t fixed = leading_number(first.err);
  const Reading old_one(text);
  const Reading new_one(after);
  if (new_one.problems.items().size() > old_one.problems.items().size())
    return "--fix breaks the text:\n" + after;
  // In a text that could not be read, what was most likely meant may be another document.
  const bool same_documents = old_one.documents.size() == new_one.documents.size();
  if (!same_documents && (level == "safe" || old_one.problems.items().empty()))
    return "--fix changes the number of documents:\n" + after;
  size_t count = 0;
  for (size_t i = 0; same_documents && i < old_one.documents.size(); ++i)
    count += changes(*old_one.documents[i].root, *new_one.documents[i].root);
  // What was most likely meant may be several values: the words of a command line.
  if (level == "safe" && count > fixed)
    return fmt::format("--fix changes {} values with {} fixes:\n{}", count, fixed, after);
  for (const std::string command : {"render", "lint"}) {
    std::string before = text;
    const std::vector<std::string> check{command, "--no-config", "--threads", "1", "in.yaml"};
    if (run_in(before, check).status == 0 && run_in(after, check).status != 0)
      return fmt::format("{} refuses what {} wrote:\n{}", command, flag, after);
  }
  std::string again = after;
  run_in(again, fix);
  return again == after ? "" : fmt::format("{} changes again what it fixed:\n{}\n{}", flag, after, again);
}

std::string wrong_with_migrate(const std::string& text, std::string_view to) {
  std::string after = text;
  const std::vector<std::string> migrate{"migrate", "--write", "--no-config",   "--threads",
                                         "1",       "--to",    std::string(to), "in.yaml"};
  run_in(after, migrate);
  if (after == text) return "";
  const Reading old_one(text);
  const Reading new_one(after);
  if (new_one.problems.items().size() > old_one.problems.items().size())
    return fmt::format("migrate --to {} breaks the text:\n{}", to, after);
  // A job of the v1 API may become several documents.
  const bool is_aligned = old_one.documents.size() == new_one.documents.size();
  for (size_t i = 0; is_aligned && i < old_one.documents.size(); ++i) {
    const Node& before = *old_one.documents[i].root;
    if (!is_trainer_kind(before) && !is_v1_kind(before) && before.get("items") == nullptr &&
        !yaml::equal(before, *new_one.documents[i].root))
      return fmt::format("migrate --to {} changes another object:\n{}", to, after);
  }
  std::string again = after;
  run_in(again, migrate);
  return again == after
             ? ""
             : fmt::format("migrate --to {} changes again what it migrated:\n{}\n{}", to, after, again);
}

std::string wrong_with_function(const std::string& text) {
  const Reading read(text);
  if (!read.problems.items().empty()) return "";
  const std::string list = as_resource_list(read);
  const Reading before(list);
  if (list.empty() || !before.problems.items().empty() || before.documents.size() != 1) return "";
  std::string unused;
  const Run first = run_in(unused, {"function"}, list);
  const Reading after(first.out);
  if (!after.problems.items().empty() || after.documents.size() != 1)
    return "function breaks the list:\n" + first.out;
  if (first.status != 0) return "";
  std::vector<const Node*> others;
  for (const Node* item : before.documents[0].root->get("items")->items()) {
    if (!item->is_map() || !is_input(*item)) others.push_back(item);
  }
  const Node* items = after.documents[0].root->get("items");
  for (size_t i = 0; i < others.size(); ++i) {
    if (!items || items->size() <= i) return "function drops an item:\n" + first.out;
    if (!yaml::equal(*others[i], *items->items()[i])) return "function changes an item:\n" + first.out;
  }
  const Run second = run_in(unused, {"function"}, first.out);
  if (without_results(second.out) == without_results(first.out)) return "";
  return fmt::format("function changes again:\n{}\n{}", first.out, second.out);
}

std::string wrong_with_rewriting(const std::string& text) {
  std::string wrong = wrong_with_fix(text, "safe");
  if (wrong.empty()) wrong = wrong_with_fix(text, "all");
  for (const std::string& to : model::trainer_versions()) {
    if (wrong.empty()) wrong = wrong_with_migrate(text, to);
  }
  return wrong.empty() ? wrong_with_function(text) : wrong;
}

}  // namespace trainjobc::test
