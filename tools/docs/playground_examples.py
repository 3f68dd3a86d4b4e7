#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what the playground offers to open, as JSON: {"versions": of Trainer, the newest first, "examples": {name: {"files":
{file: text}}}}. The examples are the jobs of examples/ with their runtimes, and the mistake and the mend of each rule's page.
They also have the "version" of Trainer and the "tab" that show the rule, if those that one sees first don't.

usage: playground_examples.py FILE
"""
import json
import pathlib
import re
import sys

import examples

ROOT = pathlib.Path(__file__).resolve().parents[2]


def text_of(path):
    """Without the line for yaml-language-server: it names a file of this machine."""
    return re.sub(r"^# yaml-language-server: .*\n", "", path.read_text(), flags=re.M)


def job_with_runtimes(path, runtimes):
    """The files of a job: its own, and those of the runtimes that it names."""
    text = text_of(path)
    named = set(re.findall(r"^ *runtimeRef:\s*\{?[^}]*?name: *([\w.-]+)", text, re.M))
    used = {name: body for name, body in runtimes.items() if any(re.search(rf"^  name: {re.escape(one)}$", body, re.M) for one in named)}
    return {path.name: text, **used}


LARGEST = 100_000  # characters; objects that are too large for a cluster are too large for an editor


def can_be_tried(page):
    """In a text of a size to read, and with a command and checks that the page has: it has no CEL."""
    has_command = page.facts.get("command", "lint").split()[0] in ("lint", "migrate")
    is_short = page.sections and all(len(page.manifest(without)) <= LARGEST for without in "+-")
    has_cel = "admission-policy" in page.rule or page.rule == "config/expression"
    return bool(is_short) and has_command and not has_cel and "encoding" not in page.facts


def rule_example(page, without):
    """The mistake (without "+") or the mend (without "-")."""
    files = {"job.yaml": page.manifest(without)}
    if "config" in page.sections:
        files[".trainjobc.yaml"] = page.config(without)
    command, *flags = page.command(without)
    example = {"files": files}
    if flags:
        example["version"] = flags[-1]
    if command == "migrate":
        example["tab"] = "migrate"
    return example


def offered_examples():
    """By name: bert-pretrain, which one sees first, the other jobs, the rules."""
    runtimes = {path.name: text_of(path) for path in sorted((ROOT / "examples/runtimes").glob("*.yaml"))}
    jobs = sorted((ROOT / "examples/jobs").rglob("*.yaml"), key=lambda path: (path.stem != "bert-pretrain", path))
    offered = {f"{path.parent.name}/{path.stem}": {"files": job_with_runtimes(path, runtimes)} for path in jobs}
    for rule, page in examples.read_pages().items():
        if can_be_tried(page):
            offered[f"rule:{rule}"] = rule_example(page, "+")
            offered[f"rule:{rule} (mended)"] = rule_example(page, "-")
    return offered


def main():
    versions = [path.stem.removeprefix("v") for path in (ROOT / "schema").glob("v*.json")]
    versions.sort(key=lambda version: ("-" not in version, [int(part) for part in re.findall(r"\d+", version)]), reverse=True)
    text = json.dumps({"versions": versions, "examples": offered_examples()}, ensure_ascii=False, separators=(",", ":"))
    pathlib.Path(sys.argv[1]).write_text(text + "\n")


if __name__ == "__main__":
    main()
