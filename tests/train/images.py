# SPDX-License-Identifier: Apache-2.0

"""Images: the machine's own Debian, with files, users and folders of the test on top."""

import os
import shutil
import subprocess

PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

# As in the base image of MPI jobs: one port for both sides, unknown hosts are trusted, and sshd takes keys from a
# volume, whose folder is writable for all.
SSH_CONFIG = "Host *\n  Port 2222\n  StrictHostKeyChecking no\n  UserKnownHostsFile /dev/null\n  LogLevel ERROR\n"
USER_SSHD = "Port 2222\nPidFile /home/mpiuser/sshd.pid\nHostKey /home/mpiuser/.ssh/id_rsa\nStrictModes no\n"
ROOT_SSHD = "Port 2222\nHostKey /etc/ssh/train_host_key\nStrictModes no\nPermitRootLogin yes\n"


class Image:
    """`programs` maps a path to a file of programs/; `files` a path to its text; `links` a path to where it leads."""

    def __init__(self, programs=None, files=None, env=None, user=0, folder="/", command=(), binds=None, links=None):
        self.programs = programs or {}
        self.files = files or {}
        self.env = {"PATH": PATH, "HOME": "/root" if user == 0 else "/home/mpiuser"} | (env or {})
        self.user = user
        self.folder = folder
        self.command = list(command)
        self.binds = binds or {}
        self.links = links or {}

    def build(self, layer):
        """Writes the layer, an overlay on the machine's root."""
        os.makedirs(layer + "/etc/ssh/ssh_config.d")
        os.makedirs(layer + "/home/mpiuser")
        os.chown(layer + "/home/mpiuser", 1000, 1000)
        self._write_users(layer)
        self._write(layer, "/usr/local/bin/python", "", link="/usr/bin/python3")
        self._write(layer, "/etc/ssh/ssh_config.d/train.conf", SSH_CONFIG)
        self._write(layer, "/home/mpiuser/.sshd_config", USER_SSHD)
        self._write(layer, "/etc/ssh/train_sshd_config", ROOT_SSHD)
        key = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", layer + "/etc/ssh/train_host_key"]
        if shutil.which(key[0]):
            subprocess.run(key, check=True)
        for path, target in self.links.items():
            self._write(layer, path, "", link=target)
        for path, name in self.programs.items():
            with open(os.path.join(PROGRAMS, name), encoding="utf-8") as file:
                self._write(layer, path, file.read())
        for path, text in self.files.items():
            self._write(layer, path, text)
        for target in self.binds:
            os.makedirs(layer + target, exist_ok=True)

    def _write(self, layer, path, text, link=None):
        os.makedirs(os.path.dirname(layer + path), exist_ok=True)
        if link:
            os.symlink(link, layer + path)
            return
        with open(layer + path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(layer + path, 0o755 if text.startswith("#!") else 0o644)

    def _write_users(self, layer):
        for name, own in (("passwd", "mpiuser:x:1000:1000::/home/mpiuser:/bin/sh\n"), ("group", "mpiuser:x:1000:\n")):
            with open("/etc/" + name, encoding="utf-8") as file:
                others = [line for line in file if line.split(":")[2] != "1000"]
            with open(f"{layer}/etc/{name}", "w", encoding="utf-8") as file:
                file.write("".join(others) + own)
        shutil.copy("/etc/shadow", layer + "/etc/shadow")
        with open(layer + "/etc/shadow", "a", encoding="utf-8") as file:
            file.write("mpiuser:*:19000:0:99999:7:::\n")


def group_of(user):
    """The group that the image's /etc/passwd gives a user; 0 if it does not list the user."""
    return 1000 if user == 1000 else 0
