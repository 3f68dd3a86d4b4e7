// SPDX-License-Identifier: Apache-2.0

#include "features/lsp/overlay.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/files/paths.h"

namespace trainjobc::lsp {

using base::FileKind;
using base::IoError;

void OverlayFileSystem::set_buffer(const std::string& path, std::string text) {
  buffers_[path] = std::move(text);
}

const std::string* OverlayFileSystem::buffer(const std::string& path) const {
  const auto found = buffers_.find(base::absolute_path(path));
  return found != buffers_.end() ? &found->second : nullptr;
}

FileKind OverlayFileSystem::kind(const std::string& path) const {
  return buffer(path) ? FileKind::File : disk_.kind(path);
}

base::IoResult<std::string> OverlayFileSystem::read(const std::string& path) const {
  if (const std::string* text = buffer(path)) return *text;
  return disk_.read(path);
}

base::IoResult<std::vector<base::DirectoryEntry>> OverlayFileSystem::list(const std::string& path) const {
  auto listed = disk_.list(path);
  auto* entries = std::get_if<std::vector<base::DirectoryEntry>>(&listed);
  if (!entries) return listed;
  const std::string folder = base::absolute_path(path);
  for (const auto& [file, text] : buffers_) {
    if (base::parent_of(file) != folder) continue;
    const std::string name = base::path_below(file, folder);
    const auto at = std::ranges::lower_bound(*entries, name, {}, &base::DirectoryEntry::name);
    if (at == entries->end() || at->name != name) entries->insert(at, {name, FileKind::File, false});
  }
  return listed;
}

bool OverlayFileSystem::stays_inside(const std::string& directory, const std::string& path) const {
  return disk_.stays_inside(directory, path);
}

std::optional<IoError> OverlayFileSystem::write(const std::string& path, std::string_view, unsigned) {
  return base::io_error("write", path, EROFS);
}

std::optional<IoError> OverlayFileSystem::replace(const std::string& path, std::string_view,
                                                  std::string_view) {
  return base::io_error("replace", path, EROFS);
}

std::optional<IoError> OverlayFileSystem::remove(const std::string& path) {
  return base::io_error("remove", path, EROFS);
}

std::optional<IoError> OverlayFileSystem::make_directory(const std::string& path) {
  return base::io_error("mkdir", path, EROFS);
}

}  // namespace trainjobc::lsp
