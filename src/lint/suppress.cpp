// SPDX-License-Identifier: Apache-2.0

#include "lint/suppress.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "base/files/paths.h"
#include "base/text/glob.h"
#include "base/text/text.h"
#include "rules/rules.h"

namespace trainjobc::lint {
namespace {

using base::Diagnostic;
using base::Diagnostics;
using base::SourceFile;

constexpr std::string_view kMarker = "# trainjobc:ignore";

// One comment, and the line whose findings it suppresses.
struct Comment {
  std::vector<std::string> rules;
  uint32_t line = 0;
  base::Location location;
  bool used = false;
};

Diagnostic advice(std::string_view rule, std::string message, std::string hint,
                  const base::Location& location) {
  return rules::finding(rule, std::move(message), std::move(hint), location);
}

std::vector<std::string> split_rules(std::string_view text) {
  std::vector<std::string> rules;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find_first_of(", \t", at), text.size());
    if (end > at) rules.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return rules;
}

class CommentScanner {
 public:
  CommentScanner(const SourceFile& file, Diagnostics& out) : file_(file), out_(out) {}

  std::vector<Comment> scan() {
    std::vector<Comment> comments;
    if (file_.text().find(kMarker) == std::string_view::npos) return comments;
    for (uint32_t line = 1; line <= file_.line_count(); ++line) {
      const std::string_view text = file_.line(line);
      const size_t at = text.find(kMarker);
      if (at == std::string_view::npos) continue;
      const bool alone = base::trimmed(text.substr(0, at), base::kBlanks).empty();
      if (!alone && !base::is_blank(text[at - 1])) continue;
      add(comments, text, at, line, alone);
    }
    return comments;
  }

 private:
  void add(std::vector<Comment>& comments, std::string_view text, size_t at, uint32_t line, bool alone) {
    const std::string_view rest = text.substr(at + kMarker.size());
    const size_t dashes = rest.find("--");
    Comment comment;
    comment.rules = split_rules(rest.substr(0, std::min(dashes, rest.size())));
    comment.line = alone ? next_line(line) : line;
    comment.location = {&file_, line, static_cast<uint32_t>(at + 1), line,
                        static_cast<uint32_t>(text.size() + 1)};
    const bool has_reason =
        dashes != std::string_view::npos && !base::trimmed(rest.substr(dashes + 2), base::kBlanks).empty();
    if (comment.rules.empty() || !has_reason) {
      out_.add(advice("advice/bad-suppression", "a suppression needs a rule and a reason",
                      "# trainjobc:ignore RULE -- reason", comment.location));
      return;
    }
    comments.push_back(std::move(comment));
  }

  // The next line that is more than a comment. Lines are requested from the top.
  uint32_t next_line(uint32_t line) {
    for (next_ = std::max(next_, line + 1); next_ <= file_.line_count(); ++next_) {
      const std::string_view text = base::trimmed(file_.line(next_), base::kBlanks);
      if (!text.empty() && text.front() != '#') break;
    }
    return next_;
  }

  const SourceFile& file_;
  Diagnostics& out_;
  uint32_t next_ = 0;
};

// Whether everything was checked in each document of a file, by the line on which the document begins.
using CheckedDocuments = std::map<uint32_t, bool>;
using CheckedFiles = std::map<std::string_view, CheckedDocuments>;

CheckedFiles by_file(std::span<const CheckedDocument> checked) {
  CheckedFiles files;
  for (const CheckedDocument& document : checked) {
    bool& complete = files[document.file->name()].try_emplace(document.line, true).first->second;
    complete = complete && document.complete;
  }
  return files;
}

const CheckedDocuments& documents_of(const CheckedFiles& files, std::string_view name) {
  static const CheckedDocuments kNone;
  const auto found = files.find(name);
  return found != files.end() ? found->second : kNone;
}

// Whether everything was checked in the document that contains the line.
bool is_complete(const CheckedDocuments& documents, uint32_t line) {
  const auto after = documents.upper_bound(line);
  return after == documents.begin() || std::prev(after)->second;
}

// The same for a whole file.
bool is_complete(const CheckedDocuments& documents) {
  return std::ranges::all_of(documents, [](const auto& document) { return document.second; });
}

// A file's name as the globs of the configuration see it: relative to the configuration's folder.
std::string relative_to(const std::string& name, const std::string& folder) {
  if (name.starts_with('<')) return name;  // <stdin>
  const std::string path =
      base::path_from(base::absolute_path(name), base::absolute_path(folder.empty() ? "." : folder));
  return path.empty() ? name : path;
}

// The suppressions of the configuration, each of a rule in some files.
class PathSuppressions {
 public:
  explicit PathSuppressions(const Config& config);

