// Writing a file in one step.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/files/file_system.h"

namespace trainjobc::base {

// Creates the file, or puts another in its place that keeps its owner, mode and access list as far as the
// system lets it. `mode` is that of a new file, less the umask; from an old one it takes away the permissions
// to read and write that it lacks. Other hard links keep the old text. With `expected`, only a file that
// still holds this is replaced. A read-only file is not. A signal that ends the process waits until it is
// done.
std::optional<IoError> atomic_write(const std::string& path, std::string_view text, unsigned mode,
                                    std::optional<std::string_view> expected);

}  // namespace trainjobc::base
