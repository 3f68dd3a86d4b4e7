// SPDX-License-Identifier: Apache-2.0

// All of libfmt as one object: the header-only library, compiled with -fkeep-inline-functions, and the one
// template that fmt/chrono.h expects there.
#include <fmt/format.h>

#include <locale>

template std::locale fmt::detail::locale_ref::get<std::locale>() const;
