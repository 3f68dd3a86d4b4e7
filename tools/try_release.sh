#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tries a release's packages on the machine that they are for: try_release.sh DIST PLATFORM (linux-aarch64 …).
set -euo pipefail
dist=$(cd "$1" && pwd)
platform=$2
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$dist"
if command -v sha256sum > /dev/null; then sha256sum --check --quiet --strict SHA256SUMS; else shasum -a 256 --check --status SHA256SUMS; fi

works() {
  "$1" version
  "$1" lint "$root/examples"
  "$1" render "$root/examples" --ssh-key omit > "$folder/rendered.yaml"
  grep -q '^kind: JobSet$' "$folder/rendered.yaml"
}

tar -xzf trainjobc-*-"$platform".tar.gz -C "$folder"
works "$folder"/trainjobc-*/bin/trainjobc
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-index --find-links "$dist" trainjobc
works "$folder/venv/bin/trainjobc"
# The module, where this machine can have it: the wheels with it are for newer systems than the others.
case $(uname -s)-$(sw_vers -productVersion 2> /dev/null || true) in
  Linux-* | Darwin-2[6-9].*) "$root/tools/try_module.sh" python3 "$dist" ;;
esac
if [[ $platform == linux-* ]] && command -v dpkg > /dev/null; then
  deb=$(ls trainjobc_*_"$(dpkg --print-architecture)".deb)
  dpkg --extract "$deb" "$folder/deb"
  works "$folder/deb/usr/bin/trainjobc"
fi
echo "$platform: the tarball, the wheel and the .deb work"
