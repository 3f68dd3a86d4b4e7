// SPDX-License-Identifier: Apache-2.0

// A file descriptor that its destructor closes.
#pragma once

#include <unistd.h>

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

}  // namespace trainjobc::base
