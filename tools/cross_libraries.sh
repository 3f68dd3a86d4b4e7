#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The libraries for another system, from Debian's source packages; for scripts, which set build (for its log), tools (for
# sources and builds), prefix (for what is installed), jobs and toolchain (of CMake).
# shellcheck disable=SC2154

quietly() {
  "$@" > "$build/log" 2>&1 || { tail -n 40 "$build/log" >&2; echo "failed: $*" >&2; exit 1; }
}

# apt-get on the lists of source packages, from where this machine gets its packages.
of_sources() {
  apt-get -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$tools/apt.d" -o Dir::State::Lists="$tools/sources/lists" "$@"
}

fetch_sources() {
  [ -e "$tools/sources/complete" ] && return
  rm -rf "$tools/sources"
  mkdir -p "$tools/sources/lists/partial" "$tools/apt.d"
  for list in /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources; do
    [ -e "$list" ] || continue
    sed 's/^deb /deb-src /; s/^Types: .*/Types: deb-src/' "$list" > "$tools/apt.d/$(basename "$list" .list).${list##*.}"
  done
  quietly of_sources update
  (cd "$tools/sources" && quietly of_sources source fmtlib yaml-cpp libyaml cli11 nlohmann-json3)
  touch "$tools/sources/complete"
}

source_of() {
  (cd "$tools/sources" && for folder in "$1"-[0-9]*/; do echo "$tools/sources/${folder%/}"; done | tail -n 1)
}

# with_cmake PACKAGE FILE FLAG...: FILE is there once it is installed.
with_cmake() {
  name=$1
  file=$2
  shift 2
  [ -e "$prefix/$file" ] && return
  quietly cmake -S "$(source_of "$name")" -B "$tools/build-$name" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_TOOLCHAIN_FILE="$PWD/$toolchain" -DCMAKE_INSTALL_PREFIX="$prefix" \
    -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF -DCMAKE_POLICY_VERSION_MINIMUM=3.5 "$@"
  quietly ninja -C "$tools/build-$name" -j "$jobs" install
}

build_libraries() {
  with_cmake cli11 include/CLI/CLI.hpp -DCLI11_BUILD_TESTS=OFF -DCLI11_BUILD_EXAMPLES=OFF -DCLI11_BUILD_DOCS=OFF
  with_cmake nlohmann-json3 include/nlohmann/json.hpp -DJSON_BuildTests=OFF
  with_cmake fmtlib lib/libfmt.a -DFMT_TEST=OFF -DFMT_DOC=OFF
  with_cmake libyaml lib/libyaml.a
  with_cmake yaml-cpp lib/libyaml-cpp.a -DYAML_CPP_BUILD_TESTS=OFF -DYAML_CPP_BUILD_TOOLS=OFF -DYAML_BUILD_SHARED_LIBS=OFF
  # CMake's way to build libyaml writes no file for pkg-config.
  mkdir -p "$prefix/lib/pkgconfig"
  version=$(basename "$(source_of libyaml)" | sed 's/^libyaml-//')
  printf 'Name: yaml-0.1\nDescription: libyaml\nVersion: %s\nLibs: -L%s/lib -lyaml\nCflags: -I%s/include\n' \
    "$version" "$prefix" "$prefix" > "$prefix/lib/pkgconfig/yaml-0.1.pc"
}
