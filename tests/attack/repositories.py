# SPDX-License-Identifier: Apache-2.0
"""Whole repositories: files, what programs print of them, and what no output may show."""
import copy
import dataclasses
import functools
import json
import random

import yaml

import secrets_planted
import style
from grammar import TESTS, TEXTS, TRAINER, Grammar, queues

KINDS = (("plain", 50), ("settings", 10), ("kustomize", 7), ("helm", 7), ("flux", 6), ("argo", 5), ("v1", 8), ("quota", 7))
VERSIONS = ("auto", "auto", "auto", "2.3", "2.2", "2.1", "2.0")
RULES = ("advice/image-tag", "input/unknown-field", "advice/patch-target", "job/gpu-limit", "no/such", "advice/*", "")
HOSTILE_PATHS = ("a b.yaml", "-x.yaml", "é.yaml", "a'b.yaml", "$(x).yaml", "x\ny.yaml", "a.yml", "deep/er/x.yaml", "[a].yaml", "#.yaml")


@dataclasses.dataclass
class Repository:
    kind: str
    version: str                                                  # of Trainer
    items: dict                                                   # {path: [object]}, written as YAML
    texts: dict = dataclasses.field(default_factory=dict)         # other files
    built: dict = dataclasses.field(default_factory=dict)         # {program: path of the items that it prints}
    secrets: list = dataclasses.field(default_factory=list)       # what no output may show
    style: int = 0                                                # None: plain

    def text(self, path):
        items = self.items[path]
        return style.plain(items) if self.style is None else style.text_of(items, random.Random(f"{self.style}/{path}"))

    @property
    def files(self):
        return {**self.texts, **{path: self.text(path) for path in self.items}}

    @property
    def programs(self):
        made = {}
        for program, path in self.built.items():
            text = self.text(path)
            made[program] = {"out": "\n".join(f"---\n# Source: c/templates/a.yaml\n{part}" for part in text.split("---\n")) if program == "helm" else text}
        return made

    def copy(self):
        return copy.deepcopy(self)


def settings(grammar):
    """.trainjobc.yaml"""
    rng = grammar.rng
    made = {}
    for key, values in (
            ("trainerVersion", ("auto", 2.3, "2.1", "v2.2.0", "9", 2)), ("runtimes", (["runtimes"], ["runtimes/rt.yaml"], [], ["../x"], ["none"], "runtimes")),
            ("catalogue", (True, False, "no")), ("scope", (True, False)), ("namespace", ("team", "a", "", "A b")), ("failOn", ("error", "warning", "never", "x")),
            ("rules", ({}, {rng.choice(RULES): rng.choice(("error", "warning", "info", "off", False, "x"))})),
            ("exclude", ([], ["jobs/**"], ["*.yaml"], ["["], [""], ["**"])),
            ("suppress", ([], [{"rule": rng.choice(RULES), "paths": ["**"], "reason": "known"}], [{"rule": "advice/image-tag", "labels": {"a": "b"}, "reason": ""}])),
            ("kustomize", ([], ["k"], {"build": "never"}, {"roots": ["*"]}, {"build": "required"})), ("helm", ([], ["chart"], {"build": "never"})),
            (rng.choice(("x", "rule", "")), TEXTS)):
        if rng.random() < 0.2:
            made[key] = grammar.pick(values)
    return made


@functools.cache
def v1_jobs():
    """Jobs of the v1 operators, as objects."""
    return [[item for item in yaml.load_all(path.read_text(), Loader=yaml.CSafeLoader) if isinstance(item, dict)]
            for path in sorted((TESTS / "v1/jobs").glob("*.yaml"))]


def split(items):
    """The runtimes, and the jobs."""
    return [item for item in items if item.get("kind") != "TrainJob"], [item for item in items if item.get("kind") == "TrainJob"]


def make_plain(grammar, made):
    rng = grammar.rng
    made.items["in.yaml"] = grammar.nearly_valid(grammar.jobs_and_runtime())
    rng.shuffle(made.items["in.yaml"])
    old = copy.deepcopy(made.items["in.yaml"])
    for _ in range(rng.choice((0, 1, 2))):
        grammar.disturb(rng.choice(old))
    made.items["old.yaml"] = old
    if rng.random() < 0.1:
        made.items[rng.choice(HOSTILE_PATHS)] = grammar.nearly_valid(grammar.jobs_and_runtime())


