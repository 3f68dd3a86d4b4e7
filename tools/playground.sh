#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiles trainjobc to WebAssembly with Debian's emscripten and bundles the playground's page, into
# build-playground/site: playground.sh [HOST_BUILD]. HOST_BUILD (build) is a finished build for this machine. JOBS=N limits
# compilations.
set -eu
cd "$(dirname "$0")/.."
host=$(cd "${1:-build}" && pwd)
mkdir -p build-playground
build=$(cd build-playground && pwd)
tools=$build/cross
# shellcheck disable=SC2034  # for cross_libraries.sh
prefix=$tools/prefix
jobs=${JOBS:-$(nproc)}
# shellcheck disable=SC2034  # for cross_libraries.sh
toolchain=cmake/toolchains/emscripten.cmake
export TRAINJOBC_EMSCRIPTEN="$tools"
. tools/cross_libraries.sh

# Emscripten of Debian 13, whose compiler Debian 12 has, too. The emscripten of Debian 12 (3.1.6, libc++ 14) has neither
# <ranges>' algorithms nor comparisons of strings. Unpacked, it doesn't replace this system's packages; binaryen runs with
# the C library that it was built for.
install_emscripten() {
  [ -e "$tools/root/complete" ] && return
  rm -rf "$tools/root"
  mkdir -p "$tools/root" "$tools/packages" "$tools/lists/partial" "$tools/trixie.d" "$tools/bin"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian trixie main" \
    > "$tools/trixie.d/trixie.list"
  set -- -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$tools/trixie.d" -o Dir::State::Lists="$tools/lists" \
    -o Dir::State::status=/dev/null -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=
  quietly apt-get "$@" update
  (cd "$tools/packages" && quietly apt-get "$@" download emscripten binaryen libc6 libstdc++6 libgcc-s1 node-acorn)
  for package in "$tools"/packages/*.deb; do dpkg --extract "$package" "$tools/root"; done
  rm -rf "$tools/packages" "$tools/lists"
  ln -s ../nodejs "$tools/root/usr/share/emscripten/node_modules"
  for program in "$tools"/root/usr/bin/wasm-*; do
    printf '#!/bin/sh\nexec "%s" --library-path "%s" "%s" "$@"\n' "$tools/root/usr/lib64/ld-linux-x86-64.so.2" \
      "$tools/root/usr/lib/x86_64-linux-gnu" "$program" > "$tools/bin/$(basename "$program")"
  done
  chmod +x "$tools"/bin/*
  printf "LLVM_ROOT = '/usr/lib/llvm-19/bin'\nBINARYEN_ROOT = '%s'\nNODE_JS = '%s'\nFROZEN_CACHE = True\n" \
    "$tools" "$(command -v node)" > "$tools/root/usr/share/emscripten/.emscripten"
  touch "$tools/root/complete"
}

tools/bootstrap.sh dpkg-dev clang-19 lld-19 llvm-19
command -v npm > /dev/null || tools/bootstrap.sh nodejs npm
install_emscripten
fetch_sources
build_libraries
ninja -C "$host" --quiet trainjobc schemagen rulegen launchgen
quietly cmake --preset playground -DTRAINJOBC_HOST_BUILD="$host"
ninja -C "$build" --quiet -j "$jobs" playground
python3 tools/docs/playground_examples.py "$build/examples.json"
# The packages stay beside the sources: node looks for them there.
(cd playground && quietly npm ci --no-audit --no-fund)
node playground/bundle.mjs "$build/playground" "$build/examples.json" "$build/site"
