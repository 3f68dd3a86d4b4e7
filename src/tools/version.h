// The version of trainjobc.
#pragma once

#include <string_view>

namespace trainjobc::tools {

inline constexpr std::string_view kVersion = TRAINJOBC_VERSION;

inline constexpr std::string_view kVersionDate = "2026-11-21";  // when its manual pages were last worked on

}  // namespace trainjobc::tools
