// SPDX-License-Identifier: Apache-2.0

// What the sources with mutants ask.
#pragma once

#include <type_traits>

namespace trainjobc::mutation {

// Of one mutant: whether the program runs with it.
bool is_chosen(int number);

constexpr bool on(int number) {
  return !std::is_constant_evaluated() && is_chosen(number);
}

// Those that were asked for since the last call, when TRAINJOBC_REACHED is set.
constexpr int kMost = 20'000;
const unsigned char* reached();
void forget_reached();

}  // namespace trainjobc::mutation
