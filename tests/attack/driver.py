# SPDX-License-Identifier: Apache-2.0
"""The process that runs commands over files in memory; a new one after a crash."""
import json
import os
import signal
import subprocess
import tempfile

SANITIZERS = {"ASAN_OPTIONS": "detect_leaks=1:allocator_may_return_null=1:detect_stack_use_after_return=0", "UBSAN_OPTIONS": "print_stacktrace=1"}


class Driver:
    def __init__(self, program):
        self.program = program
        self.process = None
        self.errors = None
        self.runs = 0  # so far

    def start(self):
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen([self.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors,
                                        env={**SANITIZERS, **os.environ})

    def run(self, files, runs):
        """The answers, one for each run; {"crash": what was said} for one that ended the process, and none after it."""
        if self.process is None:
            self.start()
        answers = []
        self.runs += len(runs)
        try:
            self.process.stdin.write(json.dumps({"files": files, "runs": runs}).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        for _ in runs:
            line = self.process.stdout.readline()
            if not line:
                return [*answers, {"crash": self.end()}]
            answers.append(json.loads(line))
        return answers

    def end(self):
        """What it said, and with which status it ended."""
        self.process.stdin.close()
        status = self.process.wait()
        self.process.stdout.close()
        self.process = None
        self.errors.seek(0)
        said = self.errors.read().decode(errors="replace")
        self.errors.close()
        return f"{'it hangs' if status in (-signal.SIGPROF, -signal.SIGALRM) else f'it ended with {status}'}\n{said}" if status or said else ""
