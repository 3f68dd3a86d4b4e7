# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions of a program: with perf where the machine lets it, otherwise under valgrind; or its time."""
import functools
import os
import re
import shutil
import subprocess
import tempfile

SECONDS = 1200


@functools.cache
def has_perf():
    if not shutil.which("perf"):
        return False
    done = subprocess.run(["perf", "stat", "-x,", "-e", "instructions:u", "true"], capture_output=True, text=True, check=False)
    return done.returncode == 0 and "not " not in done.stderr


def nanoseconds(command, folder, stdin=b"", environment=None, statuses=(0, 1), runs=2):
    """The processor's time, and the status. Cheap, and less exact than instructions: the least of some runs."""
    least = None
    for _ in range(runs):
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as errors:
            given.write(stdin)
            given.seek(0)
            process = subprocess.Popen(list(map(str, command)), stdin=given, stdout=subprocess.DEVNULL, stderr=errors, cwd=folder,
                                       env={**os.environ, **(environment or {})})
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            errors.seek(0)
            if process.returncode not in statuses:
                raise RuntimeError(f"{' '.join(map(str, command))} ended with {process.returncode}: "
                                   f"{errors.read().decode(errors='replace')[-600:]}")
        spent = int((used.ru_utime + used.ru_stime) * 1e9)
        least = spent if least is None else min(least, spent)
    return least, process.returncode


def is_available():
    return has_perf() or shutil.which("valgrind") is not None


def instructions(command, folder, stdin=b"", environment=None, statuses=(0, 1)):
    """The number of instructions, and the status. The program must end."""
    if has_perf():
        prefix = ["perf", "stat", "-x,", "-e", "instructions:u", "-o", f"{folder}/perf"]
    else:
        prefix = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", f"--log-file={folder}/valgrind"]
    done = subprocess.run([*prefix, *map(str, command)], input=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          cwd=folder, env={**os.environ, **(environment or {})}, timeout=SECONDS, check=False)
    log = open(f"{folder}/{'perf' if has_perf() else 'valgrind'}", encoding="utf-8", errors="replace").read()
    found = re.search(r"^(\d+),", log, re.M) if has_perf() else re.search(r"Collected : (\d+)", log)
    if done.returncode not in statuses or not found:
        raise RuntimeError(f"{' '.join(map(str, command))} ended with {done.returncode}: {done.stderr.decode(errors='replace')[-600:]}")
    return int(found[1]), done.returncode
