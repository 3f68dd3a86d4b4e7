#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what the playground offers to open: the jobs of examples/ with their runtimes, and the mistake and the mend of each
rule's page, as JSON: {name: {file: text}}.

usage: playground_examples.py FILE
"""
import json
import pathlib
import re
import sys

import examples

ROOT = pathlib.Path(__file__).resolve().parents[2]


def job_with_runtimes(path, runtimes):
    """The files of a job: its own, and those of the runtimes that it names."""
    text = path.read_text()
    named = set(re.findall(r"^ *runtimeRef:\s*\{?[^}]*?name: *([\w.-]+)", text, re.M))
    used = {name: body for name, body in runtimes.items() if any(re.search(rf"^  name: {re.escape(one)}$", body, re.M) for one in named)}
    return {path.name: text, **used}


def has_own_command(page):
    return page.facts.get("command", "lint") != "lint" or "config" in page.sections or "encoding" in page.facts


def main():
    runtimes = {path.name: path.read_text() for path in sorted((ROOT / "examples/runtimes").glob("*.yaml"))}
    jobs = sorted((ROOT / "examples/jobs").rglob("*.yaml"), key=lambda path: (path.stem != "bert-pretrain", path))
    offered = {f"{path.parent.name}/{path.stem}": job_with_runtimes(path, runtimes) for path in jobs}
    for rule, page in examples.read_pages().items():
        if not page.sections or has_own_command(page) or len(page.manifest("+")) > 20_000:
            continue
        offered[f"rule:{rule}"] = {"job.yaml": page.manifest("+")}
        if page.manifest("-") != page.manifest("+"):
            offered[f"rule:{rule} (mended)"] = {"job.yaml": page.manifest("-")}
    pathlib.Path(sys.argv[1]).write_text(json.dumps(offered, ensure_ascii=False, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
