#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No output but manifests shows a secret: one is put into each string of the fixtures, and every command runs.

usage: secrets_test.py BINARY [--all] [--jobs N]. Without --all a sample, the same each time. Strings of one file that are
refused alike, or not at all, are tried together, each with a secret of its own.
"""
import argparse
import concurrent.futures
import functools
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time
import urllib.request

import yaml

TESTS = pathlib.Path(__file__).resolve().parents[1]
SAMPLE = 60
BATCH = 40
KINDS = 5  # of values


class Secret:
    """What takes the place of a string: `number` is that of its place among those that are tried together."""

    def __init__(self, kind, number):
        self.kind = kind
        # A token, a key that is known by the name before it, a password in a reference, and what is secret by its name alone.
        self.secret = (f"hf_aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA{number:02d}", f"hf_aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA{number:02d}",
                       f"pa55-of-the-registry-{number:02d}", f"8f3a61c09be24d7f55{number:02d}", f"4-plain-words-of-a-db-{number:02d}")[kind]
        self.value = (self.secret, f"--token={self.secret}", f"user:{self.secret}@registry.example/a/b:1",
                      f"set -e\\nexport WANDB_API_KEY={self.secret}\\npython x.py", self.secret)[kind]
        self.name = f"DB{number:02d}_PASSWORD" if kind == KINDS - 1 else None

    def changes(self, lines, number):
        """Puts it into that line."""
        if self.name:
            self.put_by_name(lines, number)
        else:
            found = SCALAR.match(lines[number])
            lines[number] = f"{found[1]}{found[2]}\"{self.value}\""

    def put_by_name(self, lines, number):
        """Under a name that says that it is a secret: a variable, or else a field."""
        found = SCALAR.match(lines[number])
        before = SCALAR.match(lines[number - 1]) if number > 0 else None
        if found[2] == "value: " and before and before[2] == "name: ":
            lines[number - 1] = f"{before[1]}name: {self.name}"
            lines[number] = f"{found[1]}value: {self.value}"
        elif found[2]:
            lines[number] = f"{found[1]}{self.name}: {self.value}"
        else:
            lines[number] = f"{found[1]}{{name: {self.name}, value: {self.value}}}"


OF_GIT = ["pa55-of-the-registry", "hf_aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1b"]
FOLDERS = ["v1/jobs", "conformance/v2.3", "fuzz/seeds/diff", "fuzz/seeds/graph", "fuzz/seeds/quota", "fuzz/seeds/merge",
           "../examples", "../golden", "../templates/v2.3"]
SETTINGS = ".trainjobc.yaml"
# A scalar on a line of its own: what is before it, its key, and the scalar.
SCALAR = re.compile(r"^(\s*(?:- )*)((?:[\w./-]+: +)?)([^\s#{\[|>&*!\-'\"][^#]*|\"[^\"]*\"|'[^']*')$")
STRUCTURE = re.compile(r"^\s*(?:- )?(?:apiVersion|kind|image|name|generateName|namespace|rule): ")
# What each command prints besides manifests; of the last ones, only what is on standard error. `kubectl` refuses all
# objects, and repeats what it refuses; `kustomize` and `helm` build what is in a folder, or refuse it and repeat it.
COMMANDS = [*(["lint", "--format", name, "in.yaml"] for name in ("text", "json", "sarif", "markdown", "junit", "github", "gitlab")),
            ["lint", "--fix=all", "--diff", "in.yaml"], ["lint", "in.yaml", "copy.yaml"],
            ["explain", "in.yaml"], ["explain", "-o", "json", "in.yaml"],
            ["plan", "--ranks", "in.yaml"], ["plan", "-o", "json", "in.yaml"], ["plan", "-o", "markdown", "in.yaml"],
            ["graph", "in.yaml"], ["graph", "-o", "dot", "in.yaml"],
            ["migrate", "--diff", "in.yaml"], ["migrate", "--diff", "--plain", "in.yaml"],
            *(["migrate", "--summary", "--report", name, "in.yaml"] for name in ("report.md", "report.json")),
            ["runtimes", "in.yaml"], ["runtimes", "--used-by", "torch-distributed", "in.yaml"], ["runtimes", "check", "in.yaml"],
            ["diff", "--from", "old.yaml", "in.yaml"], ["diff", "--from", "in.yaml", "-o", "json", "old.yaml"],
            ["diff", "--live", "live.yaml", "-o", "unified", "in.yaml"], ["diff", "--live", "in.yaml", "old.yaml"], ["diff", "in.yaml"],
            ["submit", "--dry-run=server", "in.yaml"], ["submit", "in.yaml"], ["plan", "--cluster", "in.yaml"],
            *(["lint", "-k", folder] for folder in ("good", "bad")), ["explain", "-k", "good"], ["diff", "-k", "bad"],
            *(["lint", "--helm", folder, "--values", "in.yaml"] for folder in ("chart", "bad-chart")),
            ["lint", "--roots", "roots.yaml", "good"], ["lint", "--changed-since", "HEAD", "in.yaml"],
            *(["diff", "--base", "HEAD", "-o", name, "in.yaml"] for name in ("text", "unified", "json", "markdown")),
            ["diff", "--base", "HEAD", "--head", "HEAD~1", "in.yaml"]]
STDERR_ONLY = [["render", "in.yaml"], ["render", "--keep-going", "-o", "json", "in.yaml"], ["migrate", "in.yaml"],
               ["submit", "--dry-run=client", "in.yaml"], ["compose", "in.yaml"],
               *(["new", "--from-runtime", name, "--runtimes", "in.yaml", "--name", "a", "--", "python", "x.py"] for name in ("torch-distributed", "mine")),
               ["new", "torch", "--name", "a", "--from-script", "x.py"]]
REPORTS = ["report.md", "report.json"]
OF_WRONG_GIT = [["diff", "--base", "HEAD", "in.yaml"], ["lint", "--changed-since", "HEAD", "in.yaml"]]
OF_QUOTA = [["plan", "job.yaml", "--quota", "in.yaml"], ["plan", "-o", "json", "job.yaml", "--quota", "in.yaml"]]
OF_SETTINGS = [["lint", "."], ["lint", "--format", "json", "."], ["plan", "."], ["render", "job.yaml"], ["lint", "--config", SETTINGS, "job.yaml"]]
KUBECTL = """#!/bin/sh
[ -t 0 ] || sed 's/^/error: admission webhook "a.example" denied the request: /' >&2
echo "error: the server refused" >&2
exit 1
"""
KUSTOMIZE = """#!/bin/sh
case "$2" in
  *bad*) sed 's/^/Error: /' "$2/in.yaml" >&2; exit 1 ;;
  *) cat "$2/in.yaml" ;;
