// SPDX-License-Identifier: Apache-2.0

#include "cli/revisions.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "base/files/paths.h"
#include "cli/input.h"
#include "inputs/helm/build.h"

namespace trainjobc::cli {
namespace {

using base::IoError;
using base::IoResult;

// Builds the kustomizations and charts of a commit: kustomize and helm read a copy of the files, in a folder
// that is removed afterwards.
class CommitBuilder final : public base::ProcessRunner {
 public:
  CommitBuilder(base::ProcessRunner& outer, const git::RevisionFiles& files) : outer_(outer), files_(files) {}
  ~CommitBuilder() override {
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }
  CommitBuilder(const CommitBuilder&) = delete;
  CommitBuilder& operator=(const CommitBuilder&) = delete;

  base::IoResult<base::ProcessResult> run(const base::ProcessRequest& request) override {
    return std::move(run_all({&request, 1}).front());
  }

  std::vector<base::IoResult<base::ProcessResult>> run_all(
      std::span<const base::ProcessRequest> requests) override {
    if (auto error = export_files()) return {requests.size(), *error};
    std::vector<base::ProcessRequest> there(requests.begin(), requests.end());
    for (base::ProcessRequest& request : there) {
      request.argv.back() = folder_ + base::absolute_path(request.argv.back());
      for (std::string& argument : request.argv) {
        if (argument.starts_with(helm::kValuesFlag) &&
            argument.substr(helm::kValuesFlag.size()) != helm::kStandardInput)
          argument =
              helm::kValuesFlag + folder_ + base::absolute_path(argument.substr(helm::kValuesFlag.size()));
      }
    }
    return outer_.run_all(there);
  }

 private:
  std::optional<IoError> export_files() {
    if (!folder_.empty()) return std::nullopt;
    std::string made = (std::filesystem::temp_directory_path() / "trainjobc-XXXXXX").string();
    if (!mkdtemp(made.data())) return base::io_error("create", made, errno);
    folder_ = std::move(made);
    files_.fetch_all();
    return export_below(files_.root());
  }

  std::optional<IoError> export_below(const std::string& folder) {
    std::vector<base::DirectoryEntry> entries;
    if (auto error = base::take(files_.list(folder), entries)) return error;
    if (auto error = copies_.make_directory(folder_ + folder)) return error;
    for (const base::DirectoryEntry& entry : entries) {
      const std::string path = fmt::format("{}/{}", folder, entry.name);
      if (entry.is_link || entry.name == ".git") continue;
      if (entry.kind == base::FileKind::Directory) {
        if (auto error = export_below(path)) return error;
      } else if (auto text = files_.read(path); const auto* read = std::get_if<std::string>(&text)) {
        if (auto error = copies_.write(folder_ + path, *read, 0600)) return error;
      }
    }
    return std::nullopt;
  }

  base::ProcessRunner& outer_;
  const git::RevisionFiles& files_;
  base::RealFileSystem copies_;
  std::string folder_;  // "": nothing was built yet
};

// Another console with other files.
class ConsoleWithFiles final : public WrappedConsole {
 public:
  ConsoleWithFiles(Console& outer, base::FileSystem& files, base::ProcessRunner& processes)
      : WrappedConsole(outer), files_(files), processes_(processes) {}

  base::FileSystem& files() override { return files_; }
  base::ProcessRunner& processes() override { return processes_; }

 private:
  base::FileSystem& files_;
  base::ProcessRunner& processes_;
};

// The nearest folder above the path, or at it, that exists.
std::string existing_folder(Console& console, const std::string& path) {
  for (std::string at = base::absolute_path(path); !at.empty(); at = base::parent_of(at)) {
    if (console.files().is_directory(at)) return at;
  }
  return base::working_directory();
}

bool is_in(const std::string& root, const std::string& absolute) {
  return absolute == root || !base::path_below(absolute, root).empty();
}

// The path as one of the tree: links on the way to it are followed if it isn't one by its text. An error if
// it is outside.
IoResult<std::string> path_in(const git::Repository& repository, const std::string& path) {
  if (is_in(repository.root, base::absolute_path(path))) return path;
  const std::string real = base::real_path(path);
  if (is_in(repository.root, real)) return base::shortest_path(real);
  return IoError{fmt::format("{} is not in the repository {}", path, repository.root)};
}

class Opening {
 public:
  Opening(Console& console, const RevisionFlags& flags, std::chrono::milliseconds timeout)
      : console_(console), flags_(flags), git_(console.processes(), timeout) {}

  IoResult<Revisions> open(InputFlags input) {
    if (input.paths.empty() && input.filenames.empty() && input.roots.is_empty()) input.paths = {"."};
    Revisions opened{.input = std::move(input)};
    if (auto error = find_paths(opened.input)) return *error;
    if (auto error = find_commits()) return *error;
    const std::vector<std::string> wanted = wanted_of(opened.input);
    if (auto error = open_state(base_, wanted, opened.before)) return *error;
    opened.after.name = "the working tree";
    if (!flags_.head.empty()) {
      if (auto error = open_state(*head_, wanted, opened.after)) return *error;
    }
    opened.of_base = base_.name;
    if (base_.name != flags_.base)
      opened.of_base = fmt::format("{} (where {} left {})", base_.name, head_->name, flags_.base);
    if (auto error = check_paths(opened)) return *error;
    return opened;
  }

