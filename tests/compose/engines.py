# SPDX-License-Identifier: Apache-2.0

"""Docker's and podman's daemon, each on a socket of the test's own, and an image of the machine's Debian."""

import contextlib
import os
import shutil
import subprocess
import sys
import time

TRAIN = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "train")
sys.path += [TRAIN, os.path.join(TRAIN, "emulated")]
from images import Image  # noqa: E402

IMAGE = "localhost/trial:1"
FETCHER = "localhost/fetcher:1"
PATH = "/opt/bin:/usr/sbin:/usr/bin"
# What the community's initializer does, for the size of its image.
FETCH = "#!/bin/sh\nmkdir -p /workspace/dataset && echo \"$STORAGE_URI\" > /workspace/dataset/fetched\n"
SECONDS = 60


class Unavailable(Exception):
    """Why a daemon can't run here."""


def run(*command, check=True, **more):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **more)
    if check and done.returncode != 0:
        raise Unavailable(f"{' '.join(command)}: {done.stderr.strip()}")
    return done


def build_root(layer):
    """Debian's /etc, users and ssh as MPI's images have them, and the links to /usr, which the jobs mount."""
    os.makedirs(layer)
    Image().build(layer)
    run("cp", "-a", "--no-clobber", "/etc/.", layer + "/etc", check=False)
    shutil.rmtree(layer + "/usr")
    for name in ("bin", "sbin", "lib", "lib64"):
        os.symlink("usr/" + name, f"{layer}/{name}")
    for name in ("usr", "opt/bin", "tmp", "root", "proc", "sys", "dev", "run/sshd", "var/tmp", "workspace"):
        os.makedirs(f"{layer}/{name}")
    os.chmod(layer + "/tmp", 0o1777)
    os.symlink("/usr/bin/python3", layer + "/opt/bin/python")


def build_fetcher(layer):
    """busybox, and a script in place of the initializer's program."""
    os.makedirs(layer + "/bin")
    os.makedirs(layer + "/workspace")
    shutil.copy("/bin/busybox", layer + "/bin/busybox")
    for name in ("sh", "mkdir", "echo"):
        os.symlink("busybox", f"{layer}/bin/{name}")
    with open(layer + "/fetch", "w", encoding="utf-8") as file:
        file.write(FETCH)
    os.chmod(layer + "/fetch", 0o755)


class Engine:
    """A daemon that the API of Docker reaches at `socket`."""

    programs = ()

    def __init__(self, folder):
        missing = [name for name in self.programs if not shutil.which(name)]
        if missing:
            raise Unavailable("needs " + ", ".join(missing))
        self.folder = folder
        self.socket = os.path.join(folder, "engine.sock")
        self.daemon = None
        self.log = os.path.join(folder, "engine.log")

    def start(self):
        with open(self.log, "w", encoding="utf-8") as log:
            self.daemon = subprocess.Popen(self.command(), stdout=log, stderr=subprocess.STDOUT)
        deadline = time.monotonic() + SECONDS
        while not os.path.exists(self.socket) or not self.is_ready():
            if self.daemon.poll() is not None or time.monotonic() > deadline:
                self.stop()
                with open(self.log, encoding="utf-8") as log:
                    raise Unavailable(f"{self.programs[0]} does not start: {log.read()[-600:]}")
            time.sleep(0.2)

    def check_health(self):
        """Runs the health checks, if the daemon does not."""

    def stop(self):
        if self.daemon:
            self.daemon.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.daemon.wait(30)
            self.daemon.kill()
            self.daemon.wait()

    def load(self):
        for name, build, command in ((IMAGE, build_root, None), (FETCHER, build_fetcher, '["/fetch"]')):
            layer = os.path.join(self.folder, name.replace("/", "_").replace(":", "_"))
            build(layer)
            changes = ["--change", f"ENV PATH={PATH}"] + (["--change", f"CMD {command}"] if command else [])
            run("tar", "-C", layer, "-cf", layer + ".tar", ".")
            self.load_tar(name, layer + ".tar", changes)
            shutil.rmtree(layer)


class Docker(Engine):
    programs = ("dockerd", "docker", "runc", "iptables")

    def command(self):
        folders = [f"--{name}={self.folder}/{name}" for name in ("data-root", "exec-root")]
        return ["dockerd", *folders, f"--host=unix://{self.socket}", f"--pidfile={self.folder}/docker.pid"]

    def is_ready(self):
        return run("docker", "-H", f"unix://{self.socket}", "info", check=False).returncode == 0

    def load_tar(self, name, path, changes):
        run("docker", "-H", f"unix://{self.socket}", "import", *changes, path, name)


class Podman(Engine):
    programs = ("podman", "runc", "netavark", "aardvark-dns")

    def __init__(self, folder):
        path = os.pathsep.join([os.environ["PATH"], "/usr/lib/podman"])
        os.environ["PATH"] = path
        super().__init__(folder)

    def podman(self):
        folders = [f"--{name}={self.folder}/{name}" for name in ("root", "runroot", "tmpdir")]
        return ["podman", *folders, "--network-backend=netavark", "--runtime=runc", "--cgroup-manager=cgroupfs",
                "--events-backend=file", f"--network-config-dir={self.folder}/networks"]

    def command(self):
        return [*self.podman(), "system", "service", "--time=0", f"unix://{self.socket}"]

    def is_ready(self):
        return run(*self.podman(), "info", check=False).returncode == 0

    def load_tar(self, name, path, changes):
        run(*self.podman(), "import", *changes, path, name)

    def check_health(self):
        """Podman leaves them to timers of systemd, which the test has not."""
        for container in run(*self.podman(), "ps", "--quiet", check=False).stdout.split():
            run(*self.podman(), "healthcheck", "run", container, check=False)
