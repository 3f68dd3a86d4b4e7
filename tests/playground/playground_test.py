#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The playground that `make playground` has built: its module prints what the command prints (playground/test/same_bytes.mjs),
and its page works in Chromium (page_test.mjs).

usage: playground_test.py TRAINJOBC. Ends with 77 if it was not built, or without Chromium.
"""
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build-playground"
TESTS = ROOT / "playground/test"


def main():
    binary = pathlib.Path(sys.argv[1]).resolve()
    if not (BUILD / "site/playground.wasm").exists() or not shutil.which("node"):
        print("make playground builds it")
        return 77
    for arguments in (["same_bytes.mjs", binary, BUILD], ["page_test.mjs", BUILD / "site"]):
        if arguments[0] == "page_test.mjs" and not shutil.which("chromium"):
            print("there is no chromium")
            return 77
        done = subprocess.run(["node", TESTS / arguments[0], *arguments[1:]], check=False)
        if done.returncode != 0:
            return 1
    return 0


sys.exit(main())
