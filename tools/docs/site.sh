#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the documentation's site from docs/ and a build: site.sh BUILD. It is in BUILD/docs/site afterwards.
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
docs=$build/docs
mkdir -p "$docs"
if [ ! -x "$docs/venv/bin/mkdocs" ]; then
  python3 -m venv "$docs/venv"
  "$docs/venv/bin/pip" --disable-pip-version-check install --quiet --requirement tools/docs/requirements.txt
fi
python3 tools/docs/generate.py "$build/trainjobc" "$docs/pages"
# Dead links and pages that nothing leads to are errors.
TRAINJOBC_PAGES=$docs/pages NO_MKDOCS_2_WARNING=1 "$docs/venv/bin/mkdocs" --quiet build --strict --site-dir "$docs/site"
# What `make playground` has built.
if [ -e build-playground/site/index.html ]; then
  mkdir -p "$docs/site/playground"
  cp -r build-playground/site/. "$docs/site/playground/"
fi
