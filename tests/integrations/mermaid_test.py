#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mermaid draws what `graph` writes: whatever is in a label, it is shown as it is, and is neither markup nor a directive.

usage: mermaid_test.py BINARY; build/mermaid keeps npm's packages. Ends with 77 if npm can't get them, in CI with 1.
"""
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

BINARY = pathlib.Path(sys.argv[1]).resolve()
HERE = pathlib.Path(__file__).resolve().parent / "mermaid"
FOLDER = HERE.parents[2] / "build/mermaid"
SKIPPED = 77
WORD = "the-word"
TRAINER = "trainer.kubeflow.org/v1alpha1"

CHARACTERS = [chr(code) for code in (*range(0x20, 0x7f), 0x01, 0x09, 0x0a, 0x0d, 0x1b, 0x85, 0xa0, 0x2028, 0x202e, 0xfeff)] + ["é", "漢", "😀"]
WORDS = [
    "%%{init: {'theme': 'dark'}}%%", "%%{wrap}%%", "%% comment", "---\ntitle: x\n---\n", "\"]", "\"]:::x", "]", "--> b", "-.->|x|", "end",
    "subgraph x", "a & b", "classDef x fill:#fff", "style a fill:#fff", "click a href 'https://example.com'", "@{ shape: rect }",
    "a@{ img: 'https://example.com/a.png' }", "<script>alert(1)</script>", "<b>x</b>", "<br/>", "<img src=x onerror=alert(1)>", "&lt;b&gt;",
    "&amp;", "&#35;", "#quot;", "#35;", "#9829;", "`**x**`", "**x**", "_x_ *y*", "# x", "1. x", "- x", "[x](https://example.com)", "fa:fa-car",
    "fab:fa-github", "mdi:home", "$$x^2$$", "$x$", "\\n", "\\\"", "\\(x\\)", "a;b", "a|b", "{{x}}", "([x])", "[(x)]", "//", "::icon(fa)",
    "graph TD", "flowchart", "direction TB", "direction\u00a0TB", "style:#fff;", "$$$$", "https://example.com/a", "a,b", "o--o", "x--x", "default", "constructor", "__proto__", "accTitle: x",
]
LONG = ["x" * 2500, "漢" * 1000, " ".join(["word"] * 500), " ".join(WORDS), "\"" * 500, "%%{init: {}}%%" * 50]


def installed():
    """False, with the reason printed, if Mermaid isn't there."""
    if not shutil.which("node") or not shutil.which("npm"):
        print("skipped: node and npm are not installed")
        return False
    FOLDER.mkdir(parents=True, exist_ok=True)
    lock = (HERE / "package-lock.json").read_bytes()
    known = FOLDER / "node_modules/installed-lock.json"
    if not known.exists() or known.read_bytes() != lock:
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name, FOLDER)
        done = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=FOLDER, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            print(done.stderr[-600:], "skipped: npm can't get Mermaid", sep="\n")
            return False
        known.write_bytes(lock)
    shutil.copy(HERE / "labels.mjs", FOLDER)
    return True


def escaped(word):
    """In a string of JSON; two braces would be a template's."""
    return "".join(f"\\u{unit:04x}" for unit in struct.unpack(f">{len(word.encode('utf-16-be')) // 2}H", word.encode("utf-16-be")))