esac
"""
HELM = """#!/bin/sh
for last; do :; done
case "$last" in
  *bad*) sed 's/^/Error: template: /' "$last/../in.yaml" "$last/values.yaml" >&2; exit 1 ;;
  *) echo '---'; echo '# Source: c/templates/in.yaml'; cat "$last/templates/in.yaml" ;;
esac
"""
GIT = f"""#!/bin/sh
echo "fatal: unable to access 'https://user:{OF_GIT[0]}@git.example/a.git': {OF_GIT[1]}" >&2
exit 128
"""
ROOTS = """apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: apps, namespace: flux-system}
spec: {path: ./good, postBuild: {substitute: {A: b}, substituteFrom: [{kind: Secret, name: vars}]}}
"""
JOB = """apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: a, namespace: team, labels: {kueue.x-k8s.io/queue-name: lq}}
spec: {runtimeRef: {name: torch-distributed}}
"""


def fixtures():
    for folder in FOLDERS:
        for path in sorted((TESTS / folder).rglob("*.yaml")):
            if "expected" not in path.name and ".github" not in path.parts:
                yield path


def places():
    for path in fixtures():
        lines = path.read_text().splitlines()
        for number, line in enumerate(lines):
            found = SCALAR.match(line)
            # Names are shown by design, and may not contain a secret: no valid name does.
            if found and (found[2] or "-" in found[1]) and not STRUCTURE.match(line):
                yield path, lines, number
            elif found and found[2].startswith("image: "):
                yield path, lines, number


def changed(lines, secrets):
    """The text with these secrets, by line."""
    new = list(lines)
    for number, secret in secrets.items():
        secret.changes(new, number)
    return "\n".join([*new, ""])


def in_one_line(text):
    """Each document as a line of JSON: whatever is found, it is on the line of the secret. The text if it can't be read."""
    try:
        return "---\n".join(json.dumps(document) + "\n" for document in yaml.safe_load_all(text))
    except (yaml.YAMLError, TypeError, ValueError):
        return text


