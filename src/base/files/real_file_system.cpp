// SPDX-License-Identifier: Apache-2.0

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include "base/files/atomic_write.h"
#include "base/files/descriptor.h"
#include "base/files/file_system.h"

namespace trainjobc::base {
namespace {

namespace fs = std::filesystem;

FileKind kind_of(const struct stat& status) {
  if (S_ISDIR(status.st_mode)) return FileKind::Directory;
  return S_ISREG(status.st_mode) ? FileKind::File : FileKind::Other;
}

// readdir(3) mostly reports the type of an entry, so that folders of thousands of files need no further
// calls.
std::optional<FileKind> told_kind(const dirent& entry) {
  if (entry.d_type == DT_DIR) return FileKind::Directory;
  if (entry.d_type == DT_REG) return FileKind::File;
  return entry.d_type == DT_UNKNOWN || entry.d_type == DT_LNK ? std::nullopt : std::optional(FileKind::Other);
}

std::optional<IoError> add_entry(const std::string& directory, const dirent& found,
                                 std::vector<DirectoryEntry>& entries) {
  DirectoryEntry entry{static_cast<const char*>(found.d_name)};
  if (entry.name == "." || entry.name == "..") return std::nullopt;
  if (const auto kind = told_kind(found)) {
    entry.kind = *kind;
  } else {
    const std::string path = directory + "/" + entry.name;
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) return io_error("look at", path, errno);
    entry.is_link = S_ISLNK(status.st_mode);
    const bool leads_somewhere = ::stat(path.c_str(), &status) == 0;
    entry.kind = leads_somewhere ? kind_of(status) : FileKind::Broken;
  }
  entries.push_back(std::move(entry));
  return std::nullopt;
}

}  // namespace

IoError io_error(std::string_view what, const std::string& path, int error) {
  return {fmt::format("{} {}: {}", what, path, std::generic_category().message(error))};
}

bool are_plain_names(std::string_view path) {
  for (size_t at = 0;;) {
    const size_t end = std::min(path.find('/', at), path.size());
    const std::string_view name = path.substr(at, end - at);
    if (name.empty() || name == "." || name == "..") return false;
    if (end == path.size()) return true;
    at = end + 1;
  }
}

IoResult<std::string> read_all(int descriptor, const std::string& name) {
  const auto too_large = [&] {
    return IoError{fmt::format("read {}: larger than {} MiB, which is too large for a manifest", name,
                               kMaxFileSize >> 20U)};
  };
  // Of a file whose size is known, hardly more is asked for: memory costs time when it is first used.
  constexpr size_t kMore = size_t{1} << 8U;
  constexpr size_t kBlock = size_t{1} << 16U;
  std::string text;
  struct stat status {};
  size_t expected = 0;
  if (::fstat(descriptor, &status) == 0 && status.st_size > 0) {
    if (static_cast<uintmax_t>(status.st_size) > kMaxFileSize) return too_large();
    expected = static_cast<size_t>(status.st_size);
    text.reserve(expected + 2 * kMore);
  }
  while (true) {
    const size_t at = text.size();
    const size_t block = expected == 0 || at > expected ? kBlock : expected - at + kMore;
    text.resize(at + block);
    const ssize_t count = ::read(descriptor, text.data() + at, block);
    text.resize(at + static_cast<size_t>(std::max<ssize_t>(count, 0)));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return io_error("read", name, errno);
    if (count == 0) return text;
    if (text.size() > kMaxFileSize) return too_large();
  }
}

FileKind RealFileSystem::kind(const std::string& path) const {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return kind_of(status);
  return ::lstat(path.c_str(), &status) == 0 ? FileKind::Broken : FileKind::None;
}

IoResult<std::string> RealFileSystem::read(const std::string& path) const {
  if (is_directory(path)) return io_error("read", path, EISDIR);
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return io_error("open", path, errno);
  return read_all(file.get(), path);
}

IoResult<std::vector<DirectoryEntry>> RealFileSystem::list(const std::string& path) const {
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(path.c_str()), ::closedir);
  if (!directory) return io_error("list", path, errno);
  std::vector<DirectoryEntry> entries;
  while (true) {
    errno = 0;
    const dirent* found = ::readdir(directory.get());  // NOLINT(concurrency-mt-unsafe): a stream of its own
    if (!found && errno != 0) return io_error("list", path, errno);
    if (!found) break;
    if (auto error = add_entry(path, *found, entries)) return *error;
  }
  std::ranges::sort(entries, {}, &DirectoryEntry::name);
  return entries;
}

std::optional<IoError> RealFileSystem::write(const std::string& path, std::string_view text, unsigned mode) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
    Descriptor device(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    const bool written = device.get() >= 0 && write_all(device.get(), text) && device.close() == 0;
    return written ? std::nullopt : std::optional(io_error("write", path, errno));
  }
  return atomic_write(path, text, mode, std::nullopt);
}

std::optional<IoError> RealFileSystem::replace(const std::string& path, std::string_view old_text,
                                               std::string_view text) {
  std::error_code error;
  const fs::path target = fs::canonical(path, error);
  if (error) return io_error("open", path, error.value());
  return atomic_write(target.string(), text, 0666, old_text);
}

bool RealFileSystem::stays_inside(const std::string& directory, const std::string& path) const {
  if (!are_plain_names(path)) return false;
  for (size_t end = path.find('/');; end = path.find('/', end + 1)) {
    const bool is_last = end == std::string::npos;
    struct stat status {};
    if (::lstat(fmt::format("{}/{}", directory, path.substr(0, end)).c_str(), &status) != 0)
      return errno == ENOENT;
    if (is_last || !S_ISDIR(status.st_mode)) return is_last && S_ISREG(status.st_mode);
  }
}

std::optional<IoError> RealFileSystem::remove(const std::string& path) {
  return ::unlink(path.c_str()) == 0 ? std::nullopt : std::optional(io_error("remove", path, errno));
}

std::optional<IoError> RealFileSystem::make_directory(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return io_error("create directory", path, error.value());
  return std::nullopt;
}

}  // namespace trainjobc::base
