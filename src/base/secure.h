// SPDX-License-Identifier: Apache-2.0

// Wipes buffers that contained key material. Needs libcrypto, so only layers that link it may include this.
#pragma once

#include <openssl/crypto.h>

namespace trainjobc::base {

// Overwrites a contiguous container's elements when the scope ends. Declare it right after the container; a
// container that grows afterwards leaves unwiped copies, so reserve first.
template <class Container>
class ScopedWipe {
 public:
  explicit ScopedWipe(Container& container) : container_(container) {}
  ~ScopedWipe() { OPENSSL_cleanse(container_.data(), container_.size() * sizeof(*container_.data())); }
  ScopedWipe(const ScopedWipe&) = delete;
  ScopedWipe& operator=(const ScopedWipe&) = delete;

 private:
  Container& container_;
};

}  // namespace trainjobc::base
