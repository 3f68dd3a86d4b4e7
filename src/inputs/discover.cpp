// SPDX-License-Identifier: Apache-2.0

#include "inputs/discover.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include "base/files/file_system.h"
#include "base/files/paths.h"
#include "base/text/glob.h"
#include "inputs/repository.h"

namespace trainjobc::inputs {

namespace {

std::string trimmed_line(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
  return line;
}

std::string read_text(const base::FileSystem& files, const std::string& path) {
  return files.kind(path) == base::FileKind::File ? files.text_of(path) : "";
}

std::string from(const std::string& folder, const std::string& path) {
  return base::shortest_path(base::absolute_path(path.starts_with('/') ? path : folder + "/" + path));
}

// The folder with info/exclude. In a worktree or submodule, .git is a file that names that folder.
std::string git_directory(const base::FileSystem& files, const std::string& root) {
  const std::string git = base::shortest_path(root) + "/.git";
  if (files.is_directory(git)) return git;
  constexpr std::string_view kKey = "gitdir: ";
  const std::string said = trimmed_line(read_text(files, git));
  if (!said.starts_with(kKey)) return git;
  const std::string own = from(root, said.substr(kKey.size()));
  const std::string common = trimmed_line(read_text(files, own + "/commondir"));
  return common.empty() ? own : from(own, common);
}

// The folders from the root of the repository to `folder`, the outermost first.
std::vector<std::string> folders_down_to(const base::FileSystem& files, const std::string& folder) {
  const std::string repository = repository_of(files, folder);
  std::vector<std::string> folders;
  for (std::string at = folder; !at.empty(); at = base::parent_of(at)) {
    folders.push_back(at);
    if (at != repository) continue;
    std::ranges::reverse(folders);
    return folders;
  }
  const std::string here = base::working_directory();
  std::erase_if(folders, [&](const std::string& at) {
    return at != folder && at != here && base::path_below(at, here).empty();
  });
  if (folder != here && base::path_below(folder, here).empty()) folders = {folder};
  std::ranges::reverse(folders);
  return folders;
}

// A stack of .gitignore files. Folders are absolute paths.
class Ignores {
 public:
  // Reads the files from the repository's root down to `folder`; outside of a repository, from the working
  // directory if `folder` is below it.
  Ignores(const base::FileSystem& files, const std::string& folder) {
    for (const std::string& at : folders_down_to(files, folder)) add_folder(files, at);
  }

  // Adds to `outer` the file of `folder`, which is below. A repository inside a repository has only its own
  // files.
  Ignores(const base::FileSystem& files, const Ignores& outer, const std::string& folder)
      : layers_(outer.layers_) {
    if (is_repository(files, folder)) layers_.clear();
    add_folder(files, folder);
  }

  bool ignores(const std::string& absolute, bool is_directory) const {
    for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
      const std::string path = base::path_below(absolute, (*layer)->folder);
      const auto decided = path.empty() ? std::nullopt : (*layer)->rules.decide(path, is_directory);
      if (decided) return *decided;
    }
    return false;
  }

 private:
  struct Layer {
    std::string folder;
    base::GitIgnore rules;
  };

  void add_folder(const base::FileSystem& files, const std::string& folder) {
    if (is_repository(files, folder)) add_file(files, folder, git_directory(files, folder) + "/info/exclude");
    add_file(files, folder, base::joined_path(base::shortest_path(folder), ".gitignore"));
  }

  void add_file(const base::FileSystem& files, const std::string& folder, const std::string& path) {
    const std::string text = read_text(files, path);
    if (!text.empty()) layers_.push_back(std::make_shared<const Layer>(Layer{folder, base::GitIgnore(text)}));
  }

  std::vector<std::shared_ptr<const Layer>> layers_;  // the last one takes precedence
};

using base::DirectoryEntry;
using base::FileKind;
using base::IoError;

std::string excluded_by(Configurations* configurations, const std::string& name) {
  return configurations ? configurations->excluded_by(name) : "";
}

// A link in a repository to a file outside of it: the person who commits the link may not be allowed to read
// the file, and messages quote its lines.
std::optional<IoError> link_out(const base::FileSystem& files, const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) return std::nullopt;
  const std::string root = repository_of(files, base::parent_of(base::absolute_path(path)));
  if (root.empty() || base::is_inside(root, path)) return std::nullopt;
  return IoError{fmt::format("open {}: it is a link out of the repository", path)};
}

class Walk {
 public:
  Walk(const base::FileSystem& files, const DiscoverOptions& options) : files_(files), options_(options) {}

  Discovery found;

  std::optional<IoError> enter(const std::string& directory, const Ignores& ignores) {
    std::vector<DirectoryEntry> entries;
    if (auto error = base::take(files_.list(directory), entries)) return error;
    for (const DirectoryEntry& entry : entries) {
      if (entry.name.starts_with('.')) continue;
      if (auto error = take(directory, entry, ignores)) return error;
    }
    return std::nullopt;
  }