  // Adds a file that was linted.
  void add(const base::SourceFile& file);

  // Whether the finding is suppressed.
  bool suppress(const base::Diagnostic& finding);

  // Those that suppressed nothing although they match linted files and `was_looked_at` is true for all of
  // these.
  std::vector<const PathSuppression*> unused(
      const std::function<bool(std::string_view file)>& was_looked_at) const;

 private:
  using RuleInFiles = std::pair<std::string_view, size_t>;  // a rule and the number of a glob

  // The numbers of the globs that the file matches.
  const std::vector<size_t>& globs_of(const base::SourceFile& file);

  template <class Predicate>
  bool any_glob(const PathSuppression& suppression, const Predicate& predicate) const;

  const Config& config_;
  GlobSet globs_;
  std::map<std::string, size_t> numbers_;  // of the globs
  std::map<RuleInFiles, bool> used_;
  std::vector<bool> reached_;  // by glob: a file that was linted matches it
  std::map<std::string_view, std::vector<size_t>> by_file_;
};

PathSuppressions::PathSuppressions(const Config& config) : config_(config) {
  for (const PathSuppression& suppression : config.suppressions) {
    for (const std::string& glob : suppression.paths) {
      const size_t number = globs_.add(glob);
      numbers_.emplace(glob, number);
      used_.emplace(RuleInFiles(suppression.rule, number), false);
    }
  }
  reached_.resize(globs_.size());
}

void PathSuppressions::add(const base::SourceFile& file) {
  for (const size_t glob : globs_of(file)) reached_[glob] = true;
}

bool PathSuppressions::suppress(const base::Diagnostic& finding) {
  if (!finding.location.file || used_.empty()) return false;
  bool found = false;
  for (const size_t glob : globs_of(*finding.location.file)) {
    const auto rule = used_.find(RuleInFiles(finding.rule, glob));
    if (rule == used_.end()) continue;
    rule->second = true;
    found = true;
  }
  return found;
}

std::vector<const PathSuppression*> PathSuppressions::unused(
    const std::function<bool(std::string_view file)>& was_looked_at) const {
  std::vector<bool> is_open(globs_.size());  // a file that matches it was not checked
  for (const auto& [file, globs] : by_file_) {
    if (globs.empty() || was_looked_at(file)) continue;
    for (const size_t glob : globs) is_open[glob] = true;
  }
  std::vector<const PathSuppression*> unused;
  for (const PathSuppression& suppression : config_.suppressions) {
    const auto is_used = [&](size_t glob) { return used_.at(RuleInFiles(suppression.rule, glob)); };
    const auto is_reached = [&](size_t glob) { return reached_[glob]; };
    const auto may_be_used = [&](size_t glob) { return is_open[glob]; };
    if (any_glob(suppression, is_reached) && !any_glob(suppression, is_used) &&
        !any_glob(suppression, may_be_used)) {
      unused.push_back(&suppression);
    }
  }
  return unused;
}

const std::vector<size_t>& PathSuppressions::globs_of(const base::SourceFile& file) {
  const auto [at, is_new] = by_file_.try_emplace(file.name());
  if (is_new && globs_.size() > 0) at->second = globs_.matches(relative_to(file.name(), config_.folder));
  return at->second;
}

template <class Predicate>
bool PathSuppressions::any_glob(const PathSuppression& suppression, const Predicate& predicate) const {
  return std::ranges::any_of(suppression.paths,
                             [&](const std::string& glob) { return predicate(numbers_.at(glob)); });
}

class Suppressor {
 public:
  Suppressor(const Config& config, std::span<const SourceFile* const> files, Diagnostics& out)
      : paths_(config) {
    for (const SourceFile* file : files) {
      comments_[file->name()] = CommentScanner(*file, out).scan();
      paths_.add(*file);
    }
  }

