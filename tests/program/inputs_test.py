#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Odd files and folders, read from a real file system: nothing hangs, nothing ends in a signal, and what git ignores
is what git says.

usage: inputs_test.py BINARY. Without git its part is skipped, with a message.
"""
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

BINARY = pathlib.Path(sys.argv[1]).resolve()
JOB = """apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: NAME
spec:
  runtimeRef:
    name: torch-distributed
"""
NOBODY = 65534
problems = []


def check(condition, message):
    if not condition:
        problems.append(message)


def run(*words, cwd, **more):
    return subprocess.run([BINARY, *words], cwd=cwd, capture_output=True, timeout=60, stdin=subprocess.DEVNULL, **more)


def names(folder, *words):
    done = run("render", "-o", "name", *words, cwd=folder)
    return [line.rpartition("/")[2] for line in done.stdout.decode().splitlines()]


def test_links(folder):
    (folder / "jobs/below").mkdir(parents=True)
    (folder / "jobs/a.yaml").write_text(JOB.replace("NAME", "a"))
    (folder / "jobs/below/up").symlink_to("..")
    (folder / "jobs/loop").symlink_to("loop")
    (folder / "jobs/b.yaml").symlink_to("../elsewhere.yaml")
    (folder / "elsewhere.yaml").write_text(JOB.replace("NAME", "b"))
    check(names(folder, "jobs") == ["a", "b"], f"links: {run('render', 'jobs', cwd=folder)}")
    said = run("lint", "-v", "jobs", cwd=folder).stderr.decode()
    check(said == "note: jobs/below/up/ is a link to a folder: skipped\n", f"links with -v: {said}")
    (folder / "jobs/c.yaml").symlink_to("c.yaml")
    done = run("lint", "jobs", cwd=folder)
    check((done.returncode, done.stderr) == (2, b"trainjobc: open jobs/c.yaml: Too many levels of symbolic links\n"),
          f"a link to itself: {done}")


def test_links_out_of_a_repository(folder):
    (folder / "secret.yaml").write_text("a: [secret\n")
    repository = folder / "repository"
    (repository / "jobs/team").mkdir(parents=True)
    (repository / ".git").mkdir()
    (repository / "jobs/a.yaml").write_text(JOB.replace("NAME", "a"))
    (repository / "jobs/team/b.yaml").symlink_to("../../b.yaml")
    (repository / "b.yaml").write_text(JOB.replace("NAME", "b"))
    check(names(repository, "jobs") == ["a", "b"], "a link inside of the repository is not read")
    for target in ("../../../secret.yaml", "/proc/self/environ"):
        link = repository / "jobs/team/c.yaml"
        link.unlink(missing_ok=True)
        link.symlink_to(target)
        for words in (["jobs"], ["jobs/team/c.yaml"], ["."]):
            done = run("lint", *words, cwd=repository)
            said = done.stderr.decode().replace("./", "")
            check((done.returncode, done.stdout, said) ==
                  (2, b"", "trainjobc: open jobs/team/c.yaml: it is a link out of the repository\n"), f"{words}, {target}: {done}")


def test_pipes(folder):
    (folder / "jobs").mkdir()
    (folder / "jobs/a.yaml").write_text(JOB.replace("NAME", "a"))
    os.mkfifo(folder / "jobs/pipe.yaml")
    (folder / "jobs/link.yaml").symlink_to("pipe.yaml")
    check(names(folder, "jobs") == ["a"], "a pipe that is found is not skipped")
    said = run("lint", "-v", "jobs", cwd=folder).stderr.decode()
    check(said == "note: jobs/link.yaml is not a regular file: skipped\nnote: jobs/pipe.yaml is not a regular file: skipped\n",
          f"pipes with -v: {said}")
    for word in ("<(cat jobs/a.yaml)", "/dev/stdin < jobs/a.yaml", "<(cat jobs/a.yaml) jobs"):
        done = subprocess.run(["bash", "-c", f"{BINARY} render -o name {word}"], cwd=folder, capture_output=True, text=True, timeout=60)
        wanted = (1, "") if word.endswith("jobs") else (0, "jobset.jobset.x-k8s.io/a\n")  # the same job twice
        check((done.returncode, done.stdout) == wanted, f"{word}: {done}")


def test_sizes(folder):
    with open(folder / "sparse.yaml", "wb") as sparse:
        sparse.truncate(5 << 30)
    for words in (["sparse.yaml"], ["."], ["/dev/zero"]):
        done = run("lint", *words, cwd=folder)
        check(done.returncode == 2 and b": larger than 128 MiB, which is too large for a manifest\n" in done.stderr, f"{words}: {done}")
    done = subprocess.run(f"{BINARY} lint - < /dev/zero", shell=True, cwd=folder, capture_output=True, timeout=60)
    check((done.returncode, done.stderr) == (2, b"trainjobc: read standard input: larger than 128 MiB, which is too large for a manifest\n"),
          f"an endless standard input: {done}")


def test_names(folder):
    (folder / "jobs").mkdir()
    for name in (b"\xff.yaml", b"a\nb.yaml", b"-c.yaml"):
        with open(os.fsencode(folder / "jobs") + b"/" + name, "w", encoding="utf-8") as file:
            file.write(JOB.replace("NAME", "Bad_"))
    for form in ("text", "json", "sarif", "junit", "github", "gitlab"):
        done = run("lint", "--format", form, "jobs", cwd=folder)
        check(done.returncode == 1 and done.stdout, f"odd names in {form}: {done}")
    for words in (["explain", "-o", "json", "jobs"], ["runtimes", "-o", "json", "--allow-empty", "jobs"], ["migrate", "--diff", "jobs"],
                  ["diff", "--live", "jobs", "--format", "json", "jobs"]):
        done = run(*words, cwd=folder)
        check(0 <= done.returncode <= 2, f"odd names, {words}: {done}")


def test_permissions(folder):
    if os.geteuid() != 0:
        user = {}
    else:
        user = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    binary = folder / "trainjobc"
    shutil.copy(BINARY, binary)
    folder.chmod(0o755)
    jobs = folder / "jobs"
    (jobs / "below").mkdir(parents=True)
    (jobs / "below/a.yaml").write_text(JOB.replace("NAME", "a"))
    for mode, name in ((0o444, "jobs/below"), (0o000, "jobs/below"), (0o444, "jobs"), (0o000, "jobs")):
        (folder / name).chmod(mode)
        for words in (["lint", "jobs"], ["lint", "jobs/below/a.yaml"], ["runtimes", "jobs"], ["migrate", "jobs"]):
            done = subprocess.run([binary, *words], cwd=folder, capture_output=True, text=True, timeout=60, **user)
            check(done.returncode == 2 and done.stderr.endswith(": Permission denied\n"), f"{name} of mode {mode:o}, {words}: {done}")
        (folder / name).chmod(0o755)


def random_ignores(source):
    words = ["a", "b", "ab", "*", "?", "**", "[ab]", "a*", "*.yaml", "a.yaml", "b.yaml", "\\a", "[!a]"]
    lines = []
    for _ in range(source.randint(1, 5)):
        pattern = "/".join(source.choice(words) for _ in range(source.randint(1, 3)))
        lines.append(source.choice(["", "", "!"]) + source.choice(["", "", "/"]) + pattern + source.choice(["", "", "/", "  "]))
    return "\n".join(lines) + source.choice(["", "\n", "\r\n"])


def test_gitignore_is_gits(folder):
    if not shutil.which("git"):
        print("git is not installed: .gitignore was not compared")
        return
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    source = random.Random(1)
    for case in range(60):
        root = folder / str(case)
        folders = [root / name for name in ("", "a", "a/b", "a/a", "b", "b/ab", "ab/a/b")]
        for below in folders:
            below.mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "init", "-q", root], check=True, env=environment)
        files = {}
        for below in folders:
            for name in ("a.yaml", "b.yaml", "ab.yaml"):
                files[str((below / name).relative_to(root))] = f"n{len(files)}"
                (below / name).write_text(JOB.replace("NAME", files[str((below / name).relative_to(root))]))
        ignores = {below / ".gitignore": random_ignores(source) for below in source.sample(folders, source.randint(1, 3))}
        ignores[root / ".git/info/exclude"] = random_ignores(source)
        for path, text in ignores.items():
            path.write_text(text)
        listed = subprocess.run(["git", "ls-files", "-o", "--exclude-standard", "-z"], cwd=root, env=environment, capture_output=True, text=True, check=True)
        wanted = sorted(files[name] for name in listed.stdout.split("\0") if name in files)
        got = sorted(names(root, "--allow-empty", "."))
        check(got == wanted, f"git reads {wanted}, trainjobc {got} under {[(str(path), text) for path, text in ignores.items()]}")


def main():
    tests = [value for name, value in globals().items() if name.startswith("test_")]
    passed = 0
    for test in tests:
        before = len(problems)
        with tempfile.TemporaryDirectory() as name:
            test(pathlib.Path(name))
        passed += len(problems) == before
    print("\n".join(problems))
    print(f"{passed} passed, {len(problems)} failed")
    return 1 if problems else 0


sys.exit(main())
