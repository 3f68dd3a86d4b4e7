#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What users of Kubernetes tools expect of any command line, tried on the binary; tests/docs/conventions.md has the list,
and each test that it names must be there.

usage: conventions_test.py BINARY
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = str(pathlib.Path(sys.argv[1]).resolve())
JOB = """apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: NAME
spec:
  runtimeRef:
    name: torch-distributed
"""
INITIALIZE = 'Content-Length: 73\r\n\r\n{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"a": [2]}}'
RESOURCES = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n"
# What makes each command print to stdout; a new command needs a line here.
PRINTING = {
    "render": (["a.yaml"], ""),
    "lint": (["bad.yaml"], ""),
    "explain": (["a.yaml"], ""),
    "plan": (["a.yaml"], ""),
    "graph": (["a.yaml"], ""),
    "compose": (["a.yaml"], ""),
    "diff": (["--live", "live.yaml", "a.yaml"], ""),
    "migrate": (["--to", "2.3", "-"], JOB.replace("NAME", "a")),
    "submit": (["--help"], ""),
    "new": (["torch", "--name", "a", "--", "torchrun", "a.py"], ""),
    "lsp": ([], INITIALIZE),
    "function": ([], RESOURCES),
    "runtimes": ([], ""),
    "policies": (["--help"], ""),
    "kustomize-config": ([], ""),
    "webhook": (["--help"], ""),
    "schema": (["TrainJob"], ""),
    "completion": (["bash"], ""),
    "version": ([], ""),
}
problems = []


def check(condition, message):
    if not condition:
        problems.append(message)


def run(*arguments, text="", cwd=None, **variables):
    return subprocess.run([BINARY, *arguments], input=text, cwd=cwd, env={**os.environ, **variables},
                          capture_output=True, text=True)


def commands():
    text = run("--help").stdout.split("\nCommands:\n")[1].split("\n\n")[0]
    return re.findall(r"^  ([a-z-]+) ", text, re.M)


def test_lost_output_never_ends_in_0(folder):
    for command in commands():
        check(command in PRINTING, f"conventions_test.py: PRINTING lacks {command}")
        arguments, text = PRINTING.get(command, (["--help"], ""))
        good = run(command, *arguments, text=text, cwd=folder)
        check(good.stdout and good.returncode in (0, 1), f"{command} prints nothing: {good}")
        with open("/dev/full", "w", encoding="utf-8") as full:
            lost = subprocess.run([BINARY, command, *arguments], input=text, cwd=folder, stdout=full, stderr=subprocess.PIPE, text=True)
        check(lost.returncode > 1, f"{command} on a full disk ends with {lost.returncode}")
        reader, writer = os.pipe()
        os.close(reader)
        closed = subprocess.run([BINARY, command, *arguments], input=text, cwd=folder, stdout=writer, stderr=subprocess.PIPE, text=True)
        os.close(writer)
        check(closed.returncode not in (0, 1), f"{command} into a closed pipe ends with {closed.returncode}")


def test_inputs(folder):
    tree = folder / "tree"
    (tree / "below").mkdir(parents=True)
    for name in ("a.yaml", "b.yml", "c.txt", ".d.yaml", "below/e.yaml"):
        (tree / name).write_text(JOB.replace("NAME", pathlib.Path(name).stem.strip(".")))
    (tree / "f.json").write_text('{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "trainer.kubeflow.org/v1alpha1", '
                                 '"kind": "TrainJob", "metadata": {"name": "f"}, "spec": {"runtimeRef": {"name": "torch-distributed"}}}]}')
    names = lambda *words: re.findall(r"/(\w)$", run("render", "-o", "name", *words, cwd=folder).stdout, re.M)
    check(names("tree") == ["a", "b", "e", "f"], f"a directory: {names('tree')}")
    check(names("-R", "tree") == ["a", "b", "e", "f"], f"-R: {names('-R', 'tree')}")
    check(names("--no-recursive", "tree") == ["a", "b", "f"], f"--no-recursive: {names('--no-recursive', 'tree')}")
    check(names("tree/c.txt") == ["c"], "a file that is named counts, whatever it is called")
    piped = run("render", "-o", "name", "-", text=JOB.replace("NAME", "p"))
    check(piped.stdout == "jobset.jobset.x-k8s.io/p\n", f"-: {piped}")
    missing = run("render", "nowhere.yaml", cwd=folder)
    check((missing.returncode, missing.stdout, missing.stderr) == (2, "", "trainjobc: open nowhere.yaml: No such file or directory\n"),
          f"a file that isn't there: {missing}")
    twice = run("lint", "-", text="a: 1\na: 2\n")
    check(twice.returncode == 1 and twice.stdout.startswith("<stdin>:2:1: error: "), f"a duplicate key: {twice}")


