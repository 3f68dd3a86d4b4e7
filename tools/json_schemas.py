#!/usr/bin/env python3
"""Writes the kinds of schema/v*.json as JSON Schema, for editors and kubeconform:
DIRECTORY/vX.Y/GROUP/KIND_VERSION.json.

usage: json_schemas.py DIRECTORY FACTS…
"""
import json
import pathlib
import sys


def subschema(node):
    """A node of the facts, with references in the place of its children; unknown fields are mistakes."""
    schema = {key: value for key, value in node.items() if not key.startswith("x-kubernetes-")}
    rules = [rule["message"] for rule in node.get("x-kubernetes-validations", []) if "message" in rule]
    if rules:
        schema["description"] = "The cluster also checks: " + "; ".join(rules)
    if "properties" in node:
        schema["properties"] = {key: reference(edge[0]) for key, edge in node["properties"].items()}
        schema["additionalProperties"] = False
    for keyword in ("items", "additionalProperties"):
        if isinstance(node.get(keyword), str):
            schema[keyword] = reference(node[keyword])
    return schema


def reference(name):
    return {"$ref": f"#/definitions/{name}"}


def reachable(nodes, root):
    found, waiting = set(), [root]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        node = nodes[name]
        waiting += [edge[0] for edge in node.get("properties", {}).values()]
        waiting += [node[key] for key in ("items", "additionalProperties") if isinstance(node.get(key), str)]
    return sorted(found)


def main():
    folder = pathlib.Path(sys.argv[1])
    for path in map(pathlib.Path, sys.argv[2:]):
        facts = json.loads(path.read_text())
        for kind, row in facts["kinds"].items():
            if "group" not in row:
                continue
            definitions = {name: subschema(facts["nodes"][name]) for name in reachable(facts["nodes"], row["node"])}
            root = definitions[row["node"]]
            root["properties"] = {**root["properties"], "apiVersion": {"const": f"{row['group']}/{row['version']}"}, "kind": {"const": kind}}
            root["required"] = sorted({"apiVersion", "kind", "metadata", *root.get("required", [])})
            title = f"{kind} of Kubeflow Trainer {facts['trainer']}"
            schema = {"$schema": "http://json-schema.org/draft-07/schema#", "title": title, **reference(row["node"]), "definitions": definitions}
            # Beside $ref, draft 7 reads nothing: the root is in allOf.
            schema["allOf"] = [{"$ref": schema.pop("$ref")}]
            target = folder / f"v{facts['trainer']}" / row["group"] / f"{kind.lower()}_{row['version']}.json"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(json.dumps(schema, indent=1, sort_keys=True) + "\n")


main()
