#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiles libtrainjobc.a for the Python modules of wheels, which run with glibc 2.28 and newer (RHEL 8, Ubuntu 20.04), into
# build-manylinux-MACHINE, with the C++ compiler of zig (ziglang of the Python package index) and the libraries' Debian
# source packages: manylinux.sh MACHINE [HOST_BUILD]. MACHINE is x86_64 or aarch64; HOST_BUILD (build) is a finished build for
# this machine. JOBS=N limits compilations, CMAKE_FLAGS are given to cmake.
set -eu
cd "$(dirname "$0")/.."
machine=$1
host=$(cd "${2:-build}" && pwd)
mkdir -p "build-manylinux-$machine"
build=$(cd "build-manylinux-$machine" && pwd)
tools=$build/cross
# shellcheck disable=SC2034
prefix=$tools/prefix  # of cross_libraries.sh
jobs=${JOBS:-$(nproc)}
toolchain=cmake/toolchains/zig.cmake
export TRAINJOBC_ZIG="$tools" TRAINJOBC_ZIG_SYSTEM=Linux TRAINJOBC_ZIG_PROCESSOR="$machine"
. tools/cross_libraries.sh

tools/bootstrap.sh perl
install_zig "$machine-linux-gnu.2.28"
fetch_sources
build_libraries
build_re2
build_openssl "linux-$machine"
ninja -C "$host" --quiet schemagen rulegen launchgen
# shellcheck disable=SC2086
quietly cmake -S . -B "$build" -G Ninja -DCMAKE_TOOLCHAIN_FILE=$toolchain \
  -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF -DTRAINJOBC_WERROR=OFF -DTRAINJOBC_PRECOMPILE=OFF -DTRAINJOBC_WEBHOOK=OFF \
  -DTRAINJOBC_HOST_BUILD="$host" -DOPENSSL_USE_STATIC_LIBS=ON -DCMAKE_UNITY_BUILD=ON ${CMAKE_FLAGS:-}
ninja -C "$build" --quiet -j "$jobs" trainjobc_library
