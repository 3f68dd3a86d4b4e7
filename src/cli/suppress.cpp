#include "cli/suppress.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace trainjobc::cli {
namespace {

using base::Diagnostic;
using base::Diagnostics;
using base::SourceFile;

constexpr std::string_view kMarker = "# trainjobc:ignore";

std::string_view trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// One comment, and the line whose findings it suppresses.
struct Comment {
  std::vector<std::string> rules;
  uint32_t line = 0;
  base::Location location;
  bool used = false;
};

Diagnostic advice(std::string_view rule, std::string message, std::string hint,
                  const base::Location& location) {
  Diagnostic diagnostic;
  diagnostic.rule = rule;
  diagnostic.stage = base::Stage::Advice;
  diagnostic.severity = base::Severity::Warning;
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  diagnostic.location = location;
  return diagnostic;
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
      const bool alone = trim(text.substr(0, at)).empty();
      if (!alone && text[at - 1] != ' ' && text[at - 1] != '\t') continue;
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
    const bool has_reason = dashes != std::string_view::npos && !trim(rest.substr(dashes + 2)).empty();
    if (comment.rules.empty() || !has_reason) {
      out_.add(advice("advice/bad-suppression", "a suppression needs a rule and a reason",
                      "# trainjobc:ignore RULE -- reason", comment.location));
      return;
    }
    comments.push_back(std::move(comment));
  }

  // The next line that is more than a comment.
  uint32_t next_line(uint32_t line) const {
    for (++line; line <= file_.line_count(); ++line) {
      const std::string_view text = trim(file_.line(line));
      if (!text.empty() && text.front() != '#') return line;
    }
    return line;
  }

  const SourceFile& file_;
  Diagnostics& out_;
};

bool suppresses(Comment& comment, const Diagnostic& diagnostic) {
  if (comment.line != diagnostic.location.line) return false;
  if (std::ranges::find(comment.rules, diagnostic.rule) == comment.rules.end()) return false;
  comment.used = true;
  return true;
}

// A file's name as the globs of the configuration see it: relative to the configuration's folder.
std::string relative_to(const std::string& name, const std::string& folder) {
  namespace fs = std::filesystem;
  if (name.starts_with('<')) return name;  // <stdin>
  std::error_code failed;
  const fs::path from = fs::absolute(folder.empty() ? "." : folder, failed).lexically_normal();
  const fs::path relative = fs::absolute(name, failed).lexically_normal().lexically_relative(from);
  return failed || relative.empty() ? name : relative.string();
}

// Whether everything was looked at in the document that holds the line.
bool is_complete(std::span<const CheckedDocument> documents, const SourceFile& file, uint32_t line) {
  const CheckedDocument* around = nullptr;
  for (const CheckedDocument& document : documents) {
    if (document.file != &file || document.line > line) continue;
    if (!around || document.line > around->line) around = &document;
  }
  return !around || around->complete;
}

// The same for a whole file.
bool is_complete(std::span<const CheckedDocument> documents, const SourceFile& file) {
  return std::ranges::all_of(documents, [&](const CheckedDocument& document) {
    return document.file != &file || document.complete;
  });
}

bool is_about(const PathSuppression& suppression, const std::string& name) {
  return std::ranges::any_of(suppression.paths,
                             [&](const std::string& glob) { return matches_glob(glob, name); });
}

class Suppressor {
 public:
  Suppressor(const Config& config, std::span<const SourceFile* const> files, Diagnostics& out)
      : config_(config), used_(config.suppressions.size()), paths_(config.suppressions.size()) {
    for (const SourceFile* file : files) {
      comments_[file] = CommentScanner(*file, out).scan();
      const std::string name = relative_to(file->name(), config.folder);
      for (size_t i = 0; i < paths_.size(); ++i) {
        if (is_about(config.suppressions[i], name)) paths_[i].push_back(file);
      }
    }
  }

  bool suppresses_finding(const Diagnostic& diagnostic) {
    bool found = false;
    const auto comments = comments_.find(diagnostic.location.file);
    if (comments != comments_.end()) {
      for (Comment& comment : comments->second) found = suppresses(comment, diagnostic) || found;
    }
    return suppressed_by_path(diagnostic) || found;
  }

  // Of what `documents` say was looked at.
  void report_unused(std::span<const CheckedDocument> documents, Diagnostics& out) const {
    for (const auto& [file, comments] : comments_) {
      for (const Comment& comment : comments) {
        if (!comment.used && is_complete(documents, *file, comment.line)) {
          out.add(advice("advice/unused-suppression",
                         fmt::format("this suppresses no finding of {}", fmt::join(comment.rules, ", ")),
                         "remove it", comment.location));
        }
      }
    }
    for (size_t i = 0; i < used_.size(); ++i) {
      if (used_[i] || paths_[i].empty()) continue;  // a hook sees the staged files only
      const auto was_looked_at = [&](const SourceFile* file) { return is_complete(documents, *file); };
      if (!std::ranges::all_of(paths_[i], was_looked_at)) continue;
      const PathSuppression& suppression = config_.suppressions[i];
      out.add(advice("advice/unused-suppression",
                     fmt::format("this suppresses no finding of {}", suppression.rule), "remove it",
                     suppression.location));
    }
  }

 private:
  bool suppressed_by_path(const Diagnostic& diagnostic) {
    if (!diagnostic.location.file) return false;
    const std::string name = relative_to(diagnostic.location.file->name(), config_.folder);
    bool found = false;
    for (size_t i = 0; i < config_.suppressions.size(); ++i) {
      const PathSuppression& suppression = config_.suppressions[i];
      if (suppression.rule != diagnostic.rule || !is_about(suppression, name)) continue;
      used_[i] = true;
      found = true;
    }
    return found;
  }

  const Config& config_;
  std::vector<bool> used_;
  std::vector<std::vector<const SourceFile*>> paths_;  // the files that a suppression is about
  std::map<const SourceFile*, std::vector<Comment>> comments_;
};

}  // namespace

Diagnostics apply_config(const Diagnostics& diagnostics, const Config& config,
                         std::span<const SourceFile* const> files, bool has_advice,
                         std::span<const CheckedDocument> documents) {
  Diagnostics kept;
  Suppressor suppressor(config, files, kept);
  for (Diagnostic diagnostic : diagnostics.items()) {
    if (suppressor.suppresses_finding(diagnostic)) continue;
    const auto configured = config.rules.find(diagnostic.rule);
    if (configured != config.rules.end()) {
      if (!configured->second) continue;
      diagnostic.severity = *configured->second;
    }
    kept.add(std::move(diagnostic));
  }
  if (has_advice) suppressor.report_unused(documents, kept);
  kept.sort();
  return kept;
}

}  // namespace trainjobc::cli
