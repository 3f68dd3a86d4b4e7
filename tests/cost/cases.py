# SPDX-License-Identifier: Apache-2.0
"""What costs are measured of: each case makes the files and the command for n items."""
import copy
import dataclasses
import json
from typing import Callable

import schemas

COMMANDS = {
    "lint": ["lint", "in.yaml"],
    "render": ["render", "--ssh-key", "omit", "in.yaml"],
    "explain": ["explain", "in.yaml"],
    "plan": ["plan", "in.yaml"],
    "plan --quota": ["plan", "in.yaml", "--quota", "quota.yaml"],
    "graph": ["graph", "in.yaml"],
    "migrate": ["migrate", "in.yaml"],
    "compose": ["compose", "in.yaml"],
    "diff": ["diff", "--from", "old.yaml", "in.yaml"],
    "lsp": ["lsp"],
}
COMPILING = ("lint", "render", "explain", "plan", "graph", "migrate", "diff")


@dataclasses.dataclass
class Case:
    name: str                      # "TrainingRuntime spec.template.metadata.labels"
    command: str                   # of COMMANDS, with options after it
    files: Callable                # n -> {name: text}
    stdin: Callable = None         # n -> bytes
    arguments: list = None         # instead of those of the command
    count: int = 400               # n; 4n is measured too
    is_sample: bool = False        # measured with each change, not only at night
    statuses: tuple = (0, 1)       # with which the command may end
    programs: dict = None          # the scripts that it may find on the PATH

    @property
    def words(self):
        return self.arguments or COMMANDS[self.command]

    @property
    def title(self):
        return f"{self.command}: {self.name}"


# ----- lists and maps of the schemas -----

SAMPLE = {
    "spec.template.spec.replicatedJobs": ("lint", "explain", "graph"),
    "$POD.volumes": ("lint", "explain", "plan"),
    "$POD.containers": ("compose",),
    "$POD.containers[].env": ("lint", "explain"),
    "$POD.containers[].volumeMounts": ("render",),
    "$POD.containers[].resources.requests": ("lint", "plan"),
    "$POD.topologySpreadConstraints": ("lint",),
    "$POD.containers[].ports": ("migrate",),
    "metadata.labels": ("diff",),
    "spec.template.metadata.labels": ("diff",),
}
POD = schemas.REPLICATED + schemas.POD


def document(kind, path, node, make, n):
    runtime, job = schemas.runtime(), schemas.job()
    schemas.set_items(job if kind == "TrainJob" else runtime, path, make, node, n)
    return schemas.to_yaml(runtime, job)


def job_set(schema, path, node, n):
    root = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "a", "namespace": "team"},
            "spec": copy.deepcopy(schemas.runtime()["spec"]["template"]["spec"])}
    schemas.set_items(root, path, lambda i: schema.item(path, node, i), node, n)
    return schemas.to_yaml(root)


def of_schemas():
    schema = schemas.Schema()
    for kind in ("TrainJob", "TrainingRuntime"):
        for path, node in schema.collections(kind):
            short = path.replace(POD, "$POD")

            def valid(i, path=path, node=node):
                return schema.item(path, node, i)

            for command in (*COMPILING, "compose"):
                def files(n, kind=kind, path=path, node=node, make=valid):
                    text = document(kind, path, node, make, n)
                    return {"in.yaml": text, "old.yaml": text.replace("example.com/train:1", "example.com/train:2")}
                yield Case(f"{kind} {short}", command, files,
                           is_sample=kind != "TrainJob" and command in SAMPLE.get(short, ()),
                           statuses=(0, 1, 2) if command in ("compose", "diff") else (0, 1))  # 2: too many pods, not accepted

            def same(i, path=path, node=node):
                return schema.item(path, node, 0)

            def wrong(i, path=path, node=node):
                item = schema.item(path, node, i)
                return {**item, f"unknown{i}": 1} if isinstance(item, dict) else [item]

            if "items" in node:
                for name, make in (("equal items", same), ("wrong items", wrong)):
                    def bad(n, kind=kind, path=path, node=node, make=make):
                        return {"in.yaml": document(kind, path, node, make, n)}
                    yield Case(f"{kind} {short}, {name}", "lint", bad)
    for path, node in schema.collections("JobSet"):
        def live(n, path=path, node=node):
            return {"in.yaml": schemas.to_yaml(schemas.runtime(), schemas.job()), "live.yaml": job_set(schema, path, node, n)}
        yield Case(f"live JobSet {path.replace('spec.replicatedJobs[].template.spec.template.spec', '$POD')}", "diff --live", live,
                   arguments=["diff", "--live", "live.yaml", "in.yaml"], count=1600 if path == "metadata.labels" else 400,
                   is_sample=path == "metadata.labels")


# ----- documents -----

def many(make, join="---\n"):
    return lambda n: {"in.yaml": join.join(make(i) for i in range(n)) or "---\n"}


def with_runtime(make):
    return lambda n: {"in.yaml": "---\n".join([schemas.to_yaml(schemas.runtime()), *(make(i) for i in range(n))])}


