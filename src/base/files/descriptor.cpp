// SPDX-License-Identifier: Apache-2.0

#include "base/files/descriptor.h"

#include <poll.h>

namespace trainjobc::base {

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = repeat([&] { return ::write(fd, text.data(), text.size()); });
    if (count < 0) return false;
    text.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

std::optional<std::string> read_available(int descriptor, std::chrono::milliseconds wait) {
  constexpr size_t kBlock = size_t{64} * 1024;
  pollfd wanted{descriptor, POLLIN, 0};
  const int ready = repeat([&] { return ::poll(&wanted, 1, static_cast<int>(wait.count())); });
  if (ready < 0) return std::nullopt;
  if (ready == 0) return "";
  std::string bytes(kBlock, '\0');
  const ssize_t size = repeat([&] { return ::read(descriptor, bytes.data(), bytes.size()); });
  if (size <= 0) return std::nullopt;
  bytes.resize(static_cast<size_t>(size));
  return bytes;
}

}  // namespace trainjobc::base
