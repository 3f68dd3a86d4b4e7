#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The workflows of this repository and of examples/: actionlint finds nothing, what their steps run exists and is good
shell, and the parts of a release that need no build do what they say. The parts that build are scripts in tools/, which
the workflows only call.

usage: workflows_test.py. Without actionlint or shellcheck their part is skipped, with a word.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORKFLOWS = [*sorted((ROOT / ".github/workflows").glob("*.yml")), *sorted((ROOT / "examples/.github/workflows").glob("*.yaml"))]
problems = []


def check(condition, message):
    if not condition:
        problems.append(message)


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)


def steps_of(path):
    for name, job in yaml.safe_load(path.read_text())["jobs"].items():
        for step in job.get("steps", []):
            yield f"{path.relative_to(ROOT)}: {name}", step


def check_actionlint():
    if not shutil.which("actionlint"):
        print("actionlint is not installed: it did not read the workflows")
        return
    done = run("actionlint", "-no-color", *WORKFLOWS)
    check(done.returncode == 0, done.stdout + done.stderr)


def check_script(where, script):
    # An expression is put in before the shell reads the script.
    plain = re.sub(r"\$\{\{.*?\}\}", "expression", script)
    with tempfile.NamedTemporaryFile("w", suffix=".sh") as file:
        file.write("#!/usr/bin/env bash\nset -eo pipefail\n" + plain)
        file.flush()
        done = run("bash", "-n", file.name)
        check(done.returncode == 0, f"{where}: {done.stderr}")
        if shutil.which("shellcheck"):
            done = run("shellcheck", "--shell=bash", "--severity=warning", file.name)
            check(done.returncode == 0, f"{where}: {done.stdout}")
    if where.startswith(".github"):
        check_commands(where, plain)


def check_commands(where, script):
    """What it runs of this repository exists: scripts, tests, targets of the Makefile."""
    for name in re.findall(r"(?<![\w./-])((?:tools|tests|\.ci)/[\w./-]+)", script):
        if "$" in name or name.endswith("/"):
            continue
        path = ROOT / name
        check(path.exists(), f"{where}: there is no {name}")
        if path.is_file() and not path.suffix == ".py":
            check(path.stat().st_mode & 0o111, f"{where}: {name} can't be executed")
    targets = set(re.findall(r"^([\w -]+):", (ROOT / "Makefile").read_text(), re.M))
    targets = {word for names in targets for word in names.split()}
    for line in re.findall(r"^\s*make (.*)$", script, re.M):
        for word in line.split():
            check("=" in word or '"' in word or word in targets, f"{where}: make has no target {word}")


def check_steps():
    checked = 0
    for path in WORKFLOWS:
        for where, step in steps_of(path):
            if "run" in step:
                check_script(where, step["run"])
                checked += 1
            else:
                check(re.search(r"@v\d", step["uses"]), f"{where}: {step['uses']} names no version")
    return checked


def check_rights():
    """Only jobs that publish may write."""
    for path in WORKFLOWS:
        workflow = yaml.safe_load(path.read_text())
        rights = workflow.get("permissions", {})
        check(rights.get("contents") == "read", f"{path.name}: its jobs may write to the repository")


def check_release_notes():
    version = re.search(r"^project\(\S+ VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.M).group(1)
    good = run(sys.executable, ROOT / "tools/release_notes.py", f"v{version}")
    check(good.returncode == 0 and "###" in good.stdout and "[Unreleased]" not in good.stdout, f"release notes: {good}")
    for tag in (version, "v0.0.9"):
        bad = run(sys.executable, ROOT / "tools/release_notes.py", tag)
        check(bad.returncode == 1 and f"the tag must be v{version}" in bad.stderr, f"release notes of {tag}: {bad}")


def check_scripts():
    if not shutil.which("shellcheck"):
        print("shellcheck is not installed: it did not read the scripts")
        return
    scripts = [path for folder in ("tools", "plugin/github", ".ci") for path in sorted((ROOT / folder).iterdir())
               if path.is_file() and re.match(rb"#!.*\b(?:ba)?sh\b", path.read_bytes())]
    done = run("shellcheck", "--severity=warning", *scripts)
    check(done.returncode == 0, done.stdout)


def main():
    checked = check_steps()
    check_actionlint()
    check_rights()
    check_release_notes()
    check_scripts()
    print("\n".join(problems) or f"{checked} steps of {len(WORKFLOWS)} workflows")
    return 1 if problems else 0


sys.exit(main())
