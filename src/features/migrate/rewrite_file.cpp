// SPDX-License-Identifier: Apache-2.0

#include "features/migrate/rewrite_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>
#include <variant>

#include "base/text/text.h"
#include "rules/rules.h"
#include "secret/secret.h"
#include "yaml/read/reader.h"
#include "yaml/rewrite/rewrite.h"

namespace trainjobc::migrate {
namespace {

using yaml::Maker;
using yaml::Node;

bool is_list_of_objects(const Node& root) {
  const Node* kind = root.get("kind");
  const Node* items = root.get("items");
  return kind && kind->is_string() && kind->text().ends_with("List") && items && items->is_list();
}

bool is_unchanged(const Changed& changed, const Node& root) {
  return changed.objects.size() == 1 && changed.objects.front() == &root;
}

// `root`, or its items if it is a List, changed.
Changed changed_document(const Node& root, const Change& change, const Maker& make, size_t& count,
                         base::Diagnostics& problems) {
  if (!root.is_map() && !root.is_list()) return {{&root}};
  if (!is_list_of_objects(root)) {
    Changed changed = change(root, make, problems);
    if (!changed.follows && !is_unchanged(changed, root)) ++count;
    return changed;
  }
  std::vector<const Node*> items;
  bool is_new = false;
  const Node& list = *root.get("items");
  for (const Node* item : list.items()) {
    const Changed changed = changed_document(*item, change, make, count, problems);
    items.insert(items.end(), changed.objects.begin(), changed.objects.end());
    is_new = is_new || changed.is_new;
  }
  const Node* rest = make.with_items(&list, items);
  if (rest == &list) return {{&root}};
  const Node* changed = make.with(&root, "items", rest);
  if (is_new && root.get("kind")->text() != "List") {
    changed = make.with(changed, "apiVersion", make.string("v1"));
    changed = make.with(changed, "kind", make.string("List"));
  }
  return {{changed}, is_new};
}

base::Diagnostic in_place(std::string message, std::string hint, const base::Location& location) {
  return rules::finding("migrate/in-place", "this document can't be changed in place: " + std::move(message),
                        std::move(hint), location);
}

// The new text of a document. Its nodes are gone once the next documents are read.
struct Rewrite {
  base::Location document;
  yaml::Replacement replacement;  // the part of the file to replace, and by what
  size_t objects;
  bool reads_back = true;
};

bool ends_word(std::string_view text, size_t at) {
  return at >= text.size() || std::string_view(" \t\r\n,]}").find(text[at]) != std::string_view::npos;
}

bool has_alias(std::string_view text, std::string_view name) {
  const std::string alias = fmt::format("*{}", name);
  for (size_t at = text.find(alias); at != std::string_view::npos; at = text.find(alias, at + 1)) {
    if (ends_word(text, at + alias.size())) return true;
  }
  return false;
}

// The text without the anchors (`&name`) of values that no alias repeats any more. A scalar may contain what
// only looks like one, so the result must be read back.
std::string without_unused_anchors(std::string text) {
  for (size_t at = text.find('&'); at != std::string::npos; at = text.find('&', at + 1)) {
    if (at == 0 || (text[at - 1] != ' ' && text[at - 1] != '[')) continue;
    size_t end = at + 1;
    while (!ends_word(text, end)) ++end;
    if (end == at + 1 || has_alias(text, std::string_view(text).substr(at + 1, end - at - 1))) continue;
    const bool ends_line = end >= text.size() || text[end] == '\n' || text[end] == '\r';
    if (ends_line && text[at - 1] == ' ') {
      text.erase(at - 1, end - at + 1);
    } else {
      text.erase(at, end - at + (text[end] == ' ' ? 1 : 0));
    }
    --at;
  }
  return text;
}

// The text from `at` on, with its new parts.
std::string replaced(std::string_view text, std::span<const Rewrite> rewrites, size_t at = 0) {
  size_t size = text.size() - at;
  for (const Rewrite& rewrite : rewrites)
    size += rewrite.replacement.text.size() - (rewrite.replacement.end - rewrite.replacement.begin);
  std::string out;
  out.reserve(size);
  for (const Rewrite& rewrite : rewrites) {
    out += text.substr(at, rewrite.replacement.begin - at);
    out += rewrite.replacement.text;
    at = rewrite.replacement.end;
  }
  return out.append(text.substr(at));
}

// Rewrites a file. A document that can't be changed doesn't prevent changes to the others. The nodes of one
// part of the file between `---` lines are in memory at a time.
class FileRewriter {
 public:
  explicit FileRewriter(const base::SourceFile& file) : file_(file) {}