 private:
  std::optional<IoError> find_paths(InputFlags& input) {
    std::vector<std::string*> all;
    for (std::string& path : input.paths) all.push_back(&path);
    for (std::string& path : input.filenames) all.push_back(&path);
    for (std::string& path : input.roots.kustomize) all.push_back(&path);
    for (std::string& path : input.roots.charts) all.push_back(&path);
    for (std::string* path : all) {
      if (*path == "-") return IoError{"standard input has no revisions: name files or directories"};
    }
    const std::string folder = existing_folder(console_, *all.front());
    if (auto error = base::take(git::find_repository(git_, folder), repository_)) return error;
    for (std::string* path : all) {
      if (auto error = base::take(path_in(repository_, *path), *path)) return error;
    }
    return std::nullopt;
  }

  std::optional<IoError> find_commits() {
    if (auto error = base::take(git::find_commit(git_, repository_, flags_.base), base_)) return error;
    if (flags_.head.empty() && flags_.no_merge_base) return std::nullopt;
    const std::string head = flags_.head.empty() ? "HEAD" : flags_.head;
    if (auto error = base::take(git::find_commit(git_, repository_, head), head_.emplace())) return error;
    if (flags_.no_merge_base) return std::nullopt;
    return base::take(git::find_merge_base(git_, repository_, base_, *head_), base_);
  }

  static std::vector<std::string> wanted_of(const InputFlags& input) {
    std::vector<std::string> wanted;
    for (const auto* paths : {&input.paths, &input.filenames}) {
      for (const std::string& path : *paths) wanted.push_back(base::absolute_path(path));
    }
    return wanted;
  }

  std::optional<IoError> open_state(const git::Commit& commit, const std::vector<std::string>& wanted,
                                    State& state) {
    state.name = commit.name;
    state.prefix = fmt::format("{}:{}", commit.name, repository_.prefix);
    return base::take(git::RevisionFiles::open(git_, repository_, commit, console_.files(), wanted),
                      state.files);
  }

  std::optional<IoError> check_paths(const Revisions& opened) const {
    const base::FileSystem& after = opened.after.files ? *opened.after.files : console_.files();
    const RootFlags& roots = opened.input.roots;
    for (const auto* paths :
         {&opened.input.paths, &opened.input.filenames, &roots.kustomize, &roots.charts}) {
      for (const std::string& path : *paths) {
        if (!after.exists(path) && !opened.before.files->exists(path))
          return IoError{
              fmt::format("{} is neither in {} nor in {}", path, opened.before.name, opened.after.name)};
      }
    }
    return std::nullopt;
  }

  Console& console_;
  const RevisionFlags& flags_;
  git::Git git_;
  git::Repository repository_;
  git::Commit base_;
  std::optional<git::Commit> head_;
};

void name_sources(const git::RevisionFiles& files, std::vector<Source>& sources) {
  for (Source& source : sources) source.name = files.name_of(source.name);
}

}  // namespace

void RevisionFlags::add_to(Command& command, const std::string& name, const std::string& description) {
  flag = name;
  command.add(name, &base, description).takes("REV");
  command
      .add("--no-merge-base", &no_merge_base,
           fmt::format("Compare with {} itself, not with the commit where the history left it", name))
      .needs(name);
}

std::optional<Revisions> open_revisions(Console& console, const RevisionFlags& flags, InputFlags input,
                                        std::chrono::milliseconds timeout) {
  return got(console, Opening(console, flags, timeout).open(std::move(input)), flags.flag + ": ");
}

std::optional<inputs::LoadedInputs> load_state(Console& console, const InputFlags& input,
                                               const State& state) {
  std::optional<CommitBuilder> builder;
  if (state.files) builder.emplace(console.processes(), *state.files);
  ConsoleWithFiles own(console, state.files ? *state.files : console.files(),
                       builder ? *builder : console.processes());
  InputFlags there = input;
  there.reads_stdin = false;
  const auto is_missing = [&](const std::string& path) { return !own.files().exists(path); };
  std::erase_if(there.paths, is_missing);
  std::erase_if(there.filenames, is_missing);
  std::erase_if(there.roots.kustomize, is_missing);
  there.roots.is_missing = is_missing;
  if (state.files) {  // may not have what the flags name for the other state
    std::erase_if(there.runtimes, is_missing);
    there.no_config = there.no_config || (!there.config.empty() && is_missing(there.config));
    if (there.no_config) there.config.clear();
  }
  auto loaded = load_inputs(own, there);
  if (!loaded) {
    if (state.files) fail(console, fmt::format("the inputs of {} can't be read", state.name));
    return loaded;
  }
  if (!state.files) return loaded;
  for (inputs::InputGroup& group : loaded->groups) {
    name_sources(*state.files, group.inputs);
    name_sources(*state.files, group.runtimes);
  }
  for (const std::string& name : state.files->filtered())
    note(console,
         fmt::format("{} is stored by a filter, such as Git LFS, which trainjobc does not run: what it "
                     "defines is not compared",
                     name));
  return loaded;
}

}  // namespace trainjobc::cli
