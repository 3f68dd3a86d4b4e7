#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times `trainjobc lsp` in a repository of COUNT jobs, from a keystroke to its diagnostics: each in a file, and all in one.

usage: lsp.py TRAINJOBC [COUNT]     (1000)

The goal is at most 50 ms for a keystroke in a job.
"""
import json
import os
import pathlib
import queue
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).parent
KEYSTROKES = 40
GOAL = 50
SECONDS = 120  # to wait for an answer


def make_repository(folder, count, is_one_file):
    made = subprocess.run([sys.executable, HERE / "make_jobs.py", str(count)], capture_output=True, text=True, check=True)
    runtime, *jobs = made.stdout.split("---\n")
    (folder / ".git").mkdir()
    (folder / "runtimes").mkdir()
    (folder / "runtimes" / "torch-a100.yaml").write_text(runtime)
    if is_one_file:
        (folder / "jobs.yaml").write_text("---\n".join(jobs))
        return
    for i, job in enumerate(jobs):
        path = folder / "jobs" / f"{i // 100:02d}" / f"{i:04d}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(job)


class Editor:
    def __init__(self, trainjobc, folder):
        self.process = subprocess.Popen([trainjobc, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.messages = queue.Queue()  # that came, with the time; read while others are sent, as editors do
        threading.Thread(target=self.read_all, daemon=True).start()
        self.send({"id": 1, "method": "initialize", "params": {"rootUri": folder.as_uri(), "capabilities": {}}})
        self.receive()
        self.send({"method": "initialized", "params": {}})
        self.version = 1

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self.process.stdin.flush()

    def read_all(self):
        while line := self.process.stdout.readline():
            length = int(line.split(b":")[1])
            self.process.stdout.readline()
            body = self.process.stdout.read(length)
            self.messages.put((time.perf_counter(), body))

    def receive(self):
        """The time when a message was there, and the message."""
        at, body = self.messages.get(timeout=SECONDS)
        return at, json.loads(body)

    def wait_for(self, uri, version):
        """When the diagnostics of this version of the document were there."""
        while True:
            at, message = self.receive()
            params = message.get("params", {})
            if message.get("method") == "textDocument/publishDiagnostics" and (params["uri"], params.get("version")) == (uri, version):
                return at

    def insert(self, uri, line, character, text):
        """Types a text; the milliseconds until the diagnostics are there."""
        self.version += 1
        at = {"line": line, "character": character}
        change = {"range": {"start": at, "end": at}, "text": text}
        begin = time.perf_counter()
        self.send({"method": "textDocument/didChange",
                   "params": {"textDocument": {"uri": uri, "version": self.version}, "contentChanges": [change]}})
        return (self.wait_for(uri, self.version) - begin) * 1000


def keystrokes(editor, path, word):
    """Types letters after a key, so that each of them changes what is unknown about it."""
    text = path.read_text()
    editor.send({"method": "textDocument/didOpen",
                 "params": {"textDocument": {"uri": path.as_uri(), "languageId": "yaml", "version": 1, "text": text}}})
    at = text.index(word) + len(word)
    line = text.count("\n", 0, at)
    character = at - text.rfind("\n", 0, at) - 1
    return [editor.insert(path.as_uri(), line, character, "abcdefghij"[i % 10]) for i in range(KEYSTROKES)]


def type_in(trainjobc, count, is_one_file, places):
    """The times of the keystrokes in each place: a file, and the word that letters are typed after."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        make_repository(folder, count, is_one_file)
        editor = Editor(trainjobc, folder)
        times = [keystrokes(editor, folder / path, word)[1:] for path, word in places]
        editor.send({"id": 2, "method": "shutdown"})
        editor.send({"method": "exit"})
        editor.process.wait()
    return times


def main():
    trainjobc = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    runtime = "runtimes/torch-a100.yaml"
    in_job, in_key = type_in(trainjobc, count, False, [("jobs/00/0007.yaml", "numNodes"), (runtime, "backoffLimit")])
    in_value, = type_in(trainjobc, count, False, [(runtime, "restartPolicy: Never")])
    in_file, = type_in(trainjobc, count, True, [("jobs.yaml", "numNodes")])
    rows = [("a keystroke in a job", in_job), (f"a keystroke in one file of {count:,} jobs", in_file),
            ("a keystroke in the runtime of all jobs that makes it invalid", in_key),
            ("a keystroke in the runtime of all jobs that changes their pods", in_value)]
    print(f"language server, {count:,} jobs\n\n| until the diagnostics | median | slowest |\n|---|---:|---:|")
    for what, times in rows:
        print(f"| {what} | {statistics.median(times):.1f} ms | {max(times):.1f} ms |")
    print("\n| goal | bound | reached |\n|---|---|---|")
    for what, times in rows[:2]:
        print(f"| {what} | at most {GOAL} ms | {statistics.median(times):.1f} ms |")


main()
