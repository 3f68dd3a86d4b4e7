#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Pushes the images of DIST as one manifest list: push_image.sh DIST NAME. Prints digest=DIGEST. NAME may have a
# transport, such as dir:FOLDER, for a rehearsal.
set -eu
dist=$1
name=$2
version=$(basename "$(ls "$dist"/trainjobc-*-linux-x86_64.oci.tar)" | sed 's/^trainjobc-\(.*\)-linux.*/\1/')
list=trainjobc-release-$$
buildah manifest create "$list" > /dev/null
trap 'buildah manifest rm "$list" > /dev/null' EXIT
for archive in "$dist"/trainjobc-*.oci.tar; do buildah manifest add "$list" "oci-archive:$archive" > /dev/null; done
case $name in
  *:*/*) targets=$name ;;
  *) targets="docker://$name:$version docker://$name:latest" ;;
esac
for target in $targets; do
  buildah manifest push --all --quiet --digestfile "$dist.digest" "$list" "$target" > /dev/null
done
echo "digest=$(cat "$dist.digest")"
