// SPDX-License-Identifier: Apache-2.0

// A set of Trainer versions.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

#include "model/behaviours.h"

namespace trainjobc::compile {

// Versions by their place in model::all_behaviours(): 0 is the oldest.
class VersionSet {
 public:
  static VersionSet none() { return VersionSet(0); }
  static VersionSet all() { return VersionSet((uint32_t{1} << model::all_behaviours().size()) - 1); }

  bool empty() const { return bits_ == 0; }
  bool has(size_t version) const { return (bits_ >> version & 1) != 0; }
  void add(size_t version) { bits_ |= uint32_t{1} << version; }
  // Must not be empty.
  size_t newest() const { return static_cast<size_t>(std::bit_width(bits_)) - 1; }
  size_t size() const { return static_cast<size_t>(std::popcount(bits_)); }

  VersionSet operator&(VersionSet other) const { return VersionSet(bits_ & other.bits_); }
  bool operator==(const VersionSet&) const = default;

  // "until 2.1", "since 2.2", "in 2.0", "in 2.0 and 2.3". Neither empty nor all of them.
  std::string range() const;

 private:
  explicit VersionSet(uint32_t bits) : bits_(bits) {}
  uint32_t bits_;
};

}  // namespace trainjobc::compile
