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
prefix=$tools/prefix
jobs=${JOBS:-$(nproc)}
toolchain=cmake/toolchains/macos-arm64.cmake
export TRAINJOBC_MACOS="$tools"
. tools/cross_libraries.sh

# What cmake and make call as compilers.
install_zig() {
  [ -x "$tools/bin/c++" ] && return
  mkdir -p "$tools/bin"
  python3 -m venv "$tools/venv"
  quietly "$tools/venv/bin/pip" --disable-pip-version-check install "ziglang>=0.14"
  zig=$("$tools/venv/bin/python3" -c 'import os, ziglang; print(os.path.dirname(ziglang.__file__) + "/zig")')
  for name in cc c++; do
    # Without zig's own checks of undefined behaviour, which need its runtime.
    printf '#!/bin/sh\nexec "%s" %s -target aarch64-macos.13.0 -fno-sanitize=all -Wno-nullability-completeness "$@"\n' \
      "$zig" $name > "$tools/bin/$name"
  done
  for name in ar ranlib; do printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$zig" $name > "$tools/bin/$name"; done
  chmod +x "$tools"/bin/*
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

build_openssl() {
  [ -e "$prefix/lib/libcrypto.a" ] && return
  mkdir -p "$tools/build-openssl"
  cd "$tools/build-openssl"
  # Only keys are made with it: everything else that can be left out makes the build shorter.
  quietly "$(source_of openssl)/Configure" darwin64-arm64-cc --prefix="$prefix" --libdir=lib no-shared no-tests no-asm \
    no-dso no-engine no-async no-legacy no-ssl3 no-tls no-dtls no-comp no-cms no-ct no-ocsp no-srp no-ts no-gost no-sm2 \
    no-sm3 no-sm4 no-aria no-bf no-blake2 no-camellia no-cast no-chacha no-des no-idea no-md4 no-mdc2 no-rc2 no-rc4 \
    no-rmd160 no-seed no-siphash no-whirlpool no-dsa no-dh no-ec2m no-cmp no-sock no-ui-console no-filenames no-deprecated \
    CC="$tools/bin/cc" AR="$tools/bin/ar" RANLIB="$tools/bin/ranlib"
  quietly make -j "$jobs" build_generated libcrypto.a
  mkdir -p "$prefix/lib/pkgconfig" "$prefix/include"
  cp libcrypto.a "$prefix/lib/"
  cp -r "$(source_of openssl)/include/openssl" include/openssl "$prefix/include/"
  cd - > /dev/null
}

tools/bootstrap.sh python3-venv dpkg-dev perl file
install_zig
fetch_sources
fetch_openssl
build_libraries
build_openssl
ninja -C "$host" --quiet trainjobc schemagen embed rulegen
# shellcheck disable=SC2086
quietly cmake -S . -B "$build" -G Ninja -DCMAKE_TOOLCHAIN_FILE=$toolchain \
  -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF -DTRAINJOBC_WERROR=OFF -DTRAINJOBC_PRECOMPILE=OFF \
  -DTRAINJOBC_HOST_BUILD="$host" -DOPENSSL_USE_STATIC_LIBS=ON -DCMAKE_UNITY_BUILD=ON ${CMAKE_FLAGS:-}
ninja -C "$build" --quiet -j "$jobs" trainjobc-static
python3 tools/macho.py "$build/static/trainjobc"
