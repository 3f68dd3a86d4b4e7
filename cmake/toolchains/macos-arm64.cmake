# SPDX-License-Identifier: Apache-2.0

# zig's C++ compiler, which brings macOS' headers and stubs of its libraries: tools/macos.sh installs it and sets
# TRAINJOBC_MACOS to the folder with the wrappers (bin) and the libraries (prefix).
set(CMAKE_SYSTEM_NAME Darwin)
set(CMAKE_SYSTEM_PROCESSOR arm64)
set(CMAKE_SYSTEM_VERSION 22)  # macOS 13
set(macos $ENV{TRAINJOBC_MACOS})
set(CMAKE_C_COMPILER ${macos}/bin/cc)
set(CMAKE_CXX_COMPILER ${macos}/bin/c++)
set(CMAKE_AR ${macos}/bin/ar CACHE FILEPATH "")
set(CMAKE_RANLIB ${macos}/bin/ranlib CACHE FILEPATH "")
# There are no shared libraries whose names would have to be changed, and no SDK.
set(CMAKE_INSTALL_NAME_TOOL /bin/true CACHE FILEPATH "")
set(CMAKE_OSX_SYSROOT "" CACHE PATH "")
set(CMAKE_OSX_DEPLOYMENT_TARGET "" CACHE STRING "")
set(CMAKE_PREFIX_PATH ${macos}/prefix)
set(CMAKE_FIND_ROOT_PATH ${macos}/prefix)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${macos}/prefix/lib/pkgconfig)
