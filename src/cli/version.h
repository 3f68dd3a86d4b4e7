// The version of trainjobc.
#pragma once

#include <string_view>

namespace trainjobc::cli {

inline constexpr std::string_view kVersion = TRAINJOBC_VERSION;

}  // namespace trainjobc::cli
