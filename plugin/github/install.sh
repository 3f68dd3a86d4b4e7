#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Puts trainjobc release VERSION from RELEASES on the PATH of the following steps, unless trainjobc is already there.
# Its checksum must be right and, where gh is there, its attestation: that REPOSITORY's release workflow built it.
# ATTESTATION=false leaves the attestation out, for a mirror without a way to GitHub.
set -euo pipefail
if command -v trainjobc > /dev/null; then
  trainjobc --version
  exit 0
fi
case $(uname -s) in
  Darwin) platform=macos check=(shasum -a 256 --check --status) ;;
  *) platform=linux check=(sha256sum --check --strict --quiet) ;;
esac
name=trainjobc-$VERSION-$platform-$(uname -m)
folder=$(mktemp -d "${RUNNER_TEMP:-/tmp}/trainjobc.XXXXXX")
cd "$folder"
for file in "$name.tar.gz" SHA256SUMS; do
  curl --fail --silent --show-error --location --retry 3 --output "$file" "$RELEASES/v$VERSION/$file"
done
grep " $name.tar.gz\$" SHA256SUMS | "${check[@]}"
if [[ ${ATTESTATION:-true} == false ]]; then
  echo "trainjobc: the checksum is right; the attestation was not asked for"
elif ! gh attestation verify --help > /dev/null 2>&1; then
  echo "::notice title=trainjobc::The checksum is right; who built the file is not verified, because gh is not installed or has no 'attestation verify'"
elif ! gh attestation verify "$name.tar.gz" --repo "$REPOSITORY" \
    --signer-workflow "$REPOSITORY/.github/workflows/release.yml" > attestation 2>&1; then
  cat attestation >&2
  echo "::error title=trainjobc::$name.tar.gz has no attestation of $REPOSITORY's release workflow: it is not installed"
  exit 1
else
  echo "trainjobc: the checksum is right, and $REPOSITORY's release workflow built the file"
fi
tar -xzf "$name.tar.gz"
echo "$folder/$name/bin" >> "$GITHUB_PATH"
"$folder/$name/bin/trainjobc" --version
