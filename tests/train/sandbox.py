# SPDX-License-Identifier: Apache-2.0

"""The machine that the pods run on: namespaces of its own, which end with the program whatever ends it."""

import os
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
INSIDE = "TRAINJOBC_TRAIN_SANDBOX"


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def why_not():
    """Why this machine can't run pods; "" if it can."""
    for program in ("unshare", "nsenter", "ip"):
        if not shutil.which(program):
            return f"needs {program}"
    if os.geteuid() != 0:
        return "needs root: pods are namespaces, their users and mounts are real"
    script = (
        "ip link add name veth0 type veth peer name veth1 && mount -t tmpfs none {0} && cd {0} && mkdir u w r && "
        "mount -t overlay none -o lowerdir=/,upperdir=u,workdir=w r"
    )
    with tempfile.TemporaryDirectory() as folder:
        command = ["unshare", "--net", "--mount", "--pid", "--fork", "sh", "-c", script.format(folder)]
        tried = subprocess.run(command, capture_output=True, text=True, check=False)
    return "" if tried.returncode == 0 else f"needs namespaces, veth and overlayfs: {tried.stderr.strip()}"


def enter():
    """Goes on in namespaces of its own, as process 1: the kernel ends all pods when this program ends."""
    if os.environ.get(INSIDE):
        return
    reason = why_not()
    if reason:
        skip(reason)
    os.environ[INSIDE] = "1"
    command = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    os.execvp(command[0], [*command, sys.executable, *sys.argv])
