#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CustomResourceDefinitions of JobSet and Trainer, made of the facts in schema/v*.json: what their API servers
check of structure, list types and CEL rules. Prints them as a List.

usage: crds.py FACTS.json
"""

import json
import sys

PODGROUPS = (
    ("scheduling.x-k8s.io", "v1alpha1"),
    ("scheduling.volcano.sh", "v1beta1"),
)


class Expander:
    """Nodes of the facts name each other; a CRD holds each in full."""

    def __init__(self, nodes):
        self.nodes = nodes

    def expand(self, node_id):
        node = self.nodes[node_id]
        if not node:
            return {"x-kubernetes-preserve-unknown-fields": True}
        schema = dict(node)
        if "properties" in node:
            schema["properties"] = {
                name: self.expand(field[0]) for name, field in sorted(node["properties"].items())
            }
        for key in ("items", "additionalProperties"):
            if key in node:
                schema[key] = self.expand(node[key])
        return schema

    def root(self, node_id):
        schema = self.expand(node_id)
        schema["properties"]["metadata"] = {"type": "object"}
        return schema


def definition(kind, plural, group, version, scope, schema, subresources):
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": f"{plural}.{group}",
            # *.k8s.io groups are protected
            "annotations": {"api-approved.kubernetes.io": "unapproved, for tests"},
        },
        "spec": {
            "group": group,
            "names": {
                "kind": kind,
                "listKind": kind + "List",
                "plural": plural,
                "singular": kind.lower(),
            },
            "scope": scope,
            "versions": [
                {
                    "name": version,
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": schema},
                    "subresources": {name: {} for name in subresources},
                }
            ],
        },
    }


def definitions(facts):
    expander = Expander(facts["nodes"])
    for kind, row in sorted(facts["kinds"].items()):
        if "plural" not in row:
            continue
        yield definition(
            kind,
            row["plural"],
            row["group"],
            row["version"],
            row["scope"],
            expander.root(row["node"]),
            row["subresources"],
        )
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    for group, version in PODGROUPS:
        yield definition("PodGroup", "podgroups", group, version, "Namespaced", anything, [])


def as_list(facts_file):
    with open(facts_file, encoding="utf-8") as file:
        facts = json.load(file)
    return {"apiVersion": "v1", "kind": "List", "items": list(definitions(facts))}


if __name__ == "__main__":
    json.dump(as_list(sys.argv[1]), sys.stdout)