def test_the_same_bytes_everywhere(folder):
    arguments = ["render", "--ssh-key", "seed:seed", "--config", "examples/.trainjobc.yaml"]
    (folder / "seed").write_text("long enough for a seed")
    (folder / "examples").symlink_to(ROOT / "examples")
    first = run(*arguments, "examples/jobs", cwd=folder)
    check(first.returncode == 0 and first.stdout.count("\nkind: JobSet\n") == 14, f"the examples: {first.returncode} {first.stderr}")
    for variables in ({"TZ": "Asia/Kolkata"}, {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"}, {"HOME": "/nonexistent"}):
        check(run(*arguments, "examples/jobs", cwd=folder, **variables).stdout == first.stdout, f"another output under {variables}")
    folders = sorted(path.name for path in (ROOT / "examples/jobs").iterdir())
    for order in (folders, folders[::-1]):
        paths = [f"examples/jobs/{name}" for name in order]
        check(run(*arguments, "--threads", "1", *paths, cwd=folder).stdout == first.stdout, f"another output for {order}")
    for document in yaml.safe_load_all(first.stdout):
        check({"apiVersion", "kind", "metadata"} <= document.keys() and "status" not in document, f"not a manifest: {document}")
        extra = document["metadata"].keys() - {"name", "namespace", "labels", "annotations"}
        check(not extra, f"metadata of {document['metadata']['name']} has {extra}")


def test_owner(folder):
    owned = JOB.replace("  name: NAME\n", "  name: a\n  uid: 6e1b\n")
    flag = "--owner-references"
    check("ownerReferences" not in run("render", flag, "-", text=JOB.replace("NAME", "a")).stdout, "an owner reference without a uid")
    check("ownerReferences" not in run("render", "-", text=owned).stdout, "an owner reference that nobody asked for")
    check("ownerReferences" in run("render", flag, "-", text=owned).stdout, "no owner reference for an object with a uid")
    check(flag in (ROOT / "docs/limits.md").read_text(), "docs/limits.md doesn't say when owner references are written")


def test_statuses(folder):
    for command, statuses in {"render": (0, 1, 2), "lint": (0, 1, 2)}.items():
        got = tuple(run(command, *words, cwd=folder).returncode for words in (["a.yaml"], ["bad.yaml"], ["--nonsense"]))
        check(got == statuses, f"{command}: {got}")
    same = run("render", "--with-defaults", "a.yaml", cwd=folder).stdout
    (folder / "same.yaml").write_text(same)
    diff = lambda *words: run("diff", *words, cwd=folder, PATH="").returncode
    got = (diff("--live", "same.yaml", "a.yaml"), diff("--live", "live.yaml", "a.yaml"), diff("--nonsense"), diff("a.yaml"))
    check(got[:2] == (0, 1) and min(got[2:]) > 1, f"diff: {got}")
    (folder / "config.yaml").write_text("failOm: warning\n")
    config = run("lint", "--config", "config.yaml", "a.yaml", cwd=folder)
    check(config.returncode == 2 and config.stderr.startswith("config.yaml:1:1: error: "), f"an unknown setting: {config}")


def test_list_names_tests_that_exist(folder):
    tests = "\n".join(path.read_text() for path in (ROOT / "tests").rglob("*") if path.suffix in (".cpp", ".py"))
    rows = re.findall(r"^\| (\d+) \|.*\|(.*)\|$", (ROOT / "tests/docs/conventions.md").read_text(), re.M)
    check([int(number) for number, _ in rows] == list(range(1, 39)), "conventions.md does not count from 1 to 38")
    for number, where in rows:
        named = re.findall(r"`([^`]+)`", where)
        check(named, f"conventions.md {number} names no test")
        for name in named:
            check((ROOT / "tests" / name).exists() or (ROOT / name).exists() or f'TEST_CASE("{name}")' in tests or f"def {name}(" in tests,
                  f"conventions.md {number}: there is no {name}")


def main():
    tests = [value for name, value in globals().items() if name.startswith("test_")]
    passed = 0
    for test in tests:
        before = len(problems)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "a.yaml").write_text(JOB.replace("NAME", "a"))
            (folder / "bad.yaml").write_text(JOB.replace("NAME", "Bad_"))
            (folder / "live.yaml").write_text("apiVersion: v1\nkind: List\nitems: []\n")
            test(folder)
        passed += len(problems) == before
    print("\n".join(problems))
    print(f"{passed} passed, {len(problems)} failed")
    return 1 if problems else 0


sys.exit(main())
