// SPDX-License-Identifier: Apache-2.0

#include "cli/input/ignores.h"

#include <algorithm>

#include "base/files/paths.h"

namespace trainjobc::cli {
namespace {

std::string trimmed_line(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
  return line;
}

std::string read_text(const base::FileSystem& files, const std::string& path) {
  if (files.kind(path) != base::FileKind::File) return "";
  auto text = files.read(path);
  const std::string* whole = std::get_if<std::string>(&text);
  return whole ? *whole : "";
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
  const std::string path = base::shortest_path(folder);
  return files.exists(path == "." ? ".git" : path + "/.git");
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

}  // namespace

Ignores::Ignores(const base::FileSystem& files, const std::string& folder) {
  for (const std::string& at : folders_down_to(files, folder)) add_folder(files, at);
}

Ignores::Ignores(const base::FileSystem& files, const Ignores& outer, const std::string& folder)
    : layers_(outer.layers_) {
  if (is_repository(files, folder)) layers_.clear();
  add_folder(files, folder);
}

void Ignores::add_folder(const base::FileSystem& files, const std::string& folder) {
  if (is_repository(files, folder)) add_file(files, folder, git_directory(files, folder) + "/info/exclude");
  const std::string path = base::shortest_path(folder);
  add_file(files, folder, path == "." ? ".gitignore" : path + "/.gitignore");
}

void Ignores::add_file(const base::FileSystem& files, const std::string& folder, const std::string& path) {
  const std::string text = read_text(files, path);
  if (!text.empty()) layers_.push_back(std::make_shared<const Layer>(Layer{folder, base::GitIgnore(text)}));
}

bool Ignores::ignores(const std::string& absolute, bool is_directory) const {
  for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
    const std::string path = base::path_below(absolute, (*layer)->folder);
    const auto decided = path.empty() ? std::nullopt : (*layer)->rules.decide(path, is_directory);
    if (decided) return *decided;
  }
  return false;
}

}  // namespace trainjobc::cli
