#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What trainjobc does to files and processes that are not its own: modes, owners, links and edits survive, nothing is
removed outside --output-dir, no temporary file and no kubectl process is left.

usage: files_test.py BINARY
"""
import os
import pathlib
import signal
import stat
import subprocess
import sys
import tempfile
import time

BINARY = str(pathlib.Path(sys.argv[1]).resolve())
JOB = """apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: NAME
spec:
  runtimeRef:
    name: RUNTIME
"""
BAD = JOB.replace("NAME", "bert").replace("RUNTIME", "torch-distributed") + """  trainer:
    env:
    - {name: DEBUG, value: yes}
"""
FIXED = BAD.replace("yes}", '"yes"}')
OLD = JOB.replace("NAME", "bert").replace("RUNTIME", "torch-distributed") + """  labels:
    team: a
"""
JOB_SET = "jobset.x-k8s.io_v1alpha2_jobset_%s.yaml"
# Starts a program of its own, says who both are, and never ends by itself.
KUBECTL = """#!/bin/sh
sleep 300 &
echo "$$ $!" > "$PIDS.new"
mv "$PIDS.new" "$PIDS"
wait
"""
problems = []


def check(condition, message):
    if not condition:
        problems.append(message)


def job(name, runtime="torch-distributed"):
    return JOB.replace("NAME", name).replace("RUNTIME", runtime)


def run(folder, *arguments, umask=-1, **variables):
    return subprocess.run([BINARY, *arguments], cwd=folder, env={**os.environ, **variables}, capture_output=True,
                          text=True, umask=umask, timeout=60)


def mode(path):
    return oct(stat.S_IMODE(path.lstat().st_mode))


def names(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())


def test_new_files_respect_the_umask(folder):
    (folder / "a.yaml").write_text(job("a", "deepspeed-distributed"))
    for umask, expected in ((0o022, "0o644"), (0o002, "0o664"), (0o077, "0o600")):
        out = folder / f"out{umask}"
        done = run(folder, "render", "--output-dir", str(out), "--prune-output", "a.yaml", umask=umask)
        modes = {path.name: mode(path) for path in out.iterdir()}
        check(done.returncode == 0 and modes.pop("v1_secret_a-mpi-ssh-auth.yaml") == "0o600", f"a Secret: {done} {modes}")
        check(len(modes) == 3 and set(modes.values()) == {expected}, f"umask {umask:o}: {modes}")
        run(folder, "lint", "--format", "json", "--output", f"report{umask}", "a.yaml", umask=umask)
        check(mode(folder / f"report{umask}") == expected, f"a report with umask {umask:o}")


def test_an_output_keeps_its_mode_but_a_secret_loses_readers(folder):
    (folder / "a.yaml").write_text(job("a", "deepspeed-distributed"))
    run(folder, "render", "--output-dir", "out", "a.yaml")
    for path in (folder / "out").iterdir():
        path.chmod(0o660)
    run(folder, "render", "--output-dir", "out", "a.yaml")
    modes = {path.name: mode(path) for path in (folder / "out").iterdir()}
    check(modes.pop("v1_secret_a-mpi-ssh-auth.yaml") == "0o600" and set(modes.values()) == {"0o660"}, f"modes: {modes}")


def test_a_fixed_file_keeps_mode_owner_and_link(folder):
    file = folder / "a.yaml"
    file.write_text(BAD)
    file.chmod(0o750)
    if os.getuid() == 0:
        os.chown(file, 1234, 2345)
    (folder / "link.yaml").symlink_to("a.yaml")
    os.link(file, folder / "hard")
    done = run(folder, "lint", "--fix", "link.yaml", umask=0o077)
    status = file.stat()
    check(done.returncode == 0 and file.read_text() == FIXED and mode(file) == "0o750", f"--fix: {done} {mode(file)}")
    check(os.getuid() != 0 or (status.st_uid, status.st_gid) == (1234, 2345), f"--fix changed the owner: {status}")
    check((folder / "link.yaml").is_symlink(), "--fix replaced a symbolic link")
    check((folder / "hard").read_text() == BAD, "--fix wrote through a hard link")
    check(names(folder) == ["a.yaml", "hard", "link.yaml"], f"--fix left files: {names(folder)}")


def test_a_file_and_a_link_to_it_are_fixed_once(folder):
    (folder / "a.yaml").write_text(BAD)
    (folder / "link.yaml").symlink_to("a.yaml")
    shown = run(folder, "lint", "--fix", "--diff", "a.yaml", "link.yaml")
    check(shown.returncode == 1 and shown.stdout == run(folder, "lint", "--fix", "--diff", "a.yaml").stdout, f"--fix --diff: {shown}")
    run(folder, "lint", "--fix", "a.yaml", "link.yaml")
    check((folder / "a.yaml").read_text() == FIXED, f"--fix of a file and a link: {(folder / 'a.yaml').read_text()}")


def test_a_hard_link_to_a_key_is_not_read(folder):
    (folder / "keys").mkdir()
    (folder / "keys/seed").write_text("secret: [of, the, team\n")
    os.link(folder / "keys/seed", folder / "a.yaml")
    for words in (["--ssh-key", "seed:keys/seed"], ["--ssh-key-dir", "keys"]):
        done = run(folder, "render", *words, "a.yaml")
        check((done.returncode, done.stdout, done.stderr) ==
              (2, "", "trainjobc: open a.yaml: SSH key files are never read as input\n"), f"a hard link: {done}")


def test_a_read_only_file_is_refused(folder):
    (folder / "a.yaml").write_text(BAD)
    (folder / "a.yaml").chmod(0o444)
    (folder / "b.yaml").write_text(BAD.replace("bert", "b"))
    done = run(folder, "lint", "--fix", "a.yaml", "b.yaml")
    check((done.returncode, done.stderr) == (2, "trainjobc: write " + str((folder / "a.yaml").resolve()) +
                                             ": the file is read-only\n"), f"--fix of a read-only file: {done}")
    check((folder / "a.yaml").read_text() == BAD, "--fix changed a read-only file")
    check((folder / "b.yaml").read_text() == FIXED.replace("bert", "b"), "--fix left the other file")


def test_an_edit_made_meanwhile_is_kept(folder):
    file = folder / "0.yaml"
    file.write_text(OLD)
    # "0.yaml" is read before standard input, which ends only after the edit.
    process = subprocess.Popen([BINARY, "migrate", "--write", "--no-config", "0.yaml", "-"], cwd=folder, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_until(lambda: "pipe_read" in pathlib.Path(f"/proc/{process.pid}/wchan").read_text() or is_reading(process), "migrate reads")
    edited = OLD + "  # edited\n"
    file.write_text(edited)
    out, err = process.communicate(job("other"))
    check(process.returncode == 2 and file.read_text() == edited, f"migrate of an edited file: {process.returncode} {out} {err}")
    check("0.yaml: the file has changed since it was read and was left unchanged\n" in err, f"migrate of an edited file: {err}")
    check(names(folder) == ["0.yaml"], f"migrate left files: {names(folder)}")


def is_reading(process):
    """Whether the process waits in read(2) of its standard input."""
    try:
        words = pathlib.Path(f"/proc/{process.pid}/syscall").read_text().split()
    except OSError:
        time.sleep(1)  # not to be known here
        return True
    return words[:2] == ["0", "0x0"]


def test_an_interrupted_write_leaves_nothing(folder):
    inputs = "---\n".join(job(f"job-{i}") for i in range(150))
    (folder / "a.yaml").write_text(inputs)
    out = folder / "out"
    for i, number in enumerate((signal.SIGINT, signal.SIGTERM, signal.SIGHUP) * 3):
        process = subprocess.Popen([BINARY, "render", "--output-dir", "out", "a.yaml"], cwd=folder)
        wait_until(lambda: out.exists() and any(out.iterdir()), "the first file")
        time.sleep(0.003 * i)
        process.send_signal(number)
        status = process.wait(timeout=60)
        check(status in (-number, 0), f"status {status} after signal {number}")
        left = [path.name for path in out.iterdir() if path.name.startswith(".") or not path.name.endswith(".yaml")]
        check(not left, f"signal {number} left {left}")
        for path in out.iterdir():
            check(path.read_text().startswith("apiVersion: jobset"), f"{path} is cut off")
            path.unlink()


def test_pruning_stays_inside(folder):
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    for name in ("one", "two", "three"):
        (folder / f"{name}.yaml").write_text(job(name))
    work = folder / "work"
    prune = ["render", "--output-dir", "out", "--prune-output"]
    work.mkdir()
    run(work, *prune, "../one.yaml", "../two.yaml")
    out = work / "out"
    manifest = (out / (JOB_SET % "two")).read_text()
    for place in (elsewhere, work, out / "sub"):
        place.mkdir(exist_ok=True)
        (place / (JOB_SET % "two")).write_text(manifest)
    (out / "sub").rename(out / "other")
    (out / "linked").symlink_to(elsewhere)
    (out / (JOB_SET % "gone")).symlink_to(elsewhere / (JOB_SET % "two"))
    (out / "README.md").write_text("mine\n")
    (out / "v1_configmap_mine.yaml").write_text("kind: ConfigMap\n")
    lines = [JOB_SET % "two", JOB_SET % "gone", "README.md", "v1_configmap_mine.yaml", ".", "other", "",
             *(f"{place}/{JOB_SET % 'two'}" for place in (elsewhere, "..", "linked", "other", "./.", "other/../.."))]
    (out / ".trainjobc-output").write_text("\n".join(lines))
    done = run(work, *prune, "../one.yaml")
    check(done.returncode == 0 and not done.stderr, f"--prune-output: {done}")
    kept = [".trainjobc-output", "README.md", JOB_SET % "gone", JOB_SET % "one", "linked", f"other/{JOB_SET % 'two'}",
            "v1_configmap_mine.yaml"]
    check(sorted(names(out)) == sorted(kept), f"--prune-output kept {names(out)}")
    check(len(names(elsewhere)) == 1 and (work / (JOB_SET % "two")).exists(), "--prune-output removed files elsewhere")


def test_output_follows_no_link(folder):
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    (folder / "a.yaml").write_text(job("a") + "---\n" + job("b").replace("name: b\n", "name: b\n  namespace: team\n", 1) +
                                   "---\n" + job("c").replace("name: c\n", "name: c\n  namespace: other\n", 1))
    (folder / "out").mkdir()
    (folder / "out/team").symlink_to(elsewhere)
    done = run(folder, "render", "--output-dir", "out", "a.yaml")
    message = f"trainjobc: --output-dir: out/team/{JOB_SET % 'b'} is not a regular file, or its path contains a symbolic link\n"
    check((done.returncode, done.stderr) == (2, message), f"a link for a namespace: {done}")
    check(not names(elsewhere) and names(folder / "out") == ["team"], f"a link was followed: {names(folder)}")


def start_diff(folder, *flags):
    kubectl = folder / "kubectl"
    kubectl.write_text(KUBECTL)
    kubectl.chmod(0o755)
    (folder / "a.yaml").write_text(job("a"))
    pids = folder / "pids"
    pids.unlink(missing_ok=True)
    process = subprocess.Popen([BINARY, "diff", *flags, "a.yaml"], cwd=folder, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True,
                               env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "PIDS": str(pids)})
    wait_until(pids.exists, "kubectl")
    return process, [int(word) for word in pids.read_text().split()]


def runs(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_until(condition, what):
    end = time.monotonic() + 30
    while not condition():
        if time.monotonic() > end:
            problems.append(f"waited for {what} in vain")
            return
        time.sleep(0.002)


def test_kubectl_ends_with_trainjobc(folder):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        process, pids = start_diff(folder)
        process.send_signal(number)
        process.communicate(timeout=60)
        check(process.returncode == -number, f"signal {number} ended diff with {process.returncode}")
        wait_until(lambda: not any(runs(pid) for pid in pids), f"kubectl and its child to end after signal {number}")


def test_a_timeout_ends_the_children_of_kubectl(folder):
    process, pids = start_diff(folder, "--timeout", "1")
    process.communicate(timeout=60)
    check(process.returncode == 2, f"a timeout ended diff with {process.returncode}")
    wait_until(lambda: not any(runs(pid) for pid in pids), "kubectl and its child to end after a timeout")


def test_an_ignored_signal_stays_ignored(folder):
    (folder / "a.yaml").write_text("---\n".join(job(f"job-{i}") for i in range(50)))
    process = subprocess.Popen(["sh", "-c", "trap '' HUP; exec \"$0\" render --output-dir out a.yaml", BINARY], cwd=folder)
    wait_until(lambda: (folder / "out").exists() and any((folder / "out").iterdir()), "the first file")
    process.send_signal(signal.SIGHUP)
    check(process.wait(timeout=60) == 0 and len(names(folder / "out")) == 50, "an ignored SIGHUP ended render")


def main():
    tests = [test for name, test in sorted(globals().items()) if name.startswith("test_")]
    passed = 0
    for test in tests:
        before = len(problems)
        with tempfile.TemporaryDirectory() as folder:
            test(pathlib.Path(folder).resolve())
        passed += len(problems) == before
    print("\n".join(problems))
    print(f"{passed} passed, {len(problems)} failed")
    return 1 if problems else 0


sys.exit(main())
