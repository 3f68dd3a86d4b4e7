// Arena: the memory that trees of one run live in. Nothing in it is destroyed one by one.
#pragma once

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace trainjobc::base {

// Not thread safe: each thread fills an arena of its own; reading a filled arena from many threads is fine.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  template <class T>
  T* make(T value) {
    static_assert(std::is_trivially_destructible_v<T>, "the arena runs no destructors");
    return new (resource_.allocate(sizeof(T), alignof(T))) T(std::move(value));
  }

  template <class T>
  std::span<const T> copy(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (values.empty()) return {};
    auto* to = static_cast<T*>(resource_.allocate(values.size_bytes(), alignof(T)));
    std::uninitialized_copy(values.begin(), values.end(), to);
    return {to, values.size()};
  }

  template <class T>
  std::span<const T> copy(const std::vector<T>& values) {
    return copy(std::span<const T>(values));
  }

  std::string_view copy(std::string_view text) {
    if (text.empty()) return {};
    auto* to = static_cast<char*>(resource_.allocate(text.size(), 1));
    std::uninitialized_copy(text.begin(), text.end(), to);
    return {to, text.size()};
  }

 private:
  std::pmr::monotonic_buffer_resource resource_{size_t{16} * 1024};
};

}  // namespace trainjobc::base
