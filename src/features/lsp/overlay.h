// SPDX-License-Identifier: Apache-2.0

// The disk with the buffers of an editor over it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/files/file_system.h"

namespace trainjobc::lsp {

// A buffer takes the place of its file, also of one that does not exist yet. Nothing is ever written.
class OverlayFileSystem final : public base::FileSystem {
 public:
  // `disk` outlives it.
  explicit OverlayFileSystem(const base::FileSystem& disk) : disk_(disk) {}

  // Of absolute paths.
  void set_buffer(const std::string& path, std::string text);
  void remove_buffer(const std::string& path) { buffers_.erase(path); }
  // nullptr if there is none.
  const std::string* buffer(const std::string& path) const;
  const std::map<std::string, std::string>& buffers() const { return buffers_; }

  base::FileKind kind(const std::string& path) const override;
  base::IoResult<std::string> read(const std::string& path) const override;
  base::IoResult<std::vector<base::DirectoryEntry>> list(const std::string& path) const override;
  bool stays_inside(const std::string& directory, const std::string& path) const override;

  // Errors.
  std::optional<base::IoError> write(const std::string& path, std::string_view text, unsigned mode) override;
  std::optional<base::IoError> replace(const std::string& path, std::string_view old_text,
                                       std::string_view text) override;
  std::optional<base::IoError> remove(const std::string& path) override;
  std::optional<base::IoError> make_directory(const std::string& path) override;

 private:
  const base::FileSystem& disk_;
  std::map<std::string, std::string> buffers_;
};

}  // namespace trainjobc::lsp