def job_text(i, **spec):
    job = schemas.job(f"a-{i}")
    job["spec"].update(spec)
    return schemas.to_yaml(job)


def secret_refs(n):
    container = {"name": "node", "image": "a:1", "env": [
        {"name": f"V_{i}", "valueFrom": {"secretKeyRef": {"name": f"s-{i}", "key": "k"}}} for i in range(n)]}
    runtime = schemas.runtime()
    pod = runtime["spec"]["template"]["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    pod["containers"] = [container]
    return {"in.yaml": schemas.to_yaml(runtime, schemas.job())}


def mounted_volumes(n):
    runtime = schemas.runtime()
    pod = runtime["spec"]["template"]["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    pod["volumes"] = [{"name": f"v-{i}", "emptyDir": {}} for i in range(n)]
    pod["containers"][0]["volumeMounts"] = [{"name": f"v-{i}", "mountPath": f"/m/{i}"} for i in range(n)]
    return {"in.yaml": schemas.to_yaml(runtime, schemas.job())}


def rules_of_a_failure_policy(n):
    runtime = schemas.runtime()
    runtime["spec"]["template"]["spec"]["failurePolicy"] = {"rules": [{"name": f"r-{i}", "action": "FailJobSet"} for i in range(n)]}
    return {"in.yaml": schemas.to_yaml(runtime, schemas.job())}


def one_shell_name(n):
    job = schemas.job(runtime_name="torch-distributed")
    signs = "!#%&*+-./"
    names = ("V" + "".join(signs[i // len(signs) ** digit % len(signs)] for digit in range(6)) for i in range(n))
    job["spec"]["trainer"] = {"env": [{"name": name, "valueFrom": {"secretKeyRef": {"name": f"s-{i}", "key": "k"}}}
                                      for i, name in enumerate(names)]}
    return {"in.yaml": schemas.to_yaml(job)}


def in_one_line(n):
    fields = "".join(f", unknown{i}: 1" for i in range(n))
    return {"in.yaml": "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: a}\n"
                       f"spec: {{runtimeRef: {{name: torch-distributed}}{fields}}}\n"}


def in_one_line_of_json(n):
    job = schemas.job(runtime_name="torch-distributed")
    job["spec"]["trainer"]["env"] = [{"name": f"é{i} ", "value": "v", "wrong": 1} for i in range(n)]
    return {"in.yaml": json.dumps(job, ensure_ascii=False)}


def almost_a_secret(n):
    job = schemas.job(runtime_name="torch-distributed")
    job["spec"]["trainer"] = {"numnodes": 2, "image": "a" * n, "env": [{"name": "DB_PASSWORD", "value": "a" * n + "b"}]}
    return {"in.yaml": schemas.to_yaml(job)}


def suppressions(n):
    lines = "".join(f"    # trainjobc:ignore advice/image-tag -- known\n    l{i}: x\n" for i in range(n))
    return {"in.yaml": "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata:\n  name: a\n  labels:\n"
                       f"    k: v\n{lines}spec:\n  runtimeRef: {{name: torch-distributed}}\n"}


def nested(n):
    return {"in.yaml": "a: " + "[" * n + "]" * n + "\n"}


def of_documents():
    one = {"in.yaml": schemas.to_yaml(schemas.runtime(), schemas.job())}
    jobs = with_runtime(job_text)
    for command in COMPILING:
        def files(n):
            made = jobs(n)
            return {**made, "old.yaml": made["in.yaml"].replace("example.com/train:1", "example.com/train:2")}
        yield Case("TrainJobs", command, files, count=50, is_sample=command == "plan")
    yield Case("TrainJobs of one name", "lint", with_runtime(lambda i: schemas.to_yaml(schemas.job())), count=100)
    yield Case("TrainJobs without a runtime", "lint", many(lambda i: schemas.to_yaml(schemas.job(f"a-{i}", f"r-{i}"))), count=100)
    yield Case("runtimes", "lint", many(lambda i: schemas.to_yaml(schemas.runtime(f"r-{i}"))), count=100)
    yield Case("documents of other kinds", "lint", many(lambda i: f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c{i}}}\n"))
    yield Case("items of a List", "lint", lambda n: {"in.yaml": schemas.to_yaml(
        {"apiVersion": "v1", "kind": "List", "items": [schemas.runtime(), *(schemas.job(f"a-{i}") for i in range(n))]})}, count=100)
    yield Case("files", "lint", lambda n: {f"jobs/{i}.yaml": schemas.to_yaml(schemas.job(f"a-{i}", "torch-distributed"))
                                           for i in range(n)}, arguments=["lint", "--allow-empty", "."], count=50)
    for command in ("lint", "explain", "graph", "plan", "compose"):
        yield Case("secretKeyRefs", command, secret_refs, is_sample=command in ("explain", "graph"))
        yield Case("volumes and their mounts", command, mounted_volumes, is_sample=command == "compose")
    yield Case("rules of a failurePolicy", "lint", rules_of_a_failure_policy, count=3000, is_sample=True)
    yield Case("variables of one name in a shell", "compose", one_shell_name)
    for report in ("text", "json", "sarif", "junit", "gitlab"):
        yield Case("findings in one line", f"lint -o {report}", in_one_line, arguments=["lint", "-o", report, "in.yaml"],
                   count=2000, is_sample=report in ("text", "sarif"))
        yield Case("findings in one line of JSON", f"lint -o {report}", in_one_line_of_json,
                   arguments=["lint", "-o", report, "in.yaml"], count=500)
    yield Case("findings that can be fixed", "lint --fix", with_runtime(lambda i: job_text(i).replace("runtimeRef", "runtimeref")),
               arguments=["lint", "--fix=all", "--diff", "in.yaml"], count=50)
    yield Case("suppressing comments", "lint", suppressions)
    yield Case("nested lists", "lint", nested)
    yield Case("aliases", "lint", lambda n: {"in.yaml": "a: &a {b: c}\nl:\n" + "- *a\n" * n})
    yield Case("anchors", "lint", lambda n: {"in.yaml": "".join(f"k{i}: &a{i} v\n" for i in range(n))})
    yield Case("merge keys", "lint", lambda n: {"in.yaml": "a: &a {b: c}\nl:\n" + "- <<: *a\n" * n})
    yield Case("equal keys", "lint", lambda n: {"in.yaml": "k: v\n" * n})
    yield Case("documents with equal keys", "lint", many(lambda i: job_text(i) + "kind: TrainJob\n"), count=1600, is_sample=True)
    yield Case("blank lines of a block scalar", "lint", lambda n: {"in.yaml": "a: |\n  b\n" + "\n" * n + "  c\n"}, count=4000)
    yield Case("comments", "lint", lambda n: {"in.yaml": "# c\n" * n + one["in.yaml"]}, count=4000)
    yield Case("a long scalar", "lint", lambda n: {"in.yaml": one["in.yaml"].replace("train.py", "x" * n)}, count=20000)
    yield Case("a long image of short parts", "graph", lambda n: {"in.yaml": one["in.yaml"].replace(
        "example.com/train:1", "a/" * n + "b:1")}, count=5000)
    yield Case("a long text that is almost a secret", "lint --fix", almost_a_secret, arguments=["lint", "--fix=all", "--diff", "in.yaml"],
               count=1000)
    for field in ("name", "namespace"):
        yield Case(f"a long {field}", "lint", lambda n, field=field: {"in.yaml": schemas.to_yaml(schemas.runtime(), {
            **schemas.job(), "metadata": {"name": "a", field: "a." * n + "b"}})}, count=5000)


# ----- settings -----

def settings(make):
    def files(n):
        return {"in.yaml": schemas.to_yaml(schemas.runtime(), schemas.job()), ".trainjobc.yaml": make(n)}
    return files


def of_settings():
    folder = ["lint", "."]

    def case(name, make, count=1000, sample=False, statuses=(0, 1)):
        return Case(f"settings: {name}", "lint", settings(make), arguments=folder, count=count, is_sample=sample, statuses=statuses)

    one = "suppress:\n- {rule: advice/image-tag, paths: [y.yaml], reason: known}\n"
    yield case("runtimes", lambda n: "runtimes: [" + ", ".join(["in.yaml"] * n) + "]\n", count=100)
    yield case("runtimes that are missing", lambda n: "runtimes:\n" + "".join(f"- r{i}.yaml\n" for i in range(n)), statuses=(0, 2))
    yield case("a runtime's long path", lambda n: f"runtimes: [{'a/' * n}x]\n", count=10000, sample=True, statuses=(2,))
    yield case("a long namespace", lambda n: f"namespace: ns{'a' * n}\n", count=10000)
    yield case("exclude", lambda n: "exclude: [" + ", ".join(f"'old/x{i}/*.yaml'" for i in range(n)) + "]\n", sample=True)
    yield case("exclude, with wildcards first", lambda n: "exclude:\n- none\n" + "".join(f"- '**/*x{i}*'\n" for i in range(n)))
    yield case("a long exclude", lambda n: f"exclude: ['{'a/' * n}x']\n", count=10000)
    yield case("an exclude of many stars", lambda n: f"exclude: ['{'*a' * n}x']\n", count=5000)
    yield case("rules, wrong", lambda n: "rules:\n  advice/image-tag: off\n" + "".join(f"  x{i}: off\n" for i in range(n)),
               statuses=(0, 2))
    yield case("suppress", lambda n: one + "".join(
        f"- {{rule: advice/image-tag, paths: ['x{i}.yaml'], reason: known}}\n" for i in range(n)))
    yield case("suppress, one path", lambda n: one + "- {rule: advice/image-tag, paths: [in.yaml], reason: known}\n" * n)
    yield case("paths of a suppression", lambda n: "suppress:\n- rule: advice/image-tag\n  reason: known\n  paths:\n  - y.yaml\n" + "".join(
        f"  - 'x{i}.yaml'\n" for i in range(n)))
    yield case("unknown keys", lambda n: "".join(f"x{i}: 1\n" for i in range(n)), statuses=(0, 2))
    yield Case("settings: .gitignore", "lint", lambda n: {
        "in.yaml": schemas.to_yaml(schemas.runtime(), schemas.job()), ".git/HEAD": "ref: x\n",
        ".gitignore": "".join(f"x{i}\n" for i in range(n))}, arguments=folder, count=1000)
    for count, name in ((50, "files"),):
        yield Case(f"settings: exclude, {name}", "lint", lambda n: {
            ".trainjobc.yaml": "exclude: ['x*/**', '**/y*.yaml']\n",
            **{f"jobs/{i}.yaml": schemas.to_yaml(schemas.job(f"a-{i}", "torch-distributed")) for i in range(n)}},
            arguments=["lint", "--allow-empty", "."], count=count)


# ----- Kueue -----

KUEUE = "kueue.x-k8s.io/v1beta2"


def kueue(kind, name, spec, **metadata):
    return {"apiVersion": KUEUE, "kind": kind, "metadata": {"name": name, **metadata}, "spec": spec}


def groups(flavors=("f",), resources=("cpu", "memory")):
    return [{"coveredResources": list(resources), "flavors": [
        {"name": flavor, "resources": [{"name": name, "nominalQuota": 1} for name in resources]} for flavor in flavors]}]


def quota(change, jobs=1):
    """A queue in a cohort; `change` gets the objects by kind, and n."""
    def files(n):
        runtime = schemas.runtime()
        pod = runtime["spec"]["template"]["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
        pod["containers"][0]["resources"] = {"requests": {"cpu": 1, "memory": "1Gi"}}
        objects = {
            "flavor": kueue("ResourceFlavor", "f", {"nodeLabels": {"a": "b"}}),
            "queue": kueue("ClusterQueue", "cq", {"cohortName": "root", "namespaceSelector": {}, "resourceGroups": groups()}),
            "cohort": kueue("Cohort", "root", {"resourceGroups": groups()}),
            "local": kueue("LocalQueue", "lq", {"clusterQueue": "cq"}, namespace="team"),
            "topology": kueue("Topology", "t", {"levels": [{"nodeLabel": "l"}]}),
            "namespace": {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team", "labels": {"a": "b"}}},
            "pod": pod,
        }
        more = change(objects, n) or []
        made = [each for key, each in objects.items() if key != "pod"]
        return {"in.yaml": schemas.to_yaml(runtime, *(schemas.job(f"a-{i}") for i in range(n if jobs is None else jobs))),
                "quota.yaml": schemas.to_yaml(*made, *more)}
    return files


def of_kueue():
    def case(name, change, count=300, sample=False, jobs=1):
        return Case(f"Kueue: {name}", "plan --quota", quota(change, jobs), count=count, is_sample=sample)

    def spec(kind, field, value):
        def change(objects, n):
            objects[kind]["spec"][field] = value(n)
        return change

    def chain(objects, n):
        objects["cohort"]["spec"]["parentName"] = "c0" if n else None
        return [kueue("Cohort", f"c{i}", {"resourceGroups": groups(), **({"parentName": f"c{i + 1}"} if i + 1 < n else {})})
                for i in range(n)]

    def ring(objects, n):
        objects["cohort"]["spec"]["parentName"] = "c0"
        return [kueue("Cohort", f"c{i}", {"parentName": f"c{(i + 1) % n}"}) for i in range(n)]

    def with_flavors(objects, n):
        names = [f"f{i}" for i in range(n)]
        objects["queue"]["spec"]["resourceGroups"] = groups(names or ["f"])
        objects["cohort"]["spec"]["resourceGroups"] = groups(names or ["f"])
        return [kueue("ResourceFlavor", name, {"nodeLabels": {f"k{name}": "v"}}) for name in names]

    def with_resources(objects, n):
        names = ["cpu", "memory", *(f"example.com/r{i}" for i in range(n))]
        objects["queue"]["spec"]["resourceGroups"] = groups(resources=names)
        objects["cohort"]["spec"]["resourceGroups"] = groups(resources=names)
        limits = {name: 1 for name in names}
        objects["pod"]["containers"][0]["resources"] = {"requests": limits, "limits": limits}

    def with_groups(objects, n):
        objects["queue"]["spec"]["resourceGroups"] = [
            *groups(), *({"coveredResources": [f"example.com/r{i}"], "flavors": [
                {"name": "f", "resources": [{"name": f"example.com/r{i}", "nominalQuota": 1}]}]} for i in range(n))]

    yield case("a chain of Cohorts", chain, sample=True)
    yield case("Cohorts that are parents of each other", ring, count=1000)
    yield case("Cohorts with one parent", lambda o, n: [kueue("Cohort", f"c{i}", {"parentName": "root", "resourceGroups": groups()})
                                                        for i in range(n)], sample=True)
    yield case("ClusterQueues of a Cohort", lambda o, n: [kueue("ClusterQueue", f"q{i}", {
        "cohortName": "root", "resourceGroups": groups()}) for i in range(n)])
    yield case("LocalQueues", lambda o, n: [kueue("LocalQueue", f"l{i}", {"clusterQueue": "cq"}, namespace="team") for i in range(n)])
    yield case("ResourceFlavors", lambda o, n: [kueue("ResourceFlavor", f"f{i}", {}) for i in range(n)])
    yield case("Namespaces", lambda o, n: [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": f"n{i}"}} for i in range(n)])
    yield case("flavors of a group", with_flavors)
    yield case("resources of a group", with_resources)
    yield case("resource groups", with_groups)
    yield case("admission checks", spec("queue", "admissionChecks", lambda n: [f"c{i}" for i in range(n)]), count=1200)
    yield case("admission checks by flavor", spec("queue", "admissionChecksStrategy", lambda n: {
        "admissionChecks": [{"name": f"c{i}"} for i in range(n)]}))
    yield case("namespaceSelector.matchLabels", spec("queue", "namespaceSelector", lambda n: {
        "matchLabels": {f"k{i}": "v" for i in range(n)}}))
    yield case("namespaceSelector.matchExpressions", spec("queue", "namespaceSelector", lambda n: {
        "matchExpressions": [{"key": f"k{i}", "operator": "DoesNotExist"} for i in range(n)]}))
    yield case("values of namespaceSelector", spec("queue", "namespaceSelector", lambda n: {
        "matchExpressions": [{"key": "a", "operator": "In", "values": [f"v{i}" for i in range(n)]}]}))
    yield case("nodeLabels", spec("flavor", "nodeLabels", lambda n: {f"k{i}": "v" for i in range(n)}))
    yield case("nodeTaints", spec("flavor", "nodeTaints", lambda n: [
        {"key": f"k{i}", "value": "v", "effect": "PreferNoSchedule"} for i in range(n)]))
    yield case("tolerations of a flavor", spec("flavor", "tolerations", lambda n: [
        {"key": f"k{i}", "operator": "Exists"} for i in range(n)]))
    yield case("levels of a Topology", spec("topology", "levels", lambda n: [{"nodeLabel": f"l{i}"} for i in range(n)]))
    yield case("labels of a Namespace", lambda o, n: o["namespace"]["metadata"].update(labels={f"k{i}": "v" for i in range(n)}))
    yield case("TrainJobs", lambda o, n: None, count=50, jobs=None)
    yield case("TrainJobs that fit", lambda o, n: [o["queue"]["spec"].update(resourceGroups=[{
        "coveredResources": ["cpu", "memory"], "flavors": [{"name": "f", "resources": [
            {"name": name, "nominalQuota": 100000} for name in ("cpu", "memory")]}]}])][1:], count=50, jobs=None)


# ----- roots: kustomizations, charts, and what Flux and Argo CD name -----

# They print what is in the folder.
KUSTOMIZE = {"kustomize": '#!/bin/sh\nexec cat "$2/built"\n'}
HELM = {"helm": '#!/bin/sh\nfor last; do :; done\nexec cat "$last/built"\n'}
APPS = "apps/bert.yaml"


def with_env(n):
    job = schemas.job(runtime_name="torch-distributed")
    job["spec"]["trainer"]["env"] = [{"name": f"V_{i}", "value": f"v{i}"} for i in range(n)]
    return schemas.to_yaml(job)


def flux_kustomization(name, folder, **more):
    return schemas.to_yaml({"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
                            "metadata": {"name": name, "namespace": "flux-system"}, "spec": {"path": folder, **more}})


def config_map(name, data=None):
    return schemas.to_yaml({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "flux-system"},
                            "data": data or {"A": "b"}})


def of_roots():
    def kustomize(name, make, count=200, sample=False):
        return Case(f"kustomize: {name}", "lint -k", make, arguments=["lint", "-k", "root"], count=count, is_sample=sample,
                    programs=KUSTOMIZE)

    def root(kustomization, **files):
        made = {"root/kustomization.yaml": kustomization}
        return {**made, **{f"root/{name.replace('__', '.')}": text for name, text in files.items()}}

    yield kustomize("env of a job", lambda n: root("resources: [a.yaml]\n", a__yaml=with_env(n), built=with_env(n)), sample=True)
    yield kustomize("resources", lambda n: {"root/kustomization.yaml": schemas.to_yaml({"resources": [f"{i}.yaml" for i in range(n)]}),
                                            **{f"root/{i}.yaml": job_text(i) for i in range(n)},
                                            "root/built": "---\n".join(job_text(i) for i in range(n)) or "---\n"}, count=50)
    yield kustomize("patches of as many jobs", lambda n: root(schemas.to_yaml({"resources": ["a.yaml"], "patches": [
        {"target": {"kind": "TrainJob", "name": f"a-{i}"}, "patch": "- op: add\n  path: /spec/suspend\n  value: true\n"}
        for i in range(n)]}), a__yaml=many(job_text)(n)["in.yaml"], built=many(job_text)(n)["in.yaml"]), count=100, sample=True)
    for field, make in (("images", lambda i: {"name": f"r.io/i{i}", "newTag": "2"}),
                        ("replicas", lambda i: {"name": f"a-{i}", "count": 2}),
                        ("labels", lambda i: {"pairs": {f"k{i}": "v"}}),
                        ("replacements", lambda i: {"targets": [{"fieldPaths": [f"spec.x{i}"]}]})):
        yield kustomize(f"{field} and env", lambda n, field=field, make=make: root(
            schemas.to_yaml({"resources": ["a.yaml"], field: [make(i) for i in range(n)]}),
            a__yaml=with_env(n), built=with_env(n).replace('"v', '"w')))

    def helm(name, make, count=100, sample=False):
        return Case(f"helm: {name}", "lint --helm", make, arguments=["lint", "--helm", "chart"], count=count, is_sample=sample,
                    programs=HELM)

    def chart(template, built):
        return {"chart/Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n", "chart/values.yaml": "a: b\n",
                "chart/templates/a.yaml": template, "chart/built": "---\n# Source: c/templates/a.yaml\n" + built}

    yield helm("rounds of a loop", lambda n: chart(
        with_env(1).replace('- name: "V_0"', '{{- range .Values.env }}\n        - name: {{ .name }}'), with_env(n)))
    yield helm("blocks that are nested", lambda n: chart(
        "{{ if .Values.a }}" * n + "\n" + job_text(0) + "{{ end }}" * n, job_text(0)), count=2000, sample=True)
    yield helm("loops that are nested", lambda n: chart(
        "{{ range .Values.a }}\n" * n + job_text(0) + "{{ end }}\n" * n, job_text(0)), count=400)

    def roots(name, make, count=100, sample=False):
        return Case(f"roots: {name}", "lint --roots", lambda n: {".git/HEAD": "ref: x\n", APPS: job_text(0, runtimeRef={
            "name": "torch-distributed"}), **make(n)}, arguments=["lint", "--roots"], count=count, is_sample=sample,
                    statuses=(0, 1, 2))

    yield roots("Kustomizations of Flux", lambda n: {
        f"clusters/{i}/apps.yaml": flux_kustomization(f"k{i}", f"./clusters/{i + 1}") for i in range(n)}, sample=True)
    yield roots("Kustomizations that are around each other", lambda n: {
        f"{'d/' * (i % 20)}{i}/k.yaml": flux_kustomization(f"k{i}", f"./{'d/' * ((i + 1) % 20)}{(i + 1) % max(n, 1)}") for i in range(n)})
    yield roots("ConfigMaps of one name", lambda n: {
        **{f"clusters/{i}/vars.yaml": config_map("vars") for i in range(n)},
        **{f"clusters/{i}/apps.yaml": flux_kustomization(f"k{i}", "./apps", postBuild={"substituteFrom": [
            {"kind": "ConfigMap", "name": "vars"}]}) for i in range(n)}}, count=30)
    yield roots("variables that nothing sets", lambda n: {
        "clusters/apps.yaml": flux_kustomization("k", "./apps", postBuild={"substitute": {"A": "b"}}),
        APPS: with_env(n).replace('"v', '"${v}v')}, sample=True)
    yield roots("different variables", lambda n: {
        "clusters/apps.yaml": flux_kustomization("k", "./apps", postBuild={"substitute": {"A": "b"}}),
        APPS: "".join(line.replace('"v', '"${x') .replace('"\n', '}"\n') if "value" in line else line
                      for line in with_env(n).splitlines(keepends=True))}, sample=True)
    yield roots("different variables in one line", lambda n: {
        "clusters/apps.yaml": flux_kustomization("k", "./apps", postBuild={"substitute": {"A": "b"}}),
        "apps/bert.json": json.dumps({**schemas.job(runtime_name="torch-distributed"), "spec": {
            "runtimeRef": {"name": "torch-distributed"},
            "trainer": {"env": [{"name": f"V_{i}", "value": "${x%d}" % i} for i in range(n)]}}})}, count=200, sample=True)
    yield roots("unknown variables", lambda n: {
        "clusters/apps.yaml": flux_kustomization("k", "./apps", postBuild={"substituteFrom": [{"kind": "Secret", "name": "vars"}]}),
        "clusters/vars.yaml": schemas.to_yaml({"apiVersion": "v1", "kind": "Secret", "metadata": {
            "name": "vars", "namespace": "flux-system"}, "stringData": {f"x{i}": "y" for i in range(n)}}),
        APPS: with_env(n).replace('"v', '"${x1}v')})
    yield roots("a value that is replaced", lambda n: {
        "clusters/apps.yaml": flux_kustomization("k", "./apps", postBuild={"substitute": {"A": "ab" * n}}),
        APPS: job_text(0, runtimeRef={"name": "torch-distributed"}).replace("namespace: \"team\"", 'namespace: "${A//a/cc}"')}, count=2000)


# ----- what programs say -----

KUBECTL = {"kubectl": "#!/bin/sh\ncat said >&2\nexit 1\n"}


def of_programs():
    yield Case("kubectl: lines of errors", "diff", lambda n: {
        **with_runtime(job_text)(1), "said": "".join(f"error {i}\n" for i in range(n))}, arguments=["diff", "in.yaml"], count=2000,
        is_sample=True, statuses=(2,), programs=KUBECTL)


# ----- jobs of v1 -----

def v1_job(i=0, **container):
    pod = {"spec": {"containers": [{"name": "pytorch", "image": "a:1", "command": ["python", "x.py"], **container}]}}
    return {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": f"j-{i}", "namespace": "team"},
            "spec": {"pytorchReplicaSpecs": {role: {"replicas": 1, "restartPolicy": "OnFailure", "template": copy.deepcopy(pod)}
                                             for role in ("Master", "Worker")}}}


V1_REPLICAS = {"PyTorchJob": "pytorchReplicaSpecs", "TFJob": "tfReplicaSpecs", "XGBoostJob": "xgbReplicaSpecs",
               "JAXJob": "jaxReplicaSpecs", "PaddleJob": "paddleReplicaSpecs", "MPIJob": "mpiReplicaSpecs"}
V1_ITEMS = ("env", "args", "command", "ports", "volumeMounts", "envFrom")


def of_v1():
    def case(name, make, count=100, sample=False):
        return Case(f"v1: {name}", "migrate", lambda n: {"in.yaml": schemas.to_yaml(*make(n)) or "---\n"}, count=count,
                    is_sample=sample)

    yield case("jobs", lambda n: [v1_job(i) for i in range(n)], count=20)
    yield case("jobs of one name", lambda n: [v1_job(0, args=[f"--n={i}"]) for i in range(n)], count=20, sample=True)
    yield case("jobs that need a runtime each", lambda n: [v1_job(i, lifecycle={"preStop": {"exec": {"command": [f"c{i}"]}}})
                                                           for i in range(n)], count=20)
    for key in V1_ITEMS:
        yield case(key, lambda n, key=key: [v1_job(0, **{key: [schemas.ITEMS[key](i) for i in range(n)]})], count=400,
                   sample=key == "env")
    for key in ("volumes", "tolerations", "initContainers", "imagePullSecrets", "hostAliases"):
        def with_pod(n, key=key):
            job = v1_job()
            for replica in job["spec"]["pytorchReplicaSpecs"].values():
                make = schemas.ITEMS.get(key, lambda i: {"name": f"x-{i}"})
                replica["template"]["spec"][key] = [make(i) for i in range(n)]
            return [job]
        yield case(key, with_pod, count=400)
    for key in ("labels", "annotations"):
        def with_metadata(n, key=key):
            job = v1_job()
            job["metadata"][key] = {f"example.com/k-{i}": "v" for i in range(n)}
            for replica in job["spec"]["pytorchReplicaSpecs"].values():
                replica["template"]["metadata"] = {key: {f"example.com/k-{i}": "v" for i in range(n)}}
            return [job]
        yield case(key, with_metadata, count=400)
    for kind, field in V1_REPLICAS.items():
        def with_replicas(n, kind=kind, field=field):
            job = v1_job()
            replicas = job["spec"].pop("pytorchReplicaSpecs")
            job["kind"] = kind
            # One that the kind doesn't have is always there: without any the job is written, which costs more.
            job["spec"][field] = {**replicas, **{f"Role{i}": replicas["Worker"] for i in range(n + 1)}}
            return [job]
        yield case(f"{kind}.{field}", with_replicas, count=100)
        yield case(f"{kind}, unknown fields", lambda n, kind=kind: [
            {**v1_job(), "kind": kind, "spec": {f"unknown{i}": 1 for i in range(n)}}], count=400)


# ----- the language server -----

def message(body):
    text = json.dumps({"jsonrpc": "2.0", **body}).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(text), text)


def session(*bodies):
    begin = [{"id": 1, "method": "initialize", "params": {"rootUri": "file:///tmp/none", "capabilities": {}}},
             {"method": "initialized", "params": {}}]
    end = [{"id": 9999, "method": "shutdown"}, {"method": "exit"}]
    return b"".join(message(body) for body in (*begin, *bodies, *end))


def opened(text, uri="file:///tmp/none/a.yaml"):
    return {"method": "textDocument/didOpen", "params": {"textDocument": {"uri": uri, "languageId": "yaml", "version": 1,
                                                                         "text": text}}}


def asked(method, uri="file:///tmp/none/a.yaml", number=2, **params):
    return {"id": number, "method": f"textDocument/{method}", "params": {"textDocument": {"uri": uri}, **params}}


def of_lsp():
    at = {"line": 0, "character": 3}
    everything = {"start": {"line": 0, "character": 0}, "end": {"line": 100000, "character": 0}}
    jobs = with_runtime(job_text)

    def case(name, make, count=100, sample=False):
        return Case(f"messages: {name}", "lsp", lambda n: {}, stdin=lambda n: session(*make(n)), count=count, is_sample=sample)

    yield case("a document's long URI", lambda n: [opened("a: 1\n", "file:///tmp/none/" + "a/" * n + "x.yaml")], count=5000, sample=True)
    yield case("an escaped URI", lambda n: [opened("a: 1\n", "file:///tmp/none/" + "%41" * n + ".yaml")], count=5000)
    yield case("a URI of dots", lambda n: [opened("a: 1\n", "file:///tmp/none/" + "a/../" * n + "x.yaml")], count=5000)
    yield case("documents", lambda n: [opened(job_text(i), f"file:///tmp/none/{i}.yaml") for i in range(n)], count=20)
    yield case("a long line", lambda n: [opened("a: " + "é" * n + "\n"), asked("hover", position=at)], count=10000)
    yield case("findings in one line", lambda n: [opened(in_one_line_of_json(n)["in.yaml"]), asked("documentSymbol")], sample=True)
    yield case("contentChanges", lambda n: [opened("a: 1\n"), {"method": "textDocument/didChange", "params": {
        "textDocument": {"uri": "file:///tmp/none/a.yaml", "version": 2},
        "contentChanges": [{"range": {"start": at, "end": at}, "text": "1"}] * n}}], count=1000, sample=True)
    yield case("contentChanges all over a document", lambda n: [opened("a: 1\n" * n), {"method": "textDocument/didChange", "params": {
        "textDocument": {"uri": "file:///tmp/none/a.yaml", "version": 2},
        "contentChanges": [{"range": {"start": {"line": i * 7919 % n, "character": 3}, "end": {"line": i * 7919 % n, "character": 4}},
                            "text": f"{i}\nb: 2"} for i in range(n)]}}], count=2000, sample=True)
    yield case("cancelled requests", lambda n: [
        opened("a: 1\n"), *(asked("hover", number=i + 2, position=at) for i in range(n)),
        *({"method": "$/cancelRequest", "params": {"id": n + 1 - i}} for i in range(n))], count=1000, sample=True)
    yield case("didChange", lambda n: [opened("a: 1\n"), *({"method": "textDocument/didChange", "params": {
        "textDocument": {"uri": "file:///tmp/none/a.yaml", "version": i + 2},
        "contentChanges": [{"range": {"start": at, "end": at}, "text": "1"}]}} for i in range(n))], count=200)
    yield case("watched files", lambda n: [{"method": "workspace/didChangeWatchedFiles", "params": {
        "changes": [{"uri": f"file:///tmp/none/{i}.yaml", "type": 2} for i in range(n)]}}], count=1000)
    yield case("workspace folders", lambda n: [{"method": "workspace/didChangeWorkspaceFolders", "params": {"event": {
        "added": [{"uri": f"file:///tmp/none/{i}", "name": "x"} for i in range(n)], "removed": []}}}], count=300, sample=True)
    yield case("diagnostics of a code action", lambda n: [opened(job_text(0)), asked("codeAction", range=everything, context={
        "diagnostics": [{"range": everything, "message": f"m{i}"} for i in range(n)]})], count=1000)
    for method in ("documentSymbol", "foldingRange", "codeLens", "documentLink"):
        yield case(f"{method} of TrainJobs", lambda n, method=method: [opened(jobs(n)["in.yaml"]), asked(method)], count=20)
    for method in ("hover", "completion", "definition", "references", "prepareRename"):
        yield case(f"{method}, TrainJobs", lambda n, method=method: [
            opened(jobs(n)["in.yaml"]), asked(method, position=at, context={"includeDeclaration": True})], count=20)
    for method in ("hover", "completion"):
        yield case(f"requests, {method}", lambda n, method=method: [
            opened(job_text(0)), *(asked(method, number=i + 2, position=at) for i in range(n))], count=100)
    yield case("codeAction of findings", lambda n: [
        opened(schemas.to_yaml({**schemas.job(), "spec": {f"unknown{i}": 1 for i in range(n)}})),
        asked("codeAction", range=everything, context={"diagnostics": []})], count=100)
    yield case("codeAction, a warning in each job", lambda n: [
        opened(with_runtime(lambda i: job_text(i, trainer={"image": "r.io/a:latest"}))(n)["in.yaml"]),
        asked("codeAction", range=everything, context={"diagnostics": []})], count=20, sample=True)
    yield case("codeAction, many warnings of a job", lambda n: [
        opened(job_text(0, trainer={"env": [{"name": "A", "value": str(i)} for i in range(n)]})),
        asked("codeAction", range=everything, context={"diagnostics": []})], count=100, sample=True)
    yield case("env of a document", lambda n: [opened(secret_refs(n)["in.yaml"]), asked("documentSymbol"),
                                               asked("completion", number=3, position=at)], count=100)
    yield case("unknown methods", lambda n: [{"id": i + 2, "method": f"x/{i}"} for i in range(n)], count=1000)


def of_scripts():
    def case(name, make, sample=False):
        return Case(f"script: {name}", "new", lambda n: {"s.py": "import torch\n" + make(n)}, count=2000, is_sample=sample,
                    arguments=["new", "torch", "--name", "a", "--from-script", "s.py", "--", "--b=1", "c"])

    yield case("arguments", lambda n: "".join(f"p.add_argument('--a{i}')\n" for i in range(n)))
    yield case("arguments in one statement", lambda n: "x = [" + "p.add_argument('--a'), " * n + "]\n", sample=True)
    yield case("unfinished calls", lambda n: "x = [" + "p.add_argument(" * n + "\n", sample=True)
    yield case("imports of one statement", lambda n: "import " + ", ".join(f"a{i}" for i in range(n + 1)) + "\n")


def all_cases():
    for make in (of_documents, of_settings, of_kueue, of_roots, of_programs, of_v1, of_lsp, of_scripts, of_schemas):
        yield from make()
