#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include "base/atomic_write.h"
#include "base/descriptor.h"
#include "base/file_system.h"
#include "base/write_all.h"

namespace trainjobc::base {
namespace {

namespace fs = std::filesystem;

IoError failure(std::string_view what, const std::string& path, int error) {
  return {fmt::format("{} {}: {}", what, path, std::generic_category().message(error))};
}

bool is_hidden(const fs::path& path) {
  return path.filename().string().starts_with('.');
}

void collect(const fs::path& directory, bool recurse, std::vector<std::string>& out, std::error_code& error) {
  std::vector<fs::path> entries;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, error))
    entries.push_back(entry.path());
  if (error) return;
  std::ranges::sort(entries);
  for (const fs::path& path : entries) {
    if (is_hidden(path)) continue;
    if (fs::is_directory(path)) {
      // A link to a directory could lead back here.
      if (recurse && !fs::is_symlink(path)) collect(path, recurse, out, error);
    } else if (fs::is_regular_file(path)) {
      out.push_back(path.string());
    }
  }
}

}  // namespace

bool are_plain_names(std::string_view path) {
  for (size_t at = 0;;) {
    const size_t end = std::min(path.find('/', at), path.size());
    const std::string_view name = path.substr(at, end - at);
    if (name.empty() || name == "." || name == "..") return false;
    if (end == path.size()) return true;
    at = end + 1;
  }
}

bool RealFileSystem::is_directory(const std::string& path) const {
  std::error_code error;
  return fs::is_directory(path, error);
}

bool RealFileSystem::exists(const std::string& path) const {
  std::error_code error;
  return fs::exists(path, error);
}

IoResult<std::string> RealFileSystem::read(const std::string& path) const {
  if (is_directory(path)) return failure("read", path, EISDIR);
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return failure("open", path, errno);
  std::string text;
  struct stat status {};
  if (::fstat(file.get(), &status) == 0 && status.st_size > 0)
    text.reserve(static_cast<size_t>(status.st_size) + 1);
  constexpr size_t kBlock = size_t{1} << 16U;
  while (true) {
    const size_t at = text.size();
    text.resize(at + kBlock);
    const ssize_t count = ::read(file.get(), text.data() + at, kBlock);
    text.resize(at + static_cast<size_t>(std::max<ssize_t>(count, 0)));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failure("read", path, errno);
    if (count == 0) return text;
  }
}

IoResult<std::vector<std::string>> RealFileSystem::list(const std::string& path, bool recurse) const {
  std::vector<std::string> paths;
  std::error_code error;
  collect(path, recurse, paths, error);
  if (error) return failure("list", path, error.value());
  return paths;
}

std::optional<IoError> RealFileSystem::write(const std::string& path, std::string_view text, unsigned mode) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
    Descriptor device(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    const bool written = device.get() >= 0 && write_all(device.get(), text) && device.close() == 0;
    return written ? std::nullopt : std::optional(failure("write", path, errno));
  }
  return atomic_write(path, text, mode, std::nullopt);
}

std::optional<IoError> RealFileSystem::replace(const std::string& path, std::string_view old_text,
                                               std::string_view text) {
  std::error_code error;
  const fs::path target = fs::canonical(path, error);
  if (error) return failure("open", path, error.value());
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
  return ::unlink(path.c_str()) == 0 ? std::nullopt : std::optional(failure("remove", path, errno));
}

std::optional<IoError> RealFileSystem::make_directory(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return failure("create directory", path, error.value());
  return std::nullopt;
}

}  // namespace trainjobc::base
