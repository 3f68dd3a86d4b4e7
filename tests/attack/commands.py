# SPDX-License-Identifier: Apache-2.0
"""Every command with every output format: where it may show secrets, and how its output is read."""
import dataclasses
import json
import re
import xml.etree.ElementTree

import yaml

VERSIONS = ("2.0", "2.1", "2.2", "2.3")
METHODS = ("textDocument/hover", "textDocument/completion", "textDocument/definition", "textDocument/references", "textDocument/documentSymbol",
           "textDocument/foldingRange", "textDocument/codeAction", "textDocument/codeLens", "textDocument/prepareRename", "textDocument/rename",
           "textDocument/formatting", "textDocument/rangeFormatting", "textDocument/onTypeFormatting", "trainjobc/renderedJobSet",
           "trainjobc/explainRule", "workspace/executeCommand", "workspace/textDocumentContent")
# Their answers are edits of the text, which has the secret.
EDITING = {"textDocument/codeAction", "textDocument/rename", "textDocument/formatting", "textDocument/rangeFormatting", "textDocument/onTypeFormatting",
           "textDocument/completion", "textDocument/prepareRename"}


def documents(text):
    """Without the types of YAML 1.1, some of which PyYAML refuses."""
    return list(yaml.load_all(text, Loader=yaml.CBaseLoader))


def sarif(text):
    log = json.loads(text)
    assert log["version"] == "2.1.0" and isinstance(log["runs"][0]["results"], list)


def junit(text):
    assert xml.etree.ElementTree.fromstring(text).tag == "testsuites"


def github(text):
    for line in text.splitlines():
        assert re.match(r"::(error|warning|notice)[ :]", line), line


def gitlab(text):
    for finding in json.loads(text):
        assert finding["fingerprint"] and finding["location"]["path"]


def mermaid(text):
    assert text.startswith("flowchart"), text[:80]


def dot(text):
    assert text.startswith("digraph") and text.rstrip().endswith("}"), text[:80]


def names(text):
    for line in text.splitlines():
        assert re.fullmatch(r"[a-z.0-9/-]+/\S+|\S+", line), line


def nothing(text):
    del text


@dataclasses.dataclass
class Command:
    words: list
    read: object = nothing          # raises if the output is not of its format
    hides: str = "all"              # secrets: "all" of its output, "err" only standard error
    kinds: tuple = ()               # of repositories; () for all
    stdin: str = ""                 # path of the file that it reads
    programs: dict = dataclasses.field(default_factory=dict)
    silent: tuple = (2,)            # statuses with which standard output may be in no format
    more: dict = dataclasses.field(default_factory=dict)  # for the driver

    @property
    def name(self):
        return " ".join(self.words)


REFUSING = {"kubectl": {"status": 1, "err": "error: the server refused\n"}}
EMPTY = {"kubectl": {"status": 0, "out": '{"apiVersion": "v1", "kind": "List", "items": []}'}}
GONE = {"kubectl": {"status": 137}}
STRANGE = {"kubectl": {"status": 0, "out": "not: [json"}}
LINTED = (("text", nothing), ("json", json.loads), ("sarif", sarif), ("junit", junit), ("github", github), ("gitlab", gitlab), ("markdown", nothing))
ONE = ("plain", "v1", "quota")  # that have in.yaml


