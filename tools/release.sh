#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds everything that a release contains, into build/dist: packages for amd64 and arm64 Linux and arm64 macOS, the krew
# manifest, checksums. --no-macos leaves the last out; --collect only collects what has been built. Wheels in build-modules,
# which a Mac has made (tools/macos_wheels.sh), become part of it, and so does the VS Code extension in build-extension.
set -eu
cd "$(dirname "$0")/.."
platforms="build-arm64 build-macos"
[ "${1:-}" != --no-macos ] || platforms=build-arm64

if [ "${1:-}" != --collect ]; then
  tools/bootstrap.sh buildah python3-pip python3-venv
  rm -rf build/dist
  make static
  make arm64
  for machine in x86_64 aarch64; do tools/manylinux.sh $machine; done
  case $platforms in *macos*) make macos ;; esac
fi
# The module for those CPythons that are here: tools/pythons.sh installs them.
PYTHONS=$(command -v python3.10 python3.11 python3.12 python3.13t python3.14t || true)
export PYTHONS
for package in tarball deb sdist wheel image; do tools/package.sh $package build; done
for platform in $platforms; do
  rm -rf "$platform/dist"
  tools/package.sh tarball "$platform"
  tools/package.sh wheel "$platform"
  case $platform in
    build-arm64)
      tools/package.sh deb "$platform"
      tools/package.sh image "$platform"
      ;;
  esac
  cp "$platform"/dist/* build/dist/
done
for file in build-modules/*.whl build-extension/*.vsix; do
  [ ! -e "$file" ] || cp "$file" build/dist/
done
tools/package.sh krew build
tools/package.sh sums build
cat build/dist/SHA256SUMS
