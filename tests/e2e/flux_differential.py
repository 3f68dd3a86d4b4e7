#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the objects that --roots finds with those that Flux's own library makes, on random documents and
repositories.

usage: flux_differential.py DEPLOYED_READ FOLDER [--documents N] [--repositories N] [--seed N] [--keep DIR]

DEPLOYED_READ is the build's deployed_read; Flux's library, kustomize and their modules are built in FOLDER. Prints the
seed, and each difference with its repository. Without Go or its modules it is skipped (77); with
TRAINJOBC_E2E=required it fails.
"""
import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import programs

NAMES = ["nodes", "tag", "bucket", "flag", "cfg", "empty", "quote", "path", "unset", "_x1"]
VALUES = [
    "4", "1.4.0", "s3://data", "true", "on", "no", '"c4", "pile"', '{"a": {"b": 0.1}}', "it's", r"\d+", "a: b", "#x", "-", "~",
    "", '"', "'", "0x1f", "1e3", "2026-01-02", "[a, b]", "{x: 1}", "- a", "a\\", "%", "@a", "two words", "x" * 90, "1:30", "null",
    "épée Straße", "ǆungla", "ΣΟΦΌΣ ὰ", "İıſKÅ", "日本",
]
USES = [
    "${%s}", "${%s}", "${%s}", "${%s:=2}", "${%s:-d}", "${%s:=}", "${%s:0:3}", "${%s:1:-1}", "${%s:-1}", "${%s/a/b}", "${%s//a/b}",
    "${%s^^}", "${%s,,}", "${%s^}", "${%s,}", "${#%s}", "${%s#*/}", "${%s%%%%.*}", "$${%s}", "${quote}${%s}${quote}", "${%s:=${nodes}}", "${%s=z}", "$%s",
]
TEXTS = [
    "plain", "on", "No", "y", "010", "1_000", "1e3", ".5", "2026-01-02", "2026-1-2", "0x1f", "1:30", "~", "null", "true", "<<", "=",
    "a: b", "a #b", "it's", 'say "x"', "\\d", "- a", "[x]", "{x}", "%a", "@b", "`c`", "*d", "&e", "!f", "|", ">", "?", "? a", ":a", "a:",
    " lead", "trail ", "tab\there", "line\nbreak", "line\nbreak\n", "\nfirst", "two\n\nbreaks\n\n", " sp\nace", "sp \nace", "é", "日本", "😀",
    "a\u00a0b", "a\u2028b", "\x7f", "word " * 30, "x" * 100, "include: ", "'", '"', "#", "---", "--- a", "...", "-1", "+2", "1.", "0b11", "0o17",
]


class Documents:
    """Random objects with variables."""

    def __init__(self, rng):
        self.rng = rng

    def text(self):
        parts = []
        for _ in range(self.rng.choice((1, 1, 1, 2, 3))):
            use = self.rng.choice(USES)
            parts.append(self.rng.choice(TEXTS) if self.rng.random() < 0.5 else use % self.rng.choice(NAMES))
        return "".join(parts)

    def value(self, depth=0):
        kind = self.rng.random()
        if depth < 2 and kind < 0.15:
            return {self.key(): self.value(depth + 1) for _ in range(self.rng.randrange(4))}
        if depth < 2 and kind < 0.3:
            return [self.value(depth + 1) for _ in range(self.rng.randrange(4))]
        if kind < 0.4:
            return self.rng.choice([1, -7, 0.1, 1e21, True, False, "", 12345678901234567890])
        return self.text()

    def key(self):
        return self.rng.choice(["a", "b", "k1", "k10", "k2", "on", "y", "Z", "a.b/c", "é", "x" * 130, "a b", "1"])

    def scalar(self, value):
        """YAML of a value, in one of its styles."""
        if not isinstance(value, str):
            return json.dumps(value, ensure_ascii=False)
        styles = [json.dumps(value, ensure_ascii=True)]
        if "\n" not in value and "\t" not in value and value.isprintable():
            styles.append("'" + value.replace("'", "''") + "'")
        plain = value and value[0] not in "#,[]{}&*!|>'\"%@`?:- \n" and not any(
            part in value for part in (": ", " #", "\n", "\t", "\x7f", "\u2028", "\u00a0")
        ) and not value.endswith((":", " ")) and not value.startswith(("---", "..."))
        if plain and value.isprintable() and value not in ("<<", "="):
            styles += [value, value]
        return self.rng.choice(styles)

    def lines(self, value, indent):
        pad = " " * indent
        if isinstance(value, dict) and value:
            out = []
            for key, one in value.items():
                out += self.entry(json.dumps(key, ensure_ascii=True), one, pad, indent)
            return out
        out = []
        for one in value:
            if isinstance(one, (dict, list)) and one:
                out += [pad + "-", *self.lines(one, indent + 2)]
            else:
                out.append(f"{pad}- {self.scalar(one)}")
        return out

    def entry(self, key, one, pad, indent):
        if isinstance(one, (dict, list)) and one:
            return [f"{pad}{key}:", *self.lines(one, indent + 2)]
        return [f"{pad}{key}: {self.scalar(one)}"]

    def object(self, name, kind="Thing"):
        body = {self.key(): self.value() for _ in range(self.rng.randrange(1, 5))}
        metadata = [f"  name: {name}"]
        if self.rng.random() < 0.5:
            metadata.append(f"  namespace: {self.rng.choice(['team-a', 'team-b'])}")
        annotation = self.rng.random()
        if annotation < 0.08:
            metadata.append("  annotations: {kustomize.toolkit.fluxcd.io/substitute: disabled}")
        elif annotation < 0.11:
            metadata.append('  annotations: {config.kubernetes.io/local-config: "true"}')
        return "\n".join([
            "apiVersion: example.org/v1", f"kind: {kind}", "metadata:", *metadata, "spec:", *self.lines(body, 2), ""])

    def variables(self):
        return {name: self.rng.choice(VALUES) for name in NAMES if name != "unset" and self.rng.random() < 0.8}


def flux(name, spec):
    return json.dumps({
        "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
        "metadata": {"name": name, "namespace": "flux-system"}, "spec": spec})


def document(rng):
    """A repository of one folder with one object."""
    documents = Documents(rng)
    spec = {"path": "./apps", "postBuild": {"substitute": documents.variables()}}
    if rng.random() < 0.1:
        spec["postBuild"] = {"substituteStrategy": "Always"}
    if rng.random() < 0.1:
        del spec["postBuild"]
    return {"flux.yaml": flux("apps", spec), "apps/a.yaml": documents.object("a")}


def overlay(rng):
    spec = {}
    if rng.random() < 0.5:
        spec["targetNamespace"] = rng.choice(["team-x", "team-a"])
    if rng.random() < 0.4:
        spec["namePrefix"] = "p-"
    if rng.random() < 0.4:
        spec["nameSuffix"] = "-s"
    if rng.random() < 0.4:
        spec["patches"] = [{
            "target": {"kind": rng.choice(["Thing", "Th.*", "Other"])},
            "patch": rng.choice([
                '[{"op": "add", "path": "/spec/added", "value": "${nodes}"}]',
                "apiVersion: example.org/v1\nkind: Thing\nmetadata: {name: any}\nspec: {patched: on}\n"])}]
    if rng.random() < 0.3:
        spec["images"] = [{"name": "r.io/a", "newTag": "2"}, {"name": "r.io/b", "newName": "r.io/c"}]
    if rng.random() < 0.3:
        spec["components"] = ["../part"]
    return spec


def pod(name, rng):
    return "\n".join([
        "apiVersion: v1", "kind: Pod", f"metadata: {{name: {name}}}", "spec:", "  containers:",
        f"  - {{name: c, image: \"{rng.choice(['r.io/a:1', 'r.io/b', 'r.io/a@sha256:' + 'a' * 64])}\"}}", ""])


def repository(rng):
    """A repository with bases, folders and an overlay."""
    documents = Documents(rng)
    files = {"apps/a.yaml": documents.object("a"), "apps/sub/b.yml": documents.object("b", rng.choice(["Thing", "Other"]))}
    if rng.random() < 0.5:
        files["apps/pod.yaml"] = pod("pod", rng)
    if rng.random() < 0.3:
        files["apps/notes.txt"] = "no manifest"
    if rng.random() < 0.1:
        files["apps/values.yaml"] = "a: 1\n"
    if rng.random() < 0.3:
        files["apps/built/kustomization.yaml"] = rng.choice(
            ["resources: [c.yaml]\n", "resources: [c.yaml]\nnamePrefix: q-\n", "resources: [c.yaml]\nnamespace: team-q\n"])
        files["apps/built/c.yaml"] = documents.object("c")
    files["part/kustomization.yaml"] = (
        "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [d.yaml]\n")
    files["part/d.yaml"] = documents.object("d")
    if rng.random() < 0.4:
        files["apps/kustomization.yaml"] = rng.choice([
            "resources: [a.yaml, sub/b.yml]\n", "resources: [a.yaml]\nnamespace: team-k\nnamePrefix: k-\n",
            "resources: [a.yaml, ../shared/e.yaml]\nimages: [{name: r.io/a, newTag: '9', digest: ''}]\n"])
        files["shared/e.yaml"] = documents.object("e")
    spec = {"path": rng.choice(["./apps", "apps", "apps/"]), **overlay(rng)}
    if rng.random() < 0.7:
        spec["postBuild"] = {"substitute": documents.variables()}
    files["flux.yaml"] = flux("apps", spec)
    return files


def without_refused_characters(files):
    """Objects that Flux doesn't substitute are read as files, where DEL is accepted; Flux's library refuses it."""
    if "postBuild" in files["flux.yaml"]:
        return files
    return {name: text.replace("\\u007f", "") for name, text in files.items()}


def write(folder, files):
    (folder / ".git").mkdir(parents=True)
    for name, text in without_refused_characters(files).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def answers(program, folders, environment):
    done = subprocess.run([program], input="".join(f"{folder}\n" for folder in folders), stdout=subprocess.PIPE, text=True,
                          env=environment, check=True)
    return [json.loads(line, parse_int=lambda digits: as_read_by_go(int(digits))) for line in done.stdout.split("\n") if line]


def as_read_by_go(number):
    """JSON of integers that don't fit becomes floating point, which Go writes with the digits that it needs."""
    return float(number) if not -(1 << 63) <= number < 1 << 63 else number


