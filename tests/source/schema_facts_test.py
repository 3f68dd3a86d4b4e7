#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""schema/v*.json expands to exactly the structural schemas in ../shared/schema, where that folder exists."""

import hashlib
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "schema"
WIRES = {"OmitEmpty", "Pointer", "Struct", "Always", "Null"}
OBJECT_META = {
    "annotations", "creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "finalizers",
    "generateName", "generation", "labels", "managedFields", "name", "namespace", "ownerReferences",
    "resourceVersion", "selfLink", "uid",
}  # fmt: skip


class Facts:
    def __init__(self, path):
        file = json.loads(path.read_text())
        self.trainer, self.kinds, self.nodes = file["trainer"], file["kinds"], file["nodes"]
        self.used = set()
        self.expanded = {}

    def expand(self, name):
        self.used.add(name)
        if name not in self.expanded:
            schema = dict(self.nodes[name])
            if "properties" in schema:
                schema["properties"] = {key: self.property(*edge) for key, edge in schema["properties"].items()}
            for keyword in ("items", "additionalProperties"):
                if keyword in schema:
                    schema[keyword] = self.expand(schema[keyword])
            self.expanded[name] = schema
        return self.expanded[name]

    def property(self, name, wire, strategy="", merge_key=""):
        assert wire in WIRES, wire
        schema = dict(self.expand(name))
        if strategy:
            schema["x-patch-strategy"] = strategy.split(",")
        if merge_key:
            schema["x-patch-merge-key"] = merge_key
        return schema

    def kind(self, kind):
        """The kind's CRD facts; its metadata, which is ObjectMeta here, as CRDs have it."""
        facts = dict(self.kinds[kind], kind=kind)
        root = facts.pop("node")
        metadata, wire = self.nodes[root]["properties"]["metadata"]
        assert (metadata, wire) == (self.kinds["ObjectMeta"]["node"], "Struct"), kind
        schema = self.expand(root)
        return dict(facts, schema=schema | {"properties": schema["properties"] | {"metadata": {"type": "object"}}})


def first_difference(a, b, path="schema"):
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(a.keys() | b.keys()):
            if json.dumps(a.get(key), sort_keys=True) != json.dumps(b.get(key), sort_keys=True):
                return first_difference(a.get(key), b.get(key), f"{path}.{key}")
    return f"{path}: {json.dumps(a)[:200]} instead of {json.dumps(b)[:200]}"


def check(path):
    facts = Facts(path)
    version = path.stem.removeprefix("v")
    assert facts.trainer == version, path
    lines = {line[1:9]: line[11:].rstrip(",") for line in path.read_text().splitlines() if line[9:11] == '":'}
    for name in facts.nodes:
        assert hashlib.sha256(lines[name].encode()).hexdigest()[:8] == name, f"{path}: node {name} was edited"

    expected = {file.stem: json.loads(file.read_text()) for file in sorted((SHARED / path.stem).glob("*.json"))}
    assert facts.kinds.keys() == expected.keys() | {"ObjectMeta"}, facts.kinds.keys()
    for kind, crd in expected.items():
        found = facts.kind(kind)
        # As text: in Python False equals 0.
        same = json.dumps(found, sort_keys=True) == json.dumps(crd, sort_keys=True)
        assert same, f"{path}: {kind}: {first_difference(found, crd, kind)}"
    metadata = facts.expand(facts.kinds["ObjectMeta"]["node"])
    assert metadata["properties"].keys() == OBJECT_META, metadata["properties"].keys()
    assert facts.used == facts.nodes.keys(), f"{path}: unused nodes {facts.nodes.keys() - facts.used}"


def main():
    if not SHARED.is_dir():
        print("skipped: ../shared/schema is missing")
        sys.exit(77)
    files = {path.stem: path for path in (ROOT / "schema").glob("v*.json")}
    versions = {folder.name for folder in SHARED.iterdir() if folder.is_dir()}
    assert files.keys() >= versions, f"no schema facts for {versions - files.keys()}"
    for version in sorted(versions):
        check(files[version])
    print(f"ok: {', '.join(sorted(versions))}")


if __name__ == "__main__":
    try:
        main()
    except AssertionError as error:
        sys.exit(f"schema_facts_test: {error}")