def manifests(word):
    """A job with the word in everything that a box or an arrow says and that is free text."""
    container = {"name": "node", "image": f"example.com/{WORD}:1",
                 "env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": f"of env {WORD}", "key": "k"}}}]}
    volumes = [{"nfs": {"server": WORD, "path": f"/{WORD}"}}, {"hostPath": {"path": WORD}}, {"csi": {"driver": WORD}},
               {"secret": {"secretName": WORD}}, {"configMap": {"name": WORD}}, {"persistentVolumeClaim": {"claimName": WORD}},
               {"projected": {"sources": [{"secret": {"name": f"projected {WORD}"}}]}}]
    pod = {"containers": [container], "imagePullSecrets": [{"name": f"pull {WORD}"}],
           "volumes": [{"name": f"v{i}", **volume} for i, volume in enumerate(volumes)]}
    runtime = {"apiVersion": TRAINER, "kind": "ClusterTrainingRuntime", "metadata": {"name": "rt"}, "spec": {
        "mlPolicy": {"numNodes": 2, "torch": {}}, "template": {"spec": {"replicatedJobs": [{"name": "node", "template": {
            "metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}}, "spec": {"template": {"spec": pod}}}}]}}}}
    job = {"apiVersion": TRAINER, "kind": "TrainJob", "metadata": {"name": "a"}, "spec": {"runtimeRef": {"name": "rt"}}}
    return json.dumps(runtime).replace(WORD, escaped(word)) + "\n---\n" + json.dumps(job)


def graph(*arguments, **options):
    done = subprocess.run([BINARY, "graph", *arguments], capture_output=True, text=True, timeout=60, check=False, **options)
    return done.stdout if done.returncode == 0 else sys.exit(f"graph {arguments} {options} ended with {done.returncode}:\n{done.stderr}")


def graphs(word):
    """Mermaid's and Graphviz's text of a job with the word in its labels."""
    return [graph("--no-config", "-o", form, "-", input=manifests(word)) for form in ("mermaid", "dot")]


def graphs_of_folders(words):
    """The same of jobs in folders with these names, which are in the titles of the jobs."""
    job = {"apiVersion": TRAINER, "kind": "TrainJob", "metadata": {"name": "a"}, "spec": {"runtimeRef": {"name": "torch-distributed"}}}
    with tempfile.TemporaryDirectory() as root:
        for word in words:
            folder = pathlib.Path(root, f"in {word}")
            folder.mkdir(parents=True)
            (folder / ".trainjobc.yaml").write_text("{}")
            (folder / "job.yaml").write_text(json.dumps(job))
        return [graph("-o", form, ".", cwd=root) for form in ("mermaid", "dot")]


def labels_of(dot):
    """The lines of each label, as Graphviz shows them: what the arrows' say ends with an empty line."""
    for label in re.findall(r'label="((?:[^"\\]|\\.)*)"', dot):
        yield [re.sub(r"\\(?!u[0-9a-f]{4})(.)", r"\1", line).replace("&amp;", "&") for line in re.split(r"(?<!\\)(?:\\\\)*\\n", label)]


def words_of(lines):
    """Without the white space around words, which HTML does not show, and what keeps characters apart."""
    shown = [" ".join(line.replace("\u2060", "").split()) for line in lines]
    while shown and not shown[-1]:
        shown.pop()
    return shown


def problems_of(word, seen, text, dot):
    if "error" in seen:
        return [f"{word!r}: {seen['error']}\n{text}"]
    found = []
    boxes = len(re.findall(r"^    j\d+n\d+[\[({]", text, re.M))
    arrows = len(re.findall(r"^    j\d+n\d+ -", text, re.M))
    for what, actual, expected in (
            ("kind", seen["diagramType"], "flowchart-v2"), ("configuration", seen["config"], {}), ("number of boxes", seen["boxes"], boxes),
            ("number of arrows", seen["arrows"], arrows), ("elements", seen["others"], []),
            ("labels", sorted(filter(None, map(words_of, seen["labels"]))), sorted(map(words_of, labels_of(dot))))):
        if actual != expected:
            found.append(f"{word!r}: the {what} are\n  {actual}\nnot\n  {expected}")
    return found


def main():
    if not installed():
        return 1 if os.environ.get("CI") else SKIPPED
    words = [*WORDS, *("".join(f"a{character}b" for character in CHARACTERS[i::16]) for i in range(16)),
             *(" b a ".join(WORDS[i::12]) for i in range(12))]
    drawn = {word: graphs(word) for word in [*words, *LONG]}
    drawn["folders"] = graphs_of_folders(words)
    mermaids = json.dumps([mermaid for mermaid, _ in drawn.values()])
    done = subprocess.run(["node", "labels.mjs"], cwd=FOLDER, input=mermaids, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode != 0:
        print(done.stderr)
        return 1
    problems = []
    for (word, (mermaid, dot)), seen in zip(drawn.items(), json.loads(done.stdout)):
        problems += problems_of(word, seen, mermaid, dot)
    print("\n".join(problems), f"{len(drawn)} diagrams, {len(problems)} problems", sep="\n")
    return 1 if problems else 0


sys.exit(main())
