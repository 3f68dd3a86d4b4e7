// SPDX-License-Identifier: Apache-2.0

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/xattr.h>
#elif defined(__APPLE__)
#include <copyfile.h>
#endif

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <random>
#include <system_error>

#include "base/files/descriptor.h"
#include "base/files/file_system.h"
#include "base/signals.h"
#include "base/text/text.h"

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

constexpr unsigned kPermissions = 07777;
constexpr unsigned kReadWrite = 0666;
constexpr unsigned kWrite = 0222;

// FNV-1a
uint32_t hash_of(std::string_view text) {
  uint32_t hash = 2166136261U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

// A new file beside `path`; the destructor removes it unless it has replaced `path`. Its name is always the
// same, so that the next run finds what a killed process left; a live process holds a lock on its file.
class Temporary {
 public:
  Temporary(const std::string& path, unsigned mode) {
    const size_t slash = path.rfind('/') + 1;  // npos + 1 is 0
    const std::string prefix = fmt::format("{}.trainjobc-", path.substr(0, slash));
    name_ = fmt::format("{}{:08x}", prefix, hash_of(path.substr(slash)));
    if (create(mode) || errno != EEXIST) return;
    remove_stale();
    std::random_device random;
    while (!create(mode) && errno == EEXIST) name_ = fmt::format("{}{:08x}", prefix, random());
  }
  ~Temporary() {
    if (file_.get() >= 0 || is_closed_) ::unlink(name_.c_str());
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  int get() const { return file_.get(); }
  // False, with errno set, if the text could not be synced.
  bool fill(std::string_view text) {
    if (!write_all(file_.get(), text) || ::fsync(file_.get()) != 0) return false;
    is_closed_ = true;
    return file_.close() == 0;
  }
  bool move_to(const std::string& path) {
    if (::rename(name_.c_str(), path.c_str()) != 0) return false;
    is_closed_ = false;
    return true;
  }

 private:
  // False, with errno set, if there is no new file of that name.
  bool create(unsigned mode) {
    file_.open(::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (file_.get() < 0) return false;
    lock_.open(::fcntl(file_.get(), F_DUPFD_CLOEXEC, 0));
    while (::flock(lock_.get(), LOCK_EX) != 0 && errno == EINTR) continue;
    struct stat status {};
    if (::fstat(file_.get(), &status) != 0 || status.st_nlink > 0) return true;
    file_.close();  // another process took it for an abandoned one
    errno = EEXIST;
    return false;
  }

  // Removes the file of that name if it belongs to this user and no process holds its lock.
  void remove_stale() const {
    const Descriptor file(::open(name_.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat status {};
    if (file.get() < 0 || ::fstat(file.get(), &status) != 0) return;
    if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid()) return;
    if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) ::unlink(name_.c_str());
  }

  std::string name_;
  Descriptor file_;
  Descriptor lock_;         // on the same file, until it has replaced `path`
  bool is_closed_ = false;  // fill() succeeded, and the file isn't moved yet
};

#ifdef __linux__

void copy_access_list(const std::string& path, int to) {
  constexpr const char* kName = "system.posix_acl_access";
  std::array<char, size_t{1} << 16U> list{};
  const ssize_t size = ::getxattr(path.c_str(), kName, list.data(), list.size());
  if (size > 0) static_cast<void>(::fsetxattr(to, kName, list.data(), static_cast<size_t>(size), 0));
}

#else

void copy_access_list([[maybe_unused]] const std::string& path, [[maybe_unused]] int to) {
#ifdef __APPLE__
  const Descriptor from(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (from.get() >= 0) ::fcopyfile(from.get(), to, nullptr, COPYFILE_ACL);
#endif
}

#endif

// Copies owner, group, mode and access list of the old file, as far as this user may set them.
void take_after(const std::string& path, const struct stat& old, unsigned mode, int to) {
  struct stat mine {};
  ::fstat(to, &mine);
  const bool is_group = mine.st_gid == old.st_gid || ::fchown(to, static_cast<uid_t>(-1), old.st_gid) == 0;
  const bool is_owner = mine.st_uid == old.st_uid || ::fchown(to, old.st_uid, static_cast<gid_t>(-1)) == 0;
  const unsigned kept = old.st_mode & kPermissions & ~(kReadWrite & ~mode);
  ::fchmod(to, is_owner && is_group ? kept : kept & ~unsigned{S_ISUID | S_ISGID});
  if (mode == kReadWrite) copy_access_list(path, to);
}

// Whether the file is read-only, even if the superuser could write to it.
bool is_read_only(const std::string& path, const struct stat& status) {
  return (status.st_mode & kWrite) == 0 || ::access(path.c_str(), W_OK) != 0;
}

// Creates the file, or replaces it by one with the same owner, mode and access list, as far as the system
// allows. `mode` is that of a new file, less the umask; an old file loses the read and write permissions that
// `mode` lacks. Other hard links keep the old text. With `expected`, only a file that still contains this
// text is replaced. A read-only file is never replaced. A signal that ends the process takes effect
// afterwards.
std::optional<IoError> atomic_write(const std::string& path, std::string_view text, unsigned mode,
                                    std::optional<std::string_view> expected) {
  struct stat old {};
  const bool exists = ::lstat(path.c_str(), &old) == 0 && S_ISREG(old.st_mode);
  if (exists && is_read_only(path, old)) return IoError{fmt::format("write {}: the file is read-only", path)};
  const HeldSignals held;
  // Only this user may open it until it has the old file's owner.
  Temporary temporary(path, exists ? mode & 0600U : mode);
  if (temporary.get() < 0) return io_error("create", path, errno);
  if (exists) take_after(path, old, mode, temporary.get());
  if (!temporary.fill(text)) return io_error("write", path, errno);
  if (expected) {
    const IoResult<std::string> now = RealFileSystem().read(path);
    if (const auto* error = std::get_if<IoError>(&now)) return *error;
    if (std::get<std::string>(now) != *expected) return changed_meanwhile(path);
  }
  if (!temporary.move_to(path)) return io_error("write", path, errno);
  return std::nullopt;
}

}  // namespace

IoError changed_meanwhile(const std::string& path) {
  return {fmt::format("write {}: the file has changed since it was read and was left unchanged", path)};
}

IoError io_error(std::string_view what, const std::string& path, int error) {
  return {fmt::format("{} {}: {}", what, path, std::generic_category().message(error))};
}

bool are_plain_names(std::string_view path) {
  return std::ranges::none_of(
      split(path, "/"), [](std::string_view name) { return name.empty() || name == "." || name == ".."; });
}

std::string FileSystem::text_of(const std::string& path) const {
  IoResult<std::string> text = read(path);
  auto* known = std::get_if<std::string>(&text);
  return known ? std::move(*known) : "";
}

std::optional<IoError> FileSystem::write_in_folder(const std::string& path, std::string_view text,
                                                   unsigned mode) {
  if (const size_t slash = path.rfind('/'); slash != std::string::npos) {
    if (auto error = make_directory(path.substr(0, slash))) return error;
  }
  return write(path, text, mode);
}

IoResult<std::string> read_all(int descriptor, const std::string& name) {
  const auto too_large = [&] {
    return IoError{fmt::format("read {}: larger than {} MiB, which is too large for a manifest", name,
                               kMaxFileSize >> 20U)};
  };
  // For a file of known size, the buffer is hardly larger: memory costs time when it is first used.
  constexpr size_t kMore = size_t{1} << 8U;
  constexpr size_t kUsual = size_t{1} << 16U;
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
    const size_t block = expected == 0 || at > expected ? kUsual : expected - at + kMore;
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
