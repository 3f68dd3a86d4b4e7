#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Cross-compiles and links the binary for arm64 macOS 13 and newer on Debian, into build-macos/static/trainjobc, with the
# C++ compiler of zig (ziglang of the Python package index) and the libraries' Debian source packages: macos.sh
# [HOST_BUILD]. HOST_BUILD (build) is a finished build for this machine. JOBS=N limits compilations, CMAKE_FLAGS
# are given to cmake.
set -eu
cd "$(dirname "$0")/.."
host=$(cd "${1:-build}" && pwd)
mkdir -p build-macos
build=$(cd build-macos && pwd)
tools=$build/cross
# shellcheck disable=SC2034
prefix=$tools/prefix  # of cross_libraries.sh
jobs=${JOBS:-$(nproc)}
toolchain=cmake/toolchains/zig.cmake
export TRAINJOBC_ZIG="$tools" TRAINJOBC_ZIG_SYSTEM=Darwin TRAINJOBC_ZIG_PROCESSOR=arm64
. tools/cross_libraries.sh

tools/bootstrap.sh perl file
install_zig aarch64-macos.13.0 -Wno-nullability-completeness
fetch_sources
build_libraries
build_re2
build_openssl darwin64-arm64-cc
ninja -C "$host" --quiet trainjobc schemagen rulegen launchgen
# shellcheck disable=SC2086
quietly cmake -S . -B "$build" -G Ninja -DCMAKE_TOOLCHAIN_FILE=$toolchain \
  -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF -DTRAINJOBC_WERROR=OFF -DTRAINJOBC_PRECOMPILE=OFF \
  -DTRAINJOBC_HOST_BUILD="$host" -DOPENSSL_USE_STATIC_LIBS=ON -DCMAKE_UNITY_BUILD=ON ${CMAKE_FLAGS:-}
ninja -C "$build" --quiet -j "$jobs" trainjobc-static
python3 tools/macho.py "$build/static/trainjobc"
