#include "tools/migrate/files.h"

#include <algorithm>
#include <utility>

#include "yaml/reader.h"
#include "yaml/rewrite.h"

namespace trainjobc::migrate {
namespace {

using yaml::Maker;
using yaml::Node;

bool is_list_of_objects(const Node& root) {
  const Node* kind = root.get("kind");
  const Node* items = root.get("items");
  return kind && kind->is_string() && kind->text().ends_with("List") && items && items->is_list();
}

// `root`, or its items, changed.
const Node* changed_document(const Node& root, const Change& change, const Maker& make, size_t& count,
                             base::Diagnostics& problems) {
  if (!root.is_map()) return &root;
  if (!is_list_of_objects(root)) {
    const Node* changed = change(root, make, problems);
    if (changed != &root) ++count;
    return changed;
  }
  std::vector<const Node*> items;
  const Node& list = *root.get("items");
  for (const Node* item : list.items())
    items.push_back(changed_document(*item, change, make, count, problems));
  if (std::ranges::equal(items, list.items())) return &root;
  return make.with(&root, "items", make.list(items, list.origin()));
}

base::Diagnostic in_place(std::string message, std::string hint, const base::Location& location) {
  base::Diagnostic diagnostic;
  diagnostic.rule = "migrate/in-place";
  diagnostic.message = "this document can't be changed in place: " + std::move(message);
  diagnostic.hint = std::move(hint);
  diagnostic.location = location;
  return diagnostic;
}

std::string replaced(std::string_view text, const std::vector<yaml::Replacement>& replacements) {
  std::string out;
  size_t at = 0;
  for (const yaml::Replacement& replacement : replacements) {
    out += text.substr(at, replacement.begin - at);
    out += replacement.text;
    at = replacement.end;
  }
  return out.append(text.substr(at));
}

// Whether the text holds these documents and no others.
bool reads_back_as(const std::string& text, const std::vector<const Node*>& roots) {
  const base::SourceFile file("", text);
  base::Arena arena;
  base::Diagnostics problems;
  const std::vector<yaml::Document> documents = yaml::read(file, arena, problems);
  if (problems.has_errors() || documents.size() != roots.size()) return false;
  for (size_t i = 0; i < roots.size(); ++i) {
    if (!yaml::equal(*documents[i].root, *roots[i])) return false;
  }
  return true;
}

// One document at a time, so that one that can't be changed keeps nobody else from it.
class FileRewriter {
 public:
  explicit FileRewriter(const base::SourceFile& file) : file_(file), make_(arena_) {
    base::Diagnostics ignored;  // unreadable documents are reported where the file is compiled
    documents_ = yaml::read(file, arena_, ignored);
    readable_ = !ignored.has_errors();
    for (const yaml::Document& document : documents_) roots_.push_back(document.root);
  }

  RewrittenFile run(const Change& change) {
    for (size_t i = 0; i < documents_.size(); ++i) {
      size_t count = 0;
      const Node* root = changed_document(*documents_[i].root, change, make_, count, result_.problems);
      if (root != documents_[i].root && rewrite(i, *root)) result_.changed += count;
    }
    std::vector<yaml::Replacement> replacements;
    for (const auto& replacement : replacements_) replacements.push_back(replacement);
    result_.text = (file_.had_byte_order_mark() ? "\xEF\xBB\xBF" : "") + replaced(file_.text(), replacements);
    return std::move(result_);
  }

 private:
  bool rewrite(size_t index, const Node& root) {
    auto rewritten = yaml::rewrite(file_, documents_[index], root);
    if (const auto* problem = std::get_if<yaml::RewriteProblem>(&rewritten)) {
      result_.problems.add(in_place(problem->message, "write it in plain block style", problem->location));
      return false;
    }
    std::vector<const Node*> roots = roots_;
    roots[index] = &root;
    std::vector<yaml::Replacement> replacements = replacements_;
    replacements.push_back(std::move(std::get<yaml::Replacement>(rewritten)));
    const std::string text = replaced(file_.text(), replacements);
    if (readable_ && !reads_back_as(text, roots)) {
      result_.problems.add(in_place("it is written in a way that would not survive",
                                    "write it in plain block style, without anchors",
                                    yaml::locate(*documents_[index].root)));
      return false;
    }
    if (!readable_) {
      result_.problems.add(in_place("another document of the file can't be read", "correct that one first",
                                    yaml::locate(*documents_[index].root)));
      return false;
    }
    roots_ = std::move(roots);
    replacements_ = std::move(replacements);
    return true;
  }

  const base::SourceFile& file_;
  base::Arena arena_;
  Maker make_;
  bool readable_ = false;
  std::vector<yaml::Document> documents_;
  std::vector<const Node*> roots_;  // what the text holds so far
  std::vector<yaml::Replacement> replacements_;
  RewrittenFile result_;
};

}  // namespace

RewrittenFile rewrite_file(const base::SourceFile& file, const Change& change) {
  return FileRewriter(file).run(change);
}

}  // namespace trainjobc::migrate
