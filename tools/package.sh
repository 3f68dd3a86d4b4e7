#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes a package in BUILD/dist from a build: package.sh tarball|deb|sdist|wheel|image|krew|sums BUILD. The bytes depend only
# on the build and SOURCE_DATE_EPOCH, which defaults to the time of the last commit. `image` needs the tarball, `krew`
# the tarballs of all platforms, `sums` is last.
set -eu
umask 022
what=$1
build=$(cd "$2" && pwd)
cd "$(dirname "$0")/.."
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2> /dev/null || date -r CMakeLists.txt +%s)}"
export TZ=UTC LC_ALL=C
version=$(sed -n 's/^project(trainjobc VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
description=$(sed -n 's/^ *DESCRIPTION "\(.*\)"$/\1/p' CMakeLists.txt)
home_page=$(sed -n 's/^ *HOMEPAGE_URL "\(.*\)"$/\1/p' CMakeLists.txt)
platform=$(cat "$build/platform" 2> /dev/null || echo any)  # linux-x86_64, linux-aarch64, macos-arm64
machine=${platform#*-}
dist=$build/dist
mkdir -p "$dist"
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

quietly() {
  "$@" > "$stage/log" 2>&1 || { cat "$stage/log" >&2; exit 1; }
}

tarball() {
  name=trainjobc-$version-$platform
  for component in static files; do
    quietly cmake --install "$build" --prefix "$stage/$name" --component $component
  done
  tar -C "$stage" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
    --mode=u=rwX,go=rX --format=gnu -cf "$stage/tar" "$name"
  gzip -9 -n < "$stage/tar" > "$dist/$name.tar.gz"
  cp "$build/trainjobc.cdx.json" "$dist/$name.cdx.json"
}

deb() {
  (cd "$build" && quietly cpack -G DEB)
  rm -rf "$dist/_CPack_Packages"
}

# What pip builds a wheel from where none fits: the same on all platforms.
sdist() {
  quietly python3 -m venv "$stage/venv"
  quietly "$stage/venv/bin/pip" --disable-pip-version-check install --require-hashes -r .github/build.txt
  quietly "$stage/venv/bin/python" -m build --sdist --outdir "$stage/sdist" .
  mv "$stage/sdist/trainjobc-$version.tar.gz" "$dist/"
}

# The wheel for any Python has the command alone, and runs on any Linux. Those for a CPython also have the module, linked
# with what tools/manylinux.sh has made: one for 3.12 and newer (abi3), one each for 3.10, 3.11 and those without a GIL.
# PYTHONS names the interpreters; by default, there are none. For another machine, one of this machine's makes the abi3
# module: its headers are the same, and only the names of other modules are the machine's.
wheel() {
  mkdir "$stage/wheel"
  case $platform in
    linux-*) any=manylinux_2_17_$machine.musllinux_1_1_$machine ;;
    macos-*) any=macosx_13_0_$machine ;;
  esac
  one_wheel "$any" python3 --config-settings=wheel.py-api=py3 --config-settings=cmake.define.TRAINJOBC_PYTHON=OFF
  modules=$PWD/build-manylinux-$machine
  [ -e "$modules/libtrainjobc.a" ] || return 0
  export TRAINJOBC_ZIG="$modules/cross" TRAINJOBC_ZIG_SYSTEM=Linux TRAINJOBC_ZIG_PROCESSOR="$machine"
  for python in ${PYTHONS:-}; do
    if [ "$machine" != "$(uname -m)" ]; then has_abi3 "$python" || continue; fi
    one_wheel "manylinux_2_28_$machine" "$python" "--config-settings=cmake.define.TRAINJOBC_PREBUILT_LIBRARY=$modules/libtrainjobc.a" \
      "--config-settings=cmake.define.CMAKE_TOOLCHAIN_FILE=$PWD/cmake/toolchains/zig.cmake"
  done
}

has_abi3() {
  "$1" -c 'import sys, sysconfig; sys.exit(sys.version_info < (3, 12) or bool(sysconfig.get_config_var("Py_GIL_DISABLED")))'
}

# one_wheel TAG PYTHON ARGUMENT...: into the folder of packages.
one_wheel() {
  tag=$1
  python=$2
  shift 2
  rm -f "$stage"/wheel/*.whl
  CMAKE_ARGS="-DTRAINJOBC_PREBUILT=$build/static/trainjobc" \
    quietly "$python" -m pip --disable-pip-version-check wheel --no-deps --wheel-dir "$stage/wheel" "$@" .
  python3 tools/retag_wheel.py "$stage"/wheel/*.whl "$tag" "$dist"
}

image() {
  case $machine in
    aarch64) architecture=arm64 ;;
    *) architecture=amd64 ;;
  esac
  tar -C "$stage" -xzf "$dist/trainjobc-$version-$platform.tar.gz"
  archive=$dist/trainjobc-$version-$platform.oci.tar
  rm -f "$archive"
  # No step runs a program of the image, so that neither root nor an emulator is needed.
  quietly buildah build --platform "linux/$architecture" --timestamp "$SOURCE_DATE_EPOCH" --format oci \
    --build-arg NAME=trainjobc --build-arg VERSION="$version" --build-arg DESCRIPTION="$description" \
    --build-arg HOME_PAGE="$home_page" --build-arg REVISION="$(git rev-parse HEAD 2> /dev/null || true)" \
    --file Containerfile --tag "oci-archive:$archive:$version" "$stage/trainjobc-$version-$platform"
}

# The tarballs in BUILD/dist; krew knows them by their checksums.
krew() {
  manifest=$dist/trainjobc-krew.yaml
  sed -e "s|@VERSION@|$version|; s|@HOME_PAGE@|$home_page|; s|@DESCRIPTION@|$description|" \
    plugin/krew/trainjobc.yaml.in > "$stage/krew"
  for pair in linux-x86_64:linux:amd64 linux-aarch64:linux:arm64 macos-arm64:darwin:arm64 macos-x86_64:darwin:amd64; do
    archive=trainjobc-$version-${pair%%:*}.tar.gz
    [ -e "$dist/$archive" ] || continue
    os=${pair#*:}
    cat >> "$stage/krew" << END
  - selector:
      matchLabels: {os: ${os%:*}, arch: ${os#*:}}
    uri: $home_page/releases/download/v$version/$archive
    sha256: $(sha256sum "$dist/$archive" | cut -d' ' -f1)
    bin: trainjobc
    files:
    - {from: "*/bin/trainjobc", to: .}
    - {from: "*/share/doc/trainjobc/LICENSE", to: .}
END
  done
  mv "$stage/krew" "$manifest"
}

sums() {
  (cd "$dist" && rm -f SHA256SUMS && sha256sum ./* | sed 's, \./, ,' > "$stage/sums" && mv "$stage/sums" SHA256SUMS)
}

"$what"