def canonical(objects):
    return sorted(json.dumps(one, sort_keys=True, ensure_ascii=False) for one in objects)


def difference(ours, theirs):
    """"" if both say the same."""
    if bool(ours["error"]) != bool(theirs.get("error")):
        return "refused here, made there" if ours["error"] else "made here, refused there"
    if ours["error"] or canonical(ours["objects"]) == canonical(theirs["objects"]):
        return ""
    return "other objects"


def compare(options, flux_program, environment):
    rng = random.Random(options.seed)
    cases = [document(rng) for _ in range(options.documents)] + [repository(rng) for _ in range(options.repositories)]
    same = refused = different = 0
    with tempfile.TemporaryDirectory() as temporary:
        root = pathlib.Path(os.path.realpath(temporary))
        for begin in range(0, len(cases), 500):
            batch = cases[begin:begin + 500]
            folders = [root / f"r{begin + i}" for i in range(len(batch))]
            for folder, files in zip(folders, batch):
                write(folder, files)
            mine = answers(options.deployed_read, folders, environment)
            for folder, ours, theirs in zip(folders, mine, answers(flux_program, folders, environment)):
                kind = difference(ours, theirs)
                same += not kind and not ours["error"]
                refused += not kind and bool(ours["error"])
                if not kind:
                    continue
                different += 1
                if different <= options.show:
                    show(folder, kind, ours, theirs)
    print(f"seed {options.seed}: {same} the same, {refused} both refuse, {different} differ")
    return 1 if different else 0


def show(folder, kind, ours, theirs):
    print(f"{folder.name}: {kind}")
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.name.endswith(".original"):
            print(f"--- {path.relative_to(folder)}\n{path.read_text(encoding='utf-8')}")
    print(f"=== here  {ours['error'] or json.dumps(canonical(ours['objects']), ensure_ascii=False)}")
    print(f"=== there {theirs.get('error') or json.dumps(canonical(theirs['objects']), ensure_ascii=False)}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("deployed_read", type=os.path.abspath)
    parser.add_argument("folder")
    parser.add_argument("--documents", type=int, default=500)
    parser.add_argument("--repositories", type=int, default=100)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--show", type=int, default=5, help="differences that are printed whole")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    flux_program = programs.compile_module("flux", ".", options.folder)
    kustomize = programs.build_tool("kustomize", options.folder)
    environment = {**os.environ, "PATH": f"{os.path.dirname(kustomize)}{os.pathsep}{os.environ['PATH']}"}
    return compare(options, flux_program, environment)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except programs.Missing as missing:
        print(f"skipped: {missing}")
        sys.exit(1 if os.environ.get("TRAINJOBC_E2E") == "required" else 77)