def make_settings(grammar, made):
    runtimes, jobs = split(grammar.nearly_valid(grammar.jobs_and_runtime()))
    if runtimes:
        made.items["runtimes/rt.yaml"] = runtimes
    if jobs:
        made.items[grammar.rng.choice(("jobs/a.yaml", "jobs/b/c.yaml", "in.yaml", *HOSTILE_PATHS))] = jobs
    made.items[".trainjobc.yaml"] = [settings(grammar)]
    if grammar.chance(0.3):
        made.items["jobs/.trainjobc.yaml"] = [settings(grammar)]
    if grammar.chance(0.3):
        made.texts.update({".git/HEAD": "ref: refs/heads/main\n", ".gitignore": grammar.rng.choice(("jobs/\n", "*\n", "!a\n[\n", "\\\n"))})


def changed_a_little(grammar, items):
    built = copy.deepcopy(items)
    for item in built:
        if grammar.chance(0.5):
            grammar.disturb(item)
        if grammar.chance(0.4) and isinstance(item.get("metadata"), dict) and isinstance(item["metadata"].get("name"), str):
            item["metadata"]["name"] = "p-" + item["metadata"]["name"]
    return built


def make_kustomize(grammar, made):
    rng = grammar.rng
    items = grammar.nearly_valid(grammar.jobs_and_runtime())
    made.items["k/a.yaml"] = items
    kustomization = {"resources": rng.choice((["a.yaml"], ["a.yaml", "none.yaml"], ["../base", "a.yaml"], [], "a.yaml"))}
    for key, values in (("namePrefix", ("p-", "", 1)), ("namespace", ("team", "")), ("images", ([{"name": "r.example.com/t", "newTag": "2"}], [{}], {})),
                        ("replicas", ([{"name": "j", "count": 3}], [{"count": None}])), ("commonLabels", ({"a": "b"}, [])),
                        ("labels", ([{"pairs": {"a": "b"}, "includeSelectors": True}],)), ("components", (["../c"], ["."])),
                        ("patches", ([{"target": {"kind": "TrainJob"}, "patch": "- op: add\n  path: /spec/suspend\n  value: true\n"}], [{"path": "p.yaml"}],
                                     [{"patch": "spec: ["}], [{"target": {"name": "("}, "patch": "[]"}])),
                        ("patchesStrategicMerge", (["p.yaml"], ["spec: {}"])), ("generators", (["g.yaml"],)),
                        ("replacements", ([{"source": {"kind": "TrainJob"}, "targets": [{"select": {}, "fieldPaths": ["spec.x.[name=a].y"]}]}],)),
                        ("configMapGenerator", ([{"name": "c", "literals": ["a=b", "="]}],))):
        if rng.random() < 0.2:
            kustomization[key] = grammar.pick(values)
    made.items["k/kustomization.yaml"] = [kustomization]
    made.items["k/p.yaml"] = [{"apiVersion": TRAINER, "kind": "TrainJob", "metadata": {"name": "j"}, "spec": {"trainer": {"numNodes": 2}}}]
    made.items["built/k.yaml"] = changed_a_little(grammar, items)
    made.built["kustomize"] = "built/k.yaml"


def make_helm(grammar, made):
    rng = grammar.rng
    items = grammar.nearly_valid(grammar.jobs_and_runtime())
    text = style.text_of(items, rng)
    words = ("{{ .Values.a }}", "{{- if .Values.b }}", "{{ end }}", "{{ range .Values.c }}", "{{/* x */}}", "{{ include \"a\" . | nindent 4 }}", "{{", "}}", "{{ $x := 1 }}")
    lines = text.split("\n")
    for _ in range(rng.choice((0, 1, 3))):
        lines.insert(rng.randrange(len(lines) + 1), rng.choice(words))
    made.texts.update({"chart/Chart.yaml": rng.choice(("apiVersion: v2\nname: c\nversion: 1.0.0\n", "name: c\n", "")),
                       "chart/templates/a.yaml": "\n".join(lines)})
    made.items["chart/values.yaml"] = [{"a": rng.choice(TEXTS), "b": True, "c": [1, {"d": "e"}]}]
    made.items["built/h.yaml"] = changed_a_little(grammar, items)
    made.built["helm"] = "built/h.yaml"


