#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times `trainjobc lsp` in a repository of COUNT jobs, each in a file and all in one: from a keystroke to the
diagnostics of its own document, and to those of the last other document that it changes.

usage: lsp.py TRAINJOBC [COUNT]     (1000)

The goals are at most 50 ms to the edited job's own diagnostics, 40 ms if it is one of a file, and 300 ms to the rest. The rest comes 120 ms after the
last keystroke at the earliest.
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
GOAL_OF_FILE = 40
GOAL_OF_REST = 300
TWIN = "z-twin.yaml"  # has the name that job 7 gets by one more letter
QUIET = 1
SECONDS = 120  # to wait for an answer


def make_repository(folder, count, is_one_file):
    made = subprocess.run([sys.executable, HERE / "make_jobs.py", str(count)], capture_output=True, text=True, check=True)
    runtime, *jobs = made.stdout.split("---\n")
    (folder / ".git").mkdir()
    (folder / "runtimes").mkdir()
    (folder / "runtimes" / "torch-a100.yaml").write_text(runtime)
    (folder / TWIN).write_text(jobs[7].replace("name: sweep-0007", "name: sweep-0007a"))
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

    def wait_until_quiet(self):
        """Takes the messages up to a second without any."""
        try:
            while True:
                self.messages.get(timeout=QUIET)
        except queue.Empty:
            pass

    def diagnostics(self):
        """When a document's diagnostics were there, and these."""
        while True:
            at, message = self.receive()
            if message.get("method") == "textDocument/publishDiagnostics":
                return at, message["params"]

    def open(self, path):
        self.send({"method": "textDocument/didOpen", "params": {"textDocument": {
            "uri": path.as_uri(), "languageId": "yaml", "version": 1, "text": path.read_text()}}})

    def replace(self, uri, line, begin, end, text):
        """Replaces characters of a line; the time when it is sent."""
        self.version += 1
        change = {"range": {"start": {"line": line, "character": begin}, "end": {"line": line, "character": end}}, "text": text}
        at = time.perf_counter()
        self.send({"method": "textDocument/didChange",
                   "params": {"textDocument": {"uri": uri, "version": self.version}, "contentChanges": [change]}})
        return at

    def milliseconds_to_own(self, begin, uri):
        while True:
            at, published = self.diagnostics()
            if (published["uri"], published.get("version")) == (uri, self.version):
                return (at - begin) * 1000

    def milliseconds_to_rest(self, begin, uris, rule, is_found):
        """Until the diagnostics of all these documents have the rule, or none has it."""
        left = set(uris)
        while left:
            at, published = self.diagnostics()
            if any(found["code"] == rule for found in published["diagnostics"]) == is_found:
                left.discard(published["uri"])
        return (at - begin) * 1000


def place_after(path, word):
    text = path.read_text()
    at = text.index(word) + len(word)
    return text.count("\n", 0, at), at - text.rfind("\n", 0, at) - 1


def time_own(editor, path, word):
    """Types letters after a key, so that each of them changes what is unknown about it."""
    editor.open(path)
    line, character = place_after(path, word)
    times = []
    for i in range(KEYSTROKES):
        begin = editor.replace(path.as_uri(), line, character, character, "abcdefghij"[i % 10])
        times.append(editor.milliseconds_to_own(begin, path.as_uri()))
    return times[1:]


def time_rest(editor, path, word, others, rule):
    """Types a letter after a name, so that the other documents have a diagnostic of the rule, and takes it away again."""
    editor.open(path)
    uris = [other.as_uri() for other in others]
    line, character = place_after(path, word)
    times = []
    for i in range(KEYSTROKES):
        is_typed = i % 2 == 0
        end, letter = (character, "a") if is_typed else (character + 1, "")
        begin = editor.replace(path.as_uri(), line, character, end, letter)
        times.append(editor.milliseconds_to_rest(begin, uris, rule, is_typed))
    return times[1:]


def in_repository(trainjobc, count, is_one_file, measure):
    """What `measure(editor, folder)` returns, in a repository and a server of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        make_repository(folder, count, is_one_file)
        editor = Editor(trainjobc, folder)
        editor.wait_until_quiet()
        times = measure(editor, folder)
        editor.send({"id": 2, "method": "shutdown"})
        editor.send({"method": "exit"})
        editor.process.wait()
    return times


def main():
    trainjobc = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    runtime = "runtimes/torch-a100.yaml"
    each = "jobs/00/0007.yaml"
    name = "name: sweep-0007"
    twice, missing = "input/duplicate-object", "input/missing-runtime"

    def own(path, word, is_one_file=False):
        return in_repository(trainjobc, count, is_one_file, lambda editor, folder: time_own(editor, folder / path, word))

    def rest(path, word, others, rule, is_one_file=False):
        return in_repository(trainjobc, count, is_one_file,
                             lambda editor, folder: time_rest(editor, folder / path, word, folder.glob(others), rule))

    own_rows = [("a keystroke in a job", own(each, "numNodes")),
                (f"a keystroke in one file of {count:,} jobs", own("jobs.yaml", "numNodes", True)),
                ("a keystroke in the runtime of all jobs that makes it invalid", own(runtime, "backoffLimit")),
                ("a keystroke in the runtime of all jobs that changes their pods", own(runtime, "restartPolicy: Never"))]
    rest_rows = [("a job gets the name of another one", rest(each, name, TWIN, twice)),
                 (f"the same in one file of {count:,} jobs", rest("jobs.yaml", name, TWIN, twice, True)),
                 ("the runtime of all jobs gets another name", rest(runtime, "name: torch-a100", "jobs/*/*.yaml", missing)),
                 (f"the same beside one file of {count:,} jobs", rest(runtime, "name: torch-a100", "jobs.yaml", missing, True))]
    print(f"language server, {count:,} jobs")
    for heading, rows in (("until the document's own diagnostics", own_rows), ("until those of other documents", rest_rows)):
        print(f"\n| {heading} | median | slowest |\n|---|---:|---:|")
        for what, times in rows:
            print(f"| {what} | {statistics.median(times):.1f} ms | {max(times):.1f} ms |")
    print("\n| goal | bound | reached |\n|---|---|---|")
    for what, times, bound in [(*own_rows[0], GOAL), (*own_rows[1], GOAL_OF_FILE)] + [(*row, GOAL_OF_REST) for row in rest_rows]:
        print(f"| {what} | at most {bound} ms | {statistics.median(times):.1f} ms |")


main()