  RewrittenFile run(const Change& change) {
    base::Diagnostics ignored;  // unreadable documents are reported when the file is compiled
    for (const yaml::FoundDocument& found : yaml::find_documents(file_, ignored)) {
      base::Arena arena;
      const std::vector<yaml::Document> documents = yaml::read_document(found, arena, ignored);
      if (!documents.empty()) change_part({found, documents, Maker(arena)}, change);
    }
    if (ignored.has_errors()) {
      result_.unread = yaml::without_documents(file_.text(), read_);
      drop_all("another document in the file can't be read", "correct that one first");
    }
    drop_unsound();
    for (Rewrite& rewrite : rewrites_) {
      result_.changed += rewrite.objects;
      report_left_out(rewrite.replacement.left_out);
    }
    if (!result_.problems.empty()) hide_secrets();
    result_.text = (file_.had_byte_order_mark() ? "\xEF\xBB\xBF" : "") + replaced(file_.text(), rewrites_);
    return std::move(result_);
  }

 private:
  // What is between two `---` lines: a document, or several values of JSON.
  struct Part {
    const yaml::FoundDocument& found;
    const std::vector<yaml::Document>& documents;
    Maker make;
  };

  void change_part(const Part& part, const Change& change) {
    read_.push_back(part.found);
    const size_t before = rewrites_.size();
    std::vector<const Node*> roots;
    for (const yaml::Document& document : part.documents) {
      size_t count = 0;
      Changed changed = changed_document(*document.root, change, part.make, count, result_.problems);
      const bool is_changed = !is_unchanged(changed, *document.root);
      if (is_changed && rewrite(part, document, changed, count)) {
        base::append(roots, changed.objects);
      } else {
        roots.push_back(document.root);
      }
    }
    const std::span<Rewrite> rewrites = std::span(rewrites_).subspan(before);
    if (rewrites.empty()) {
      unchanged_.push_back(part.found);
    } else if (!reads_back(part.found, rewrites, roots)) {
      for (Rewrite& rewrite : rewrites) rewrite.reads_back = false;
      unchanged_.push_back(part.found);
    }
  }

  // False, with a problem, if the document can't be changed.
  bool rewrite(const Part& part, const yaml::Document& document, const Changed& changed, size_t count) {
    auto rewritten = changed.is_new ? yaml::rewrite_as_parts(file_, document, changed.objects)
                                    : yaml::rewrite(file_, document, *changed.objects.front());
    if (changed.is_new) {
      const auto reads_back_with = [&](yaml::Replacement replacement) {
        const Rewrite one{{}, std::move(replacement), count};
        return reads_back(part.found, {&one, 1}, changed.objects);
      };
      drop_anchors(reads_back_with, rewritten);
      const auto* replacement = std::get_if<yaml::Replacement>(&rewritten);
      if (!replacement || !reads_back_with(*replacement)) {
        report_lost_comments(document);
        rewritten = yaml::write_as_parts(file_, document, changed.objects);
      }
    }
    if (const auto* problem = std::get_if<yaml::RewriteProblem>(&rewritten)) {
      result_.problems.add(in_place(problem->message, "write it in plain block style", problem->location));
      return false;
    }
    rewrites_.push_back(
        {yaml::locate(*document.root), std::move(std::get<yaml::Replacement>(rewritten)), count});
    return true;
  }

