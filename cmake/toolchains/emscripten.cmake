# SPDX-License-Identifier: Apache-2.0

# Emscripten, for the playground: tools/playground.sh installs it and sets TRAINJOBC_EMSCRIPTEN to the folder with it (root)
# and the libraries (prefix).
set(tools $ENV{TRAINJOBC_EMSCRIPTEN})
include(${tools}/root/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake)
set(CMAKE_PREFIX_PATH ${tools}/prefix)
list(APPEND CMAKE_FIND_ROOT_PATH ${tools}/prefix)
set(ENV{PKG_CONFIG_LIBDIR} ${tools}/prefix/lib/pkgconfig)
# Exceptions are WebAssembly's own. libc++ counts std::jthread among its experiments.
set(CMAKE_C_FLAGS_INIT "-fwasm-exceptions")
set(CMAKE_CXX_FLAGS_INIT "-fwasm-exceptions -fexperimental-library")
