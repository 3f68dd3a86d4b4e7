#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes a package in BUILD/dist from a build: package.sh tarball|deb|wheel|sums BUILD. The bytes depend only on the
# build and SOURCE_DATE_EPOCH, which defaults to the time of the last commit.
set -eu
umask 022
what=$1
build=$(cd "$2" && pwd)
cd "$(dirname "$0")/.."
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2> /dev/null || date -r CMakeLists.txt +%s)}"
export TZ=UTC LC_ALL=C
version=$(sed -n 's/^project(trainjobc VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
dist=$build/dist
mkdir -p "$dist"
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

quietly() {
  "$@" > "$stage/log" 2>&1 || { cat "$stage/log" >&2; exit 1; }
}

tarball() {
  name=trainjobc-$version-linux-$(uname -m)
  for component in static files; do
    quietly cmake --install "$build" --prefix "$stage/$name" --component $component
  done
  tar -C "$stage" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
    --mode=u=rwX,go=rX --format=gnu -cf "$stage/tar" "$name"
  gzip -9 -n < "$stage/tar" > "$dist/$name.tar.gz"
  cp "$build/trainjobc.cdx.json" "$dist/trainjobc-$version.cdx.json"
}

deb() {
  (cd "$build" && quietly cpack -G DEB)
  rm -rf "$dist/_CPack_Packages"
}

wheel() {
  mkdir "$stage/wheel"
  CMAKE_ARGS="-DTRAINJOBC_PREBUILT=$build/static/trainjobc" \
    quietly python3 -m pip --disable-pip-version-check wheel --no-deps --wheel-dir "$stage/wheel" .
  # The binary needs no particular C library or Python.
  machine=$(uname -m)
  python3 tools/retag_wheel.py "$stage"/wheel/*.whl "manylinux_2_17_$machine.musllinux_1_1_$machine" "$dist"
}

sums() {
  (cd "$dist" && rm -f SHA256SUMS && sha256sum ./* | sed 's, \./, ,' > "$stage/sums" && mv "$stage/sums" SHA256SUMS)
}

"$what"
