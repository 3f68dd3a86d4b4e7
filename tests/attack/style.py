# SPDX-License-Identifier: Apache-2.0
"""Objects as YAML or JSON, in the ways in which people write them."""
import json
import re

PLAIN = re.compile(r"[A-Za-z/][A-Za-z0-9/._-]*( [A-Za-z0-9/._-]+)*")
NOT_STRINGS = re.compile(r"(?i:y|n|yes|no|on|off|true|false|null|[.](inf|nan))")


def scalar(value, rng):
    if isinstance(value, str) and PLAIN.fullmatch(value) and not NOT_STRINGS.fullmatch(value) and rng.random() < 0.8:
        return value
    if isinstance(value, str) and value.isprintable() and rng.random() < 0.3:
        return "'" + value.replace("'", "''") + "'"
    return json.dumps(value, ensure_ascii=rng.random() < 0.5)


def flow(value, rng):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key) if not PLAIN.fullmatch(key) or NOT_STRINGS.fullmatch(key) else key}: {flow(inner, rng)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(inner, rng) for inner in value) + "]"
    return scalar(value, rng)


class Writer:
    """Block YAML with some flow, comments and indentations; or JSON."""

    def __init__(self, rng):
        self.rng = rng
        self.flow = rng.choice((0, 0, 0.1, 0.4))
        self.comments = rng.choice((0, 0, 0.05, 0.2))
        self.step = rng.choice((2, 2, 2, 4))
        self.list_step = rng.choice((0, 2))
        self.lines = []

    def comment(self, indent):
        if self.rng.random() < self.comments:
            self.lines.append(" " * indent + f"# note {len(self.lines)}")

    def value(self, lead, value, indent):
        """After "key:" or "-"."""
        tail = f"  # tail {len(self.lines)}" if self.rng.random() < self.comments else ""
        if isinstance(value, str) and value.endswith("\n") and value.strip() and value.isascii() and value.replace("\n", "a").isprintable() and value[0] != " ":
            body = value[:-1].split("\n")
            self.lines.append(f"{lead} |" if not value.endswith("\n\n") else f"{lead} |+")
            self.lines += [" " * (indent + self.step) + line if line else "" for line in body]
        elif isinstance(value, (dict, list)) and value and self.rng.random() >= self.flow:
            self.lines.append(lead + tail)
            self.block(value, indent + (self.list_step if isinstance(value, list) else self.step))
        else:
            self.lines.append(f"{lead} {flow(value, self.rng)}{tail}")

    def block(self, value, indent):
        pad = " " * indent
        if isinstance(value, dict):
            for key, inner in value.items():
                self.comment(indent)
                name = key if PLAIN.fullmatch(key) and not NOT_STRINGS.fullmatch(key) else json.dumps(key)
                self.value(f"{pad}{name}:", inner, indent)
            return
        for inner in value:
            self.comment(indent)
            if isinstance(inner, (dict, list)) and inner and self.rng.random() >= self.flow:
                at = len(self.lines)
                self.block(inner, indent + 2)
                if self.lines[at].lstrip().startswith("#"):
                    self.lines.insert(at, pad + "-")
                else:
                    self.lines[at] = pad + "- " + self.lines[at][indent + 2:]
            else:
                self.value(f"{pad}-", inner, indent)


def text_of(items, rng):
    """The documents of a file."""
    if rng.random() < 0.05:
        body = items[0] if len(items) == 1 else {"apiVersion": "v1", "kind": "List", "items": items}
        return json.dumps(body, indent=rng.choice((None, 2))) + "\n"
    texts = []
    for item in items:
        writer = Writer(rng)
        if isinstance(item, (dict, list)) and item:
            writer.block(item, 0)
        else:
            writer.lines.append(flow(item, rng))
        texts.append("\n".join(writer.lines) + "\n")
    text = rng.choice(("", "---\n", "# first\n")) + "---\n".join(texts)
    if rng.random() < 0.03:
        text = text.replace("\n", "\r\n")
    return text


def plain(items):
    """The same each time, for a reader."""
    class Never:
        random = staticmethod(lambda: 0.75)
        choice = staticmethod(lambda values: values[0])
    return "---\n".join(writer_text(item, Never) for item in items)


def writer_text(item, rng):
    writer = Writer(rng)
    if isinstance(item, (dict, list)) and item:
        writer.block(item, 0)
    else:
        writer.lines.append(flow(item, rng))
    return "\n".join(writer.lines) + "\n"
