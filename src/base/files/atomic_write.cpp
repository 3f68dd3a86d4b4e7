// SPDX-License-Identifier: Apache-2.0

#include "base/files/atomic_write.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/xattr.h>
#elif defined(__APPLE__)
#include <copyfile.h>
#endif

#include <array>
#include <cerrno>
#include <random>
#include <system_error>

#include "base/files/descriptor.h"
#include "base/signals.h"

namespace trainjobc::base {
namespace {

constexpr unsigned kPermissions = 07777;
constexpr unsigned kReadWrite = 0666;
constexpr unsigned kWrite = 0222;

// A new file beside `path`; the destructor removes it unless it has replaced `path`.
class Temporary {
 public:
  Temporary(const std::string& path, unsigned mode) {
    std::random_device random;
    const std::string folder = path.substr(0, path.rfind('/') + 1);  // npos + 1 is 0
    do {
      name_ = fmt::format("{}.trainjobc-{:08x}", folder, random());
      file_.open(::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    } while (file_.get() < 0 && errno == EEXIST);
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
  std::string name_;
  Descriptor file_;
  bool is_closed_ = false;  // and not moved
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

// Owner, group, mode and access list of the old file, as far as this user may set them.
void take_after(const std::string& path, const struct stat& old, unsigned mode, int to) {
  struct stat mine {};
  ::fstat(to, &mine);
  const bool is_group = mine.st_gid == old.st_gid || ::fchown(to, static_cast<uid_t>(-1), old.st_gid) == 0;
  const bool is_owner = mine.st_uid == old.st_uid || ::fchown(to, old.st_uid, static_cast<gid_t>(-1)) == 0;
  const unsigned kept = old.st_mode & kPermissions & ~(kReadWrite & ~mode);
  ::fchmod(to, is_owner && is_group ? kept : kept & ~unsigned{S_ISUID | S_ISGID});
  if (mode == kReadWrite) copy_access_list(path, to);
}

// Whether the file is read-only; the superuser could write to it all the same.
bool is_read_only(const std::string& path, const struct stat& status) {
  return (status.st_mode & kWrite) == 0 || ::access(path.c_str(), W_OK) != 0;
}

}  // namespace

IoError changed_meanwhile(const std::string& path) {
  return {fmt::format("write {}: the file has changed since it was read and was left unchanged", path)};
}

std::optional<IoError> atomic_write(const std::string& path, std::string_view text, unsigned mode,
                                    std::optional<std::string_view> expected) {
  struct stat old {};
  const bool exists = ::lstat(path.c_str(), &old) == 0 && S_ISREG(old.st_mode);
  if (exists && is_read_only(path, old)) return IoError{fmt::format("write {}: the file is read-only", path)};
  const HeldSignals held;
  // Until it has the old one's owner, only this user may open it.
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

}  // namespace trainjobc::base
