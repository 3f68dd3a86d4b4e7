#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a checkout of Kubeflow Trainer changes for trainjobc, against the newest version here or --against.

    git clone https://github.com/kubeflow/trainer && tools/trainer_changes.py trainer
    tools/trainer_changes.py trainer --against 2.2

Prints, from the CRDs: kinds and fields that are new, gone or different, with their limits, defaults and CEL rules, and
whether the code knows each rule; from manifests/base/runtimes: how the catalogue differs; from the Go sources: string
constants that trainjobc does not contain. CONTRIBUTING.md says where each of them goes. Needs PyYAML.
"""

import argparse
import json
import pathlib
import re
import sys

import yaml

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import import_schema  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[1]
GROUP = "trainer.kubeflow.org"
# Where the constants are that decide what is created.
SOURCES = ("pkg/constants", "pkg/apis/trainer/v1alpha1", "pkg/runtime/framework/plugins", "pkg/statusserver")
ADDED_LABEL = "trainer.kubeflow.org/webhook-validation"  # by the overlay that installs the runtimes
KEPT = tuple(keyword for keyword in import_schema.SCALARS if keyword not in ("required", "anyOf"))


def version_key(name):
    return [int(part) for part in re.findall(r"\d+", name)]


def facts_of(schema, required=False):
    facts = {keyword: schema[keyword] for keyword in KEPT if keyword in schema}
    if required:
        facts["required"] = True
    return facts


def flatten(schema, path, out, required=False):
    """path: facts, for a schema of a CRD and all below it. Metadata is the API server's."""
    out[path] = facts_of(schema, required)
    needed = schema.get("required", [])
    for name, below in schema.get("properties", {}).items():
        if (path, name) != ("", "metadata"):
            flatten(below, f"{path}.{name}".lstrip("."), out, name in needed)
    if "items" in schema:
        flatten(schema["items"], path + "[]", out)
    if isinstance(schema.get("additionalProperties"), dict):
        flatten(schema["additionalProperties"], path + "{}", out)


def expanded(nodes, name):
    """A schema of schema/vX.Y.json as in the CRD."""
    node = dict(nodes[name])
    if "properties" in node:
        node["properties"] = {key: expanded(nodes, value[0]) for key, value in node["properties"].items()}
    for key in ("items", "additionalProperties"):
        if key in node:
            node[key] = expanded(nodes, node[key])
    return node


def known_kinds(version):
    facts = json.loads((ROOT / f"schema/v{version}.json").read_text())
    kinds = {}
    for kind, row in facts["kinds"].items():
        if row.get("group") == GROUP:
            kinds[kind] = {}
            flatten(expanded(facts["nodes"], row["node"]), "", kinds[kind])
    return kinds


def new_kinds(checkout):
    crds, _ = import_schema.read_crds(checkout / "manifests/base/crds")
    kinds = {}
    for kind, crd in crds.items():
        if crd["group"] == GROUP:
            kinds[kind] = {}
            flatten(crd["schema"], "", kinds[kind])
    return kinds


def rule_words(rule, known):
    text = re.sub(r"\s+", " ", rule["rule"])
    return f"{text}{'' if text in known else '   (not in a schema here)'}"


def print_facts(mark, path, facts, known):
    words = {key: value for key, value in facts.items() if key != "x-kubernetes-validations"}
    print(f"  {mark} {path or '(object)'}  {json.dumps(words, sort_keys=True) if words else ''}".rstrip())
    for rule in facts.get("x-kubernetes-validations", []):
        print(f"      rule: {rule_words(rule, known)}")


def print_field_changes(old, new, known):
    same = True
    hidden = ()
    for path in sorted(old.keys() | new.keys()):
        if hidden and path.startswith(hidden):
            continue
        if path not in old or path not in new:
            same = False
            # What is below a new field is new.
            hidden = (path + ".", path + "[", path + "{")
            print_facts("+" if path in new else "-", path, new.get(path, old.get(path)), known)
        elif old[path] != new[path]:
            same = False
            for mark, facts, other in (("-", old[path], new[path]), ("+", new[path], old[path])):
                changed = {key: value for key, value in facts.items() if other.get(key) != value}
                print_facts(mark, path, changed, known)
    return same


