#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whatever the system refuses, memory or threads, trainjobc ends with a status and a message, never a crash.

usage: limits_test.py TRAINJOBC
"""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT_OF_MEMORY = "trainjobc: out of memory\n"


def run(command, set_limits):
    return subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=set_limits)


def jobs(folder, count=200, quote=""):
    path = pathlib.Path(folder, f"jobs{count}{len(quote)}.yaml")
    text = subprocess.run([sys.executable, ROOT / "bench/make_jobs.py", str(count)], capture_output=True, text=True,
                          check=True).stdout
    path.write_text(text.replace("kind: TrainJob\n", f"kind: {quote}TrainJob{quote}\n"))
    return str(path)


def memory_below(kilobytes):
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (kilobytes << 10, kilobytes << 10))


def one_process():
    # The limit does not count for root.
    resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
    if os.getuid() == 0:
        os.setgid(65534)
        os.setuid(65534)


def check_memory(trainjobc, path):
    """From too little to begin with to enough: each run renders everything or says that it can't."""
    whole = run([trainjobc, "render", path], None).stdout
    out_of_memory = 0
    megabytes = (32, 40, 48, 64, 96, 128, 192, 256, 512)
    # The program begins with just enough to be loaded; small steps there.
    for kilobytes in (*range(24 << 10, 30 << 10, 64), *(count << 10 for count in megabytes)):
        result = run([trainjobc, "render", "--threads", "2", path], memory_below(kilobytes))
        if result.returncode == 127 or "shared object" in result.stderr or "shared libraries" in result.stderr:
            continue  # the loader's own
        if result.returncode == 0:
            assert result.stdout == whole and result.stderr == "", (kilobytes, result.stderr)
        else:
            assert (result.returncode, result.stdout, result.stderr) == (2, "", OUT_OF_MEMORY), (kilobytes, result)
            out_of_memory += 1
    assert result.returncode == 0, "not enough at the end"
    assert out_of_memory > 0, "no limit was too low"


def check_threads(trainjobc, path):
    plain = run([trainjobc, "render", path], None)
    limited = run([trainjobc, "render", "--threads", "8", path], one_process)
    assert (limited.returncode, limited.stderr) == (0, ""), limited
    assert limited.stdout == plain.stdout


def most_memory(command):
    with open(os.devnull, "w") as nothing:
        process = subprocess.Popen(command, stdout=nothing)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, command
    return usage.ru_maxrss


def check_forgetting(trainjobc, folder):
    """A job is forgotten when it is done, however it is written."""
    plain, quoted = (most_memory([trainjobc, "lint", "-q", jobs(folder, 4000, quote)]) for quote in ("", '"'))
    assert quoted < 1.2 * plain, f"jobs take {plain} kB, and with quotes {quoted} kB"


def main():
    trainjobc = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        path = jobs(folder)
        check_memory(trainjobc, path)
        check_threads(trainjobc, path)
        check_forgetting(trainjobc, folder)


main()
