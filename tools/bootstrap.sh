#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs missing Debian packages: those that the build and the tests need, and those named as arguments. On macOS,
# Homebrew's packages for the build.
set -eu

packages="g++ make cmake ninja-build libyaml-dev libyaml-cpp-dev pkg-config libcli11-dev libfmt-dev nlohmann-json3-dev doctest-dev libssl-dev libevent-dev libre2-dev python3 python3-yaml"

if [ "$(uname -s)" = Darwin ]; then
  command -v brew > /dev/null || { echo "please install Homebrew" >&2; exit 1; }
  for package in cmake ninja pkgconf llvm libyaml yaml-cpp cli11 fmt nlohmann-json doctest openssl@3 libevent re2; do
    brew list "$package" > /dev/null 2>&1 || brew install --quiet "$package"
  done
  python3 -c 'import yaml' 2> /dev/null || python3 -m pip install --quiet --user --break-system-packages --require-hashes -r "$(dirname "$0")/../.github/pyyaml.txt"
  exit 0
fi
command -v dpkg-query > /dev/null || exit 0  # not Debian: the compiler will say what is missing
missing=""
for package in $packages "$@"; do
  dpkg-query -W -f '${Status}' "$package" 2> /dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

run=""
if [ "$(id -u)" != 0 ]; then
  command -v sudo > /dev/null || { echo "please install, as root:$missing" >&2; exit 1; }
  run=sudo
fi
echo "installing:$missing"
log=$(mktemp)
# shellcheck disable=SC2086
if ! { $run apt-get update && DEBIAN_FRONTEND=noninteractive $run apt-get install -y --no-install-recommends $missing; } > "$log" 2>&1; then
  tail -n 20 "$log" >&2
  exit 1
fi
rm -f "$log"
