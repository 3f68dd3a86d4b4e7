#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs ../shared/conformance/check.py and fails where a figure lacks more than the one recorded in figures.json.

usage: conformance_test.py BINARY [--update]
Without ../shared it says so and ends with status 77. --update records the figures reached, [got, wanted],
where none has fallen. What is wanted may change with the recordings.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORD = ROOT / "tests/conformance/figures.json"


def main():
    binary, update = sys.argv[1], "--update" in sys.argv
    check = ROOT.parent / "shared" / "conformance" / "check.py"
    if not check.exists():
        print("skipped: ../shared/conformance is missing")
        return 77
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        run = subprocess.run([sys.executable, str(check), "--bin", binary, "--json", out.name], capture_output=True, text=True)
        text = pathlib.Path(out.name).read_text()
    if not text:
        print(run.stdout, run.stderr)
        return 1
    figures = {theme: {f: [g, w] for f, (g, w) in figures.items() if w} for theme, figures in json.loads(text)["figures"].items()}
    recorded = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    fallen = []
    for theme, row in recorded.items():
        for figure, (least, of) in row.items():
            got, wanted = figures.get(theme, {}).get(figure, [0, of])
            if wanted - got > of - least:
                fallen.append(f"{theme} {figure}: {got} of {wanted}, recorded {least} of {of}")
    print(run.stdout[run.stdout.rfind("theme "):])
    if fallen:
        print("figures that fell:\n" + "\n".join(fallen))
        return 1
    if update:
        rows = [f" {json.dumps(theme)}: {json.dumps(figures[theme], sort_keys=True)}" for theme in sorted(figures)]
        RECORD.write_text("{\n" + ",\n".join(rows) + "\n}\n")
    return 0


sys.exit(main())
