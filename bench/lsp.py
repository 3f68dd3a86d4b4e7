#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times `trainjobc lsp` in a repository of COUNT jobs, each in a file: from a keystroke to its diagnostics.

usage: lsp.py TRAINJOBC [COUNT]     (1000)

The goal is at most 50 ms for a keystroke in a job.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
KEYSTROKES = 40
GOAL = 50


def make_repository(folder, count):
    made = subprocess.run([sys.executable, HERE / "make_jobs.py", str(count)], capture_output=True, text=True, check=True)
    runtime, *jobs = made.stdout.split("---\n")
    (folder / ".git").mkdir()
    (folder / "runtimes").mkdir()
    (folder / "runtimes" / "torch-a100.yaml").write_text(runtime)
    for i, job in enumerate(jobs):
        path = folder / "jobs" / f"{i // 100:02d}" / f"{i:04d}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(job)


class Editor:
    def __init__(self, trainjobc, folder):
        self.process = subprocess.Popen([trainjobc, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.send({"id": 1, "method": "initialize", "params": {"rootUri": folder.as_uri(), "capabilities": {}}})
        self.receive()
        self.send({"method": "initialized", "params": {}})
        self.version = 1

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self.process.stdin.flush()

    def receive(self):
        length = 0
        while (line := self.process.stdout.readline().strip()):
            length = int(line.split(b":")[1])
        return json.loads(self.process.stdout.read(length))

    def wait_for(self, uri):
        """The diagnostics of the document, once they come."""
        while True:
            message = self.receive()
            if message.get("method") == "textDocument/publishDiagnostics" and message["params"]["uri"] == uri:
                return message["params"]["diagnostics"]

    def insert(self, uri, line, character, text):
        """Types a text; the milliseconds until the diagnostics are there."""
        self.version += 1
        at = {"line": line, "character": character}
        change = {"range": {"start": at, "end": at}, "text": text}
        begin = time.perf_counter()
        self.send({"method": "textDocument/didChange",
                   "params": {"textDocument": {"uri": uri, "version": self.version}, "contentChanges": [change]}})
        self.wait_for(uri)
        return (time.perf_counter() - begin) * 1000


def keystrokes(editor, path, word):
    """Types letters after a key, so that each of them changes what is unknown about it."""
    text = path.read_text()
    editor.send({"method": "textDocument/didOpen",
                 "params": {"textDocument": {"uri": path.as_uri(), "languageId": "yaml", "version": 1, "text": text}}})
    at = text.index(word) + len(word)
    line = text.count("\n", 0, at)
    character = at - text.rfind("\n", 0, at) - 1
    return [editor.insert(path.as_uri(), line, character, "abcdefghij"[i % 10]) for i in range(KEYSTROKES)]


def main():
    trainjobc = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        make_repository(folder, count)
        editor = Editor(trainjobc, folder)
        job = folder / "jobs" / "00" / "0007.yaml"
        rows = [("a keystroke in a job", keystrokes(editor, job, "numNodes")),
                ("a keystroke in the runtime of all jobs", keystrokes(editor, folder / "runtimes" / "torch-a100.yaml", "backoffLimit"))]
        editor.send({"id": 2, "method": "shutdown"})
        editor.send({"method": "exit"})
        editor.process.wait()
    print(f"language server, {count:,} jobs in files\n\n| until the diagnostics | median | slowest |\n|---|---:|---:|")
    for what, times in rows:
        print(f"| {what} | {statistics.median(times[1:]):.1f} ms | {max(times[1:]):.1f} ms |")
    median = statistics.median(rows[0][1][1:])
    print(f"\n| goal | bound | reached |\n|---|---|---|\n| a keystroke in a job | at most {GOAL} ms | {median:.1f} ms |")


main()
