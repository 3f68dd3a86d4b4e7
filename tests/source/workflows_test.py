#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The workflows of this repository and of examples/: actionlint and zizmor find nothing, what their steps run exists and is good
shell, and the parts of a release that need no build do what they say. The parts that build are scripts in tools/, which
the workflows only call.

usage: workflows_test.py. Without actionlint, zizmor or shellcheck their part is skipped, with a word.
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
    return checked


# What they install becomes no part of a release.
NOT_RELEASED = {"python.sh", "site.sh"}


def check_pins():
    """Actions are pinned by commit with the version beside it, images by digest, pip's packages by hash."""
    for path in WORKFLOWS:
        text = path.read_text()
        for used in re.findall(r"uses: (.*)", text):
            pinned = re.fullmatch(r"[\w-]+/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", used)
            check(pinned or used.startswith("trainjobc/trainjobc@v"), f"{path.name}: {used} is not pinned as COMMIT # vX.Y.Z")
        for name, job in yaml.safe_load(text)["jobs"].items():
            container = job.get("container", {})
            image = container if isinstance(container, str) else container.get("image")
            check(not image or re.fullmatch(r"[\w./-]+:\S+@sha256:[0-9a-f]{64}", image), f"{path.name}: {name}: {image} has no digest")
        for line in re.findall(r".*\bpip install.*", text):
            check("--require-hashes" in line, f"{path.name}: pip installs what has no hash: {line.strip()}")
    for path in sorted((ROOT / "tools").rglob("*.sh")):
        for line in re.findall(r".*\bpip\"? .*\binstall .*", path.read_text()):
            pinned = "--require-hashes" in line or "--no-index" in line
            check(pinned or path.name in NOT_RELEASED, f"{path.name}: pip installs what has no hash: {line.strip()}")
    for path in sorted((ROOT / "plugin/argocd").iterdir()):
        for image in re.findall(r"quay\.io/\S+", path.read_text()):
            check(re.fullmatch(r"[\w./-]+:\S+@sha256:[0-9a-f]{64}", image), f"{path.name}: {image} has no digest")
    versions = {}
    for path in WORKFLOWS:
        for action, commit, version in re.findall(r"uses: (\S+)@([0-9a-f]{40}) # (\S+)", path.read_text()):
            versions.setdefault(action, set()).add((commit, version))
    for action, pins in versions.items():
        check(len(pins) == 1, f"{action} has {len(pins)} pins")


# What each job may write: nothing but this, and no job builds with it.
RIGHTS = {
    "ci.yml": {"pages": {"pages", "id-token"}},
    "release.yml": {"attest": {"id-token", "attestations"}, "image": {"packages"}, "attest-image": {"id-token", "attestations"},
                    "publish": {"contents"}},
    "trainjobs.yaml": {"lint": {"security-events"}},
}
OWN = "github.event_name != 'pull_request' || github.event.pull_request.head.repo.full_name == github.repository"


def check_rights():
    """A job has the permissions of its step; a pull request from a fork gets no privileges, secrets or other's code to run."""
    for path in WORKFLOWS:
        text = path.read_text()
        workflow = yaml.safe_load(text)
        check(workflow.get("permissions") == {"contents": "read"}, f"{path.name}: its jobs may do more than read")
        writes = {name: {right for right, level in job["permissions"].items() if level == "write"}
                  for name, job in workflow["jobs"].items() if "permissions" in job}
        check(writes == RIGHTS[path.name], f"{path.name}: its jobs may write {writes}")
        # PyYAML reads the key "on" as True.
        triggers = workflow[True] if isinstance(workflow[True], (dict, list)) else [workflow[True]]
        check(not {"pull_request_target", "workflow_run", "issue_comment"} & set(triggers), f"{path.name}: it runs for {triggers}")
        check("secrets" not in text, f"{path.name}: it reads secrets")
        for name, job in workflow["jobs"].items():
            container = job.get("container", {})
            options = container.get("options", "") if isinstance(container, dict) else ""
            if "privileged" in options and "pull_request" in triggers:
                check(job.get("if") == OWN or options == f"${{{{ ({OWN}) && '--privileged' || '' }}}}",
                      f"{path.name}: {name} is privileged for a fork's pull request")
            for step in job["steps"]:
                if step.get("uses", "").startswith("actions/checkout@"):
                    check(step.get("with", {}).get("persist-credentials") is False, f"{path.name}: {name} keeps the token in .git/config")


def check_zizmor():
    if not shutil.which("zizmor"):
        print("zizmor is not installed: it did not read the workflows")
        return
    done = run("zizmor", "--offline", "--persona=auditor", "--no-progress", "--color=never", "--config", ROOT / ".github/zizmor.yml",
               ROOT / ".github", ROOT / "action.yml", ROOT / "examples/.github")
    check(done.returncode == 0, done.stdout + done.stderr)


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
    check_zizmor()
    check_pins()
    check_rights()
    check_release_notes()
    check_scripts()
    print("\n".join(problems) or f"{checked} steps of {len(WORKFLOWS)} workflows")
    return 1 if problems else 0


sys.exit(main())
