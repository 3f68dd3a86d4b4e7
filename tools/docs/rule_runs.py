# SPDX-License-Identifier: Apache-2.0
"""Runs the examples of rules."""
import json
import pathlib
import re
import subprocess
import tempfile


def rules(binary):
    """id: (severity, title), in order."""
    said = subprocess.run([binary, "lint", "--list-rules"], capture_output=True, text=True, check=True).stdout
    return {rule: (severity, title) for rule, severity, title in re.findall(r"^(\S+) +(\w+) +(.*)$", said, re.M)}


def explanation(binary, rule):
    """Its title, its stage, and the rest: paragraphs."""
    said = subprocess.run([binary, "lint", "--explain", rule], capture_output=True, text=True, check=True).stdout
    head, title, rest = said.split("\n", 2)
    return title, re.search(r"stage (\w+)", head).group(1), rest.strip("\n")


def run(binary, example, without, arguments):
    """Runs trainjobc on the example's file, which it calls job.yaml."""
    return run_and_read(binary, example, without, arguments)[0]


def fixed(binary, example, flag):
    """The mistake's file after --fix or --fix=all."""
    return run_and_read(binary, example, "+", [*example.command("+"), flag])[1]


def run_and_read(binary, example, without, arguments):
    """The run, and what it leaves of the file."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        # Not lint's or git's: settings of the machine must not matter.
        (folder / ".git").mkdir()
        encoding = example.facts.get("encoding") if without == "+" else None
        (folder / "job.yaml").write_bytes(example.manifest(without).encode(encoding or "utf-8"))
        if "config" in example.sections:
            (folder / ".trainjobc.yaml").write_text(example.config(without))
        (folder / "KEY").write_text("sixteen bytes and more, but no key")
        done = subprocess.run([binary, *arguments, "job.yaml"], cwd=folder, capture_output=True, text=True, check=False)
        return done, (folder / "job.yaml").read_bytes()


def findings(binary, example, without, version=None):
    """Rule: severity. With a version of Trainer: what lint reports for it."""
    arguments = ["lint", "--trainer-version", version] if version else example.command(without)
    if arguments[0] == "lint" and "config" not in example.sections:
        done = run(binary, example, without, [*arguments, "--format", "json"])
        return {one["rule"]: one["severity"] for one in json.loads(done.stdout)["diagnostics"]}
    done = run(binary, example, without, arguments)
    return {rule: severity for severity, rule in re.findall(r"^(?:.*: )?(error|warning|info): .* \[([a-z]+/[a-z0-9-]+)\]$", done.stdout + done.stderr, re.M)}


def text(binary, example):
    """The finding of the mistake, as the command prints it."""
    done = run(binary, example, "+", example.command("+"))
    for part in re.split(r"\n\n+", done.stdout + done.stderr):
        lines = part.split("\n")
        for at, line in enumerate(lines):
            if line.endswith(f"[{example.rule}]"):
                return "\n".join(line if len(line) < 400 else line[:200] + "…" for line in lines[at:]).rstrip()
    return ""
