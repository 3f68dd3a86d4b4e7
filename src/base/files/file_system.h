// SPDX-License-Identifier: Apache-2.0

// The file system as an interface: the real one, and an in-memory one for tests.
#pragma once

#include <cerrno>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace trainjobc::base {

struct IoError {
  std::string message;  // "open jobs/a.yaml: No such file or directory"
};

// `what` is what was tried with the path, such as "open"; `error` is an errno.
IoError io_error(std::string_view what, const std::string& path, int error);

// The error for a file that has changed since it was read.
IoError changed_meanwhile(const std::string& path);

// Whether the path consists only of names: it has no "..", no ".", and no slash at either end.
bool are_plain_names(std::string_view path);

// The maximum size of a file. Manifests are much smaller; devices and data sets may not be.
inline constexpr size_t kMaxFileSize = size_t{128} << 20U;

template <class T>
using IoResult = std::variant<T, IoError>;

// Moves the value into `into`, or returns the error.
template <class T>
std::optional<IoError> take(IoResult<T> result, T& into) {
  if (auto* error = std::get_if<IoError>(&result)) return std::move(*error);
  into = std::move(std::get<T>(result));
  return std::nullopt;
}

enum class FileKind {
  None,       // does not exist
  File,       // a regular file
  Directory,  // or a link to one
  Other,      // a pipe, a socket, a device
  Broken,     // a dangling link
};

// An entry of a directory.
struct DirectoryEntry {
  std::string name;
  FileKind kind = FileKind::Other;  // for a link, the kind of its target
  bool is_link = false;
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;

  virtual FileKind kind(const std::string& path) const = 0;
  bool is_directory(const std::string& path) const { return kind(path) == FileKind::Directory; }
  bool exists(const std::string& path) const { return kind(path) != FileKind::None; }
  // The content of a file, a pipe or a device; an error if it is larger than kMaxFileSize.
  virtual IoResult<std::string> read(const std::string& path) const = 0;
  // The content of a file; "" if it can't be read.
  std::string text_of(const std::string& path) const;
  // The entries of a directory by name, without those of its subdirectories.
  virtual IoResult<std::vector<DirectoryEntry>> list(const std::string& path) const = 0;
  // Replaces or creates the file in one step: readers see the old or the new content. `mode` is that of a new
  // file, less the umask; an old one keeps its own, less the permissions that `mode` lacks (see
  // atomic_write). A file that is not a regular one, such as /dev/null or a pipe, is written to directly.
  virtual std::optional<IoError> write(const std::string& path, std::string_view text, unsigned mode) = 0;
  // Like write, but fails unless the file still contains `old_text`. Replaces the target of a symbolic link,
  // not the link.
  virtual std::optional<IoError> replace(const std::string& path, std::string_view old_text,
                                         std::string_view text) = 0;
  // Whether `path` stays inside the directory: it is relative and without "..", passes through no symbolic
  // link below the directory, and leads to a regular file, or to nothing yet.
  virtual bool stays_inside(const std::string& directory, const std::string& path) const = 0;
  // Removes a file.
  virtual std::optional<IoError> remove(const std::string& path) = 0;
  // Like mkdir -p.
  virtual std::optional<IoError> make_directory(const std::string& path) = 0;
  // The path by which other programs find a file or folder, which is copied there first if it is not on this
  // machine's disks.
  virtual IoResult<std::string> on_disk(const std::string& path) const { return path; }
  // Like write, but creates the file's folder first.
  std::optional<IoError> write_in_folder(const std::string& path, std::string_view text, unsigned mode);
};

// A file system that can't be written to.
class ReadOnlyFileSystem : public FileSystem {
 public:
  std::optional<IoError> write(const std::string& path, std::string_view, unsigned) final {
    return refuse(path);
  }
  std::optional<IoError> replace(const std::string& path, std::string_view, std::string_view) final {
    return refuse(path);
  }
  std::optional<IoError> remove(const std::string& path) final { return refuse(path); }
  std::optional<IoError> make_directory(const std::string& path) final { return refuse(path); }

 private:
  static IoError refuse(const std::string& path) { return io_error("change", path, EROFS); }
};

// Reads the rest of an open descriptor, at most kMaxFileSize bytes. Errors call it `name`.
IoResult<std::string> read_all(int descriptor, const std::string& name);

class RealFileSystem final : public FileSystem {
 public:
  FileKind kind(const std::string& path) const override;
  IoResult<std::string> read(const std::string& path) const override;
  IoResult<std::vector<DirectoryEntry>> list(const std::string& path) const override;
  std::optional<IoError> write(const std::string& path, std::string_view text, unsigned mode) override;
  std::optional<IoError> replace(const std::string& path, std::string_view old_text,
                                 std::string_view text) override;
  bool stays_inside(const std::string& directory, const std::string& path) const override;
  std::optional<IoError> remove(const std::string& path) override;
  std::optional<IoError> make_directory(const std::string& path) override;
};

class MemoryFileSystem final : public FileSystem {
 public:
  std::map<std::string, std::string> files;
  std::map<std::string, unsigned> modes;

  FileKind kind(const std::string& path) const override;
  IoResult<std::string> read(const std::string& path) const override;
  IoResult<std::vector<DirectoryEntry>> list(const std::string& path) const override;
  std::optional<IoError> write(const std::string& path, std::string_view text, unsigned mode) override;
  std::optional<IoError> replace(const std::string& path, std::string_view old_text,
                                 std::string_view text) override;
  bool stays_inside(const std::string& directory, const std::string& path) const override;
  std::optional<IoError> remove(const std::string& path) override;
  std::optional<IoError> make_directory(const std::string& path) override;
};

}  // namespace trainjobc::base
