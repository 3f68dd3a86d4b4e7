// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "base/files/paths.h"
#include "base/text/glob.h"
#include "base/text/text.h"
#include "lint/lint.h"
#include "rules/rules.h"
#include "secret/secret.h"
#include "yaml/read/reader.h"

namespace trainjobc::lint {
namespace {

using base::Diagnostic;
using base::Diagnostics;
using base::SourceFile;

constexpr std::string_view kMarker = "# trainjobc:ignore";

// A comment, and the line whose findings it suppresses.
struct Comment {
  std::vector<std::string> rules;
  uint32_t line = 0;
  base::Location location;
  bool used = false;  // even for what can't be suppressed
};

Diagnostic advice(std::string_view rule, std::string message, std::string hint,
                  const base::Location& location) {
  return rules::finding(rule, std::move(message), std::move(hint), location);
}

// Warns of a suppression of an error for which the cluster refuses the object: lint would accept what render
// refuses.
Diagnostic futile(const Diagnostic& refusal, std::string_view what, const base::Location& location) {
  Diagnostic found =
      advice("advice/bad-suppression",
             fmt::format("{} {}: the cluster would refuse the object, and render does", refusal.rule, what),
             "correct the error, and remove this", location);
  found.notes.push_back({"the error", refusal.location});
  return found;
}

// The comment with the blanks before it, or its whole line.
base::Location with_its_space(base::Location comment) {
  const std::string_view before = comment.file->line(comment.line).substr(0, comment.column - 1);
  const size_t value = before.find_last_not_of(base::kBlanks);
  if (value == std::string_view::npos) return base::whole_line(*comment.file, comment.line);
  comment.column = static_cast<uint32_t>(value + 2);
  return comment;
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
    for (const std::string_view rule : base::non_empty_parts(rest.substr(0, dashes), ", \t"))
      comment.rules.emplace_back(rule);
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

  // The number of the next line that is more than a comment. Lines must be requested from the top.
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

// Whether each document of a file was checked completely, by the line on which the document begins.
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

// Whether the document that contains the line was checked completely.
bool is_complete(const CheckedDocuments& documents, uint32_t line) {
  const auto after = documents.upper_bound(line);
  return after == documents.begin() || std::prev(after)->second;
}

// Whether the whole file was checked completely.
bool is_complete(const CheckedDocuments& documents) {
  return std::ranges::all_of(documents, [](const auto& document) { return document.second; });
}

// A file's name as the configuration's globs see it: relative to the configuration's folder.
std::string relative_to(const std::string& name, const std::string& folder) {
  if (name.starts_with('<')) return name;  // <stdin>
  const std::string path =
      base::path_from(base::absolute_path(name), base::absolute_path(folder.empty() ? "." : folder));
  return path.empty() ? name : path;
}

using Labels = std::map<std::string, std::string>;

// The labels of the objects in files, which are read when a suppression first needs them.
class ObjectLabels {
 public:
  // Whether the object that contains the place has all these labels.
  bool include(const base::Location& at, const Labels& labels) {
    if (labels.empty()) return true;
    const auto [file, is_new] = by_file_.try_emplace(at.file->name());
    if (is_new) file->second = read(*at.file);
    const auto after = file->second.upper_bound({at.line, at.column});
    if (after == file->second.begin()) return false;
    const Labels& own = std::prev(after)->second;
    return std::ranges::includes(own, labels);
  }

 private:
  using ByPlace = std::map<std::pair<uint32_t, uint32_t>, Labels>;  // by line and column of the object

  static ByPlace read(const SourceFile& file) {
    ByPlace out;
    base::Arena arena;
    Diagnostics ignored;
    for (const yaml::Document& document : yaml::read(file, arena, ignored)) {
      const yaml::Node* items = document.root->get("items");
      if (items && items->is_list()) {
        for (const yaml::Node* item : items->items()) add(*item, out);
      } else {
        add(*document.root, out);
      }
    }
    return out;
  }

  static void add(const yaml::Node& object, ByPlace& out) {
    const base::Location at = yaml::locate(object);
    Labels& labels = out[{at.line, at.column}];
    const yaml::Node* metadata = object.get("metadata");
    const yaml::Node* map = metadata ? metadata->get("labels") : nullptr;
    if (!map || !map->is_map()) return;
    for (const yaml::Entry& label : map->entries()) {
      if (label.value->is_string()) labels.emplace(label.key, label.value->text());
    }
  }

  std::map<std::string_view, ByPlace> by_file_;
};

// The suppressions of the configuration; each suppresses one rule in some files or objects.
class PathSuppressions {
 public:
  explicit PathSuppressions(const inputs::Config& config) : config_(config) {
    for (const inputs::PathSuppression& suppression : config.suppressions) {
      for (const std::string& glob : suppression.paths) {
        const size_t number = globs_.add(glob);
        numbers_.emplace(glob, number);
        uses_.emplace(RuleInFiles(suppression.rule, number, suppression.labels), Use{&suppression});
      }
    }
    reached_.resize(globs_.size());
  }

  // Adds a file that was linted.
  void add(const base::SourceFile& file) {
    for (const size_t glob : globs_of(file)) reached_[glob] = true;
  }

  // The suppressions that apply to the finding: for each glob, the first one.
  std::vector<const inputs::PathSuppression*> suppress(const base::Diagnostic& finding) {
    std::vector<const inputs::PathSuppression*> found;
    if (!finding.location.file || uses_.empty()) return found;
    for (const size_t glob : globs_of(*finding.location.file)) {
      for (auto use = uses_.lower_bound(RuleInFiles(finding.rule, glob, {})); use != uses_.end(); ++use) {
        const auto& [rule, number, labels] = use->first;
        if (rule != finding.rule || number != glob) break;
        if (!labels_.include(finding.location, labels)) continue;
        use->second.is_used = true;
        found.push_back(use->second.suppression);
      }
    }
    return found;
  }

  // Suppressions that suppressed nothing, although they match linted files, and `was_looked_at` is true for
  // all of these.
  std::vector<const inputs::PathSuppression*> unused(
      const std::function<bool(std::string_view file)>& was_looked_at) const {
    std::vector<bool> is_open(globs_.size());  // whether a matching file was not checked completely
    for (const auto& [file, globs] : by_file_) {
      if (globs.empty() || was_looked_at(file)) continue;
      for (const size_t glob : globs) is_open[glob] = true;
    }
    std::vector<const inputs::PathSuppression*> unused;
    for (const inputs::PathSuppression& suppression : config_.suppressions) {
      if (!suppression.labels.empty()) continue;  // objects with these labels may be in other files
      const auto is_used = [&](size_t glob) {
        return uses_.at(RuleInFiles(suppression.rule, glob, suppression.labels)).is_used;
      };
      const auto is_reached = [&](size_t glob) { return reached_[glob]; };
      const auto may_be_used = [&](size_t glob) { return is_open[glob]; };
      if (any_glob(suppression, is_reached) && !any_glob(suppression, is_used) &&
          !any_glob(suppression, may_be_used)) {
        unused.push_back(&suppression);
      }
    }
    return unused;
  }

 private:
  using RuleInFiles = std::tuple<std::string_view, size_t, Labels>;  // rule, number of the glob, labels
  struct Use {
    const inputs::PathSuppression* suppression = nullptr;  // the first of several equal ones
    bool is_used = false;
  };

  // The numbers of the globs that match the file.
  const std::vector<size_t>& globs_of(const base::SourceFile& file) {
    const auto [at, is_new] = by_file_.try_emplace(file.name());
    if (is_new && globs_.size() > 0) at->second = globs_.matches(relative_to(file.name(), config_.folder));
    return at->second;
  }

  template <class Predicate>
  bool any_glob(const inputs::PathSuppression& suppression, const Predicate& predicate) const {
    return std::ranges::any_of(suppression.paths,
                               [&](const std::string& glob) { return predicate(numbers_.at(glob)); });
  }

  const inputs::Config& config_;
  base::GlobSet globs_;
  std::map<std::string, size_t> numbers_;  // the number of each glob
  std::map<RuleInFiles, Use> uses_;
  std::vector<bool> reached_;  // by number: the glob matches a linted file
  std::map<std::string_view, std::vector<size_t>> by_file_;
  ObjectLabels labels_;
};

class Suppressor {
 public:
  Suppressor(const inputs::Config& config, std::span<const SourceFile* const> files, Diagnostics& out)
      : config_(config), paths_(config), out_(out) {
    for (const SourceFile* file : files) {
      comments_[file->name()] = CommentScanner(*file, out).scan();
      paths_.add(*file);
    }
  }

  // Gives the finding the severity that is configured for its rule. Returns whether to show it.
  bool keep(Diagnostic& diagnostic) {
    const std::vector<Comment*> comments = comments_on(diagnostic);
    const std::vector<const inputs::PathSuppression*> paths = paths_.suppress(diagnostic);
    const auto setting = config_.rules.find(diagnostic.rule);
    const bool is_set = setting != config_.rules.end() && setting->second.severity != diagnostic.severity;
    if (!base::is_refusal(diagnostic)) {
      if (is_set && setting->second.severity) diagnostic.severity = *setting->second.severity;
      return comments.empty() && paths.empty() && (!is_set || setting->second.severity);
    }
    const auto refuse = [&](std::string_view what, const base::Location& location) {
      if (futile_.emplace(diagnostic.rule, location.file, location.line, location.column).second)
        out_.add(futile(diagnostic, what, location));
    };
    for (const Comment* comment : comments) refuse("can't be suppressed", comment->location);
    for (const inputs::PathSuppression* path : paths) refuse("can't be suppressed", path->location);
    if (is_set) refuse("stays an error", setting->second.location);
    return true;
  }

  // Reports unused suppressions, in documents that `checked` lists as complete.
  void report_unused(std::span<const CheckedDocument> checked) {
    const CheckedFiles files = by_file(checked);
    for (const auto& [name, comments] : comments_) {
      for (const Comment& comment : comments) {
        if (!comment.used && is_complete(documents_of(files, name), comment.line)) {
          Diagnostic found =
              advice("advice/unused-suppression",
                     fmt::format("this suppresses no finding of {}", fmt::join(comment.rules, ", ")),
                     "remove it", comment.location);
          base::suggest_fix(found, {{with_its_space(comment.location), ""}});
          out_.add(std::move(found));
        }
      }
    }
    const auto was_looked_at = [&](std::string_view file) { return is_complete(documents_of(files, file)); };
    // A pre-commit hook sees only the staged files.
    for (const inputs::PathSuppression* suppression : paths_.unused(was_looked_at)) {
      out_.add(advice("advice/unused-suppression",
                      fmt::format("this suppresses no finding of {}", suppression->rule), "remove it",
                      suppression->location));
    }
  }

 private:
  // The comments that name the finding's rule; they count as used.
  std::vector<Comment*> comments_on(const Diagnostic& diagnostic) {
    std::vector<Comment*> found;
    const SourceFile* file = diagnostic.location.file;
    const auto comments = file ? comments_.find(file->name()) : comments_.end();
    if (comments == comments_.end()) return found;
    for (Comment& comment :
         std::ranges::equal_range(comments->second, diagnostic.location.line, {}, &Comment::line)) {
      if (!base::contains(comment.rules, diagnostic.rule)) continue;
      comment.used = true;
      found.push_back(&comment);
    }
    return found;
  }

  const inputs::Config& config_;
  PathSuppressions paths_;
  Diagnostics& out_;
  std::map<std::string, std::vector<Comment>>
      comments_;  // by file name, since groups may hold copies of a file
  std::set<std::tuple<std::string, const SourceFile*, uint32_t, uint32_t>>
      futile_;  // suppressions that have been reported
};

}  // namespace

Diagnostics apply_config(Diagnostics diagnostics, const inputs::Config& config,
                         std::span<const SourceFile* const> files, bool has_advice,
                         std::span<const CheckedDocument> documents) {
  Diagnostics on_suppressions;
  Suppressor suppressor(config, files, on_suppressions);
  diagnostics.retain([&](Diagnostic& diagnostic) { return suppressor.keep(diagnostic); });
  if (has_advice) suppressor.report_unused(documents);
  secret::hide_secrets(on_suppressions);
  diagnostics.append(std::move(on_suppressions));
  diagnostics.sort();
  return diagnostics;
}

Diagnostics apply_configs(std::vector<inputs::FindingsOfConfig> governed, bool has_advice) {
  Diagnostics all;
  for (inputs::FindingsOfConfig& findings : governed)
    all.append(apply_config(std::move(findings.diagnostics), *findings.config, findings.files, has_advice,
                            findings.checked));
  all.sort();
  return all;
}

}  // namespace trainjobc::lint
