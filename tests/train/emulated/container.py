# SPDX-License-Identifier: Apache-2.0

"""Process 1 of a container, run as a program: `container.py SPEC` mounts its root and runs its command."""

import json
import os
import sys

from mounting import BIND, RDONLY, REMOUNT, mount


def _mount_root(spec):
    root = spec["root"]
    for folder in (root, spec["upper"], spec["work"]):
        os.makedirs(folder, exist_ok=True)
    layers = f"lowerdir={spec['image']}:/,upperdir={spec['upper']},workdir={spec['work']}"
    mount("overlay", root, "overlay", data=layers)
    mount("proc", root + "/proc", "proc")
    for folder in ("/dev", "/dev/pts", "/sys"):
        mount(folder, root + folder, flags=BIND)
    for folder, mode in (("/dev/shm", "1777"), ("/tmp", "1777"), ("/run", "755"), ("/root", "700")):
        mount("tmpfs", root + folder, "tmpfs", data=f"mode={mode}")
    os.makedirs(root + "/run/sshd")
    for name, text in spec["etc"].items():
        with open(f"{root}/etc/{name}", "w", encoding="utf-8") as file:
            file.write(text)
    return root


def _mount_volume(root, volume):
    target = root + volume["target"]
    if os.path.isdir(volume["source"]):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "a", encoding="utf-8"):
            pass
    mount(volume["source"], target, flags=BIND)
    if volume["readOnly"]:
        mount(None, target, flags=BIND | REMOUNT | RDONLY)


def execute(command, env):
    """Like os.execvpe, which would import modules from the old root."""
    places = [""] if "/" in command[0] else [folder + "/" for folder in env["PATH"].split(":")]
    reason = "no such program"
    for place in places:
        try:
            os.execve(place + command[0], command, env)
        except FileNotFoundError:
            continue
        except OSError as error:
            reason = error.strerror
    print(f"exec {command[0]}: {reason}", file=sys.stderr)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        spec = json.load(file)
    root = _mount_root(spec)
    for volume in spec["volumes"]:
        _mount_volume(root, volume)
    os.chroot(root)
    os.makedirs(spec["folder"], exist_ok=True)
    os.chdir(spec["folder"])
    os.umask(0o022)
    os.setgroups(spec["groups"])
    os.setgid(spec["group"])
    os.setuid(spec["user"])
    execute(spec["command"], spec["env"])
    sys.exit(128)


main()
