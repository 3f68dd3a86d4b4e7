// SPDX-License-Identifier: Apache-2.0

#include "features/migrate/rewrite_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

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

// A document of the file and its new text.
struct Rewrite {
  const yaml::Document* document;
  std::vector<const Node*> roots;
  yaml::Replacement replacement;  // the part of the file to replace, and by what
  size_t objects;
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

std::string replaced(std::string_view text, const std::vector<Rewrite>& rewrites) {
  size_t size = text.size();
  for (const Rewrite& rewrite : rewrites)
    size += rewrite.replacement.text.size() - (rewrite.replacement.end - rewrite.replacement.begin);
  std::string out;
  out.reserve(size);
  size_t at = 0;
  for (const Rewrite& rewrite : rewrites) {
    out += text.substr(at, rewrite.replacement.begin - at);
    out += rewrite.replacement.text;
    at = rewrite.replacement.end;
  }
  return out.append(text.substr(at));
}

// Rewrites a file. A document that can't be changed doesn't prevent changes to the others.
class FileRewriter {
 public:
  explicit FileRewriter(const base::SourceFile& file) : file_(file), make_(arena_) {
    base::Diagnostics ignored;  // unreadable documents are reported when the file is compiled
    documents_ = yaml::read(file, arena_, ignored);
    readable_ = !ignored.has_errors();
  }

  RewrittenFile run(const Change& change) {
    for (const yaml::Document& document : documents_) {
      size_t count = 0;
      Changed changed = changed_document(*document.root, change, make_, count, result_.problems);
      if (!is_unchanged(changed, *document.root)) rewrite(document, std::move(changed), count);
    }
    drop_unreadable();
    for (const Rewrite& rewrite : rewrites_) result_.changed += rewrite.objects;
    hide_secrets();
    if (!readable_) result_.unread = unread();
    result_.text = (file_.had_byte_order_mark() ? "\xEF\xBB\xBF" : "") + replaced(file_.text(), rewrites_);
    return std::move(result_);
  }

 private:
  void rewrite(const yaml::Document& document, Changed changed, size_t count) {
    auto rewritten = changed.is_new ? yaml::rewrite_as_parts(file_, document, changed.objects)
                                    : yaml::rewrite(file_, document, *changed.objects.front());
    if (changed.is_new) drop_anchors(document, changed.objects, count, rewritten);
    if (changed.is_new &&
        (!std::holds_alternative<yaml::Replacement>(rewritten) ||
         !reads_back({&document, changed.objects, std::get<yaml::Replacement>(rewritten), count}))) {
      report_lost_comments(document);
      rewritten = yaml::write_as_parts(file_, document, changed.objects);
    }
    if (const auto* problem = std::get_if<yaml::RewriteProblem>(&rewritten)) {
      result_.problems.add(in_place(problem->message, "write it in plain block style", problem->location));
    } else if (!readable_) {
      result_.problems.add(in_place("another document in the file can't be read", "correct that one first",
                                    yaml::locate(*document.root)));
    } else {
      report_left_out(std::get<yaml::Replacement>(rewritten).left_out);
      rewrites_.push_back(
          {&document, std::move(changed.objects), std::move(std::get<yaml::Replacement>(rewritten)), count});
    }
  }

  // Drops the anchors of values that were repeated by an alias, and are no longer.
  void drop_anchors(const yaml::Document& document, const std::vector<const Node*>& objects, size_t count,
                    std::variant<yaml::Replacement, yaml::RewriteProblem>& rewritten) const {
    auto* replacement = std::get_if<yaml::Replacement>(&rewritten);
    if (!replacement || replacement->text.find('&') == std::string::npos) return;
    yaml::Replacement without = *replacement;
    without.text = without_unused_anchors(std::move(without.text));
    if (reads_back({&document, objects, without, count})) *replacement = std::move(without);
  }

  std::string unread() const {
    std::string text(file_.text());
    for (const yaml::Document& document : documents_) {
      const auto begin = static_cast<size_t>(document.text.data() - file_.text().data());
      for (size_t at = begin; at < begin + document.text.size(); ++at) {
        if (text[at] != '\n') text[at] = ' ';
      }
    }
    return text;
  }

  // Hides secrets in findings on objects of any kind, including v1 jobs, of which only the results are
  // compiled.
  void hide_secrets() {
    std::vector<const Node*> roots;
    for (const yaml::Document& document : documents_) roots.push_back(document.root);
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

  // Reads the whole file once, and each document on its own only if that fails.
  void drop_unreadable() {
    if (file_reads_back()) return;
    drop_if([&](const Rewrite& rewrite) { return !reads_back(rewrite); });
    if (!file_reads_back()) drop_if([](const Rewrite&) { return true; });
  }

  void drop_if(const std::function<bool(const Rewrite&)>& condition) {
    std::erase_if(rewrites_, [&](const Rewrite& rewrite) {
      if (!condition(rewrite)) return false;
      result_.problems.add(in_place("it would not read back with the same values",
                                    "write it in plain block style, without anchors",
                                    yaml::locate(*rewrite.document->root)));
      return true;
    });
  }

  bool file_reads_back() const {
    std::vector<const Node*> roots;
    auto next = rewrites_.begin();
    for (const yaml::Document& document : documents_) {
      if (next == rewrites_.end() || next->document != &document) {
        roots.push_back(document.root);
        continue;
      }
      roots.insert(roots.end(), next->roots.begin(), next->roots.end());
      ++next;
    }
    return rewrites_.empty() || yaml::reads_back_as(replaced(file_.text(), rewrites_), roots);
  }

  // Whether two parsers find the document in its text alone.
  bool reads_back(const Rewrite& rewrite) const {
    const std::string_view text = rewrite.document->text;
    const auto begin = static_cast<size_t>(text.data() - file_.text().data());
    if (rewrite.replacement.begin < begin || rewrite.replacement.end > begin + text.size()) return false;
    std::string changed(text.substr(0, rewrite.replacement.begin - begin));
    changed += rewrite.replacement.text;
    changed += text.substr(rewrite.replacement.end - begin);
    return yaml::reads_back_as(std::move(changed), rewrite.roots);
  }

  const base::SourceFile& file_;
  base::Arena arena_;
  Maker make_;
  bool readable_ = false;
  std::vector<yaml::Document> documents_;
  std::vector<Rewrite> rewrites_;  // in the order of the file
  RewrittenFile result_;
};

}  // namespace

RewrittenFile rewrite_file(const base::SourceFile& file, const Change& change) {
  return FileRewriter(file).run(change);
}

}  // namespace trainjobc::migrate
