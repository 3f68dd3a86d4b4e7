#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares how trainjobc and Kubernetes read YAML, on random mutations of real and of odd documents.

usage: yaml_differential.py YAML_READ REFERENCE [COUNT [SEED]]

YAML_READ is the build's yaml_read, REFERENCE the program of yaml_reference/ (`go build`). Prints the kinds of
differences with an example each; those that src/yaml/read/reader.h lists are expected. Last run, seed 2311: 201,756
documents, 369 differences, all of them listed there.
"""

import collections
import json
import pathlib
import random
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BATCH = 2000
PIECES = [
    " ", "  ", "   ", "\n", "\n\n", "\r", "\r\n", "\r\r\n", "\t", "- ", "-", ": ", ":", "? ", "?", ", ", ",", "[", "]", "{", "}",
    "# c", "#", "&a ", "*a", "&a\n", "!!str ", "!!int ", "!x ", "! ", "|", ">", "|-", ">+", "|2", "'", '"', "\\", "\\/", "\\n", "\\x41",
    "<<: ", "<<: *a", "---\n", "...\n", "\n---\n", "%", "@", "`", "~", "null", "true", "no", "0x1f", "1_000", "1e3", ".5", "é", "\u2028",
    "\u0085", "\ufeff", "😀", "a", "a: b", "key: value\n", "- item\n", "  key: |\n    text\n", "[a, b]", "{a: b}", "- - a\n", "''", '""',
]  # fmt: skip
ODD = [
    "a: &x [1]\nb: *x\nc: &y 2\n*y : e\n", "- &a |\n  text\n- &b !!str 5\n- *a\n", "a: {x: 1, 'y': [b, {c: d}], ? z : w}\n",
    "a: >-\n\n  one\n   two\n\n  three\nb: |+\n  x\n\n", "a: \"one\n  two\\\n  three\"\nb: 'it''s\n\n  four'\n", "? x\n: y\n? [a]\n",
    "a: one\n  two\n\n  three # c\nb:\n- c\n-  d\n- - e\n  - f\n", "a: !!binary aGk=\nb: ! 5\nc: !<tag:yaml.org,2002:bool> 'no'\n",
    "a: &a {x: 1}\nb:\n  <<: *a\n  y: 2\nc:\n  <<: [*a, {z: 1}]\n", "[a, [b, c], {d: e}, f: g]\n", "---\na: 1\n---\n# c\n---\nb: 2\n",
]  # fmt: skip


def seeds():
    files = [*ROOT.glob("examples/**/*.yaml"), *ROOT.glob("golden/*/*.yaml"), *ROOT.glob("tests/conformance/v*/*/*/input.yaml")]
    parts = [part for file in sorted(files) for part in file.read_text().split("---\n")]
    return ODD * 40 + [part for part in parts if len(part) < 3000]


def mutated(text, rng):
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5))):
        at = rng.randrange(len(text) + 1)
        kind = rng.randrange(6)
        if kind == 0:
            text = text[:at] + rng.choice(PIECES) + text[at:]
        elif kind == 1:
            text = text[:at] + text[at + rng.randrange(1, 4):]
        elif kind == 2:
            text = text[:at] + rng.choice(PIECES) + text[at + rng.randrange(1, 4):]
        else:
            lines = text.splitlines(keepends=True) or [""]
            line = rng.randrange(len(lines))
            if kind == 3:
                lines[line] = " " * rng.randrange(4) + lines[line]
            elif kind == 4:
                lines[line] = lines[line].removeprefix(" " * rng.randrange(1, 4))
            else:
                lines.insert(line, rng.choice(lines))
            text = "".join(lines)
    return text


def answers(program, texts):
    data = b"".join(b"%d\n%s" % (len(text), text) for text in texts)
    done = subprocess.run([program], input=data, stdout=subprocess.PIPE, check=True).stdout
    return [json.loads(line) for line in done.splitlines()]


def kind_of(ours, theirs):
    if ours["refused"] and theirs["refused"]:
        return None
    if ours["refused"]:
        return "refused here, read there: " + ours["refused"][0].split(": ", 1)[1][:60]
    if theirs["refused"]:
        return "read here, refused there: " + theirs["refused"][0].split("line ", 1)[-1].lstrip("0123456789: ")[:60]
    same = json.dumps(ours["documents"], sort_keys=True) == json.dumps(theirs["documents"], sort_keys=True)
    return None if same else "another value"


def main(ours, theirs, count=20000, seed=1):
    rng = random.Random(int(seed))
    bases = seeds()
    kinds, examples = collections.Counter(), {}
    done = 0
    while done < int(count):
        texts = [mutated(rng.choice(bases), rng) for _ in range(BATCH)]
        texts = [text.encode() for text in texts if not text.lstrip(" \t\r\n\ufeff").startswith("{")]
        for text, mine, reference in zip(texts, answers(ours, texts), answers(theirs, texts)):
            kind = kind_of(mine, reference)
            if kind:
                kinds[kind] += 1
                best = examples.get(kind)
                if best is None or len(text) < len(best[0]):
                    examples[kind] = (text, mine, reference)
        done += len(texts)
    for kind, number in kinds.most_common():
        text, mine, reference = examples[kind]
        print(f"{number} × {kind}\n  {text!r}\n  here  {json.dumps(mine)[:300]}\n  there {json.dumps(reference)[:300]}")
    print(f"{done} documents, {sum(kinds.values())} differences")


if __name__ == "__main__":
    main(*sys.argv[1:])
