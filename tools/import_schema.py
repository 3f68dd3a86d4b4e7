#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Joins the structural schemas of one Trainer version with its wire facts into schema/vX.Y.json.

    tools/wirefacts/run.sh 2.3.0 crds > wire.json
    tools/import_schema.py --version 2.3 --crds crds --wire wire.json --out schema/v2.3.json

The folder of --crds holds the CRDs, either as released (*.yaml; needs PyYAML) or as facts (<Kind>.json: group,
kind, plural, scope, subresources, version, schema, and x-patch-* tags beside the schema's own keywords).

The result has one line a kind and one a node. A node is a schema whose subschemas are ids of other nodes, and
its id is a digest of its line: equal subtrees are one node, in one file and across files, and a change touches
only its own line and those of its ancestors. A property is [node, wire] or [node, wire, patchStrategy,
patchMergeKey]; src/schema/schema.h says what the wire classes mean. Nodes stand before those that use them.
"""

import argparse
import hashlib
import json
import pathlib
import sys

KINDS = ("ClusterTrainingRuntime", "JobSet", "TrainJob", "TrainingRuntime")
NEWER_KINDS = ("OptimizationJob",)  # that not every version has

# The keywords that are facts; the others (descriptions, examples) are left out.
SCALARS = (
    "anyOf", "default", "enum", "format", "maxItems", "maxLength", "maximum", "minItems", "minLength",
    "minProperties", "minimum", "pattern", "required", "type", "x-kubernetes-int-or-string",
    "x-kubernetes-list-map-keys", "x-kubernetes-list-type", "x-kubernetes-map-type",
    "x-kubernetes-validations",
)  # fmt: skip
SUBSCHEMAS = ("properties", "items", "additionalProperties", "x-patch-strategy", "x-patch-merge-key")
PROSE = ("description", "example", "title", "x-kubernetes-embedded-resource")

STRING = {"type": "string"}
TIME = {"type": "string", "format": "date-time"}
INT64 = {"type": "integer", "format": "int64"}
STRING_MAP = {"type": "object", "additionalProperties": STRING}


def object_of(**properties):
    return {"type": "object", "properties": properties}


# metav1.ObjectMeta, which CRDs leave to the API server. It is not checked as a schema there, so it has no
# required fields and no list types.
OBJECT_META = object_of(
    annotations=STRING_MAP,
    creationTimestamp=TIME,
    deletionGracePeriodSeconds=INT64,
    deletionTimestamp=TIME,
    finalizers={"type": "array", "items": STRING},
    generateName=STRING,
    generation=INT64,
    labels=STRING_MAP,
    managedFields={
        "type": "array",
        "items": object_of(
            apiVersion=STRING,
            fieldsType=STRING,
            fieldsV1={},
            manager=STRING,
            operation=STRING,
            subresource=STRING,
            time=TIME,
        ),
    },
    name=STRING,
    namespace=STRING,
    ownerReferences={
        "type": "array",
        "items": object_of(
            apiVersion=STRING,
            blockOwnerDeletion={"type": "boolean"},
            controller={"type": "boolean"},
            kind=STRING,
            name=STRING,
            uid=STRING,
        ),
    },
    resourceVersion=STRING,
    selfLink=STRING,
    uid=STRING,
)


def fail(message):
    sys.exit(f"import_schema: {message}")


def note(message):
    print(f"import_schema: {message}", file=sys.stderr)


def dump(value):
    return json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False)


def read_crds(folder):
    """kind -> facts, and whether they carry patch tags."""
    crds = {path.stem: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}
    if crds:
        return crds, True
    import yaml

    for path in sorted(folder.glob("*.yaml")):
        for document in yaml.safe_load_all(path.read_text()):
            if document and document.get("kind") == "CustomResourceDefinition":
                spec = document["spec"]
                version = next(v for v in spec["versions"] if v["storage"])
                crds[spec["names"]["kind"]] = {
                    "group": spec["group"],
                    "kind": spec["names"]["kind"],
                    "plural": spec["names"]["plural"],
                    "schema": version["schema"]["openAPIV3Schema"],
                    "scope": spec["scope"],
                    "subresources": sorted(version.get("subresources", {})),
                    "version": version["name"],
                }
    return crds, False


class Nodes:
    """The distinct nodes seen so far, each after those that it refers to."""

    def __init__(self, tagged):
        self.lines = {}
        self.tagged = tagged  # schemas bring their patch tags; those of the Go types are for the others

    def add(self, schema, facts, path=""):
        """The id of the schema's node. `facts` are the wire facts by path."""
        for keyword in schema:
            if keyword not in SCALARS + SUBSCHEMAS + PROSE:
                fail(f"{path}: unknown keyword {keyword}")
        node = {keyword: schema[keyword] for keyword in SCALARS if keyword in schema}
        if "properties" in schema:
            node["properties"] = {
                name: self.property(value, facts, f"{path}.{name}" if path else name)
                for name, value in sorted(schema["properties"].items())
            }
        if "items" in schema:
            node["items"] = self.add(schema["items"], facts, path + "[]")
        if "additionalProperties" in schema:
            node["additionalProperties"] = self.add(schema["additionalProperties"], facts, path + "{}")
        line = dump(node)
        name = hashlib.sha256(line.encode()).hexdigest()[:8]
        if self.lines.setdefault(name, line) != line:
            fail(f"two nodes with the digest {name}")
        return name

    def property(self, schema, facts, path):
        fact = facts.get(path)
        if fact is None:
            note(f"no wire fact for {path}: OmitEmpty")
            fact = {"wire": "OmitEmpty"}
        tags = [fact.get("patchStrategy", ""), fact.get("patchMergeKey", "")]
        if self.tagged and not path.startswith("metadata."):
            found = [",".join(schema.get("x-patch-strategy", [])), schema.get("x-patch-merge-key", "")]
            if found != tags:
                note(f"{path}: patch tags {found}, in the Go type {tags}")
            tags = found
        while tags and not tags[-1]:
            tags.pop()
        return [self.add(schema, facts, path), fact["wire"], *tags]


def main():
    parser = argparse.ArgumentParser(description="Writes the schema facts of one Trainer version.")
    parser.add_argument("--version", required=True, help="of Trainer, such as 2.3")
    parser.add_argument("--crds", required=True, type=pathlib.Path, help="folder of CRDs or of their facts")
    parser.add_argument("--wire", required=True, type=pathlib.Path, help="what tools/wirefacts/run.sh printed")
    parser.add_argument("--out", required=True, type=pathlib.Path)
    options = parser.parse_args()

    crds, tagged = read_crds(options.crds)
    wire = json.loads(options.wire.read_text())
    nodes = Nodes(tagged)
    kinds = {}
    for kind in KINDS + tuple(kind for kind in NEWER_KINDS if kind in crds):
        if kind not in crds:
            fail(f"no {kind} in {options.crds}")
        crd = crds[kind]
        crd["schema"]["properties"]["metadata"] = OBJECT_META
        kinds[kind] = {key: crd[key] for key in ("group", "plural", "scope", "subresources", "version")}
        kinds[kind]["node"] = nodes.add(crd["schema"], wire[kind])
        kinds["ObjectMeta"] = {"node": json.loads(nodes.lines[kinds[kind]["node"]])["properties"]["metadata"][0]}

    def block(lines):
        return "{\n" + ",\n".join(f'"{name}":{line}' for name, line in lines) + "\n}"

    options.out.write_text(
        f'{{\n"trainer":{dump(options.version)},\n'
        f'"kinds":{block((kind, dump(kinds[kind])) for kind in sorted(kinds))},\n'
        f'"nodes":{block(nodes.lines.items())}\n}}\n'
    )


if __name__ == "__main__":
    main()