 private:
  std::optional<IoError> take(const std::string& directory, const DirectoryEntry& entry,
                              const Ignores& ignores) {
    const bool is_folder = entry.kind == FileKind::Directory;
    if (is_folder ? !options_.recurse : !is_manifest(entry.name)) return std::nullopt;
    const std::string path = base::joined_path(directory, entry.name);
    const std::string absolute = base::absolute_path(path);
    if (const std::string why = why_not(entry, path, absolute, ignores); !why.empty()) {
      found.passed_over.push_back({is_folder ? path + "/" : path, 0, why});
    } else if (!is_folder) {
      if (entry.is_link) {
        if (auto error = link_out(files_, path)) return error;
      }
      found.files.push_back(path);
    } else {
      return enter(path, options_.git_ignores ? Ignores(files_, ignores, absolute) : ignores);
    }
    return std::nullopt;
  }

  // Why the entry is not read; "" if it is.
  std::string why_not(const DirectoryEntry& entry, const std::string& path, const std::string& absolute,
                      const Ignores& ignores) const {
    const bool is_folder = entry.kind == FileKind::Directory;
    if (options_.git_ignores && ignores.ignores(absolute, is_folder && !entry.is_link))
      return "is ignored by git";
    if (is_folder && entry.is_link) return "is a link to a folder";
    if (entry.kind == FileKind::Other) return "is not a regular file";
    const std::string by = excluded_by(options_.configurations, path);
    return by.empty() ? by : "is excluded by " + by;
  }

  const base::FileSystem& files_;
  const DiscoverOptions& options_;
};

}  // namespace

bool is_manifest(std::string_view path) {
  return path.ends_with(".yaml") || path.ends_with(".yml") || path.ends_with(".json");
}

base::IoResult<Discovery> discover(const base::FileSystem& files, const std::string& directory,
                                   const DiscoverOptions& options) {
  Walk walk(files, options);
  if (auto error = walk.enter(directory, Ignores(files, base::absolute_path(directory)))) return *error;
  return std::move(walk.found);
}

namespace {

using base::IoError;
using base::IoResult;

// A file to read, as the command line spells it.
struct FoundFile {
  std::string name;
  bool named = false;  // on the command line; false if found in a directory
};

// Without "./" at the beginning, as the files of roots are called: one file has one name in an output.
std::string without_dots(const std::string& path) {
  std::string_view rest = path;
  while (rest.starts_with("./")) rest.remove_prefix(std::min(rest.find_first_not_of('/', 1), rest.size()));
  if (rest.starts_with('-')) return path;  // not a flag, and not standard input
  return rest.empty() ? "." : std::string(rest);
}

class InputFiles {
 public:
  InputFiles(const base::FileSystem& files, const DiscoverOptions& options)
      : file_system_(files), options_(options) {}

  FoundSources found;

  std::optional<IoError> add(const std::string& given) {
    const std::string path = without_dots(given);
    if (path == "-") {
      add_file(std::string(base::kStdin), std::string(base::kStdin), true);
    } else if (file_system_.is_directory(path)) {
      return add_directory(path);
    } else if (const std::string by = excluded_by(options_.configurations, path); !by.empty()) {
      found.excluded.push_back(path);
      found.passed_over.push_back({path, 0, "is excluded by " + by});
    } else if (auto error = link_out(file_system_, path)) {
      return error;
    } else {
      add_file(path, base::absolute_path(path), true);
    }
    return std::nullopt;
  }

  std::optional<IoError> read() {
    std::map<std::string, bool> sorted;
    for (const auto& [place, file] : files_) sorted[file.name] = file.named;
    for (const auto& [name, named] : sorted) {
      Source& source = found.sources.emplace_back(Source{name, "", named});
      const bool is_stdin = name == base::kStdin && options_.standard_input;
      auto text = is_stdin ? options_.standard_input() : file_system_.read(name);
      if (auto error = base::take(std::move(text), source.text)) return error;
    }
    return std::nullopt;
  }

 private:
  std::optional<IoError> add_directory(const std::string& path) {
    Discovery discovery;
    if (auto error = base::take(discover(file_system_, path, options_), discovery)) return error;
    found.directories.push_back(path);
    for (const std::string& file : discovery.files) add_file(file, base::absolute_path(file), false);
    std::ranges::move(discovery.passed_over, std::back_inserter(found.passed_over));
    return std::nullopt;
  }

  // Of two spellings of a path, keeps the shorter one.
  void add_file(const std::string& name, const std::string& place, bool named) {
    const auto [at, is_new] = files_.try_emplace(place, FoundFile{name, named});
    if (is_new) return;
    std::string& known = at->second.name;
    if (std::pair(name.size(), name) < std::pair(known.size(), known)) known = name;
    at->second.named = at->second.named || named;
  }

  const base::FileSystem& file_system_;
  const DiscoverOptions& options_;
  std::map<std::string, FoundFile> files_;  // by absolute path
};

}  // namespace

IoResult<FoundSources> read_sources(const base::FileSystem& files, const std::vector<std::string>& paths,
                                    const DiscoverOptions& options) {
  InputFiles all(files, options);
  for (const std::string& path : paths) {
    if (auto error = all.add(path)) return *error;
  }
  if (auto error = all.read()) return *error;
  return std::move(all.found);
}

}  // namespace trainjobc::inputs
