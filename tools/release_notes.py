#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints what CHANGELOG.md says of a release; fails if it says nothing, or if the tag is not CMake's version.

usage: release_notes.py TAG
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    tag = sys.argv[1]
    version = re.search(r"^project\(\S+ VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.M).group(1)
    if tag != f"v{version}":
        sys.exit(f"the tag is {tag}, but CMakeLists.txt says {version}: the tag must be v{version}")
    changes = (ROOT / "CHANGELOG.md").read_text()
    section = re.search(rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d\n(.*?)(?=^## |^\[)", changes, re.M | re.S)
    if not section or not section.group(1).strip():
        sys.exit(f"CHANGELOG.md says nothing of {version}")
    print(section.group(1).strip())


main()
