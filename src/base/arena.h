// SPDX-License-Identifier: Apache-2.0

// Arena: the memory for the trees of one run. It runs no destructors; everything is freed together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace trainjobc::base {

// Not thread safe: each thread fills its own arena; many threads may read a filled one. Moving an arena
// doesn't move its contents.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  Arena(Arena&& other) noexcept { *this = std::move(other); }
  Arena& operator=(Arena&& other) noexcept {
    blocks_ = std::exchange(other.blocks_, {});
    free_ = std::exchange(other.free_, {});
    return *this;
  }
  ~Arena() = default;

  template <class T>
  T* make(T value) {
    static_assert(std::is_trivially_destructible_v<T>, "the arena runs no destructors");
    return new (allocate(sizeof(T), alignof(T))) T(std::move(value));
  }

  template <class T>
  std::span<const T> copy(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (values.empty()) return {};
    auto* to = static_cast<T*>(allocate(values.size_bytes(), alignof(T)));
    std::uninitialized_copy(values.begin(), values.end(), to);
    return {to, values.size()};
  }

  template <class T>
  std::span<const T> copy(const std::vector<T>& values) {
    return copy(std::span<const T>(values));
  }

  // Memory for `count` values, which the caller fills.
  template <class T>
  T* reserve(size_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    return static_cast<T*>(allocate(count * sizeof(T), alignof(T)));
  }

  std::string_view copy(std::string_view text) {
    if (text.empty()) return {};
    auto* to = static_cast<char*>(allocate(text.size(), 1));
    std::uninitialized_copy(text.begin(), text.end(), to);
    return {to, text.size()};
  }

  // Drops the contents, and keeps one block of at most kLargest bytes for what comes next.
  void clear() {
    std::erase_if(blocks_, [](const Block& block) { return block.size > kLargest; });
    if (!blocks_.empty()) {
      std::iter_swap(blocks_.begin(), std::ranges::max_element(blocks_, {}, &Block::size));
      blocks_.resize(1);
    }
    free_ = blocks_.empty() ? std::span<std::byte>()
                            : std::span(blocks_.front().memory.get(), blocks_.front().size);
  }

 private:
  static constexpr size_t kFirst = size_t{16} * 1024;
  static constexpr size_t kLargest = size_t{1} << 20U;  // except for a value that is larger itself

  struct Block {
    std::unique_ptr<std::byte[]> memory;
    size_t size = 0;
  };

  // `alignment` is a power of two, at most that of new.
  void* allocate(size_t size, size_t alignment) {
    const auto at = reinterpret_cast<uintptr_t>(free_.data());
    const size_t padding = (~at + 1) & (alignment - 1);
    if (padding + size > free_.size()) return allocate_in_new_block(size);
    std::byte* begin = free_.data() + padding;
    free_ = free_.subspan(padding + size);
    return begin;
  }

  void* allocate_in_new_block(size_t size) {
    const size_t usual = blocks_.empty() ? kFirst : std::min(blocks_.back().size * 2, kLargest);
    Block& block = blocks_.emplace_back();
    block.size = std::max(usual, size);
    block.memory = std::make_unique_for_overwrite<std::byte[]>(block.size);
    if (block.size - size > free_.size()) free_ = std::span(block.memory.get() + size, block.size - size);
    return block.memory.get();
  }

  std::vector<Block> blocks_;
  std::span<std::byte> free_;  // the rest of the block in use
};

}  // namespace trainjobc::base
