// SPDX-License-Identifier: Apache-2.0

#include "inputs/git/git.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/files/paths.h"
#include "base/text/text.h"
#include "secret/secret.h"

namespace trainjobc::git {
namespace {

using base::IoError;
using base::IoResult;

// Variables with which git uses no other repository, takes no locks, does not ask on the terminal, fetches
// nothing, and does not translate its messages, whatever the user and the repository have set.
std::vector<std::pair<std::string, std::optional<std::string>>> variables() {
  return {{"GIT_DIR", {}},
          {"GIT_WORK_TREE", {}},
          {"GIT_COMMON_DIR", {}},
          {"GIT_INDEX_FILE", {}},
          {"GIT_OBJECT_DIRECTORY", {}},
          {"GIT_NAMESPACE", {}},
          {"GIT_PREFIX", {}},
          {"GIT_OPTIONAL_LOCKS", "0"},
          {"GIT_TERMINAL_PROMPT", "0"},
          {"GIT_NO_LAZY_FETCH", "1"},
          {"GIT_ALLOW_PROTOCOL", "none"},  // for versions of git that don't know the variable above
          {"LC_ALL", "C"}};
}

// What git said, without "fatal: " and the last line break.
std::string said(const base::ProcessResult& result) {
  std::string_view text = base::trimmed(result.err);
  for (const std::string_view word : {"fatal: ", "error: "}) {
    if (text.starts_with(word)) text.remove_prefix(word.size());
  }
  return text.empty() ? fmt::format("it ended with status {}", result.status) : std::string(text);
}

IoError failed(const base::ProcessResult& result) {
  return {fmt::format("git: {}", secret::without_keys(said(result)))};
}

std::string first_line(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

bool is_shallow(const Git& git, const Repository& repository) {
  const auto answer = git.ask(repository.root, {"rev-parse", "--is-shallow-repository"});
  const auto* text = std::get_if<std::string>(&answer);
  return text && text->starts_with("true");
}

constexpr std::string_view kFetchHistory =
    "this is a shallow clone: fetch the history (git fetch --unshallow; fetch-depth: 0 of actions/checkout; "
    "GIT_DEPTH: 0 in GitLab)";

}  // namespace

IoResult<base::ProcessResult> Git::run(const std::string& folder, std::vector<std::string> words,
                                       std::string input) const {
  words.insert(words.begin(), {"git", "--no-pager", "-c", "core.fsmonitor=false", "-c",
                               "core.hooksPath=/dev/null", "-C", folder});
  auto result = runner_.run(
      {.argv = std::move(words), .input = std::move(input), .timeout = timeout_, .variables = variables()});
  if (base::is_missing(result))
    return IoError{"git is not on the PATH: install it to compare with a revision"};
  return result;
}

IoResult<std::string> Git::ask(const std::string& folder, std::vector<std::string> words,
                               std::string input) const {
  base::ProcessResult result;
  if (auto error = base::take(run(folder, std::move(words), std::move(input)), result)) return *error;
  if (result.status != 0) return failed(result);
  return std::move(result.out);
}

IoResult<Repository> find_repository(const Git& git, const std::string& folder) {
  base::ProcessResult result;
  if (auto error = base::take(git.run(folder, {"rev-parse", "--show-toplevel"}), result)) return *error;
  if (result.status != 0) {
    if (result.err.find("not a git repository") == std::string::npos) return failed(result);
    return IoError{
        fmt::format("{} is not in a Git repository: run this in a clone, or compare two directories: "
                    "trainjobc diff OLD NEW",
                    folder)};
  }
  Repository repository{first_line(result.out), ""};
  const std::string below = base::path_below(base::working_directory(), repository.root);
  if (!below.empty()) repository.prefix = below + "/";
  return repository;
}

IoResult<Commit> find_commit(const Git& git, const Repository& repository, const std::string& revision) {
  if (revision.empty() || revision.starts_with('-'))
    return IoError{fmt::format("\"{}\" is not the name of a revision", revision)};
  if (const size_t dots = revision.find(".."); dots != std::string::npos) {
    return IoError{fmt::format("\"{}\" is a range: name one revision{}", revision,
                               dots > 0 ? fmt::format(", such as {}", revision.substr(0, dots)) : "")};
  }
  base::ProcessResult result;
  if (auto error = base::take(
          git.run(repository.root, {"rev-parse", "--verify", "--quiet", revision + "^{commit}"}), result))
    return *error;
  if (result.status == 0) return Commit{first_line(std::move(result.out)), revision};
  if (revision == "HEAD") return IoError{"the repository has no commit yet"};
  std::string message = fmt::format("the repository has no revision \"{}\"", revision);
  if (is_shallow(git, repository)) return IoError{fmt::format("{}; {}", message, kFetchHistory)};
  const size_t slash = revision.find('/');
  if (slash == std::string::npos) return IoError{fmt::format("{}: git fetch it first", message)};
  return IoError{fmt::format("{}: fetch it first (git fetch {} {})", message, revision.substr(0, slash),
                             revision.substr(slash + 1))};
}

IoResult<Commit> find_merge_base(const Git& git, const Repository& repository, const Commit& base,
                                 const Commit& head) {
  base::ProcessResult result;
  if (auto error = base::take(git.run(repository.root, {"merge-base", base.id, head.id}), result))
    return *error;
  if (result.status > 1) return failed(result);
  const std::string id = first_line(std::move(result.out));
  if (id == base.id) return base;
  if (!id.empty()) return Commit{id, id.substr(0, std::min<size_t>(id.size(), 12))};
  return IoError{fmt::format("{} and {} have no common ancestor{}", base.name, head.name,
                             is_shallow(git, repository)
                                 ? fmt::format("; {}", kFetchHistory)
                                 : ": --no-merge-base compares with the revision itself")};
}

}  // namespace trainjobc::git
