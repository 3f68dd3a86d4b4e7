#include "tools/migrate/files.h"

#include <algorithm>
#include <utility>

#include "rules/rules.h"
#include "yaml/read/reader.h"
#include "yaml/read/second_reading.h"
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
  return rules::finding("migrate/in-place", "this document can't be changed in place: " + std::move(message),
                        std::move(hint), location);
}

// A document of the file with its new text.
struct Rewrite {
  const yaml::Document* document;
  const Node* root;
  yaml::Replacement replacement;  // of bytes of the file
  size_t objects;
};

std::string replaced(std::string_view text, const std::vector<Rewrite>& rewrites) {
  std::string out;
  size_t at = 0;
  for (const Rewrite& rewrite : rewrites) {
    out += text.substr(at, rewrite.replacement.begin - at);
    out += rewrite.replacement.text;
    at = rewrite.replacement.end;
  }
  return out.append(text.substr(at));
}

// Whether two parsers find these documents, and no others, in the text.
bool reads_back_as(std::string text, const std::vector<const Node*>& roots) {
  const base::SourceFile file("", std::move(text));
  base::Arena arena;
  base::Diagnostics problems;
  const std::vector<yaml::Document> documents = yaml::read(file, arena, problems);
  if (problems.has_errors() || documents.size() != roots.size()) return false;
  for (size_t i = 0; i < roots.size(); ++i) {
    if (!yaml::equal(*documents[i].root, *roots[i])) return false;
  }
  return yaml::reads_the_same(file, documents);
}

// A document that can't be changed doesn't prevent changes to the others.
class FileRewriter {
 public:
  explicit FileRewriter(const base::SourceFile& file) : file_(file), make_(arena_) {
    base::Diagnostics ignored;  // unreadable documents are reported where the file is compiled
    documents_ = yaml::read(file, arena_, ignored);
    readable_ = !ignored.has_errors();
  }

  RewrittenFile run(const Change& change) {
    for (const yaml::Document& document : documents_) {
      size_t count = 0;
      const Node* root = changed_document(*document.root, change, make_, count, result_.problems);
      if (root != document.root) rewrite(document, *root, count);
    }
    drop_unreadable();
    for (const Rewrite& rewrite : rewrites_) result_.changed += rewrite.objects;
    result_.text = (file_.had_byte_order_mark() ? "\xEF\xBB\xBF" : "") + replaced(file_.text(), rewrites_);
    return std::move(result_);
  }

 private:
  void rewrite(const yaml::Document& document, const Node& root, size_t count) {
    auto rewritten = yaml::rewrite(file_, document, root);
    if (const auto* problem = std::get_if<yaml::RewriteProblem>(&rewritten)) {
      result_.problems.add(in_place(problem->message, "write it in plain block style", problem->location));
    } else if (!readable_) {
      result_.problems.add(in_place("another document in the file can't be read", "correct that one first",
                                    yaml::locate(*document.root)));
    } else {
      rewrites_.push_back({&document, &root, std::move(std::get<yaml::Replacement>(rewritten)), count});
    }
  }

  // Reads the whole file once, and each document only if that fails.
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
      const bool is_new = next != rewrites_.end() && next->document == &document;
      roots.push_back(is_new ? (next++)->root : document.root);
    }
    return rewrites_.empty() || reads_back_as(replaced(file_.text(), rewrites_), roots);
  }

  // By itself.
  bool reads_back(const Rewrite& rewrite) const {
    const std::string_view text = rewrite.document->text;
    const auto begin = static_cast<size_t>(text.data() - file_.text().data());
    if (rewrite.replacement.begin < begin || rewrite.replacement.end > begin + text.size()) return false;
    std::string changed(text.substr(0, rewrite.replacement.begin - begin));
    changed += rewrite.replacement.text;
    changed += text.substr(rewrite.replacement.end - begin);
    return reads_back_as(std::move(changed), {rewrite.root});
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
