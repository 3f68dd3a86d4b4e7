# SPDX-License-Identifier: Apache-2.0

# trainjobc-static: the same objects linked with archives only, for the packages, which run on any Linux. (macOS has
# no archive of its C library: there, and only there, the system's own is used.)
# The target does not exist if a library has no archive.

# libfmt for it: its archive or, if only the shared library is packaged (Debian), one built from its headers.
find_library(FMT_ARCHIVE libfmt.a)
find_library(LIBYAML_ARCHIVE libyaml.a)
find_library(YAML_CPP_ARCHIVE libyaml-cpp.a)
find_library(CRYPTO_ARCHIVE libcrypto.a)
if(NOT LIBYAML_ARCHIVE OR NOT YAML_CPP_ARCHIVE OR NOT CRYPTO_ARCHIVE)
  message(STATUS "no static archives of libyaml, yaml-cpp and OpenSSL: trainjobc-static can't be built")
  return()
endif()
if(TRAINJOBC_POLICIES AND NOT RE2_ARCHIVE)
  message(STATUS "no static archive of RE2: trainjobc-static can't be built; with -DTRAINJOBC_POLICIES=OFF, it can")
  return()
endif()
set(WEBHOOK_ARCHIVES "")
foreach(archive event_openssl event_extra event_core ssl)
  find_library(ARCHIVE_${archive} lib${archive}.a)
  list(APPEND WEBHOOK_ARCHIVES ${ARCHIVE_${archive}})
endforeach()
list(APPEND WEBHOOK_ARCHIVES ${CRYPTO_ARCHIVE})
if(NOT FMT_ARCHIVE)
  add_library(fmt_archive STATIC EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/fmt_archive.cpp)
  target_link_libraries(fmt_archive PRIVATE fmt::fmt-header-only)
  target_compile_options(fmt_archive PRIVATE -fkeep-inline-functions -w)
  set(FMT_ARCHIVE fmt_archive)
endif()

add_executable(trainjobc-static EXCLUDE_FROM_ALL src/cli/main.cpp)
target_link_libraries(trainjobc-static PRIVATE trainjobc_cli)
if(CMAKE_SYSTEM_NAME STREQUAL Linux)
  target_link_options(trainjobc-static PRIVATE -static-pie -s -Wl,--gc-sections)
else()
  target_link_options(trainjobc-static PRIVATE -Wl,-dead_strip)
endif()
# Tables of pointers are adjusted at each start: packed, the list of them is small enough to read in no time. Older C
# libraries don't know that form.
include(CheckCXXSourceCompiles)
check_cxx_source_compiles("#include <features.h>
  #if !__GLIBC_PREREQ(2, 36)
  #error older
  #endif
  int main() {}" LIBC_KNOWS_PACKED_RELOCATIONS)
if(LIBC_KNOWS_PACKED_RELOCATIONS)
  # Linkers that don't know the option warn and ignore it.
  target_link_options(trainjobc-static PRIVATE -Wl,-z,pack-relative-relocs)
endif()
# GNU ld warns of getaddrinfo and the like in libcrypto, which nothing here calls.
include(CheckLinkerFlag)
check_linker_flag(CXX -Wl,--no-warnings LINKER_TAKES_NO_WARNINGS)
if(LINKER_TAKES_NO_WARNINGS AND (NOT MOLD OR CMAKE_CROSSCOMPILING))
  target_link_options(trainjobc-static PRIVATE -Wl,--no-warnings)
endif()
set_target_properties(trainjobc-static PROPERTIES
  TRAINJOBC_STATIC ON
  SKIP_BUILD_RPATH ON  # glibc refuses to start a static program that has one
  OUTPUT_NAME trainjobc
  RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/static)
