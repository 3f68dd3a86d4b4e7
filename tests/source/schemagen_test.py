#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""schemagen_test.py SCHEMAGEN: the tables are built from the facts, and not from facts that the code can't check."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FACTS = ROOT / "schema" / "v2.3.json"


def generate(facts, folder):
    """The status and what schemagen says of these facts, without the folder and the node's id."""
    path = pathlib.Path(folder) / "v2.3.json"
    path.write_text(json.dumps(facts))
    run = subprocess.run([sys.argv[1], f"{folder}/tables.cpp", str(path)], capture_output=True, text=True, check=False)
    return run.returncode, re.sub(r"node \w+: ", "", run.stderr.replace(str(path), "v2.3.json"))


def first_node(facts, keyword):
    return next(node for node in facts["nodes"].values() if keyword in node)


def changed(change):
    facts = json.loads(FACTS.read_text())
    change(facts)
    return facts


def main():
    cases = {
        "as they are": (lambda facts: None, 0, ""),
        "an unknown CEL rule": (
            lambda facts: first_node(facts, "x-kubernetes-validations")["x-kubernetes-validations"][0].update(
                rule="self.startsWith('a')", message="no"
            ),
            1,
            "schemagen: v2.3.json: src/schema/cel.cpp has no function for the CEL rule "
            '{"message":"no","rule":"self.startsWith(\'a\')"}\n',
        ),
        "an unknown pattern": (
            lambda facts: first_node(facts, "pattern").update(pattern="^a+$"),
            1,
            'schemagen: v2.3.json: src/schema/pattern.cpp has no function for the pattern "^a+$"\n',
        ),
        "an unknown keyword": (
            lambda facts: first_node(facts, "pattern").update(multipleOf=2),
            1,
            "schemagen: v2.3.json: unknown keyword multipleOf\n",
        ),
        "a type that is none": (
            lambda facts: first_node(facts, "items").update(type=["string", "null"]),
            1,
            'schemagen: v2.3.json: not a string: ["string","null"]\n',
        ),
        "properties that are a list": (
            lambda facts: first_node(facts, "properties").update(properties=["name"]),
            1,
            'schemagen: v2.3.json: not a map: ["name"]\n',
        ),
        "required fields that are no list": (
            lambda facts: first_node(facts, "required").update(required="name"),
            1,
            'schemagen: v2.3.json: not a list: "name"\n',
        ),
        "a flag that is none": (
            lambda facts: first_node(facts, "x-kubernetes-int-or-string").update({"x-kubernetes-int-or-string": "yes"}),
            1,
            'schemagen: v2.3.json: not a boolean: "yes"\n',
        ),
    }
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, (change, status, words) in cases.items():
            got = generate(changed(change), folder)
            if got != (status, words):
                failed += 1
                print(f"{name}: {got}")
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
