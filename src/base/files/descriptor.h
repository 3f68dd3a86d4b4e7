// SPDX-License-Identifier: Apache-2.0

// A file descriptor that its destructor closes.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace trainjobc::base {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  void open(int fd) {
    close();
    fd_ = fd;
  }
  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  // The result of close(2): a full disk may show only here.
  int close() {
    const int result = fd_ >= 0 ? ::close(fd_) : 0;
    fd_ = -1;
    return result;
  }

 private:
  int fd_ = -1;
};

// Calls a system function again if a signal interrupts it.
template <class Call>
auto repeat(Call call) {
  for (;;) {
    const auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

// Writing to file descriptors.

// Writes all of the data, in as many calls as it takes. False if one fails; errno says why.
bool write_all(int fd, std::string_view text);

// Reads what a pipe has, without waiting for its end.

// The next bytes of the descriptor; nullopt at the end, and after an error; "" if none arrive within `wait`.
// A negative `wait` has no limit.
std::optional<std::string> read_available(int descriptor, std::chrono::milliseconds wait);

}  // namespace trainjobc::base
