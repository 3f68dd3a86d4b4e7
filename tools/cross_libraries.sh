#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The libraries for another system, from Debian's source packages; for scripts, which set build (for its log), tools (for
# sources and builds), prefix (for what is installed), jobs and toolchain (of CMake).
# shellcheck disable=SC2154

quietly() {
  "$@" > "$build/log" 2>&1 || { tail -n 40 "$build/log" >&2; echo "failed: $*" >&2; exit 1; }
}

# What cmake and make call as compilers, in $tools/bin: install_zig TARGET FLAG...
install_zig() {
  [ -x "$tools/bin/c++" ] && return
  tools/bootstrap.sh python3-venv
  mkdir -p "$tools/bin"
  python3 -m venv "$tools/venv"
  quietly "$tools/venv/bin/pip" --disable-pip-version-check install --require-hashes -r .github/zig.txt
  zig=$("$tools/venv/bin/python3" -c 'import os, ziglang; print(os.path.dirname(ziglang.__file__) + "/zig")')
  for name in cc c++; do
    # Without zig's own checks of undefined behaviour, which need its runtime.
    printf '#!/bin/sh\nexec "%s" %s -fno-sanitize=all -target %s "$@"\n' "$zig" $name "$*" > "$tools/bin/$name"
  done
  for name in ar ranlib; do printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$zig" $name > "$tools/bin/$name"; done
  chmod +x "$tools"/bin/*
}

# apt-get on the lists of source packages, from where this machine gets its packages.
of_sources() {
  apt-get -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$tools/apt.d" -o Dir::State::Lists="$tools/sources/lists" "$@"
}

fetch_sources() {
  [ -e "$tools/sources/complete" ] && return
  tools/bootstrap.sh dpkg-dev
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
    -DCMAKE_TOOLCHAIN_FILE="$PWD/$toolchain" -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib \
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

# For all but the playground, which has no room for policies.
build_re2() {
  [ -e "$prefix/lib/pkgconfig/re2.pc" ] && return
  [ -d "$(source_of re2)" ] || (cd "$tools/sources" && quietly of_sources source re2)
  with_cmake re2 lib/libre2.a -DRE2_BUILD_TESTING=OFF
  version=$(basename "$(source_of re2)" | sed 's/^re2-//; s/+.*//')
  printf 'Name: re2\nDescription: RE2\nVersion: %s\nLibs: -L%s/lib -lre2 -pthread\nCflags: -I%s/include\n' \
    "$version" "$prefix" "$prefix" > "$prefix/lib/pkgconfig/re2.pc"
}

fetch_openssl() {
  [ -d "$(source_of openssl)" ] && return
  # A mirror may list a security update's sources before it has them: then those of the release.
  if ! (cd "$tools/sources" && of_sources source openssl > "$build/log" 2>&1); then
    rm -f "$tools"/sources/openssl*
    # shellcheck disable=SC1091
    (cd "$tools/sources" && quietly of_sources source "openssl/$(. /etc/os-release && echo "$VERSION_CODENAME")")
  fi
  (cd "$tools/sources" && ls ./openssl_*.dsc)
}

# build_openssl TARGET: libcrypto for a target of OpenSSL's Configure.
build_openssl() {
  [ -e "$prefix/lib/libcrypto.a" ] && return
  fetch_openssl
  mkdir -p "$tools/build-openssl" "$prefix/lib/pkgconfig" "$prefix/include"
  # Only keys are made with it: everything else that can be left out makes the build shorter.
  (cd "$tools/build-openssl" && quietly "$(source_of openssl)/Configure" "$1" --prefix="$prefix" --libdir=lib no-shared no-tests \
    no-asm no-dso no-engine no-async no-legacy no-ssl3 no-tls no-dtls no-comp no-cms no-ct no-ocsp no-srp no-ts no-gost no-sm2 \
    no-sm3 no-sm4 no-aria no-bf no-blake2 no-camellia no-cast no-chacha no-des no-idea no-md4 no-mdc2 no-rc2 no-rc4 \
    no-rmd160 no-seed no-siphash no-whirlpool no-dsa no-dh no-ec2m no-cmp no-sock no-ui-console no-filenames no-deprecated \
    CC="$tools/bin/cc" AR="$tools/bin/ar" RANLIB="$tools/bin/ranlib")
  quietly make -C "$tools/build-openssl" -j "$jobs" build_generated libcrypto.a
  cp "$tools/build-openssl/libcrypto.a" "$prefix/lib/"
  cp -r "$(source_of openssl)/include/openssl" "$tools/build-openssl/include/openssl" "$prefix/include/"
}
