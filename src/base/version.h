// SPDX-License-Identifier: Apache-2.0

// The version of trainjobc.
#pragma once

#include <string_view>

namespace trainjobc::base {

inline constexpr std::string_view kVersion = TRAINJOBC_VERSION;

inline constexpr std::string_view kVersionDate = "2026-11-21";  // of the last change of its manual pages

}  // namespace trainjobc::base
