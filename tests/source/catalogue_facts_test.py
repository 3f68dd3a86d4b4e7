#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check templates/, the built-in runtime catalogue, by itself and against the released runtimes.

usage: catalogue_facts_test.py [FACTS]

FACTS is a folder of v<version>/*.yaml, by default ../shared/catalogue beside the repository; where it is missing,
only the checks that need no facts are made. Exit status 1 if a check fails.
"""
import json
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = ROOT / "templates"
FRAMEWORK = "trainer.kubeflow.org/framework"
UNLABELLED = {("v2.0", "mpi-distributed")}


class StrictLoader(yaml.SafeLoader):
    """YAML 1.1 with its types; a duplicate key is an error, as it is for kubectl."""

    def construct_mapping(self, node, deep=False):
        seen = set()
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.constructor.ConstructorError(None, None, f'duplicate key "{key.value}"', key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


def documents(path):
    return [d for d in yaml.load_all(path.read_text(encoding="utf-8"), StrictLoader) if d is not None]


def canonical(document):
    """Text that tells 1, "1" and true apart, which == on Python values does not."""
    return json.dumps(document, sort_keys=True, default=repr)


def first_difference(want, got, path=""):
    if isinstance(want, dict) and isinstance(got, dict):
        for key in sorted(want.keys() | got.keys(), key=str):
            if key not in got or key not in want:
                return f"{path}.{key}: {'missing' if key not in got else 'unexpected'}"
            if canonical(want[key]) != canonical(got[key]):
                return first_difference(want[key], got[key], f"{path}.{key}")
    if isinstance(want, list) and isinstance(got, list):
        for i, (a, b) in enumerate(zip(want, got)):
            if canonical(a) != canonical(b):
                return first_difference(a, b, f"{path}[{i}]")
        return f"{path}: want {len(want)} items, got {len(got)}"
    return f"{path}: want {want!r}, got {got!r}"


def images(node):
    """Every text under a key `image`."""
    if isinstance(node, dict):
        for key, value in node.items():
            yield from [value] if key == "image" and isinstance(value, str) else images(value)
    elif isinstance(node, list):
        for value in node:
            yield from images(value)


def own_problem(version, path):
    """What is wrong with a template file by itself, or None."""
    try:
        found = documents(path)
    except yaml.YAMLError as error:
        return str(error)
    if len(found) != 1:
        return f"want one document, got {len(found)}"
    if not isinstance(found[0], dict) or found[0].get("kind") != "ClusterTrainingRuntime":
        return "not a ClusterTrainingRuntime"
    metadata = found[0].get("metadata") or {}
    name = metadata.get("name")
    if name != path.stem:
        return f"the runtime is named {name!r}"
    want = None if (version, name) in UNLABELLED else name.split("-")[0]
    # Trainer installs its runtimes with the image tags of the release.
    untagged = [image for image in images(found[0]) if ":" not in image.rsplit("/", 1)[-1]]
    if untagged:
        return f"images without a tag: {untagged}"
    label = (metadata.get("labels") or {}).get(FRAMEWORK)
    return None if label == want else f"label {FRAMEWORK}: want {want!r}, got {label!r}"


def own_problems():
    """(what was checked, problem or None) for each file of templates/; those of templates/new are of another kind."""
    for path in sorted(p for p in TEMPLATES.rglob("*") if p.is_file() and p.parent.name != "new"):
        relative = path.relative_to(ROOT)
        if path.parent.parent != TEMPLATES or path.suffix != ".yaml":
            yield f"{relative}", "only v<version>/<runtime>.yaml belongs here"
        else:
            yield f"{relative}", own_problem(path.parent.name, path)


def runtimes(version_folder):
    return {d["metadata"]["name"]: d for path in sorted(version_folder.glob("*.yaml")) for d in documents(path)}


def fact_problems(facts):
    """(what was checked, problem or None) for each version and each runtime of the facts."""
    # Nothing is released of a preview.
    versions = sorted({p.name for folder in (facts, TEMPLATES) for p in folder.glob("v*") if p.is_dir() and "-" not in p.name})
    for version in versions:
        want, got = runtimes(facts / version), runtimes(TEMPLATES / version)
        missing, extra = sorted(want.keys() - got.keys()), sorted(got.keys() - want.keys())
        yield f"{version}: set of runtimes", f"missing {missing}, unexpected {extra}" if missing or extra else None
        for name in sorted(want.keys() & got.keys()):
            same = canonical(want[name]) == canonical(got[name])
            yield f"{version}/{name}: facts", None if same else first_difference(want[name], got[name])


def main():
    facts = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT.parent / "shared" / "catalogue"
    results = list(own_problems())
    if not results:
        results.append(("templates", "no file found"))
    if not facts.is_dir():
        print(f"skipped the comparison with the released runtimes: {facts} is missing")
    elif all(problem is None for _, problem in results):
        results += fact_problems(facts)
    else:
        print("skipped the comparison with the released runtimes until the files themselves are right")
    failures = [(what, problem) for what, problem in results if problem is not None]
    for what, problem in failures:
        print(f"{what}: {problem}")
    print(f"{len(results) - len(failures)} passed, {len(failures)} failed")
    return 1 if failures else 0


sys.exit(main())