def all_commands():
    for name, read in LINTED:
        yield Command(["lint", "--no-config", "-o", name, "in.yaml"], read, kinds=ONE)
        yield Command(["lint", "-o", name, "."], read, kinds=("settings", "kustomize", "helm", "quota"))
        yield Command(["lint", "--roots", "-o", name], read, kinds=("flux", "argo"))
        yield Command(["lint", "-o", name, "-k", "k"], read, kinds=("kustomize",))
        yield Command(["lint", "-o", name, "--helm", "chart"], read, kinds=("helm",))
    for fix in ("--fix", "--fix=all"):
        yield Command(["lint", "--no-config", fix, "--diff", "in.yaml"], kinds=ONE)
        yield Command(["lint", fix, "--diff", "."], kinds=("settings", "kustomize", "helm", "flux", "argo"))
    yield Command(["lint", "--no-config", "-v", "--fail-on", "warning", "-q", "--threads", "2", "in.yaml"], kinds=ONE)
    yield Command(["lint", "--no-config", "-"], kinds=ONE, stdin="in.yaml")
    yield Command(["lint", "--no-catalogue", "--color", "always", "."])
    for words, read in ((["-o", "yaml"], documents), (["-o", "json"], json.loads), (["-o", "name"], names), (["--with-defaults"], documents), (["--snapshot"], documents),
                        (["--annotate-origin"], documents), (["--owner-references"], documents), (["--passthrough"], documents),
                        (["--torchrun", "flags"], documents), (["--namespace", "n"], documents), (["--name-suffix", "x"], documents),
                        (["--keep-going"], documents), (["-o", "json", "--keep-going"], lambda text: json.loads(text or "{}"))):
        silent = (1, 2) if "--keep-going" not in words else (2,)
        yield Command(["render", "--no-config", "--ssh-key", "omit", *words, "in.yaml"], read, "err", ONE, silent=silent)
        yield Command(["render", "--ssh-key", "omit", *words, "."], read, "err", ("settings", "kustomize", "helm", "flux"), silent=silent)
    yield Command(["render", "--no-config", "--ssh-key", "omit", "--mask-secrets", "in.yaml"], documents, kinds=ONE, silent=(1, 2))
    yield Command(["render", "--ssh-key", "omit", "-k", "k"], documents, "err", ("kustomize",), silent=(1, 2))
    yield Command(["render", "--ssh-key", "omit", "--helm", "chart"], documents, "err", ("helm",), silent=(1, 2))
    yield Command(["render", "--ssh-key", "omit", "--output-dir", "out", "."], nothing, "err")
    for words, read in (([], documents), (["--with-defaults"], documents), (["-o", "json"], json.loads), (["-o", "text"], nothing), (["--field", "image"], nothing),
                        (["--field", "..env", "-o", "json"], json.loads), (["--field", ".spec.*"], nothing)):
        yield Command(["explain", "--no-config", *words, "in.yaml"], read, kinds=ONE, silent=(1, 2))
        yield Command(["explain", *words, "."], read, kinds=("settings", "kustomize", "helm"), silent=(1, 2))
    for words, read in (([], nothing), (["-o", "json"], json.loads), (["-o", "markdown"], nothing), (["--ranks"], nothing), (["--ranks", "-o", "json"], json.loads)):
        yield Command(["plan", "--no-config", *words, "in.yaml"], read, kinds=ONE, silent=(1, 2))
        yield Command(["plan", *words, "."], read, kinds=("settings", "kustomize", "helm"), silent=(1, 2))
        yield Command(["plan", *words, "in.yaml", "--quota", "quota.yaml"], read, kinds=("quota",), silent=(2,))
        for programs in (EMPTY, REFUSING, STRANGE):
            yield Command(["plan", "--no-config", *words, "--cluster", "in.yaml"], read, kinds=ONE, programs=programs, silent=(1, 2))
    for words, read in (([], mermaid), (["-o", "dot"], dot)):
        yield Command(["graph", "--no-config", *words, "in.yaml"], read, kinds=ONE, silent=(1, 2))
    yield Command(["graph", "--no-config", "-o", "svg", "in.yaml"], programs={"dot": {"out": "<svg/>"}}, kinds=ONE)
    for words in ([], ["--nodes", "2"], ["--processes", "2", "--cpu"], ["--mount", ".:/workspace", "--image", "a:1"], ["--job", "j"]):
        yield Command(["compose", "--no-config", "--ssh-key", "omit", *words, "in.yaml"], documents, "err", ONE, silent=(1, 2))
    for name, read in (("text", nothing), ("unified", nothing), ("json", json.loads), ("markdown", nothing)):
        yield Command(["diff", "--no-config", "--from", "old.yaml", "-o", name, "in.yaml"], read, kinds=("plain",))
        yield Command(["diff", "--no-config", "--live", "old.yaml", "-o", name, "in.yaml"], read, kinds=("plain",))
        yield Command(["diff", "--no-config", "--from-version", "2.1", "--to-version", "2.3", "-o", name, "in.yaml"], read, kinds=ONE)
        for programs in (EMPTY, REFUSING, STRANGE, GONE):
            yield Command(["diff", "--no-config", "-o", name, "in.yaml"], read, kinds=ONE, programs=programs)
    for words in (["--dry-run=client"], ["--dry-run=server"], [], ["--wait", "--timeout", "1s"], ["--replace", "--force-conflicts"]):
        for programs in (REFUSING, STRANGE, GONE):
            yield Command(["submit", "--no-config", "--ssh-key", "omit", *words, "in.yaml"], kinds=ONE, programs=programs, hides="err")
    for version in VERSIONS:
        yield Command(["migrate", "--no-config", "--diff", "--to", version, "in.yaml"], kinds=ONE)
    for words in (["--write"], ["--summary"], ["--write", "--runtimes-dir", "r"], ["--output-dir", "out"], ["--write", "--plain", "--per-namespace"]):
        yield Command(["migrate", "--no-config", "--to", "2.3", *words, "in.yaml"], hides="err" if "--summary" not in words else "all", kinds=ONE)
    for report in ("r.md", "r.json"):
        yield Command(["migrate", "--no-config", "--summary", "--report", report, "in.yaml"], kinds=ONE)
    yield Command(["migrate", "--no-config", "-"], nothing, "err", ONE, stdin="in.yaml")
    for name in ("rt", "torch-distributed", "j"):
        yield Command(["new", "--from-runtime", name, "--runtimes", "in.yaml", "--name", "a", "--", "python", "x.py"], documents, "err", ("plain",), silent=(1, 2))
    yield Command(["function"], documents, "err", ONE, stdin="resource-list", silent=(2,))
    for words, read in (([], nothing), (["-o", "json"], json.loads), (["-o", "name"], names)):
        yield Command(["runtimes", *words, "in.yaml"], read, kinds=ONE)
        yield Command(["runtimes", *words, "--used-by", "rt", "in.yaml"], read, kinds=ONE)
        yield Command(["runtimes", *words, "."], read, kinds=("settings", "kustomize", "helm"))
    yield Command(["runtimes", "check", "in.yaml"], kinds=ONE)
    yield Command(["runtimes", "--show", "rt", "in.yaml"], nothing, "err", ONE)
    yield Command(["lsp"], more={"methods": [method for method in METHODS if method not in EDITING]})
    yield Command(["lsp"], hides="none", more={"methods": sorted(EDITING)})
    yield Command(["webhook"], more={"review": True}, kinds=ONE)
    yield Command(["(the library)"], more={"library": "in.yaml"}, kinds=ONE)


COMMANDS = list(all_commands())
COMPOSE = next(command for command in COMMANDS if command.words == ["compose", "--no-config", "--ssh-key", "omit", "in.yaml"])


def of_kind(kind):
    return [command for command in COMMANDS if not command.kinds or kind in command.kinds]
