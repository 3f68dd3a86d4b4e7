#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Cross-compiles the static binary for arm64 Linux on amd64 Debian into build-arm64, and runs it under qemu-user:
# linux_arm64.sh [HOST_BUILD]. HOST_BUILD (build) is a finished build for this machine. JOBS=N limits compilations,
# CMAKE_FLAGS are given to cmake.
set -eu
cd "$(dirname "$0")/.."
host=$(cd "${1:-build}" && pwd)
build="build-arm64"

in_packages() {
  (cd "$root/packages" && "$@") > "$root/log" 2>&1 || { tail -n 20 "$root/log" >&2; exit 1; }
}

# The libraries' arm64 packages are unpacked below build-arm64: installed, yaml-cpp's would replace that of this machine.
unpack_libraries() {
  [ -e "$root/complete" ] && return
  rm -rf "$root"
  mkdir -p "$root/packages" "$root/lists/partial"
  set -- -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State::Lists="$root/lists" -o Dir::State::status=/dev/null \
    -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=
  in_packages apt-get "$@" update
  # CMake's files of yaml-cpp and fmt name their shared libraries, too, whose packages have a version in their names.
  shared=$(apt-cache "$@" depends libyaml-cpp-dev libfmt-dev | sed -n 's/^ *Depends: \(lib\(yaml-cpp\|fmt\)[0-9.]*\)$/\1/p')
  # shellcheck disable=SC2086
  in_packages apt-get "$@" download libyaml-dev libyaml-cpp-dev libssl-dev libfmt-dev libre2-dev $shared
  for package in "$root"/packages/*.deb; do dpkg --extract "$package" "$root"; done
  touch "$root/complete"
}

tools/bootstrap.sh g++-aarch64-linux-gnu qemu-user-static
mkdir -p $build
root=$(cd $build && pwd)/root
export TRAINJOBC_ARM64="$root"
unpack_libraries

ninja -C "$host" --quiet trainjobc schemagen embed rulegen launchgen
# shellcheck disable=SC2086
cmake -S . -B $build -G Ninja -DCMAKE_TOOLCHAIN_FILE=cmake/toolchains/linux-aarch64.cmake -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_UNITY_BUILD=ON -DBUILD_TESTING=OFF -DTRAINJOBC_HOST_BUILD="$host" ${CMAKE_FLAGS:-} > /dev/null
ninja -C $build --quiet ${JOBS:+-j "$JOBS"} trainjobc-static

# It says what it is, and renders and lints as the binary of this machine does.
qemu-aarch64-static $build/static/trainjobc version
tools/same_output.sh "$host/trainjobc" "qemu-aarch64-static $PWD/$build/static/trainjobc"
