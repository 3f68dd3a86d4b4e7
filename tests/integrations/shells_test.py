#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Completion in real shells: the tab key in bash and zsh on a pseudo-terminal, fish's own `complete`.

usage: shells_test.py BINARY. A shell that is not installed is skipped, with a message.
"""
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

JOB = """apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: bert-large
spec:
  runtimeRef:
    name: torch-distributed
"""
# What is typed, and the line that the tab key makes of it.
TABS = [
    ("trainjobc ren", "trainjobc render"),
    ("trainjobc lint --fail-o", "trainjobc lint --fail-on"),
    ("trainjobc lint --fail-on w", "trainjobc lint --fail-on warning"),
    ("trainjobc lint --fail-on=w", "trainjobc lint --fail-on=warning"),
    ("trainjobc lint --explain yaml/dup", "trainjobc lint --explain yaml/duplicate-key"),
    ("trainjobc runtimes --show xg", "trainjobc runtimes --show xgboost-distributed"),
    ("trainjobc render jobs --job b", "trainjobc render jobs --job bert-large"),
    ("trainjobc render jobs/be", "trainjobc render jobs/bert.yaml"),
    ("trainjobc render --filename=jobs/be", "trainjobc render --filename=jobs/bert.yaml"),
    ("trainjobc render --output-dir jo", "trainjobc render --output-dir jobs/"),
    ("trainjobc render --ssh-key see", "trainjobc render --ssh-key seed:"),
    ("trainjobc completion f", "trainjobc completion fish"),
]


class Terminal:
    """A shell on a pseudo-terminal. Its key ^X^P prints the line being edited between marks."""

    def __init__(self, command, folder, environment):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, environment)

    def read_until(self, pattern, seconds=20):
        seen = ""
        end = time.time() + seconds
        while time.time() < end:
            if select.select([self.fd], [], [], 0.2)[0]:
                try:
                    seen += os.read(self.fd, 65536).decode(errors="replace")
                except OSError:
                    break
            found = re.search(pattern, seen)
            if found:
                return found
        raise TimeoutError(seen)

    def send(self, text):
        os.write(self.fd, text.encode())

    def close(self):
        os.close(self.fd)
        os.waitpid(self.pid, 0)


BASH_SETUP = """PS1='$ '; bind 'set completion-query-items 0'; bind 'set bell-style none'
show() { printf '<%s>' "$READLINE_LINE" | tr '\\n' ' '; }; bind -x '"\\C-x\\C-p": show'
. <(trainjobc completion bash); echo rea''dy
"""
ZSH_SETUP = """PS1='$ '; autoload -Uz compinit; compinit -u -D
. <(trainjobc completion zsh)
show() { print -rn -- "<$BUFFER>" }; zle -N show; bindkey '^X^P' show; echo rea''dy
"""


def on_a_terminal(command, setup, folder, environment):
    shell = Terminal(command, folder, environment)
    problems = []
    try:
        shell.send(setup)
        shell.read_until(r"ready\r?\n")
        for typed, want in TABS:
            shell.send(typed + "\t")
            for _ in range(20):  # until the completion is there, on a busy machine
                time.sleep(0.2)
                shell.send("\x18\x10")
                got = shell.read_until(r"<([^>]*)>").group(1)
                if got.rstrip(" ") == want:
                    break
            else:
                problems.append(f"{command[0]}: {typed}<Tab> gives {got!r}, not {want!r}")
            shell.send("\x15")
    finally:
        shell.close()
    return problems


def in_fish(folder, environment):
    problems = []
    for typed, want in TABS:
        script = f"trainjobc completion fish | source; complete -C '{typed}'"
        run = subprocess.run(["fish", "--no-config", "-c", script], cwd=folder, env=environment, capture_output=True,
                             text=True, timeout=60)
        words = [line.split("\t")[0] for line in run.stdout.splitlines()]
        if want.rsplit(" ", 1)[1] not in words:
            problems.append(f"fish: {typed}<Tab> offers {words}, not {want!r}: {run.stderr}")
    return problems


def has_terminals():
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError:
        return False
    return True


def main():
    binary = pathlib.Path(sys.argv[1]).resolve()
    problems, tried = [], 0
    with tempfile.TemporaryDirectory() as folder:
        jobs = pathlib.Path(folder, "jobs")
        jobs.mkdir()
        (jobs / "bert.yaml").write_text(JOB)
        (jobs / "notes.txt").write_text("")
        environment = {"PATH": f"{binary.parent}:{os.environ['PATH']}", "HOME": folder, "TERM": "xterm", "LANG": "C.UTF-8"}
        shells = {
            "bash": lambda: on_a_terminal(["bash", "--norc", "--noprofile", "-i"], BASH_SETUP, folder, environment),
            "zsh": lambda: on_a_terminal(["zsh", "-f", "-i"], ZSH_SETUP, folder, environment),
            "fish": lambda: in_fish(folder, environment),
        }
        for name, test in shells.items():
            if not shutil.which(name):
                print(f"{name} is not installed: skipped")
                continue
            if name != "fish" and not has_terminals():
                print(f"there are no pseudo-terminals here (is /dev/pts mounted?): {name} skipped")
                continue
            problems += test()
            tried += len(TABS)
    print("\n".join(problems))
    if not tried:
        return 77
    print(f"{tried - len(problems)} passed, {len(problems)} failed")
    return 1 if problems else 0


sys.exit(main())
