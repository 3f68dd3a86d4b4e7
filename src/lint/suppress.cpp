// SPDX-License-Identifier: Apache-2.0

#include "lint/suppress.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/ascii.h"
#include "rules/rules.h"
#include "lint/path_suppressions.h"

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