def resource_list(text):
    """The documents as the input of a KRM function, each on one line; nothing if they can't be read."""
    try:
        documents = [document for document in yaml.safe_load_all(text) if isinstance(document, dict)]
        return "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n" + "".join(f"- {json.dumps(each)}\n" for each in documents)
    except (yaml.YAMLError, TypeError, ValueError):
        return ""


def results_of(out):
    """What a function reports, without the objects."""
    try:
        return json.dumps((yaml.safe_load(out) or {}).get("results")).encode()
    except (yaml.YAMLError, AttributeError):
        return out


def message(body):
    text = json.dumps({"jsonrpc": "2.0", **body}).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(text), text)


def session(folder, name, numbers):
    uri = pathlib.Path(folder, name).as_uri()
    of_document = {"textDocument": {"uri": uri}}
    everything = {"start": {"line": 0, "character": 0}, "end": {"line": 100000, "character": 0}}
    requests = [("documentSymbol", {}), ("codeLens", {}), ("codeAction", {"range": everything, "context": {"diagnostics": []}})]
    for number in numbers:
        at = {"position": {"line": number, "character": 8}}
        requests += [("hover", at), ("hover", {"position": {"line": max(number - 1, 0), "character": 8}})]
        requests += [(method, {**at, "context": {}, "newName": "b"}) for method in ("completion", "definition", "references", "prepareRename", "rename")]
    return b"".join(map(message, [
        {"id": 1, "method": "initialize", "params": {"rootUri": pathlib.Path(folder).as_uri(), "capabilities": {}}},
        {"method": "initialized", "params": {}},
        {"method": "textDocument/didOpen", "params": {"textDocument": {
            "uri": uri, "languageId": "yaml", "version": 1, "text": pathlib.Path(folder, name).read_text()}}},
        *({"id": i + 2, "method": f"textDocument/{method}", "params": {**of_document, **params}}
          for i, (method, params) in enumerate(requests)),
        {"id": 9999, "method": "shutdown"}, {"method": "exit"}]))


def said(out):
    """What the server says, without the edits, which are manifests."""
    texts = []
    while out:
        head, _, rest = out.partition(b"\r\n\r\n")
        length = int(head.split(b":")[1])
        answer = json.loads(rest[:length])
        out = rest[length:]
        for action in answer.get("result") or [] if isinstance(answer.get("result"), list) else []:
            action.pop("edit", None)
        texts.append(json.dumps(answer))
    return "\n".join(texts).encode()


class Trial:
    def __init__(self, binary, folder, problems, path, secrets, form):
        self.binary, self.folder, self.problems, self.path, self.secrets, self.form = binary, folder, problems, path, secrets, form
        self.environment = {**os.environ, "HOME": folder, "PATH": f"{folder}/bin:{os.environ['PATH']}"}

    def run(self, words, stdin=b"", environment=None):
        return subprocess.run([self.binary, *words], cwd=self.folder, input=stdin, capture_output=True, timeout=120,
                              env=environment or self.environment)

    def check(self, words, shown):
        secrets = [(f"{os.path.relpath(self.path, TESTS.parent)}:{number + 1}{self.form}", secret.secret)
                   for number, secret in self.secrets.items()]
        for where, secret in [*secrets, *(("git", secret) for secret in OF_GIT)]:
            if secret.encode() in shown:
                line = next(line for line in shown.splitlines() if secret.encode() in line).decode(errors="replace")
                self.problems.append(f"{where}: {' '.join(words)} shows {secret}: {line.strip()[:300]}")

    def all(self, name, numbers, commands, stderr_only):
        for words in commands:
            done = self.run(words)
            reports = (pathlib.Path(self.folder, name) for name in REPORTS if name in words)
            self.check(words, done.stdout + done.stderr + b"".join(path.read_bytes() for path in reports if path.exists()))
        for words in stderr_only:
            self.check(words, self.run(words).stderr)
        for words in OF_WRONG_GIT:
            done = self.run(words, environment={**self.environment, "PATH": f"{self.folder}/git:{self.environment['PATH']}"})
            self.check(words, done.stdout + done.stderr)
        done = self.run(["function"], resource_list(pathlib.Path(self.folder, name).read_text()).encode())
        self.check(["function"], done.stderr + results_of(done.stdout))
        done = self.run(["lsp"], session(self.folder, name, numbers))
        self.check(["lsp"], done.stderr + said(done.stdout))


