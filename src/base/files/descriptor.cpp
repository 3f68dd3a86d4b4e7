// SPDX-License-Identifier: Apache-2.0

#include "base/files/descriptor.h"

#include <poll.h>

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

namespace {

constexpr size_t kBlock = size_t{64} * 1024;

// Calls a system function again if a signal interrupts it.
template <class Call>
auto repeat(Call call) {
  for (;;) {
    const auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

}  // namespace

std::optional<std::string> read_available(int descriptor, std::chrono::milliseconds wait) {
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
