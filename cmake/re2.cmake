# SPDX-License-Identifier: Apache-2.0

# TRAINJOBC_POLICIES: whether the build has CEL, which needs RE2 for its regular expressions, and what is written in it.
# RE2_LIBRARY: RE2 with what it needs. For a program its archive if there is one and RE2 needs nothing else, so that a start does
# not look for the symbols of a shared library; newer releases need Abseil. Python's module can't have Debian's archive, which
# is made for programs.
set(RE2_FOUND NO)
if(NOT EMSCRIPTEN)  # the page has no room for them
  pkg_check_modules(RE2 IMPORTED_TARGET re2)
endif()
option(TRAINJOBC_POLICIES "Build the engine of CEL and what checks policies with it" ${RE2_FOUND})
if(NOT TRAINJOBC_POLICIES)
  message(STATUS "TRAINJOBC_POLICIES is off, as RE2 is missing or not wanted: policies in CEL won't be checked")
  list(APPEND TRAINJOBC_LEFT_OUT src/platform/admission_policy.cpp src/platform/expression.cpp
    src/platform/match.cpp src/platform/plan.cpp src/platform/policies.cpp src/platform/team_engine.cpp)
  return()
endif()
if(NOT RE2_FOUND)
  message(FATAL_ERROR "TRAINJOBC_POLICIES needs RE2: install libre2-dev, or set it to OFF")
endif()
list(APPEND TRAINJOBC_LEFT_OUT src/platform/policies_left_out.cpp)
# Not its -pthread, with which a precompiled header would not be used; Threads::Threads says what threads need.
set_target_properties(PkgConfig::RE2 PROPERTIES INTERFACE_COMPILE_OPTIONS "")
find_library(RE2_ARCHIVE libre2.a HINTS ${RE2_LIBRARY_DIRS})
if(RE2_ARCHIVE AND NOT "${RE2_STATIC_LIBRARIES}" MATCHES absl)
  set(RE2_LIBRARY $<IF:$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>,${RE2_ARCHIVE},PkgConfig::RE2>)
else()
  string(REPLACE ";" "$<SEMICOLON>" RE2_FLAGS "${RE2_STATIC_LDFLAGS}")
  set(RE2_LIBRARY $<IF:${static},${RE2_FLAGS},PkgConfig::RE2>)
endif()
