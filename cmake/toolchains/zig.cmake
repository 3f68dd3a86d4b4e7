# SPDX-License-Identifier: Apache-2.0

# zig's C++ compiler, which brings the headers of macOS and of each glibc, and stubs of their libraries: tools/macos.sh and
# tools/manylinux.sh install it and set TRAINJOBC_ZIG to the folder with the wrappers (bin) and the libraries (prefix), and
# the system that they are for.
set(CMAKE_SYSTEM_NAME $ENV{TRAINJOBC_ZIG_SYSTEM})
set(CMAKE_SYSTEM_PROCESSOR $ENV{TRAINJOBC_ZIG_PROCESSOR})
set(zig $ENV{TRAINJOBC_ZIG})
set(CMAKE_C_COMPILER ${zig}/bin/cc)
set(CMAKE_CXX_COMPILER ${zig}/bin/c++)
set(CMAKE_AR ${zig}/bin/ar CACHE FILEPATH "")
set(CMAKE_RANLIB ${zig}/bin/ranlib CACHE FILEPATH "")
if(CMAKE_SYSTEM_NAME STREQUAL Darwin)
  set(CMAKE_SYSTEM_VERSION 22)  # macOS 13
  # There are no shared libraries whose names would have to be changed, and no SDK.
  set(CMAKE_INSTALL_NAME_TOOL /bin/true CACHE FILEPATH "")
  set(CMAKE_OSX_SYSROOT "" CACHE PATH "")
  set(CMAKE_OSX_DEPLOYMENT_TARGET "" CACHE STRING "")
else()
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)  # for a module
endif()
set(CMAKE_PREFIX_PATH ${zig}/prefix)
set(CMAKE_FIND_ROOT_PATH ${zig}/prefix)
if(TRAINJOBC_PREBUILT)
  # A wheel's Python is this machine's, and Debian's has headers in two folders. nanobind leaves it to the C++ library to
  # include stdio.h.
  list(APPEND CMAKE_FIND_ROOT_PATH /)
  set(CMAKE_CXX_FLAGS_INIT "-idirafter /usr/include -include stdio.h")
endif()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${zig}/prefix/lib/pkgconfig)
