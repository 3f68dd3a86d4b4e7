// The file system as an interface: the real one, and one in memory for tests.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace trainjobc::base {

struct IoError {
  std::string message;  // "open jobs/a.yaml: No such file or directory"
};

// Of a file that is not what it was when it was read.
IoError changed_meanwhile(const std::string& path);

// Whether the path consists of names alone: no "..", no "." and no slash at its ends.
bool are_plain_names(std::string_view path);

template <class T>
using IoResult = std::variant<T, IoError>;

class FileSystem {
 public:
  virtual ~FileSystem() = default;

  virtual bool is_directory(const std::string& path) const = 0;
  virtual bool exists(const std::string& path) const = 0;
  virtual IoResult<std::string> read(const std::string& path) const = 0;
  // Paths of a directory's regular files, sorted; of its subdirectories' too where `recurse` is set. Entries
  // whose name begins with a dot are left out.
  virtual IoResult<std::vector<std::string>> list(const std::string& path, bool recurse) const = 0;
  // Replaces or creates the file in one step: readers see the old or the new content. `mode` is that of a new
  // file, less the umask; an old one keeps its own, less what `mode` lacks (see atomic_write).
  // What is there and is no regular file, such as /dev/null or a pipe, is written to as it is.
  virtual std::optional<IoError> write(const std::string& path, std::string_view text, unsigned mode) = 0;
  // Like write, for a file that still holds `old_text`, which is an error otherwise; a symbolic link's target
  // is replaced, not the link.
  virtual std::optional<IoError> replace(const std::string& path, std::string_view old_text,
                                         std::string_view text) = 0;
  // Whether `path` stays inside the directory: it is relative and without "..", no symbolic link below the
  // directory is on the way, and at its end is a regular file, or nothing yet.
  virtual bool stays_inside(const std::string& directory, const std::string& path) const = 0;
  // Removes a file.
  virtual std::optional<IoError> remove(const std::string& path) = 0;
  // Like mkdir -p.
  virtual std::optional<IoError> make_directory(const std::string& path) = 0;
};

class RealFileSystem final : public FileSystem {
 public:
  bool is_directory(const std::string& path) const override;
  bool exists(const std::string& path) const override;
  IoResult<std::string> read(const std::string& path) const override;
  IoResult<std::vector<std::string>> list(const std::string& path, bool recurse) const override;
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

  bool is_directory(const std::string& path) const override;
  bool exists(const std::string& path) const override;
  IoResult<std::string> read(const std::string& path) const override;
  IoResult<std::vector<std::string>> list(const std::string& path, bool recurse) const override;
  std::optional<IoError> write(const std::string& path, std::string_view text, unsigned mode) override;
  std::optional<IoError> replace(const std::string& path, std::string_view old_text,
                                 std::string_view text) override;
  bool stays_inside(const std::string& directory, const std::string& path) const override;
  std::optional<IoError> remove(const std::string& path) override;
  std::optional<IoError> make_directory(const std::string& path) override;
};

}  // namespace trainjobc::base