@functools.cache
def has_webhook(binary):
    return b"webhook" in subprocess.run([binary, "--help"], capture_output=True, check=False).stdout


def reviews(path, old_path):
    """AdmissionReviews of each object: it is created, and changed to what it is from what it was."""
    try:
        new, old = (list(yaml.safe_load_all(each.read_text())) for each in (path, old_path))
    except (yaml.YAMLError, ValueError):
        return
    for document, before in zip(new, old):
        if not isinstance(document, dict) or not str(document.get("apiVersion")).startswith("trainer.kubeflow.org/"):
            continue
        for operation, was in (("CREATE", None), ("UPDATE", before)):
            yield json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
                "uid": "u", "kind": {"group": "trainer.kubeflow.org", "version": "v1alpha1", "kind": document.get("kind")},
                "operation": operation, "namespace": "team", "object": document, "oldObject": was}}, default=str)


def reviewed(trial, folder, words):
    """What the webhook answers and logs, with the arguments."""
    with open(folder / "log", "w+") as log:
        process = subprocess.Popen([trial.binary, "webhook", "--insecure", "--listen", "127.0.0.1:0", "--status-listen",
                                    "127.0.0.1:0", "--drain", "0", *words], cwd=folder, stderr=log, env=trial.environment)
        try:
            for _ in range(200):
                found = re.search(r'"ports":\[(\d+),(\d+)\]', (folder / "log").read_text())
                if found or process.poll() is not None:
                    break
                time.sleep(0.02)
            answers = [ask(found[1], "/validate", body) for body in reviews(folder / "in.yaml", folder / "old.yaml")] if found else []
            if found:
                answers.append(ask(found[2], "/metrics"))
        finally:
            process.terminate()
            process.wait()
    return "\n".join([*answers, (folder / "log").read_text()]).encode()


def ask(port, path, body=None):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", body and body.encode(), timeout=60) as answer:
        return answer.read().decode()


def signature(binary, path, lines, number, secret):
    """How a text with one secret ends. What is refused at one stage is not seen by later ones, nor what is beside it."""
    if path.name == SETTINGS:
        return number  # by itself
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "in.yaml").write_text(changed(lines, {number: secret}))

        def run(*words):
            return subprocess.run([binary, *words], cwd=folder, capture_output=True, timeout=120, check=False)
        pathlib.Path(folder, "job.yaml").write_text(JOB)
        linted = run("lint", "--format", "json", "in.yaml")
        errors = {each["rule"] for each in json.loads(linted.stdout)["diagnostics"] if each["severity"] == "error"} if linted.stdout else linted.returncode
        ends = [run("migrate", "in.yaml").returncode] if "kubeflow.org/v1\n" in "\n".join(lines) else []
        if "kueue.x-k8s.io/v1" in "\n".join(lines):
            ends.append(run("plan", "job.yaml", "--quota", "in.yaml").returncode)
        return repr((sorted(errors) if isinstance(errors, set) else errors, ends))


