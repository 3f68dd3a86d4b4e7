// SPDX-License-Identifier: Apache-2.0

#include "cli/input.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include "base/files/file_system.h"
#include "base/files/paths.h"
#include "base/text/glob.h"
#include "compile/input.h"
#include "compile/runtimes.h"
#include "inputs/groups.h"
#include "model/trainer_names.h"
#include "secret/secret.h"
#include "yaml/write/writer.h"

namespace trainjobc::cli {

namespace fs = std::filesystem;

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

// The folder that contains info/exclude. In a worktree or submodule, .git is a file that names it.
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

bool is_repository(const base::FileSystem& files, const std::string& folder) {
  return files.exists(base::joined_path(base::shortest_path(folder), ".git"));
}

// The folders from the root of the repository to `folder`, the outermost first.
std::vector<std::string> folders_down_to(const base::FileSystem& files, const std::string& folder) {
  std::vector<std::string> folders;
  for (std::string at = folder; !at.empty(); at = base::parent_of(at)) {
    folders.push_back(at);
    if (!is_repository(files, at)) continue;
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
  // Reads those from the repository's root down to `folder`; outside of repositories, from the working
  // directory if `folder` is below it.
  Ignores(const base::FileSystem& files, const std::string& folder) {
    for (const std::string& at : folders_down_to(files, folder)) add_folder(files, at);
  }

  // `outer`, with the file of the folder below it. A repository in a repository has only its own files.
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

  std::vector<std::shared_ptr<const Layer>> layers_;  // the last takes precedence
};

using base::DirectoryEntry;
using base::FileKind;
using base::IoError;

std::string excluded_by(inputs::Configurations* configurations, const std::string& name) {
  return configurations ? configurations->excluded_by(name) : "";
}

// A link in a repository to a file outside of it: whoever commits the link may not be allowed to read the
// file, and messages quote its lines.
std::optional<IoError> link_out(const base::FileSystem& files, const std::string& path) {
  std::error_code error;
  if (!fs::is_symlink(path, error)) return std::nullopt;
  const std::string root = folders_down_to(files, base::parent_of(base::absolute_path(path))).front();
  if (!is_repository(files, root) || base::is_inside(root, path)) return std::nullopt;
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
    const std::string path = directory.ends_with('/') ? directory + entry.name : directory + "/" + entry.name;
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

  // "" if it should be read.
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
  bool named = false;  // otherwise found in a directory
};

class InputFiles {
 public:
  InputFiles(Console& console, const DiscoverOptions& options) : console_(console), options_(options) {}

  Loaded loaded;

  std::optional<IoError> add(const std::string& path) {
    if (path == "-") {
      add_file(std::string(base::kStdin), std::string(base::kStdin), true);
    } else if (console_.files().is_directory(path)) {
      return add_directory(path);
    } else if (const std::string by = excluded_by(options_.configurations, path); !by.empty()) {
      loaded.excluded.push_back(path);
      loaded.passed_over.push_back({path, 0, "is excluded by " + by});
    } else if (auto error = link_out(console_.files(), path)) {
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
      Source& source = loaded.sources.emplace_back(Source{name, "", named});
      auto text = name == base::kStdin ? console_.read_stdin() : console_.files().read(name);
      if (auto error = base::take(std::move(text), source.text)) return error;
    }
    return std::nullopt;
  }

 private:
  std::optional<IoError> add_directory(const std::string& path) {
    Discovery discovery;
    if (auto error = base::take(discover(console_.files(), path, options_), discovery)) return error;
    loaded.directories.push_back(path);
    for (const std::string& file : discovery.files) add_file(file, base::absolute_path(file), false);
    std::ranges::move(discovery.passed_over, std::back_inserter(loaded.passed_over));
    return std::nullopt;
  }

  // Of two spellings of a file, the shorter one stays.
  void add_file(const std::string& name, const std::string& place, bool named) {
    const auto [at, is_new] = files_.try_emplace(place, FoundFile{name, named});
    if (is_new) return;
    std::string& known = at->second.name;
    if (std::pair(name.size(), name) < std::pair(known.size(), known)) known = name;
    at->second.named = at->second.named || named;
  }

  Console& console_;
  const DiscoverOptions& options_;
  std::map<std::string, FoundFile> files_;  // by their absolute paths
};

}  // namespace

IoResult<Loaded> load_sources(Console& console, const std::vector<std::string>& paths,
                              const DiscoverOptions& options) {
  InputFiles files(console, options);
  for (const std::string& path : paths) {
    if (auto error = files.add(path)) return *error;
  }
  if (auto error = files.read()) return *error;
  return std::move(files.loaded);
}

namespace {

KnownRuntime describe(const compile::InputObject& object) {
  KnownRuntime runtime;
  runtime.name = object.id.name;
  runtime.ns = object.id.ns;
  runtime.kind = object.id.kind;
  if (const yaml::Node* label = object.root->at({"metadata", "labels", model::kFrameworkLabel})) {
    runtime.framework = secret::without_keys(label->text());
  }
  yaml::write_yaml(*object.root, yaml::KeyOrder::AsIs, runtime.text);
  return runtime;
}

class Finder {
 public:
  std::vector<KnownRuntime> found;