def print_crds(version, checkout):
    old, new = known_kinds(version), new_kinds(checkout)
    known = {re.sub(r"\s+", " ", rule["rule"])
             for kind in old.values() for facts in kind.values() for rule in facts.get("x-kubernetes-validations", [])}  # fmt: skip
    for kind in sorted(old.keys() | new.keys()):
        if kind not in new:
            print(f"{kind}: gone")
        elif kind not in old:
            print(f"{kind}: new")
            for path, facts in new[kind].items():
                if path.count("[]") < 4 and not path.startswith(("status", "spec.trainJobTemplate.spec.")):
                    print_facts("+", path, facts, known)
        else:
            print(f"{kind}:")
            if print_field_changes(old[kind], new[kind], known):
                print("  the same")


def runtimes_in(folder):
    """name: (labels, spec without the tags of images, images)."""
    runtimes = {}
    for path in sorted(folder.rglob("*.yaml")):
        for document in yaml.safe_load_all(path.read_text()):
            if document and document.get("kind") == "ClusterTrainingRuntime":
                text = json.dumps(document["spec"], sort_keys=True)
                images = sorted(set(re.findall(r'"(?:image|value)": "([^"]*/[^"]*)"', text)))
                spec = re.sub(r'(ghcr\.io/kubeflow/[^":]*)(:[^"]*)?"', r'\1"', text)
                labels = document["metadata"].get("labels", {})
                labels.pop(ADDED_LABEL, None)
                runtimes[document["metadata"]["name"]] = (labels, json.loads(spec), images)
    return runtimes


def differences(old, new, path=""):
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            yield from differences(old.get(key), new.get(key), f"{path}.{key}".lstrip("."))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from differences(one, other, f"{path}[{index}]")
    elif old != new:
        yield f"{path}: {json.dumps(old)} -> {json.dumps(new)}"


def print_catalogue(version, checkout):
    old = runtimes_in(ROOT / f"templates/v{version}")
    new = runtimes_in(checkout / "manifests/base/runtimes")
    for name in sorted(old.keys() | new.keys()):
        if name not in old or name not in new:
            print(f"{name}: {'new' if name in new else 'gone'}")
            continue
        found = [f"labels {line}" for line in differences(old[name][0], new[name][0])]
        found += differences(old[name][1], new[name][1])
        print(f"{name}: {'the same, but for tags' if not found else ''}".rstrip())
        for line in found:
            print(f"  {line}")


def print_constants(checkout):
    ours = "\n".join(path.read_text() for folder in ("src", "rules") for path in sorted((ROOT / folder).rglob("*.*")))
    seen = set()
    for folder in SOURCES:
        for path in sorted((checkout / folder).rglob("*.go")):
            if path.name.endswith("_test.go") or path.name.startswith("zz_generated"):
                continue
            for name, text in re.findall(r'^\s*(?:const\s+)?(\w+)(?:\s+[\w.]+)?\s*=\s*"([^"]{3,})"', path.read_text(), re.M):
                if text not in ours and text not in seen:
                    seen.add(text)
                    print(f"{path.relative_to(checkout)}: {name} = {text}")


def main():
    parser = argparse.ArgumentParser(description="Prints what a checkout of Trainer changes for trainjobc.")
    parser.add_argument("checkout", type=pathlib.Path, help="of github.com/kubeflow/trainer")
    versions = sorted((path.stem[1:] for path in (ROOT / "schema").glob("v*.json")), key=version_key)
    parser.add_argument("--against", default=versions[-1], choices=versions, help="the version here [the newest]")
    options = parser.parse_args()
    if not (options.checkout / "manifests/base/crds").is_dir():
        sys.exit(f"trainer_changes: {options.checkout} has no manifests/base/crds")
    print(f"# CRDs, against {options.against}: schema/, src/schema/cel.cpp")
    print_crds(options.against, options.checkout)
    print(f"\n# Runtimes, against {options.against}: templates/")
    print_catalogue(options.against, options.checkout)
    print("\n# Constants that are not in src/: src/model/trainer_names.h, src/policy/plugins/")
    print_constants(options.checkout)


if __name__ == "__main__":
    main()
