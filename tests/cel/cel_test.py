#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the CEL engine with the environment of an API server (reference, a Go program): over the conformance tests of
cel.dev/expr, and over random expressions. cel_test.py EVALUATE FOLDER [COUNT [SEED]]

The conformance tests hold for CEL at large: Kubernetes has no messages of Protocol Buffers, and not all libraries. Where the
API server does as a test says, so must the engine; the table says how many tests each of the two passes.
"""

import collections
import json
import os
import subprocess
import sys

import expressions

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "e2e"))
import programs  # noqa: E402

REFERENCE = os.path.join(HERE, "reference")

# What differs on purpose.
ALLOWED = {
    # Names of time zones need a database, which no run may depend on: unknown.
    "zone": lambda line, ours, server: ours.get("result", "").startswith("unknown time zone"),
    # A defect of the API server's library: an optional that is the value of a key is no optional for the next field.
    "optional": lambda line, ours, server: line.get("name", "").startswith("optionals/optionals/map_optional_"),
    # The API server's evaluation crashes, and it reports an internal error.
    "crash": lambda line, ours, server: any(word in server.get("error", "") for word in ("internal error", "runtime error")),
    # The API server's count of the cost falls below 0.
    "cost": lambda line, ours, server: server.get("cost") == 2**64 - 1,
    # Messages of Protocol Buffers, which nothing in Kubernetes makes.
    "message": lambda line, ours, server: "google.protobuf." in line["expr"] and "{" in line["expr"],
}


def build(folder):
    program = os.path.join(os.path.abspath(folder), "cel-reference")
    programs.run_go(REFERENCE, "build", *programs.FLAGS, "-o", program, ".")
    return program


def is_same(ours, server):
    return bool(ours.get("issues")) == bool(server.get("issues")) and ours.get("result") == server.get("result")


def passes(line, answer):
    if answer.get("issues"):
        return line["want"] == "error"
    if line["want"] == "unknown":
        return answer["result"].startswith("unknown")
    return line["want"] in ("any", answer["result"])


def compare(lines, evaluate, reference):
    """The answers of both, and what differs without being allowed to."""
    ours, server = programs.answers(evaluate, lines), programs.answers(reference, lines)
    differences = []
    for line, own, other in zip(lines, ours, server, strict=True):
        if not is_same(own, other) and not any(allows(line, own, other) for allows in ALLOWED.values()):
            differences.append(f"{json.dumps(line)}\n  engine:     {own}\n  API server: {other}")
    return ours, server, differences


def conformance(evaluate, reference):
    module = programs.source_folder(REFERENCE, "cel.dev/expr")
    printed = subprocess.run([reference, os.path.join(module, "tests/simple/testdata")], capture_output=True, text=True, check=True)
    lines = [line for line in map(json.loads, printed.stdout.splitlines()) if line.get("want")]
    ours, server, differences = compare(lines, evaluate, reference)
    counts = collections.defaultdict(lambda: [0, 0, 0])
    for line, own, other in zip(lines, ours, server, strict=True):
        count = counts[line["name"].split("/")[0]]
        for index, passed in enumerate((True, passes(line, own), passes(line, other))):
            count[index] += passed
    print("conformance tests        all  engine  API server")
    for name, count in sorted(counts.items()):
        print(f"{name:22}{count[0]:6}{count[1]:8}{count[2]:12}")
    return differences


def main():
    evaluate, folder = sys.argv[1:3]
    count, seed = (int(word) for word in (sys.argv[3:] + ["2000", "1"][len(sys.argv) - 3 :])[:2])
    os.makedirs(folder, exist_ok=True)
    try:
        reference = build(folder)
    except programs.Missing as missing:
        print(f"note: the comparison of CEL was skipped: {missing}")
        sys.exit(77 if os.environ.get("TRAINJOBC_E2E") != "required" else 1)
    differences = conformance(evaluate, reference)
    lines = [json.loads(line) for line in expressions.lines(count, seed)]
    _, server, found = compare(lines, evaluate, reference)
    differences += found
    kinds = collections.Counter("refused" if a.get("issues") else a["result"].split()[0] if a["result"].startswith(("error", "unknown"))
                                else "value" for a in server)
    print(f"{count} random expressions: {dict(kinds)}")
    for difference in differences[:20]:
        print(difference)
    print(f"{len(differences)} differences")
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
