// Writing to file descriptors.
#pragma once

#include <string_view>

namespace trainjobc::base {

// Writes all of it, however the system divides the work. False if that fails; errno says why.
bool write_all(int fd, std::string_view text);

}  // namespace trainjobc::base