  bool suppresses_finding(const Diagnostic& diagnostic) {
    const bool by_comment = suppressed_by_comment(diagnostic);
    return paths_.suppress(diagnostic) || by_comment;
  }

  // In the documents that `checked` lists as complete.
  void report_unused(std::span<const CheckedDocument> checked, Diagnostics& out) const {
    const CheckedFiles files = by_file(checked);
    for (const auto& [name, comments] : comments_) {
      for (const Comment& comment : comments) {
        if (!comment.used && is_complete(documents_of(files, name), comment.line)) {
          out.add(advice("advice/unused-suppression",
                         fmt::format("this suppresses no finding of {}", fmt::join(comment.rules, ", ")),
                         "remove it", comment.location));
        }
      }
    }
    const auto was_looked_at = [&](std::string_view file) { return is_complete(documents_of(files, file)); };
    // A hook sees the staged files only.
    for (const PathSuppression* suppression : paths_.unused(was_looked_at)) {
      out.add(advice("advice/unused-suppression",
                     fmt::format("this suppresses no finding of {}", suppression->rule), "remove it",
                     suppression->location));
    }
  }

 private:
  bool suppressed_by_comment(const Diagnostic& diagnostic) {
    const SourceFile* file = diagnostic.location.file;
    const auto comments = file ? comments_.find(file->name()) : comments_.end();
    if (comments == comments_.end()) return false;
    bool found = false;
    for (Comment& comment :
         std::ranges::equal_range(comments->second, diagnostic.location.line, {}, &Comment::line)) {
      if (std::ranges::find(comment.rules, diagnostic.rule) == comment.rules.end()) continue;
      comment.used = true;
      found = true;
    }
    return found;
  }

  PathSuppressions paths_;
  std::map<std::string, std::vector<Comment>> comments_;  // by file name: a group may hold a copy of a file
};

}  // namespace

void GlobSet::Index::add(std::string_view glob, size_t number) {
  const std::string_view text = glob.substr(0, glob.find_first_of("*?[\\"));
  globs[std::string(text)].push_back(number);
  lengths.insert(text.size());
}

void GlobSet::Index::find(std::string_view path, std::set<size_t>& numbers) const {
  for (const size_t length : lengths) {
    if (length > path.size()) break;
    const auto found = globs.find(path.substr(0, length));
    if (found != globs.end()) numbers.insert(found->second.begin(), found->second.end());
  }
}

size_t GlobSet::add(const std::string& glob) {
  const auto [at, is_new] = numbers_.try_emplace(glob, globs_.size());
  if (!is_new) return at->second;
  globs_.push_back(glob);
  const std::string_view text = glob;
  if (text.starts_with("**/")) {
    from_any_name_.add(text.substr(3), at->second);
  } else {
    from_root_.add(text, at->second);
  }
  return at->second;
}

std::vector<size_t> GlobSet::matches(std::string_view path) const {
  std::set<size_t> candidates;
  from_root_.find(path, candidates);
  for (size_t at = 0; at != std::string_view::npos && at <= path.size();) {
    from_any_name_.find(path.substr(at), candidates);
    const size_t slash = path.find('/', at);
    at = slash == std::string_view::npos ? slash : slash + 1;
  }
  std::vector<size_t> matching;
  std::ranges::copy_if(candidates, std::back_inserter(matching), [&](size_t number) {
    return base::matches_glob(globs_[number], path, base::Stars::Anything);
  });
  return matching;
}

Diagnostics apply_config(Diagnostics diagnostics, const Config& config,
                         std::span<const SourceFile* const> files, bool has_advice,
                         std::span<const CheckedDocument> documents) {
  Diagnostics on_suppressions;
  Suppressor suppressor(config, files, on_suppressions);
  diagnostics.retain([&](Diagnostic& diagnostic) {
    if (suppressor.suppresses_finding(diagnostic)) return false;
    const auto configured = config.rules.find(diagnostic.rule);
    if (configured == config.rules.end()) return true;
    if (configured->second) diagnostic.severity = *configured->second;
    return configured->second.has_value();
  });
  if (has_advice) suppressor.report_unused(documents, on_suppressions);
  diagnostics.append(std::move(on_suppressions));
  diagnostics.sort();
  return diagnostics;
}

}  // namespace trainjobc::lint
