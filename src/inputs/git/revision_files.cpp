// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/files/paths.h"
#include "base/text/text.h"
#include "inputs/git/git.h"

namespace trainjobc::git {
namespace {

using base::FileKind;
using base::IoError;
using base::IoResult;

constexpr int kMostLinks = 40;               // for one path, as on Linux
constexpr size_t kSmall = size_t{1} << 20U;  // files up to this size are fetched ahead of time
constexpr std::string_view kLfs = "version https://git-lfs.github.com/spec/";
constexpr std::string_view kGitCrypt = std::string_view("\0GITCRYPT\0", 10);

std::string joined(const std::string& folder, std::string_view name) {
  return folder.empty() ? std::string(name) : fmt::format("{}/{}", folder, name);
}

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

bool is_below(std::string_view path, std::string_view folder) {
  return folder.empty() || (path.starts_with(folder) && path.substr(folder.size()).starts_with('/'));
}

// Calls `use` with each folder of the path, the outermost first, and with the path itself, until it returns
// true.
template <class Use>
bool along(const std::string& path, Use use) {
  for (size_t end = path.find('/'); end != std::string::npos; end = path.find('/', end + 1)) {
    if (use(path.substr(0, end))) return true;
  }
  return use(path);
}

// Whether directory walks and searches for settings read such a file.
bool is_read_by_walks(std::string_view path) {
  return path.ends_with(".yaml") || path.ends_with(".yml") || path.ends_with(".json") ||
         path.ends_with(".gitignore");
}

std::string lines_of(const std::set<std::string>& ids) {
  std::string lines;
  for (const std::string& id : ids) lines += id + "\n";
  return lines;
}

// Takes the first word and the separator after it from `text`, and returns the word.
std::string_view take_until(std::string_view& text, char separator) {
  const size_t end = std::min(text.find(separator), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

// A line of `git cat-file --batch`: "<id> blob <size>"; nullopt for "<id> missing".
struct BlobHead {
  std::string id;
  size_t size = 0;
};

std::optional<BlobHead> read_head(std::string_view line) {
  const std::string_view id = take_until(line, ' ');
  if (take_until(line, ' ') != "blob") return std::nullopt;
  const auto size = base::read_integer(line);
  return size && *size >= 0 ? std::optional(BlobHead{std::string(id), static_cast<size_t>(*size)})
                            : std::nullopt;
}

}  // namespace

IoResult<std::unique_ptr<RevisionFiles>> RevisionFiles::open(const Git& git, const Repository& repository,
                                                             const Commit& commit, base::FileSystem& outside,
                                                             std::vector<std::string> wanted) {
  std::unique_ptr<RevisionFiles> files(new RevisionFiles(git, repository, commit, outside));
  if (auto error = files->add_tree(repository.root, commit.id, "")) return *error;
  for (const std::string& path : wanted) {
    if (auto inside = files->in_tree(path)) files->wanted_.push_back(std::move(*inside));
  }
  return files;
}

// Adds the files of the commit, which is in the repository of `folder`, below a folder of the tree.
std::optional<IoError> RevisionFiles::add_tree(const std::string& folder, const std::string& commit,
                                               const std::string& below) const {
  std::string listed;
  if (auto error = base::take(git_.ask(folder, {"ls-tree", "-r", "-z", "--full-tree", commit}), listed))
    return error;
  for (std::string_view rest = listed; !rest.empty();) {
    std::string_view line = take_until(rest, '\0');
    const std::string_view mode = take_until(line, ' ');
    take_until(line, ' ');  // "blob" or "commit"
    const std::string_view id = take_until(line, '\t');
    const Type type = mode == "120000" ? Type::Link : mode == "160000" ? Type::Submodule : Type::File;
    has_links_ = has_links_ || type == Type::Link;
    entries_.emplace(joined(below, line), Entry{type, std::string(id), folder});
  }
  return std::nullopt;
}

// Adds the files of the submodules on the way to the path.
void RevisionFiles::enter_submodules(const std::string& path) const {
  along(path, [&](const std::string& at) {
    const auto found = entries_.find(at);
    if (found == entries_.end() || found->second.type != Type::Submodule) return false;
    if (bad_submodules_.contains(at) || has_below(at)) return false;
    const std::string folder = joined(repository_.root, at);
    // Without the submodule's repository, the working tree lacks its files too.
    if (!outside_.exists(folder + "/.git")) return true;
    if (add_tree(folder, found->second.id, at)) {
      bad_submodules_[at] =
          fmt::format("the submodule has no commit {}: git -C {} fetch", found->second.id.substr(0, 12), at);
    }
    return false;
  });
}

// The path within the tree; nullopt if it is outside.
std::optional<std::string> RevisionFiles::in_tree(const std::string& path) const {
  const std::string absolute = base::absolute_path(path);
  if (absolute == repository_.root) return "";
  std::string inside = base::path_below(absolute, repository_.root);
  return inside.empty() || is_git_folder(inside) ? std::nullopt : std::optional(std::move(inside));
}

// No commit can contain a file of that name.
bool RevisionFiles::is_git_folder(const std::string& path) const {
  return along(path, [](const std::string& at) { return at == ".git" || at.ends_with("/.git"); });
}

bool RevisionFiles::has_below(const std::string& path) const {
  if (path.empty()) return true;
  const auto at = entries_.lower_bound(path + "/");
  return at != entries_.end() && is_below(at->first, path);
}

FileKind RevisionFiles::kind_of(const std::string& path) const {
  const auto found = entries_.find(path);
  if (found != entries_.end()) return found->second.type == Type::File ? FileKind::File : FileKind::Directory;
  return has_below(path) ? FileKind::Directory : FileKind::None;
}

// Replaces the first link on the way to `at` by its target; nullopt if there is no link.
std::optional<RevisionFiles::Place> RevisionFiles::follow(const std::string& path, std::string& at,
                                                          int& links) const {
  std::optional<Place> end;
  const bool is_changed = along(at, [&](const std::string& link) {
    const auto found = entries_.find(link);
    if (found == entries_.end() || found->second.type != Type::Link) return false;
    const auto target = blob(link, found->second);
    const auto* text = std::get_if<std::string>(&target);
    if (!text || ++links > kMostLinks) {
      end = Place{false, path, FileKind::Broken};
      return true;
    }
    const std::string folder = joined(repository_.root, folder_of(link));
    const std::string next =
        base::normal_path((text->starts_with('/') ? *text : folder + "/" + *text) + at.substr(link.size()));
    if (auto inside = in_tree(next)) {
      at = std::move(*inside);
    } else {
      end = Place{true, next, outside_.kind(next)};
    }
    return true;
  });
  if (!is_changed) end = Place{false, at, kind_of(at)};
  return end;
}

RevisionFiles::Place RevisionFiles::find(const std::string& path) const {
  const auto inside = in_tree(path);
  if (!inside) return {true, path, outside_.kind(path)};
  std::string at = *inside;
  enter_submodules(at);
  if (!has_links_) return {false, at, kind_of(at)};
  for (int links = 0;;) {
    std::optional<Place> place = follow(*inside, at, links);
    if (!place) {
      enter_submodules(at);
      continue;
    }
    const auto own = entries_.find(*inside);
    const bool is_link = own != entries_.end() && own->second.type == Type::Link;
    if (is_link && place->kind == FileKind::None) place->kind = FileKind::Broken;
    return *place;
  }
}

std::string RevisionFiles::name_of(const std::string& path) const {
  const auto inside = in_tree(path);
  return inside ? fmt::format("{}:{}", commit_.name, *inside) : path;
}

IoError RevisionFiles::error(std::string_view what, const std::string& path, std::string_view why) const {
  return {fmt::format("{} {}: {}", what, name_of(path), why)};
}

FileKind RevisionFiles::kind(const std::string& path) const {
  const std::scoped_lock lock(mutex_);
  return find(path).kind;
}

// The ids of the files that are fetched together with this one.
std::set<std::string> RevisionFiles::beside(const std::string& path, const Entry& entry) const {
  const auto root = std::ranges::find_if(
      wanted_, [&](const std::string& folder) { return path == folder || is_below(path, folder); });
  const bool is_deep = root != wanted_.end();
  const std::string folder = is_deep && *root != path ? *root : folder_of(path);
  std::set<std::string> ids;
  for (auto at = folder.empty() ? entries_.begin() : entries_.lower_bound(folder + "/");
       at != entries_.end() && is_below(at->first, folder); ++at) {
    const bool is_near = is_deep || folder_of(at->first) == folder;
    const bool is_link = at->second.type == Type::Link;
    if (at->second.repository != entry.repository || at->second.type == Type::Submodule || !is_near) continue;
    if ((is_link || is_read_by_walks(at->first)) && !texts_.contains(at->second.id))
      ids.insert(at->second.id);
  }
  ids.insert(entry.id);
  return ids;
}

// Reads the blobs `needed`, and others unless they are large.
std::optional<IoError> RevisionFiles::fetch(const std::string& folder, const std::set<std::string>& ids,
                                            const std::string& needed) const {
  std::string checked;
  if (auto error = base::take(git_.ask(folder, {"cat-file", "--batch-check"}, lines_of(ids)), checked))
    return error;
  std::set<std::string> readable;
  for (std::string_view rest = checked; !rest.empty();) {
    const auto head = read_head(take_until(rest, '\n'));
    if (head && head->size <= (head->id == needed ? base::kMaxFileSize : kSmall)) readable.insert(head->id);
  }
  if (readable.empty()) return std::nullopt;
  std::string contents;
  if (auto error = base::take(git_.ask(folder, {"cat-file", "--batch"}, lines_of(readable)), contents))
    return error;
  for (std::string_view rest = contents; !rest.empty();) {
    const auto head = read_head(take_until(rest, '\n'));
    if (!head) continue;
    texts_[head->id] = rest.substr(0, head->size);
    rest.remove_prefix(std::min(head->size + 1, rest.size()));
  }
  return std::nullopt;
}

// Fetches all files that are not large, in one call instead of one for each when they are read.
void RevisionFiles::fetch_all() const {
  const std::scoped_lock lock(mutex_);
  std::map<std::string, std::set<std::string>> ids;  // ids by repository
  for (const auto& [path, entry] : entries_) {
    if (entry.type == Type::File && !texts_.contains(entry.id)) ids[entry.repository].insert(entry.id);
  }
  // Errors are ignored here: a file that is missing is fetched again when it is read, which reports the
  // error.
  for (const auto& [folder, own] : ids) fetch(folder, own, "");
}

IoResult<std::string> RevisionFiles::blob(const std::string& path, const Entry& entry) const {
  // An object that a partial clone lacks ends the call, so the file is asked for once more by itself.
  if (!texts_.contains(entry.id) && fetch(entry.repository, beside(path, entry), entry.id))
    fetch(entry.repository, {entry.id}, entry.id);
  const auto text = texts_.find(entry.id);
  if (text != texts_.end()) return text->second;
  const std::string name = fmt::format("{}:{}", commit_.name, path);
  return IoError{
      fmt::format("read {0}: this clone does not have it, or it is larger than {1} MiB; a partial clone gets "
                  "it by git show {0}",
                  name, base::kMaxFileSize >> 20U)};
}

IoResult<std::string> RevisionFiles::read(const std::string& path) const {
  const std::scoped_lock lock(mutex_);
  const Place place = find(path);
  if (place.is_outside) return outside_.read(place.path);
  if (place.kind == FileKind::Directory) return error("read", path, "Is a directory");
  const auto found = entries_.find(place.path);
  if (place.kind != FileKind::File || found == entries_.end())
    return error("open", path, "No such file or directory");
  auto text = blob(place.path, found->second);
  const auto* whole = std::get_if<std::string>(&text);
  if (whole && (whole->starts_with(kLfs) || whole->starts_with(kGitCrypt))) filtered_.insert(name_of(path));
  return text;
}

std::set<std::string> RevisionFiles::filtered() const {
  const std::scoped_lock lock(mutex_);
  return filtered_;
}

IoResult<std::vector<base::DirectoryEntry>> RevisionFiles::list(const std::string& path) const {
  const std::scoped_lock lock(mutex_);
  const Place place = find(path);
  if (place.is_outside) return outside_.list(place.path);
  if (place.kind != FileKind::Directory)
    return error("open", path,
                 place.kind == FileKind::File ? "Not a directory" : "No such file or directory");
  const auto bad = bad_submodules_.find(place.path);
  if (bad != bad_submodules_.end()) return error("open", path, bad->second);
  const std::string prefix = place.path.empty() ? "" : place.path + "/";
  std::vector<base::DirectoryEntry> listed;
  std::set<std::string> links;
  for (auto at = entries_.lower_bound(prefix);
       at != entries_.end() && at->first.compare(0, prefix.size(), prefix) == 0;) {
    const size_t end = at->first.find('/', prefix.size());
    const std::string name = at->first.substr(prefix.size(), end - prefix.size());
    const bool is_folder = end != std::string::npos || at->second.type == Type::Submodule;
    if (!is_folder && at->second.type == Type::Link) links.insert(name);
    if (listed.empty() || listed.back().name != name)
      listed.push_back({name, is_folder ? FileKind::Directory : FileKind::File});
    at = end == std::string::npos ? std::next(at)
                                  : entries_.lower_bound(prefix + name + '0');  // after the '/'
  }
  for (base::DirectoryEntry& entry : listed) {
    entry.is_link = links.contains(entry.name);
    if (entry.is_link) entry.kind = find(joined(repository_.root, prefix + entry.name)).kind;
  }
  std::ranges::sort(listed, {}, &base::DirectoryEntry::name);
  const auto repeated = std::ranges::unique(listed, {}, &base::DirectoryEntry::name);
  listed.erase(repeated.begin(), repeated.end());
  return listed;
}

RevisionFiles::~RevisionFiles() {
  std::error_code ignored;
  if (!copy_.empty()) std::filesystem::remove_all(copy_, ignored);
}

IoResult<std::string> RevisionFiles::on_disk(const std::string& path) const {
  if (auto error = copy_all()) return *error;
  return copy_ + base::absolute_path(path);
}

std::optional<IoError> RevisionFiles::copy_all() const {
  if (!copy_.empty()) return std::nullopt;
  std::string made = (std::filesystem::temp_directory_path() / "trainjobc-XXXXXX").string();
  if (!mkdtemp(made.data())) return base::io_error("create", made, errno);
  copy_ = std::move(made);
  fetch_all();
  return copy_below(root());
}

std::optional<IoError> RevisionFiles::copy_below(const std::string& folder) const {
  base::RealFileSystem disk;
  std::vector<base::DirectoryEntry> entries;
  if (auto error = base::take(list(folder), entries)) return error;
  if (auto error = disk.make_directory(copy_ + folder)) return error;
  for (const base::DirectoryEntry& entry : entries) {
    const std::string path = fmt::format("{}/{}", folder, entry.name);
    if (entry.is_link || entry.name == ".git") continue;
    if (entry.kind == FileKind::Directory) {
      if (auto error = copy_below(path)) return error;
    } else if (auto text = read(path); const auto* found = std::get_if<std::string>(&text)) {
      if (auto error = disk.write(copy_ + path, *found, 0600)) return error;
    }
  }
  return std::nullopt;
}

}  // namespace trainjobc::git
