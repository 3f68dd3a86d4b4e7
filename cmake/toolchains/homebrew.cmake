# SPDX-License-Identifier: Apache-2.0

# macOS with Homebrew's LLVM: the C++ library of Apple's compiler lacks parts of C++20. tools/bootstrap.sh installs it.
find_program(BREW brew PATHS /opt/homebrew/bin /usr/local/bin REQUIRED)
execute_process(COMMAND ${BREW} --prefix OUTPUT_VARIABLE brew OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND ${BREW} --prefix llvm OUTPUT_VARIABLE llvm OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND ${BREW} --prefix openssl@3 OUTPUT_VARIABLE openssl OUTPUT_STRIP_TRAILING_WHITESPACE)
set(CMAKE_C_COMPILER ${llvm}/bin/clang)
set(CMAKE_CXX_COMPILER ${llvm}/bin/clang++)
set(CMAKE_PREFIX_PATH ${openssl} ${brew})
# Its own C++ library, in the binary: a wheel finds no Homebrew.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-nostdlib++ ${llvm}/lib/c++/libc++.a ${llvm}/lib/c++/libc++abi.a")