def batches(binary, path, chosen):
    """Of the places of a file: (lines, {line: secret}, whether it is JSON)."""
    groups = {}
    for i, (lines, number) in enumerate(chosen):
        end = signature(binary, path, lines, number, Secret(i % KINDS, 0))
        groups.setdefault(end, []).append((lines, number, i % KINDS))
    for places_of_group in groups.values():
        for i in range(0, len(places_of_group), BATCH):
            part = places_of_group[i:i + BATCH]
            yield part[0][0], {number: Secret(kind, k) for k, (_, number, kind) in enumerate(part)}


def attempt_file(binary, path, chosen):
    problems, runs = [], 0
    for lines, secrets in batches(binary, path, chosen):
        problems += attempt(binary, path, lines, secrets, runs % 2 == 1 and path.name != SETTINGS)
        runs += 1
    return problems, runs


def commit(folder, *texts):
    """A Git repository with a commit for each text of in.yaml."""
    def git(*words):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.com", *words], cwd=folder, check=True, capture_output=True)
    git("init", "-q")
    for text in texts:
        (folder / "in.yaml").write_text(text)
        git("add", "in.yaml")
        git("commit", "-q", "--allow-empty", "-m", "a")


def attempt(binary, path, lines, secrets, as_json):
    problems = []
    text = changed(lines, secrets)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "bin").mkdir()
        (folder / "git").mkdir()
        for program, script in (("bin/kubectl", KUBECTL), ("bin/kustomize", KUSTOMIZE), ("bin/helm", HELM), ("git/git", GIT)):
            (folder / program).write_text(script)
            (folder / program).chmod(0o755)
        (folder / "job.yaml").write_text(JOB)
        trial = Trial(binary, name, problems, path, secrets, " as JSON" if as_json else "")
        if path.name == SETTINGS:
            (folder / SETTINGS).write_text(text)
            trial.all(SETTINGS, list(secrets), OF_SETTINGS, [])
            return problems
        text = in_one_line(text) if as_json else text
        commit(folder, text, "\n".join([*lines, ""]))
        for file in ("in.yaml", "copy.yaml"):
            (folder / file).write_text(text)
        (folder / "old.yaml").write_text("\n".join([*lines, ""]))
        for root in ("good", "bad"):
            (folder / root).mkdir()
            (folder / root / "kustomization.yaml").write_text("resources: [in.yaml]\n")
            (folder / root / "in.yaml").write_text(text)
        for chart in ("chart", "bad-chart"):
            (folder / chart / "templates").mkdir(parents=True)
            (folder / chart / "Chart.yaml").write_text("apiVersion: v2\nname: c\nversion: 1.0.0\n")
            (folder / chart / "values.yaml").write_text(text)
            (folder / chart / "templates/in.yaml").write_text(text)
        (folder / "roots.yaml").write_text(ROOTS)
        (folder / "x.py").write_text("import torch\n" + "".join(
            f"parser.add_argument('--{secret.name or 'token'}', default={secret.value!r}, required={number % 2 == 0})\n"
            for number, secret in secrets.items()))
        (folder / "live.yaml").write_bytes(trial.run(["render", "--with-defaults", "old.yaml"]).stdout)
        trial.all("in.yaml", [0] if as_json else list(secrets), COMMANDS + (OF_QUOTA if "kueue.x-k8s.io/v1" in text else []), STDERR_ONLY)
        if has_webhook(binary):
            for words in (["--runtimes", "in.yaml"], ["--runtimes", "in.yaml", "--deny", "warning"]):
                trial.check(["webhook", *words], reviewed(trial, folder, words))
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    chosen = list(places())
    random.Random(1).shuffle(chosen)
    if not arguments.all:
        settings = [place for place in chosen if place[0].name == SETTINGS]
        chosen = chosen[:SAMPLE] + settings[:3]
    by_file = {}
    for path, lines, number in chosen:
        by_file.setdefault(path, []).append((lines, number))
    problems, runs = [], 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        tried = [pool.submit(attempt_file, arguments.binary.resolve(), path, part) for path, part in by_file.items()]
        for future in concurrent.futures.as_completed(tried):
            found, count = future.result()
            runs += count
            for problem in found:
                problems.append(problem)
                print(problem, flush=True)
    print(f"{len(chosen)} places in {runs} texts, {len(problems)} leaks")
    return 1 if problems or not chosen else 0


sys.exit(main())
