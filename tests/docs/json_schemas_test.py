#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The JSON schemas that are installed: the examples and what they render to fit them, a misspelt field does not.

usage: json_schemas_test.py BINARY SCHEMAS. Without jsonschema the files are only read.
"""
import json
import pathlib
import re
import subprocess
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY, SCHEMAS = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])


def documents():
    for path in sorted((ROOT / "examples").rglob("*.yaml")):
        if not any(part.startswith(".") for part in path.relative_to(ROOT).parts):
            yield from yaml.safe_load_all(path.read_text())
    rendered = subprocess.run([BINARY, "render", "-R", "--ssh-key", "omit", "."], cwd=ROOT / "examples", check=True,
                              capture_output=True, text=True)
    yield from yaml.safe_load_all(rendered.stdout)


def problems_of_editors():
    """Each example names the schema of its kind, for editors."""
    for path in sorted((ROOT / "examples").rglob("*.yaml")):
        if any(part.startswith(".") for part in path.relative_to(ROOT).parts):
            continue
        first, text = path.read_text().split("\n", 1)
        found = re.fullmatch(r"# yaml-language-server: \$schema=/usr/share/trainjobc/schemas/(.*)", first)
        if not found or not (SCHEMAS / found[1]).exists():
            yield f"{path}: no schema on the first line"
        elif f"/{yaml.safe_load(text)['kind'].lower()}_" not in found[1]:
            yield f"{path}: the schema of another kind"


def resolved(schema, node):
    to = node.get("$ref") or node.get("allOf", [{}])[0].get("$ref")
    return schema["definitions"][to.split("/")[-1]] if to else node


def trainer_fields(schema, node, path):
    """The fields of Trainer's own types: without what Kubernetes and JobSet define."""
    foreign = ("env", "resourcesPerNode", "volumes", "tolerations", "affinity", "metrics", "securityContext", "conditions", "metadata",
               "containers", "initContainers", "schedulingGates", "imagePullSecrets", "trainerStatus", "apiVersion", "kind")
    node = resolved(schema, node)
    while "items" in node:
        node = resolved(schema, node["items"])
    for key, one in node.get("properties", {}).items():
        below = f"{path}.{key}"
        if key in ("apiVersion", "metadata") and path.count(".") < 1 or key == "kind" and path.count(".") < 1:
            continue
        yield below, one.get("description", "")
        if key in foreign or below.endswith("template.spec"):
            continue
        yield from trainer_fields(schema, one, below)


def problems_of_descriptions():
    """Each field of Trainer's own has a description, in every version."""
    for path in sorted(SCHEMAS.glob("v*/trainer.kubeflow.org/*.json")):
        schema = json.loads(path.read_text())
        for field, words in trainer_fields(schema, schema, ""):
            if not words:
                yield f"{path.relative_to(SCHEMAS)}: {field} has no description"


def problems_of_names():
    """Definitions have the names of types; a number tells apart what versions of a type differ in."""
    names = json.loads((SCHEMAS / "v2.3/trainer.kubeflow.org/trainjob_v1alpha1.json").read_text())["definitions"]
    yield from (f"no definition {name}" for name in ("TrainJob", "JobSetSpec", "PodTemplateSpec", "Container") if name not in names)
    yield from (f"a definition {name}" for name in names if not re.fullmatch(r"[A-Z]\w*", name))


def main():
    schemas = {}
    for path in sorted(SCHEMAS.glob("v2.3/*/*.json")):
        schema = json.loads(path.read_text())
        schemas[f"{path.parent.name}/{path.stem}"] = schema
    if len(schemas) != 4 or any(len(list(folder.glob("*/*.json"))) not in (4, 5) for folder in SCHEMAS.glob("v*")):
        print(f"0 passed, 1 failed: {sorted(schemas)}")
        return 1
    try:
        import jsonschema
    except ImportError:
        print(f"jsonschema is not installed: {len(schemas)} schemas were only read")
        return 0
    problems, seen = list(problems_of_editors()), set()
    for document in documents():
        group, version = document["apiVersion"].rpartition("/")[::2]
        name = f"{group}/{document['kind'].lower()}_{version}"
        if name not in schemas:
            continue
        seen.add(name)
        validator = jsonschema.Draft7Validator(schemas[name])
        problems += [f"{name} {document['metadata']}: {error.json_path}: {error.message}" for error in validator.iter_errors(document)]
        document["spec"]["nonsense"] = 1
        if validator.is_valid(document):
            problems.append(f"{name} takes any field")
    problems += problems_of_descriptions()
    problems += problems_of_names()
    problems += [f"no example of {name}" for name in schemas.keys() - seen]
    print("\n".join(problems))
    print(f"{len(seen)} passed, {len(problems)} failed")
    return 1 if problems else 0


sys.exit(main())
