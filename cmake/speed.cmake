# SPDX-License-Identifier: Apache-2.0

# Precompiled headers: the standard library and fmt are read once, not for each batch of sources. Each source still
# includes what it uses; -DTRAINJOBC_PRECOMPILE=OFF with -DCMAKE_UNITY_BUILD=OFF checks that. No header with objects of
# its own, such as CLI11: every source would get them.
option(TRAINJOBC_PRECOMPILE "Use precompiled headers" ON)

# precompile(target... <header>...): these headers in addition to the common ones. The targets share one file,
# and must be optimised alike: GCC takes a source's optimisation from it.
function(precompile first)
  if(NOT TRAINJOBC_PRECOMPILE OR CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    return()
  endif()
  set(targets ${ARGN})
  set(headers ${ARGN})
  list(FILTER targets EXCLUDE REGEX "^<")
  list(FILTER headers INCLUDE REGEX "^<")
  target_precompile_headers(${first} PRIVATE
    <fmt/format.h> <algorithm> <array> <functional> <map> <memory> <optional> <set> <span> <string> <string_view>
    <utility> <variant> <vector> ${headers})
  foreach(target IN LISTS targets)
    target_precompile_headers(${target} REUSE_FROM ${first})
  endforeach()
endfunction()
