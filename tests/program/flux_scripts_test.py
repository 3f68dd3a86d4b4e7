#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""shellcheck on the scripts of Flux jobs.

usage: flux_scripts_test.py TRAINJOBC. Exit status 77 without shellcheck.
"""

import json
import pathlib
import shutil
import subprocess
import sys

GOLDEN = pathlib.Path(__file__).resolve().parents[2] / "golden" / "render-flux"


def scripts(program, version):
    words = [program, "render", "--no-config", f"--trainer-version={version}", "-o", "json", str(GOLDEN / "input.yaml")]
    out = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    [config_map] = [item for item in json.loads(out)["items"] if item["kind"] == "ConfigMap"]
    return config_map["data"]


def main(program):
    if not shutil.which("shellcheck"):
        print("skipped: there is no shellcheck")
        return 77
    failed = 0
    for version in ("2.2", "2.3"):
        for name, text in scripts(program, version).items():
            said = subprocess.run(["shellcheck", "-"], input=text, capture_output=True, text=True, check=False).stdout
            failed += bool(said)
            print(f"Trainer {version}: {name}: {said or 'ok'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
