// SPDX-License-Identifier: Apache-2.0

#include "base/mutation_runtime.h"

#include <array>
#include <cstdlib>

namespace trainjobc::mutation {
namespace {

std::array<unsigned char, kMost> asked;

int chosen() {
  const char* number = std::getenv("TRAINJOBC_MUTANT");
  return number ? std::atoi(number) : 0;
}

}  // namespace

bool is_chosen(int number) {
  static const int only = chosen();
  asked[static_cast<size_t>(number)] = 1;
  return number == only;
}

const unsigned char* reached() {
  return asked.data();
}

void forget_reached() {
  asked.fill(0);
}

}  // namespace trainjobc::mutation