  void add_files(std::vector<Source> sources, const std::string& scope) {
    for_each(std::move(sources), [&](const compile::InputObject& object) {
      KnownRuntime runtime = describe(object);
      runtime.scope = scope;
      const base::Location at = yaml::locate(*object.root);
      runtime.place = base::place_of(at);
      if (at.file) files_.push_back(base::absolute_path(at.file->name()));
      if (!same_as(runtime, scope)) found.push_back(std::move(runtime));
    });
  }

  // Those of the directories that added no runtime.
  std::vector<std::string> without_runtimes(std::vector<std::string> directories) const {
    std::erase_if(directories, [&](const std::string& directory) {
      return std::ranges::any_of(files_, [&](const std::string& file) {
        return !base::path_below(file, base::absolute_path(directory)).empty();
      });
    });
    return directories;
  }

  void add_catalogue(const compile::CatalogueFile& file) {
    for_each({{"", std::string(file.text)}}, [&](const compile::InputObject& object) {
      KnownRuntime runtime = describe(object);
      KnownRuntime* known = same_as(runtime);
      if (known && known->versions.empty()) return;  // defined in a file, which takes precedence
      if (!known) known = &found.emplace_back(runtime);
      known->versions.emplace_back(file.version);
      known->text = file.text;  // with its comments
    });
  }

 private:
  std::vector<std::string> files_;  // absolute, with runtimes

  template <class F>
  static void for_each(std::vector<Source> sources, F use) {
    compile::InputSet set;
    base::Diagnostics ignored;
    compile::read_inputs(std::move(sources), set, ignored);
    for (const compile::InputObject& object : set.objects) {
      if (object.is_runtime()) use(object);
    }
  }

  // In any scope, if none is given.
  KnownRuntime* same_as(const KnownRuntime& runtime, const std::optional<std::string>& scope = {}) {
    const auto at = std::ranges::find_if(found, [&](const KnownRuntime& other) {
      return other.kind == runtime.kind && other.ns == runtime.ns && other.name == runtime.name &&
             (!scope || other.scope == *scope);
    });
    return at != found.end() ? &*at : nullptr;
  }
};

}  // namespace

base::IoResult<KnownRuntimes> known_runtimes(Console& console, inputs::Configurations& configurations,
                                             const RuntimeSearch& search) {
  DiscoverOptions how = search.how;
  how.configurations = &configurations;
  Loaded loaded;
  if (auto error = base::take(load_sources(console, search.paths, how), loaded)) return *error;
  const auto groups = inputs::group_by_configuration(std::move(loaded.sources), configurations);
  KnownRuntimes known;
  Finder finder;
  for (const inputs::InputGroup& group : groups) finder.add_files(group.inputs, group.scope);
  if (search.built) {
    for (const inputs::InputGroup& group : *search.built) finder.add_files(group.inputs, group.scope);
  }
  known.empty_directories = finder.without_runtimes(std::move(loaded.directories));
  bool use_catalogue = true;
  for (const inputs::InputGroup& group : groups) {
    std::vector<std::string> later = search.runtimes;
    later.insert(later.end(), group.config->runtimes.begin(), group.config->runtimes.end());
    Loaded others;
    if (auto error = base::take(load_sources(console, later, how), others)) return *error;
    finder.add_files(std::move(others.sources), group.scope);
    use_catalogue = use_catalogue && group.config->catalogue.value_or(true);
  }
  for (const compile::CatalogueFile& file : compile::catalogue_files()) {
    if (!use_catalogue) break;
    if (search.trainer_version.empty() || search.trainer_version == file.version) finder.add_catalogue(file);
  }
  std::ranges::stable_sort(finder.found, {},
                           [](const KnownRuntime& runtime) { return std::pair(runtime.name, runtime.ns); });
  known.runtimes = std::move(finder.found);
  return known;
}

}  // namespace trainjobc::cli
