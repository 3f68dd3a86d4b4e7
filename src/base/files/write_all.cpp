// SPDX-License-Identifier: Apache-2.0

#include "base/files/write_all.h"

#include <unistd.h>

#include <cerrno>

namespace trainjobc::base {

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(fd, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    text.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

}  // namespace trainjobc::base
