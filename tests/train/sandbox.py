# SPDX-License-Identifier: Apache-2.0

"""The machine that the pods run on: namespaces of its own, which end with the program whatever ends it."""

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile

from mounting import PRIVATE, REC, mount

SKIPPED = 77
NEWNS, NEWPID, NEWNET = 0x00020000, 0x20000000, 0x40000000
PR_SET_PDEATHSIG = 1


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
    """Returns in a child, process 1 of namespaces of its own: the kernel ends all pods with it, and it with its parent.

    Not by unshare(1), which blocks SIGTERM and SIGINT while it waits.
    """
    reason = why_not()
    if reason:
        skip(reason)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(NEWNS | NEWPID | NEWNET) != 0:
        skip(f"needs namespaces: {os.strerror(ctypes.get_errno())}")
    mount(None, "/", flags=REC | PRIVATE)
    child = os.fork()
    if child:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        sys.exit(status if status >= 0 else 128 - status)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    mount("proc", "/proc", "proc")
