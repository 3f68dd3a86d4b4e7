// SPDX-License-Identifier: Apache-2.0

// Writing to file descriptors.
#pragma once

#include <string_view>

namespace trainjobc::base {

// Writes all of the data, in as many calls as it takes. False if one fails; errno says why.
bool write_all(int fd, std::string_view text);

}  // namespace trainjobc::base
