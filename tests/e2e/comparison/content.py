# SPDX-License-Identifier: Apache-2.0

"""Compares live objects with trainjobc's."""

import json

SERVER_METADATA = (
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "managedFields",
    "ownerReferences",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "finalizers",
)
# Go writes these for an empty struct, and nothing reads them.
EMPTY_IS_ABSENT = ("metadata", "resources", "creationTimestamp", "status", "strategy")


def settled(node):
    """Without what says nothing."""
    if isinstance(node, dict):
        items = {key: settled(value) for key, value in node.items() if value is not None}
        return {key: value for key, value in items.items() if not (key in EMPTY_IS_ABSENT and value == {})}
    if isinstance(node, list):
        return [settled(item) for item in node]
    return node


def content(item):
    """What the inputs decide of an object."""
    metadata = {key: value for key, value in item["metadata"].items() if key not in SERVER_METADATA}
    item = {key: value for key, value in item.items() if key != "status"}
    item = settled({**item, "metadata": metadata})
    if item["kind"] == "Secret":
        keys = {**item.get("data", {}), **item.pop("stringData", {})}
        item["data"] = dict.fromkeys(keys, "generated")
        item["type"] = item.get("type", "Opaque")
    return item


def key(item):
    return item["kind"], item["metadata"].get("namespace", "default"), item["metadata"]["name"]


def same_value(live, ours):
    if isinstance(live, bool) or isinstance(ours, bool):
        return live is ours
    return live == ours


def same_variables(live, ours):
    """Trainer's plugins add theirs in a random order, before or after the user's."""
    if not isinstance(live, list) or not isinstance(ours, list):
        return False
    texts = [sorted(json.dumps(variable, sort_keys=True) for variable in env) for env in (live, ours)]
    return texts[0] == texts[1]


def differences(live, ours, path=""):
    """(path, live, ours) for each place; absent is None."""
    if isinstance(live, dict) and isinstance(ours, dict):
        for name in sorted({*live, *ours}):
            step = f"[{name}]" if "." in name or "/" in name else f".{name}"
            yield from differences(live.get(name), ours.get(name), path + step)
    elif path.endswith(".env") and same_variables(live, ours):
        return
    elif isinstance(live, list) and isinstance(ours, list) and len(live) == len(ours):
        for index, (one, other) in enumerate(zip(live, ours)):
            yield from differences(one, other, f"{path}[{index}]")
    elif not same_value(live, ours):
        yield path.removeprefix("."), live, ours


def short(value):
    text = json.dumps(value, sort_keys=True)
    return text if len(text) <= 300 else text[:300] + "…"
