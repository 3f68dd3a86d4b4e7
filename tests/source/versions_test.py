#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files that list Trainer's versions list those that the binary compiles for.

usage: versions_test.py BINARY. TRAINJOBC_UPDATE_GOLDEN=1 rewrites the lists.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def quoted(versions):
    return ", ".join(f'"{version}"' for version in versions)


def lists(versions):
    """The file, the text around a list, and the list."""
    newest_first = versions[::-1]
    numbers = [f'"{version}"' if "-" in version else version for version in versions]  # of YAML
    yield "schema/trainjobc-config.json", '{"enum": ["auto", ', ", ".join(numbers), "]}"
    yield "schema/trainjobc-config.json", '"pattern": "^v?(', "|".join(versions).replace(".", r"\\."), r')(\\.[0-9]+)?$"'
    yield "editors/vscode/package.json", '"enum": ["", "auto", ', quoted(newest_first), "]"
    descriptions = [f'            "Kubeflow Trainer {version}"' for version in newest_first]
    yield "editors/vscode/package.json", '"The newest version that all jobs and their runtimes fit.",\n', ",\n".join(descriptions), "\n          ]"
    yield "man/trainjobc.yaml.5", "Kubeflow Trainer version to compile for: ", ", ".join(versions), " or auto"
    yield "python/trainjobc/_api.py", "The Trainer that the cluster runs, ", f'``"{versions[0]}"`` to ``"{versions[-1]}"``', ";"


def main():
    run = subprocess.run([sys.argv[1], "version", "-o", "json"], capture_output=True, text=True, check=True)
    versions = json.loads(run.stdout)["trainerVersions"]
    problems = []
    for name, before, wanted, after in lists(versions):
        path = ROOT / name
        text = path.read_text()
        found = re.search(f"(?<={re.escape(before)}).*?(?={re.escape(after)})", text, re.S)
        if not found:
            problems.append(f"{name}: has no list after {before!r}")
        elif found[0] != wanted and "TRAINJOBC_UPDATE_GOLDEN" in os.environ:
            path.write_text(text[: found.start()] + wanted + text[found.end() :])
        elif found[0] != wanted:
            problems.append(f"{name}: lists {found[0]!r}, the binary {wanted!r}")
    print("\n".join(problems) or f"{len(list(lists(versions)))} lists have {', '.join(versions)}")
    return 1 if problems else 0


sys.exit(main())