def make_flux(grammar, made):
    rng = grammar.rng
    items = grammar.nearly_valid(grammar.jobs_and_runtime())
    places = list(secrets_planted.strings(items))
    for _ in range(rng.choice((0, 1, 2, 3))):
        holder, key = rng.choice(places) if places else ({}, "x")
        holder[key] = rng.choice(("${A}", "${B:=2}", "${C", "$A", "${A}-${B}", "$${A}", "${A:-x}", "${}", "${A/b/c}", "${a.b}"))
    made.items["apps/in.yaml"] = items
    for number in range(rng.choice((1, 1, 2, 3))):
        spec = {"path": rng.choice(("./apps", "apps", "./", ".", "", "../x", "./none", "/apps"))}
        if rng.random() < 0.6:
            spec["postBuild"] = grammar.pick(({"substitute": {"A": "2"}}, {"substitute": {"A": "", "B": "x: y"}}, {"substituteFrom": [{"kind": "ConfigMap", "name": "v"}]},
                                              {"substituteFrom": [{"kind": "Secret", "name": "v", "optional": True}]}, {"substitute": None}, {}))
        for key, values in (("targetNamespace", ("team", "")), ("patches", ([{"patch": "spec: {}"}], [])), ("commonMetadata", ({"labels": {"a": "b"}}, {}))):
            if rng.random() < 0.15:
                spec[key] = grammar.pick(values)
        made.items[f"clusters/{number}.yaml"] = [{"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
                                                  "metadata": {"name": rng.choice(("apps", "a")), "namespace": "flux-system"}, "spec": spec}]
    if rng.random() < 0.5:
        made.items["clusters/v.yaml"] = [{"apiVersion": "v1", "kind": rng.choice(("ConfigMap", "Secret")), "metadata": {"name": "v", "namespace": "flux-system"},
                                          rng.choice(("data", "stringData")): {"A": rng.choice(("Mg==", "2", "", None))}}]
    made.texts[".git/HEAD"] = "ref: x\n"


def make_argo(grammar, made):
    rng = grammar.rng
    made.items["apps/in.yaml"] = grammar.nearly_valid(grammar.jobs_and_runtime())
    sources = ({"path": "apps"}, {"path": "apps", "directory": {"recurse": True, "exclude": "*.yml"}}, {"path": "."}, {"chart": "c"}, {"path": "apps", "kustomize": {"namePrefix": "a"}},
               {"path": "apps", "helm": {"values": "a: ["}}, {"path": "../x"}, {}, None, {"path": "apps", "plugin": {}})
    source = grammar.pick(sources)
    if isinstance(source, dict):
        source["repoURL"] = "https://git.example.org/a.git"
    spec = {"destination": {"namespace": "team"}, **({"source": source} if rng.random() < 0.7 else {"sources": [source, {"path": "apps"}]})}
    item = {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": {"name": "a", "namespace": "argocd"}, "spec": spec}
    if rng.random() < 0.3:
        generators = ([{"git": {"directories": [{"path": "apps"}]}}], [{"list": {"elements": [{"path": "apps"}]}}], [], [{"matrix": {"generators": []}}])
        item = {**item, "kind": "ApplicationSet", "spec": {"generators": grammar.pick(generators), "template": {"metadata": {"name": "{{path}}"}, "spec": spec}}}
    if rng.random() < 0.3:
        grammar.disturb(item)
    made.items["argocd/a.yaml"] = [item]
    made.texts[".git/HEAD"] = "ref: x\n"


def make_v1(grammar, made):
    items = copy.deepcopy(grammar.rng.choice(v1_jobs()))
    for _ in range(grammar.rng.choice((0, 1, 2, 4))):
        grammar.disturb(grammar.rng.choice(items))
    made.items["in.yaml"] = items


def make_quota(grammar, made):
    rng = grammar.rng
    others, pairs = json.loads(json.dumps(queues.objects_of("q", queues.random_case(rng.randint(0, 10**6), rng.random() < 0.5))))
    jobs = [item for pair in pairs for item in pair]
    for _ in range(rng.choice((0, 1, 2, 3))):
        grammar.disturb(rng.choice(others))
    if rng.random() < 0.3:
        grammar.disturb(rng.choice(jobs))
    made.items.update({"in.yaml": jobs, "quota.yaml": others})


def repository(seed, index, kind=None):
    """Depends on nothing but the arguments."""
    rng = random.Random(f"{seed}/{index}")
    kind = kind or rng.choices([name for name, _ in KINDS], [weight for _, weight in KINDS])[0]
    version = rng.choice(VERSIONS)
    grammar = Grammar(rng, "2.3" if version == "auto" else version)
    made = Repository(kind, version, {}, style=rng.randint(0, 10**9))
    globals()[f"make_{kind}"](grammar, made)
    made.items = json.loads(json.dumps(made.items))  # so far they share parts
    if kind in ("plain", "v1", "kustomize") and rng.random() < 0.4:
        path = rng.choice(sorted(path for path in made.items if path not in ("old.yaml", "k/kustomization.yaml")))
        made.secrets = secrets_planted.plant(rng, made.items[path])
    return made
