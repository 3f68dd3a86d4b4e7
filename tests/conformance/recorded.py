# SPDX-License-Identifier: Apache-2.0

"""The recorded cases, and the forms in which what was recorded and what trainjobc says are compared."""

import json
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
# Go's encoders write these even if they are empty; an empty one says what an absent one says.
EMPTY_IS_ABSENT = {"metadata", "resources", "creationTimestamp", "status", "strategy"}


class Case:
    def __init__(self, folder):
        self.folder = folder
        self.name = folder.relative_to(HERE).as_posix()
        self.version = folder.parts[len(HERE.parts)].removeprefix("v")
        self.manifest = str(folder / "input.yaml")
        self.expected = self.read("expected")

    def read(self, name):
        file = self.folder / f"{name}.json"
        return json.loads(file.read_text()) if file.exists() else None


def cases():
    return [Case(file.parent) for file in sorted(HERE.glob("v*/*/*/expected.json"))]


def identity(object_):
    metadata = object_["metadata"]
    return object_["kind"], metadata.get("namespace") or "default", metadata["name"]


def without_empty(value):
    if isinstance(value, list):
        return [without_empty(item) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {key: without_empty(item) for key, item in value.items() if item is not None}
    return {key: item for key, item in kept.items() if not (key in EMPTY_IS_ABSENT and item == {})}


def mask_data(object_):
    """Keys are random, and the text of Flux's scripts is the controller's own code."""
    if object_["kind"] == "Secret":
        keys = {**object_.get("data", {}), **object_.pop("stringData", {})}
        object_["data"] = {key: "<generated>" for key in keys}
    elif object_["kind"] == "ConfigMap":
        data = object_.get("data", {})
        object_["data"] = {k: "<script>" if k.endswith(".sh") and v.strip() else v for k, v in data.items()}


def comparable(object_):
    """An object as it is compared: the namespace `default` and a claim's default retention are left out."""
    object_ = without_empty(object_)
    mask_data(object_)
    if object_["metadata"].get("namespace") == "default":
        del object_["metadata"]["namespace"]
    if object_["kind"] == "JobSet":
        for policy in object_.get("spec", {}).get("volumeClaimPolicies") or []:
            if policy.get("retentionPolicy") == {"whenDeleted": "Delete"}:
                del policy["retentionPolicy"]
    return object_


def difference(want, got, path=""):
    """The first place where two values differ, as text; None where they are equal."""
    if isinstance(want, dict) and isinstance(got, dict):
        for key in sorted(want.keys() | got.keys()):
            found = difference(want.get(key, "<absent>"), got.get(key, "<absent>"), f"{path}.{key}")
            if found:
                return found
        return None
    if isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        for index, (wanted, item) in enumerate(zip(want, got)):
            found = difference(wanted, item, f"{path}[{index}]")
            if found:
                return found
        return None
    same = want == got and isinstance(want, bool) == isinstance(got, bool)
    return None if same else f"{path}: want {json.dumps(want)[:200]}, got {json.dumps(got)[:200]}"
