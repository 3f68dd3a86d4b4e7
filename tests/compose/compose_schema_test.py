#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `compose` prints is valid by the schema of the Compose specification, which the Go module of compose-go contains.

usage: compose_schema_test.py TRAINJOBC. Skipped (77) without Go, its module proxy or the package jsonschema."""
import json
import pathlib
import shutil
import subprocess
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULE = "github.com/compose-spec/compose-go/v2"
problems = []


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def schema():
    if not shutil.which("go"):
        skip("needs go")
    done = subprocess.run(["go", "mod", "download", "-json", MODULE], cwd=ROOT / "tests" / "compose" / "docker-compose",
                          capture_output=True, text=True)
    if done.returncode != 0:
        skip(f"needs the module {MODULE}: {done.stderr.strip()}")
    return json.loads(pathlib.Path(json.loads(done.stdout)["Dir"], "schema", "compose-spec.json").read_text())


def check(validator, name, text):
    for error in validator.iter_errors(yaml.safe_load(text)):
        problems.append(f"{name}: {'.'.join(map(str, error.absolute_path))}: {error.message}")


try:
    import jsonschema
except ImportError:
    skip("needs the package jsonschema")
validator = jsonschema.Draft7Validator(schema())
count = 0
for job in sorted((ROOT / "examples" / "jobs").rglob("*.yaml")):
    for flags in ([], ["--nodes", "2", "--cpu", "--mount", ".:/workspace", "--ssh-key", "omit"]):
        done = subprocess.run([sys.argv[1], "compose", *flags, job], cwd=ROOT, capture_output=True, text=True)
        name = f"{job.relative_to(ROOT)} {' '.join(flags)}"
        # A recipe of torchtune for one device has one node.
        if done.returncode != 0 and "--nodes" not in flags:
            problems.append(f"{name}: {done.stderr}")
        elif done.returncode == 0:
            check(validator, name, done.stdout)
            count += 1
for golden in sorted((ROOT / "golden").glob("compose*/stdout")):
    check(validator, golden.relative_to(ROOT), golden.read_text())
    count += 1
print("\n".join(problems))
print(f"{count} files, {len(problems)} problems")
sys.exit(bool(problems) or count < 20)