  // Drops the anchors of values that were repeated by an alias, and are no longer.
  static void drop_anchors(const std::function<bool(yaml::Replacement)>& reads_back_with,
                           std::variant<yaml::Replacement, yaml::RewriteProblem>& rewritten) {
    auto* replacement = std::get_if<yaml::Replacement>(&rewritten);
    if (!replacement || replacement->text.find('&') == std::string::npos) return;
    yaml::Replacement without = *replacement;
    without.text = without_unused_anchors(std::move(without.text));
    if (reads_back_with(without)) *replacement = std::move(without);
  }

  // Hides secrets in findings on objects of any kind, including v1 jobs, of which only the results are
  // compiled.
  void hide_secrets() {
    base::Arena arena;
    base::Diagnostics ignored;
    std::vector<const Node*> roots;
    for (const yaml::FoundDocument& found : read_) {
      for (const yaml::Document& document : yaml::read_document(found, arena, ignored))
        roots.push_back(document.root);
    }
    secret::hide_secrets(result_.problems, roots);
  }

  void report_left_out(const std::vector<base::Location>& comments) {
    for (const base::Location& comment : comments) {
      result_.problems.add(rules::finding("advice/v1-difference",
                                          "the comment is left out: nothing of what it is about is kept",
                                          "write it where it applies now", comment));
    }
  }

  void report_lost_comments(const yaml::Document& document) {
    if (document.text.find('#') == std::string_view::npos) return;
    result_.problems.add(rules::finding("advice/v1-difference", "the comments of this document can't be kept",
                                        "write it in plain block style, without anchors, to keep them",
                                        yaml::locate(*document.root)));
  }

  // Drops what would not read back; everything, if what stays as it is doesn't read back either.
  void drop_unsound() {
    drop_if([](const Rewrite& rewrite) { return !rewrite.reads_back; }, kNotTheSame, kPlainStyle);
    const auto is_sound = [&](const yaml::FoundDocument& found) { return reads_back_unchanged(found); };
    if (!rewrites_.empty() && !std::ranges::all_of(unchanged_, is_sound)) drop_all(kNotTheSame, kPlainStyle);
  }

  void drop_all(const char* message, const char* hint) {
    drop_if([](const Rewrite&) { return true; }, message, hint);
  }

  void drop_if(const std::function<bool(const Rewrite&)>& condition, const char* message, const char* hint) {
    std::erase_if(rewrites_, [&](const Rewrite& rewrite) {
      if (!condition(rewrite)) return false;
      result_.problems.add(in_place(message, hint, rewrite.document));
      return true;
    });
  }

  bool reads_back_unchanged(const yaml::FoundDocument& found) const {
    base::Arena arena;
    base::Diagnostics ignored;
    std::vector<const Node*> roots;
    for (const yaml::Document& document : yaml::read_document(found, arena, ignored))
      roots.push_back(document.root);
    return reads_back(found, {}, roots);
  }

  // Whether two parsers find these documents in the part with its new text.
  bool reads_back(const yaml::FoundDocument& found, std::span<const Rewrite> rewrites,
                  std::span<const Node* const> roots) const {
    const auto begin = static_cast<size_t>(found.text.data() - file_.text().data());
    const size_t end = begin + found.text.size();
    for (const Rewrite& rewrite : rewrites) {
      if (rewrite.replacement.begin < begin || rewrite.replacement.end > end) return false;
    }
    // Only the first part of a file may be JSON.
    std::string changed = found.may_be_json ? "" : "---\n";
    return yaml::reads_back_as(changed + replaced(file_.text().substr(0, end), rewrites, begin), roots);
  }

  static constexpr auto kNotTheSame = "it would not read back with the same values";
  static constexpr auto kPlainStyle = "write it in plain block style, without anchors";

  const base::SourceFile& file_;
  std::vector<yaml::FoundDocument> read_;
  std::vector<yaml::FoundDocument> unchanged_;  // those of them that stay as they are
  std::vector<Rewrite> rewrites_;               // in the order of the file
  RewrittenFile result_;
};

}  // namespace

RewrittenFile rewrite_file(const base::SourceFile& file, const Change& change) {
  return FileRewriter(file).run(change);
}

}  // namespace trainjobc::migrate
