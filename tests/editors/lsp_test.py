#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Talks to `trainjobc lsp` as an editor does: every message, and that the diagnostics are what `lint` reports.

usage: lsp_test.py TRAINJOBC
"""
import json
import os
import pathlib
import random
import select
import subprocess
import sys
import tempfile
import time

TRAINJOBC = os.path.abspath(sys.argv[1])
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/docs"))
import examples  # noqa: E402
TIMEOUT = 120
JOB = """apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: a
spec:
  runtimeRef:
    name: torch-distributed
"""
SEVERITIES = {"error": 1, "warning": 2, "info": 3}
problems = []


def check(actual, expected, what):
    if actual != expected:
        problems.append(f"{what}: expected\n  {json.dumps(expected, sort_keys=True)}\nbut got\n  {json.dumps(actual, sort_keys=True)}")


class Editor:
    """A client of a server process."""

    def __init__(self, folder, capabilities=None):
        self.folder = folder
        self.process = subprocess.Popen([TRAINJOBC, "lsp", "--stdio"], cwd="/", stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        self.bytes = b""
        self.last_id = 0
        self.diagnostics = {}  # by path
        self.versions = {}
        self.requests = []  # of the server
        self.shown = []
        self.capabilities = capabilities or {}

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def send_bytes(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def receive(self, timeout=TIMEOUT):
        """The next message; None if none comes in time, or the server has ended."""
        while True:
            head, found, rest = self.bytes.partition(b"\r\n\r\n")
            if found:
                length = int(head.split(b":")[1])
                if len(rest) >= length:
                    self.bytes = rest[length:]
                    return json.loads(rest[:length])
            if not select.select([self.process.stdout], [], [], timeout)[0]:
                return None
            more = os.read(self.process.stdout.fileno(), 1 << 16)
            if not more:
                return None
            self.bytes += more

    def take(self, message):
        method = message.get("method")
        if method == "textDocument/publishDiagnostics":
            path = path_of(message["params"]["uri"])
            self.diagnostics[path] = message["params"]["diagnostics"]
            self.versions[path] = message["params"].get("version")
        elif method == "window/showMessage":
            self.shown.append(message["params"])
        elif method:
            self.requests.append(message)

    def answer_to(self, number):
        while (message := self.receive()) is not None:
            if "method" not in message and message.get("id") == number:
                return message
            self.take(message)
        return None

    def request(self, method, params=None):
        """The result or the error."""
        self.last_id += 1
        self.send({"id": self.last_id, "method": method, "params": params or {}})
        answer = self.answer_to(self.last_id) or {}
        return answer.get("error", answer.get("result"))

    def notify(self, method, params=None):
        self.send({"method": method, "params": params or {}})

    def start(self):
        result = self.request("initialize", {"processId": None, "rootUri": uri_of(self.folder), "capabilities": self.capabilities})
        self.notify("initialized")
        return result

    def wait(self, condition, timeout=TIMEOUT):
        """Takes messages until the condition holds; whether it does."""
        end = time.monotonic() + timeout
        while not condition():
            message = self.receive(max(0.01, end - time.monotonic()))
            if message is None:
                return False
            self.take(message)
        return True

    def open(self, path, text):
        self.notify("textDocument/didOpen", {"textDocument": {"uri": uri_of(path), "languageId": "yaml", "version": 1, "text": text}})

    def replace(self, path, text, version):
        self.notify("textDocument/didChange", {"textDocument": {"uri": uri_of(path), "version": version}, "contentChanges": [{"text": text}]})

    def end(self):
        """The exit status, and what was on stderr."""
        self.request("shutdown")
        self.notify("exit")
        error = self.process.stderr.read().decode()
        return self.process.wait(TIMEOUT), error


def uri_of(path):
    return pathlib.Path(path).as_uri()


def path_of(uri):
    from urllib.parse import unquote, urlparse
    return unquote(urlparse(uri).path)


def document(path, **more):
    return {"textDocument": {"uri": uri_of(path)}, **more}


def make_folder(folder, files):
    for name, text in files.items():
        path = pathlib.Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


# ----- messages -----

def check_lifecycle():
    with tempfile.TemporaryDirectory() as folder:
        editor = Editor(folder, {"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}})
        check(editor.request("textDocument/hover"), {"code": -32002, "message": "the first request must be initialize"},
              "a request before initialize")
        result = editor.start()
        check(result["serverInfo"]["name"], "trainjobc", "the name of the server")
        check(result["capabilities"], {
            "positionEncoding": "utf-16",
            "textDocumentSync": {"openClose": True, "change": 2, "save": {"includeText": False}},
            "hoverProvider": True,
            "completionProvider": {"triggerCharacters": [" ", ":", "-"], "resolveProvider": False},
            "definitionProvider": True,
            "referencesProvider": True,
            "renameProvider": {"prepareProvider": True},
            "documentSymbolProvider": True,
            "foldingRangeProvider": True,
            "codeActionProvider": {"codeActionKinds": ["quickfix", "source.fixAll.trainjobc", "refactor.rewrite.trainjobc"],
                                   "resolveProvider": True},
            "codeLensProvider": {"resolveProvider": False},
            "executeCommandProvider": {"commands": ["trainjobc.showJobSet"]},
            "workspace": {"workspaceFolders": {"supported": True, "changeNotifications": True},
                          "textDocumentContent": {"schemes": ["trainjobc-runtime"]}}}, "the capabilities")
        editor.wait(lambda: editor.requests)
        check([request["method"] for request in editor.requests], ["client/registerCapability"], "the requests of the server")
        check(editor.requests[0]["params"]["registrations"][0]["registerOptions"]["watchers"],
              [{"globPattern": glob} for glob in ("**/*.{yaml,yml,json}", "**/.trainjobc.yaml", "**/.gitignore")], "the watchers")
        editor.send({"id": editor.requests[0]["id"], "result": None})
        check(editor.request("no/such"), {"code": -32601, "message": "there is no method no/such"}, "an unknown method")
        editor.notify("no/such")
        editor.notify("$/setTrace", {"value": "verbose"})
        editor.send_bytes(b"Content-Length: 3\r\n\r\n{,}")
        check(editor.receive(), {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "the message is not JSON"}},
              "what is not JSON")
        editor.send_bytes(b"Content-Length: 2\r\n\r\n[]")
        check(editor.receive(), {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "the message has no method"}},
              "a batch")
        check(editor.end(), (0, ""), "the end")


def check_cancellation():
    with tempfile.TemporaryDirectory() as folder:
        editor = Editor(folder)
        editor.start()
        # In one block, so that the second is queued when the third comes.
        messages = [{"id": 50, "method": "trainjobc/explainRule", "params": {"rule": "advice/image-tag"}},
                    {"id": 51, "method": "trainjobc/explainRule", "params": {"rule": "advice/image-tag"}},
                    {"method": "$/cancelRequest", "params": {"id": 51}}]
        block = b""
        for message in messages:
            body = json.dumps({"jsonrpc": "2.0", **message}).encode()
            block += b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
        editor.send_bytes(block)
        check(editor.receive(), {"jsonrpc": "2.0", "id": 51, "error": {"code": -32800, "message": "the request was cancelled"}},
              "a cancelled request")
        check(editor.receive()["result"]["text"].splitlines()[0], "# advice/image-tag", "a rule's explanation")
        check(editor.request("trainjobc/explainRule", {"rule": "x"}), {"code": -32602, "message": "there is no rule \"x\""},
              "the explanation of no rule")
        check(editor.end(), (0, ""), "the end")


def check_ends():
    with tempfile.TemporaryDirectory() as folder:
        for data, status in ((b"", 1), (b"Content-Length: 5\r\n\r\n{}", 1), (b"nothing\r\n\r\n", 1),
                             (b"Content-Length: 33\r\n\r\n" + b'{"jsonrpc":"2.0","method":"exit"}', 1)):
            done = subprocess.run([TRAINJOBC, "lsp"], input=data, cwd=folder, capture_output=True, timeout=TIMEOUT)
            check((done.returncode, done.stderr.decode()), (status, ""), f"the end after {data}")
        with open("/dev/full", "wb") as full:
            done = subprocess.run([TRAINJOBC, "lsp"], input=b"Content-Length: 20\r\n\r\n" + b'{"method":1,"id": 1}', stdout=full,
                                  stderr=subprocess.PIPE, timeout=TIMEOUT)
        check((done.returncode, done.stderr.decode()), (2, "trainjobc: can't write to the editor\n"), "a full disk")


def check_editing():
    with tempfile.TemporaryDirectory() as folder:
        make_folder(folder, {"job.yaml": JOB + "  trainer:\n    numNode: 2\n", ".git/HEAD": ""})
        job = os.path.join(folder, "job.yaml")
        editor = Editor(folder)
        editor.start()
        editor.wait(lambda: editor.diagnostics.get(job))
        found = next(one for one in editor.diagnostics[job] if one["code"] == "input/unknown-field")
        explanation = found.pop("data")["explanation"]
        check(found, {"range": {"start": {"line": 8, "character": 4}, "end": {"line": 8, "character": 11}}, "severity": 1,
                      "source": "trainjobc", "code": "input/unknown-field",
                      "codeDescription": {"href": "https://trainjobc.github.io/trainjobc/reference/rules/input/#unknown-field"},
                      "message": "unknown field \"numNode\" in spec.trainer; did you mean \"numNodes\"?"}, "a diagnostic")
        check(explanation.strip() != "", True, "its explanation")
        check(editor.versions[job], None, "the version of a document that is not open")
        editor.open(job, JOB + "  trainer:\n    numNode: 2\n")
        # "s" after numNode, in UTF-16 after a comment with a character of two units.
        editor.notify("textDocument/didChange", {"textDocument": {"uri": uri_of(job), "version": 2}, "contentChanges": [
            {"range": {"start": {"line": 7, "character": 10}, "end": {"line": 7, "character": 10}}, "text": " # 𝄞 é"},
            {"range": {"start": {"line": 7, "character": 16}, "end": {"line": 7, "character": 17}}, "text": "e\n    image: \"b:2\""},
            {"range": {"start": {"line": 9, "character": 11}, "end": {"line": 9, "character": 11}}, "text": "s"}]})
        editor.wait(lambda: editor.diagnostics[job] == [])
        check((editor.diagnostics[job], editor.versions[job]), ([], 2), "the diagnostics of the mended buffer")
        symbols = editor.request("textDocument/documentSymbol", document(job))
        check([symbol["name"] for symbol in symbols], ["a"], "the symbols")
        editor.notify("textDocument/didSave", document(job))
        editor.notify("textDocument/didClose", document(job))
        editor.wait(lambda: editor.diagnostics[job])
        check([found["code"] for found in editor.diagnostics[job]], ["advice/no-command", "input/unknown-field"],
              "the diagnostics of the file")
        make_folder(folder, {"job.yaml": JOB + "  trainer: {command: [torchrun, train.py]}\n"})
        editor.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri_of(job), "type": 2}]})
        editor.wait(lambda: editor.diagnostics[job] == [])
        check(editor.diagnostics[job], [], "the diagnostics of the file that has changed")
        with tempfile.TemporaryDirectory() as other:
            make_folder(other, {"b.yaml": JOB + "  nope: 1\n"})
            path = os.path.join(other, "b.yaml")
            event = {"added": [{"uri": uri_of(other), "name": "other"}], "removed": []}
            editor.notify("workspace/didChangeWorkspaceFolders", {"event": event})
            editor.wait(lambda: editor.diagnostics.get(path))
            check([found["code"] for found in editor.diagnostics.get(path, [])], ["input/unknown-field"], "an added folder")
            editor.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": event["removed"], "removed": event["added"]}})
            editor.wait(lambda: editor.diagnostics.get(path) == [])
            check(editor.diagnostics.get(path), [], "a removed folder")
        config = os.path.join(folder, ".trainjobc.yaml")
        editor.open(config, "rule: {}\n")
        editor.wait(lambda: editor.diagnostics.get(config))
        check([found["code"] for found in editor.diagnostics.get(config, [])], ["config/invalid"], "a wrong configuration")
        check([shown["type"] for shown in editor.shown], [1], "what is shown of a wrong configuration")
        check(editor.end(), (0, ""), "the end")


def check_features():
    with tempfile.TemporaryDirectory() as folder:
        text = JOB + "  trainer:\n    numNodes: 4\n    resourcesPerNode: {limits: {nvidia.com/gpu: 8}}\n    nope: 1\n"
        good = text.replace("    nope: 1\n", "")
        make_folder(folder, {"job.yaml": good, ".git/HEAD": ""})
        job = os.path.join(folder, "job.yaml")
        editor = Editor(folder)
        editor.start()
        editor.open(job, good)
        place = document(job, position={"line": 8, "character": 6})
        hover = editor.request("textDocument/hover", place)
        check((hover or {}).get("range"), {"start": {"line": 8, "character": 4}, "end": {"line": 8, "character": 12}}, "a hover")
        completion = editor.request("textDocument/completion", document(job, position={"line": 8, "character": 6}))
        items = completion["items"] if isinstance(completion, dict) else completion
        check("numNodes" in [item["label"] for item in items], True, "a completion of numNodes")
        runtime = document(job, position={"line": 6, "character": 12})
        check(editor.request("textDocument/references", {**runtime, "context": {"includeDeclaration": True}}) is not None, True,
              "references")
        editor.request("textDocument/definition", runtime)
        check(isinstance(editor.request("textDocument/foldingRange", document(job)), list), True, "folding ranges")
        check(editor.request("textDocument/codeLens", document(job)), [
            {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}},
             "command": {"title": "4 nodes × 8 GPUs = 32 GPUs, ? processes · show JobSet", "command": "trainjobc.showJobSet",
                         "arguments": [uri_of(job), "default", "a"]}}], "the lenses")
        rendered = editor.request("trainjobc/renderedJobSet", document(job, namespace="default", name="a"))
        printed = subprocess.run([TRAINJOBC, "render", job], capture_output=True, text=True, check=True).stdout
        check(rendered, {"uri": "trainjobc-jobset:/default/a.yaml", "languageId": "yaml", "text": printed}, "the rendered JobSet")
        check(editor.request("workspace/executeCommand",
                             {"command": "trainjobc.showJobSet", "arguments": [uri_of(job), "default", "a"]}), rendered, "the command")
        here = {"start": {"line": 7, "character": 2}, "end": {"line": 7, "character": 2}}
        actions = editor.request("textDocument/codeAction", document(job, range=here, context={"diagnostics": []}))
        check([action["title"] for action in actions], ["Ignore advice/no-command here, with a reason"], "the actions")
        check(actions[0]["edit"], {"changes": {uri_of(job): [
            {"range": {"start": {"line": 7, "character": 0}, "end": {"line": 7, "character": 0}},
             "newText": "  # trainjobc:ignore advice/no-command -- TODO: the reason\n"}]}}, "the edit of an action")
        check(editor.request("codeAction/resolve", actions[0]), actions[0], "an action that is complete")
        editor.replace(job, text, 2)
        wrong = {"start": {"line": 10, "character": 4}, "end": {"line": 10, "character": 4}}
        check(editor.request("textDocument/codeAction", document(job, range=wrong, context={"diagnostics": []})), [],
              "no way to ignore what the cluster refuses")
        check(editor.request("trainjobc/renderedJobSet", document(job, namespace="default", name="a"))["code"], -32803,
              "the JobSet of a job with errors")
        for method in ("hover", "completion", "definition", "references"):
            check(editor.request(f"textDocument/{method}", document(job))["code"], -32602, f"{method} without a position")
            check(editor.request(f"textDocument/{method}", {**place, "textDocument": {"uri": "untitled:a"}}), None,
                  f"{method} in a document without a file")
        check(editor.end(), (0, ""), "the end")


def check_secrets():
    """No message of the server contains a secret of a manifest."""
    with tempfile.TemporaryDirectory() as folder:
        secret = "hf_" + "aB3dE5gH7jK9mN1pQ3sT5vX7zA9cD1fG2h"
        text = JOB + f"  trainer:\n    env:\n      - name: HF_TOKEN\n        value: {secret}\n"
        mpi = JOB.replace("name: a", "name: m").replace("torch-distributed", "deepspeed-distributed")
        make_folder(folder, {"job.yaml": text, "mpi.yaml": mpi, ".git/HEAD": ""})
        job = os.path.join(folder, "job.yaml")
        editor = Editor(folder)
        editor.start()
        editor.open(job, text)
        answers = []
        for line in range(len(text.splitlines())):
            for character in range(0, 24, 2):
                place = document(job, position={"line": line, "character": character})
                answers.append(editor.request("textDocument/hover", place))
                answers.append(editor.request("textDocument/completion", place))
                answers.append(editor.request("textDocument/definition", place))
            here = {"start": {"line": line, "character": 0}, "end": {"line": line + 1, "character": 0}}
            answers.append(editor.request("textDocument/codeAction", document(job, range=here, context={"diagnostics": []})))
        answers.append(editor.request("trainjobc/renderedJobSet", document(job, namespace="default", name="a")))
        answers += [editor.request(f"textDocument/{method}", document(job)) for method in ("documentSymbol", "foldingRange", "codeLens")]
        answers.append(editor.request("trainjobc/renderedJobSet", document(os.path.join(folder, "mpi.yaml"), namespace="default", name="m")))
        check([answer for answer in answers if secret in json.dumps(answer)], [], "answers with a secret")
        check("kind: Secret" in answers[-1]["text"] and "ssh-privatekey: \"***\"" in answers[-1]["text"], True, "a masked key")
        check(secret in json.dumps(editor.diagnostics), False, "a secret in diagnostics")
        check(editor.end(), (0, ""), "the end")


# ----- the same as lint -----

def order(row):
    return json.dumps(row, sort_keys=True)


def utf16(text):
    return len(text.encode("utf-16-le")) // 2


def lint(folder):
    """By path, what `lint` reports, as the editor gets it; and what it says of runtimes of the catalogue, by rule and message, which
    the editor shows at the beginning of the jobs."""
    done = subprocess.run([TRAINJOBC, "lint", "--allow-empty", "--format", "json", folder], cwd="/", capture_output=True, check=False)
    if done.returncode == 2:
        sys.exit(done.stderr.decode())
    expected, of_catalogue = {}, set()
    for one in json.loads(done.stdout)["diagnostics"]:
        message = one["message"] + ("; " + one["hint"] if one.get("hint") else "")
        if one["file"].startswith("catalogue/v"):
            of_catalogue.add((one["rule"], message))
            continue
        path = os.path.join("/", one["file"])  # from the working directory
        lines = pathlib.Path(path).read_bytes().decode(errors="replace").removeprefix("\ufeff").split("\n")

        def place(line, column):
            text = lines[line - 1].encode()[:column - 1].decode(errors="replace") if line - 1 < len(lines) else ""
            return {"line": line - 1, "character": utf16(text)}

        start = place(one["line"], one["column"]) if one.get("line") else None
        expected.setdefault(path, []).append(
            (one["rule"], SEVERITIES[one["severity"]], message, start))
    return {path: sorted(found, key=order) for path, found in expected.items()}, of_catalogue


def published(editor, expected, of_catalogue):
    """By path, what the server says, in the same form."""
    result = {}
    for path, found in editor.diagnostics.items():
        places = {(rule, message): start for rule, _, message, start in expected.get(path, [])}
        rows = []
        for one in found:
            message = one["message"].split("\nnote: ")[0]
            if (one["code"], message) in of_catalogue and (one["code"], message) not in places and one["range"]["start"]["character"] == 0:
                continue
            # A finding without a line is shown at the beginning of its object.
            start = None if places.get((one["code"], message), 0) is None else one["range"]["start"]
            rows.append((one["code"], one["severity"], message, start))
        if rows:
            result[path] = sorted(rows, key=order)
    return result


def check_same(editor, folder, what):
    expected, of_catalogue = lint(folder)
    editor.wait(lambda: published(editor, expected, of_catalogue) == expected, 20)
    check(published(editor, expected, of_catalogue), expected, f"the diagnostics of {what}")


def check_against_lint():
    for folder in (ROOT / "examples", ROOT / "golden", *sorted((ROOT / "tests" / "conformance").glob("v*"))):
        editor = Editor(str(folder))
        editor.start()
        check_same(editor, str(folder), folder.relative_to(ROOT))
        check(editor.end(), (0, ""), f"the end in {folder.relative_to(ROOT)}")


def edited(text, edits):
    lines = text.splitlines(keepends=True) + [""]

    def offset(at):
        line = lines[min(at["line"], len(lines) - 1)].encode("utf-16-le")
        return sum(len(one) for one in lines[:at["line"]]) + len(line[:2 * at["character"]].decode("utf-16-le"))

    for edit in sorted(edits, key=lambda one: offset(one["range"]["start"]), reverse=True):
        text = text[:offset(edit["range"]["start"])] + edit["newText"] + text[offset(edit["range"]["end"]):]
    return text


def check_fixes_against_lint():
    """What "Fix all" makes of each file is what `lint --fix` makes of it; each of its fixes is an action of its own, too."""
    with tempfile.TemporaryDirectory() as folder:
        # The mistakes that the documentation shows, each with settings of its own.
        mistakes = [page.manifest("+") for page in examples.read_pages().values() if page.sections and "encoding" not in page.facts]
        texts = {f"{i:03d}/job.yaml": text for i, text in enumerate(mistakes)}
        make_folder(folder, {**texts, **{f"{i:03d}/.trainjobc.yaml": "" for i in range(len(mistakes))}, ".git/HEAD": ""})
        editor = Editor(folder)
        editor.start()
        editor.wait(lambda: editor.diagnostics)
        fixed = {}
        for name, text in texts.items():
            path = os.path.join(folder, name)
            whole = {"start": {"line": 0, "character": 0}, "end": {"line": 9999, "character": 0}}
            actions = editor.request("textDocument/codeAction", document(path, range=whole, context={"diagnostics": []}))
            every = [action for action in actions if action["kind"] == "source.fixAll.trainjobc"]
            single = [action for action in actions if action.get("isPreferred")]
            check(bool(single) or not every, True, f"whether {name} has an action for what can be fixed")
            fixed[name] = edited(text, every[0]["edit"]["changes"][uri_of(path)]) if every else text
        check(editor.end(), (0, ""), "the end after the fixes")
        subprocess.run([TRAINJOBC, "lint", "--fix", folder], capture_output=True, check=False)
        for name in texts:
            check(fixed[name], pathlib.Path(folder, name).read_text(), f"{name} with all fixes")
        check(sum(fixed[name] != text for name, text in texts.items()) > 2, True, "whether files have fixes")


WORDS = [("numNodes", "numNode"), ("name: ", "name: x-"), ("image:", "imag:"), ("TrainJob", "TrainingRuntime"), ("torch", "mpi"),
         ("kind: ClusterTrainingRuntime", "kind: TrainingRuntime"), ("runtimePatches", "podTemplateOverrides"), ("nvidia.com", "amd.com"),
         ("metadata:", "metadat:"), ("value: ", "value: !!str "), ("spec:", "spec: # ä 𝄞"), ("namespace: ", "namespace: other-")]


def edit(text, choice):
    lines = text.split("\n")
    kind = choice.random()
    if kind < 0.5:
        old, new = choice.choice(WORDS)
        places = [at for at in range(len(text)) if text.startswith(old, at)]
        if places:
            at = choice.choice(places)
            return text[:at] + new + text[at + len(old):]
    at = choice.randrange(len(lines))
    if kind < 0.75:
        return "\n".join(lines[:at] + lines[at + 1:])
    return "\n".join(lines[:at] + [lines[at]] + lines[at:])


def check_edits_against_lint(seed, steps=40):
    """Edits of buffers, each compared with `lint` on a copy of the files."""
    choice = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder, "repository")
        subprocess.run(["cp", "-r", ROOT / "examples", copy], check=True)
        (copy / ".git").mkdir()
        files = sorted(str(path) for path in copy.rglob("*.yaml") if "/." not in str(path.relative_to(copy.parent)))
        texts = {path: pathlib.Path(path).read_text() for path in files}
        editor = Editor(str(copy))
        editor.start()
        check_same(editor, str(copy), "the copy")
        opened = set()
        before = len(problems)
        for step in range(steps):
            path = choice.choice(files)
            text = edit(texts[path], choice)
            pathlib.Path(path).write_text(text)
            if any(one[0].startswith("yaml/") for one in lint(str(copy))[0].get(path, [])):
                pathlib.Path(path).write_text(texts[path])  # what can't be read keeps its findings
                continue
            texts[path] = text
            if path in opened:
                editor.replace(path, text, step + 2)
            else:
                editor.open(path, text)
                opened.add(path)
            check_same(editor, str(copy), f"seed {seed}, step {step}, {path}")
            if len(problems) > before:
                break
        check(editor.end(), (0, ""), "the end after the edits")


def main():
    for step in (check_lifecycle, check_cancellation, check_ends, check_editing, check_features, check_secrets, check_fixes_against_lint, check_against_lint,
                 lambda: check_edits_against_lint(1)):
        step()
    print("\n".join(problems))
    print(f"{len(problems)} problems")
    return 1 if problems else 0


sys.exit(main())
