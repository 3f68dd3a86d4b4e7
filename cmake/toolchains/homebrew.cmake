# SPDX-License-Identifier: Apache-2.0

# macOS 26 or newer, with Homebrew's LLVM: the headers of Apple's compiler may lack parts of C++20. The system's C++ library
# is linked, which Homebrew's yaml-cpp and fmt use, too; older ones can't read floating-point numbers. (The binary of a
# release runs on macOS 13: tools/macos.sh.) tools/bootstrap.sh installs what is needed.
find_program(BREW brew PATHS /opt/homebrew/bin /usr/local/bin REQUIRED)
execute_process(COMMAND ${BREW} --prefix OUTPUT_VARIABLE brew OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND ${BREW} --prefix llvm OUTPUT_VARIABLE llvm OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND ${BREW} --prefix openssl@3 OUTPUT_VARIABLE openssl OUTPUT_STRIP_TRAILING_WHITESPACE)
set(CMAKE_C_COMPILER ${llvm}/bin/clang)
set(CMAKE_CXX_COMPILER ${llvm}/bin/clang++)
set(CMAKE_PREFIX_PATH ${openssl} ${brew})
