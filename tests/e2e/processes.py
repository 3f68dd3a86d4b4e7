# SPDX-License-Identifier: Apache-2.0

"""Programs that run beside the tests and end with them."""

import contextlib
import ctypes
import os
import signal
import socket
import subprocess
import time

PR_SET_PDEATHSIG = 1


def die_with_parent():
    """The kernel ends the child even if this process can't: no `finally` survives SIGKILL."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def free_ports(count):
    """Ports that are free and different."""
    with contextlib.ExitStack() as stack:
        listeners = [stack.enter_context(socket.socket()) for _ in range(count)]
        for listener in listeners:
            listener.bind(("127.0.0.1", 0))
        return [listener.getsockname()[1] for listener in listeners]


class Processes:
    """Started in order, ended in the reverse order."""

    def __init__(self, log_folder):
        self.log_folder = log_folder
        self.running = {}
        os.makedirs(log_folder, exist_ok=True)

    def start(self, name, command, environment):
        with open(self.log_path(name), "w", encoding="utf-8") as log:
            self.running[name] = subprocess.Popen(
                command,
                env=environment,
                cwd=self.log_folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C is for the test, which ends its programs in order
                preexec_fn=die_with_parent,
            )

    def log_path(self, name):
        return os.path.join(self.log_folder, name + ".log")

    def log(self, name):
        with open(self.log_path(name), encoding="utf-8", errors="replace") as file:
            return file.read()

    def wait_until(self, name, is_ready, seconds):
        deadline = time.monotonic() + seconds
        while not is_ready():
            if self.running[name].poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{name} did not start:\n{self.log(name)[-4000:]}")
            time.sleep(0.1)

    def dead(self):
        """The names of those that ended by themselves."""
        return [name for name, process in self.running.items() if process.poll() is not None]

    def stop(self):
        for process in reversed(self.running.values()):
            process.terminate()
        for process in reversed(self.running.values()):
            try:
                process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.running.clear()
