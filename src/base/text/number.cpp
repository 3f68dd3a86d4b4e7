// SPDX-License-Identifier: Apache-2.0

#include "base/text/number.h"

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

namespace trainjobc::base {

#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 200000

std::errc read_double(std::string_view text, double& value) {
  const std::string copy(text);
  char* end = nullptr;
  errno = 0;
  const double number = std::strtod(copy.c_str(), &end);
  if (end == copy.c_str()) return std::errc::invalid_argument;
  // A subnormal number is ERANGE, too, but has a value.
  if (errno == ERANGE && (number == 0 || std::isinf(number))) return std::errc::result_out_of_range;
  value = number;
  return {};
}

#else

std::errc read_double(std::string_view text, double& value) {
  return std::from_chars(text.data(), text.data() + text.size(), value).ec;
}

#endif

}  // namespace trainjobc::base
