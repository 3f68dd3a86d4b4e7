#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which lines of src/ the programs of a build with --coverage reached, by folder, and the functions that nothing reached.

usage: coverage.py BUILD [--functions]. `make coverage-tests` builds and runs them first.
"""
import argparse
import collections
import gzip
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ROOT / "src"


def reports(build):
    """gcov's, one for each object whose code ran."""
    for data in sorted(build.rglob("*.gcda")):
        done = subprocess.run(["gcov", "--json-format", "--stdout", str(data)], cwd=build, capture_output=True, check=False)
        for line in done.stdout.splitlines():
            if line.startswith(b"{"):
                yield json.loads(line)
            elif line.startswith(b"\x1f\x8b"):
                yield json.loads(gzip.decompress(line))


def read(build):
    """How often each line ran, and each function: {path: {line: count}}, {(path, line, name): count}."""
    lines, functions = collections.defaultdict(collections.Counter), collections.Counter()
    for report in reports(build):
        for file in report["files"]:
            path = pathlib.Path(build, report["current_working_directory"], file["file"]).resolve()
            if SOURCES not in path.parents:
                continue
            name = str(path.relative_to(ROOT))
            for line in file["lines"]:
                lines[name][line["line_number"]] += line["count"]
            for function in file["functions"]:
                functions[name, function["start_line"], function["demangled_name"].split("(")[0]] += function["execution_count"]
    return lines, functions


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--functions", action="store_true", help="list the functions that nothing reached")
    options = parser.parse_args()
    lines, functions = read(options.build.resolve())
    reached, known = collections.Counter(), collections.Counter()
    for name, counts in lines.items():
        folder = "/".join(name.split("/")[:3 if name.split("/")[1] == "features" else 2])
        for key in (folder, "all"):
            reached[key] += sum(count > 0 for count in counts.values())
            known[key] += len(counts)
    print("| folder | lines reached | lines | |\n|---|---:|---:|---:|")
    for key in sorted(known, key=lambda each: (each == "all", each)):
        print(f"| `{key}` | {reached[key]:,} | {known[key]:,} | {100 * reached[key] / known[key]:.1f} % |")
    if options.functions:
        for name, line, function in sorted(each for each, count in functions.items() if count == 0):
            print(f"{name}:{line}: {function}")


if __name__ == "__main__":
    main()
