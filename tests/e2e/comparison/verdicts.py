# SPDX-License-Identifier: Apache-2.0

"""Splits the messages of API servers, webhooks and controllers into fields."""

import dataclasses
import json
import re

TYPES = (
    "Invalid value|Required value|Duplicate value|Unsupported value|Forbidden|Too many|Too long|Not found|"
    "Internal error|Too few"
)
FIELD = re.compile(rf"(?:^|[\s\[,])((?:spec|metadata)(?:\.[\w-]+|\[[^\]]*\])*): (?:{TYPES})")
UNKNOWN = re.compile(r'(?:unknown|duplicate) field "([^"]+)"')
NOT_YET = "must be created before the TrainJob is created"
# What a controller says of a race with another, and tries again.
PASSING = (
    "the object has been modified",
    "already exists",
    "context canceled",
    '" not found',
    "is forbidden: unable to create new content in namespace",
    "connection refused",
)


@dataclasses.dataclass
class Verdict:
    allowed: bool
    fields: tuple = ()
    text: str = ""
    warnings: tuple = ()


def fields_in(text):
    return tuple(sorted({*FIELD.findall(text), *UNKNOWN.findall(text)}))


def of_answer(status, answer, warnings):
    """The API server's answer to a create."""
    if status < 300:
        return Verdict(True, warnings=tuple(warnings))
    text = answer.get("message", "")
    causes = (answer.get("details") or {}).get("causes") or []
    named = {cause["field"] for cause in causes if cause.get("field") not in (None, "", "<nil>")}
    return Verdict(False, tuple(sorted(named)) or fields_in(text), text, tuple(warnings))


def lasts(text):
    return not any(mark in text for mark in PASSING)


def logged_errors(log):
    """What a controller's log, in JSON, says of the objects that it was at work on: (namespace, name) → texts."""
    found = {}
    for line in log.splitlines():
        if '"level":"error"' not in line:
            continue
        row = json.loads(line)
        lines = [part for part in row.get("error", "").split("\n") if part and lasts(part)]
        if lines and "name" in row:
            found.setdefault((row.get("namespace", ""), row["name"]), {}).update(dict.fromkeys(lines))
    return {identity: list(texts) for identity, texts in found.items()}
