// SPDX-License-Identifier: Apache-2.0

// Writing a file in one step.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/files/file_system.h"

namespace trainjobc::base {

// Creates the file, or replaces it by one with the same owner, mode and access list, as far as the system
// allows. `mode` is that of a new file, less the umask; an old file loses the read and write permissions that
// `mode` lacks. Other hard links keep the old text. With `expected`, only a file that still contains this
// text is replaced. A read-only file is never replaced. A signal that ends the process takes effect
// afterwards.
std::optional<IoError> atomic_write(const std::string& path, std::string_view text, unsigned mode,
                                    std::optional<std::string_view> expected);

}  // namespace trainjobc::base
