#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The playground that `make playground` has built, in Chromium: it prints what the command prints (playground/test/same_bytes.mjs),
and the page works (page_test.mjs). The rules' pages of the site lead to examples that it has.

usage: playground_test.py TRAINJOBC. Ends with 77 if the playground was not built, or without Chromium; with 1 if
TRAINJOBC_PLAYGROUND=required.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build-playground"
TESTS = ROOT / "playground/test"


def missing():
    if not (BUILD / "site/playground.wasm").exists():
        return "make playground builds it"
    return next((f"there is no {program}" for program in ("node", "chromium") if not shutil.which(program)), "")


def problems_of_links(pages):
    """Of "Try it in the browser", on the rules' pages."""
    known = json.loads((BUILD / "site/examples.json").read_text())["examples"]
    linked = {urllib.parse.unquote(name) for page in pages for name in re.findall(r'/playground/#example=([^"]+)"', page.read_text())}
    rules = {name for name in known if name.startswith("rule:")}
    return [f"no page leads to {name}" for name in sorted(rules - linked)] + [f"a page leads to {name}" for name in sorted(linked - rules)]


def main():
    binary = pathlib.Path(sys.argv[1]).resolve()
    if missing():
        print(missing())
        return 1 if os.environ.get("TRAINJOBC_PLAYGROUND") == "required" else 77
    # Of the site that is beside the binary, if it has been made with the playground.
    pages = list((binary.parent / "docs/site/reference/rules").glob("*/index.html")) if (binary.parent / "docs/site/playground").exists() else []
    problems = problems_of_links(pages) if pages else []
    print("\n".join(problems))
    same = subprocess.run(["node", TESTS / "same_bytes.mjs", binary, BUILD], check=False).returncode
    page = subprocess.run(["node", TESTS / "page_test.mjs", BUILD / "site"], check=False).returncode
    return 1 if problems or same or page else 0


sys.exit(main())
