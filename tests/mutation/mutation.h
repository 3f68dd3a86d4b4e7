// SPDX-License-Identifier: Apache-2.0

// What the mutants in a source call. TRAINJOBC_MUTANT is the number of the one that is there; without it,
// there is none.
#pragma once

#include <array>
#include <atomic>
#include <cstdlib>

// Mutants are written as no person would.
#pragma GCC diagnostic ignored "-Waddress"
#pragma GCC diagnostic ignored "-Wdangling-else"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wint-in-bool-context"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wtautological-compare"
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wunused"

namespace trainjobc::mutation {

inline std::array<std::atomic<bool>, 20'000> reached;

inline int chosen() {
  static const char* const number = std::getenv("TRAINJOBC_MUTANT");
  static const int value = number ? std::atoi(number) : -1;
  return value;
}

inline bool on(int mutant) {
  reached[static_cast<size_t>(mutant)].store(true, std::memory_order_relaxed);
  return mutant == chosen();
}

}  // namespace trainjobc::mutation

namespace mutation = trainjobc::mutation;
