#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Cross-compiles the static binary for arm64 Linux on amd64 Debian into build-arm64, and runs it under qemu-user:
# linux_arm64.sh [HOST_BUILD]. HOST_BUILD (build) is a finished build for this machine.
set -eu
cd "$(dirname "$0")/.."
host=$(cd "${1:-build}" && pwd)
build="build-arm64"

if command -v dpkg > /dev/null && ! dpkg --print-foreign-architectures | grep -q '^arm64$'; then
  if [ "$(id -u)" = 0 ]; then dpkg --add-architecture arm64; else sudo dpkg --add-architecture arm64; fi
fi
tools/bootstrap.sh g++-aarch64-linux-gnu qemu-user-static \
  libyaml-dev:arm64 libyaml-cpp-dev:arm64 libssl-dev:arm64 libfmt-dev:arm64

ninja -C "$host" --quiet trainjobc schemagen embed
cmake -S . -B $build -G Ninja -DCMAKE_TOOLCHAIN_FILE=cmake/toolchains/linux-aarch64.cmake -DCMAKE_BUILD_TYPE=Release \
  -DBUILD_TESTING=OFF -DTRAINJOBC_HOST_BUILD="$host" > /dev/null
ninja -C $build --quiet ${JOBS:+-j "$JOBS"} trainjobc-static

# It says what it is, and renders and lints as the binary of this machine does.
qemu-aarch64-static $build/static/trainjobc version
tools/same_output.sh "$host/trainjobc" "qemu-aarch64-static $build/static/trainjobc"
