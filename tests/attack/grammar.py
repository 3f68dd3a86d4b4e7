# SPDX-License-Identifier: Apache-2.0
"""Valid and nearly valid objects, from the schemas of schema/: what is rare in repositories is common here."""
import collections
import copy
import functools
import json
import pathlib
import sys

import yaml

TESTS = pathlib.Path(__file__).resolve().parents[1]
# tests/cost has a module `cases`, too: that of tests/e2e is loaded first.
sys.path.insert(0, str(TESTS / "e2e"))
from cases import generator, queues  # noqa: E402

sys.path += [str(TESTS / "cost"), str(TESTS.parent / "tools/docs")]
import examples  # noqa: E402
import schemas  # noqa: E402
import secrets_planted  # noqa: E402

ANCESTOR = "trainer.kubeflow.org/trainjob-ancestor-step"
FRAMEWORK = "trainer.kubeflow.org/framework"
TRAINER = "trainer.kubeflow.org/v1alpha1"
PLUGINS = ("torch", "mpi", "jax", "xgboost", "flux")
POD_GROUPS = ("coscheduling", "volcano")
STEPS = {"node": "trainer", "launcher": "trainer", "dataset-initializer": "dataset-initializer",
         "model-initializer": "model-initializer"}
CATALOGUE = ("torch-distributed", "torch-distributed", "deepspeed-distributed", "mlx-distributed", "jax-distributed",
             "xgboost-distributed", "flux-runtime", "torchtune-llama3.2-1b", "torch-distributed", "torch-distributed", "none")
NAMES = ("a", "d", "z", "node", "data", "x-1", "train", "a-b-c", "n0", "m" * 63, "v" * 64, "A", "1", "a.b", "-a", "", "é", "trainer", "launcher")
KEYS = ("a", "app", "team", "example.com/k", ANCESTOR, FRAMEWORK, "alpha.jobset.sigs.k8s.io/exclusive-topology",
        "alpha.jobset.sigs.k8s.io/node-selector", "alpha.jobset.sigs.k8s.io/no-schedule", "kueue.x-k8s.io/queue-name",
        "kueue.x-k8s.io/podset-required-topology", "kueue.x-k8s.io/podset-slice-size", "jobset.sigs.k8s.io/jobset-name",
        "batch.kubernetes.io/job-name", "scheduling.x-k8s.io/pod-group", "kubectl.kubernetes.io/last-applied-configuration",
        "controller.kubernetes.io/pod-deletion-cost", "kueue.x-k8s.io/priority-class", "", "a/b/c", "-", "k" * 64)
RESOURCES = ("cpu", "memory", "nvidia.com/gpu", "amd.com/gpu", "ephemeral-storage", "hugepages-2Mi", "example.com/x", "pods", "gpu", "")
QUANTITIES = (1, 0, "1", "500m", "1Gi", "0", "-1", "1e3", "1.5", "64Mi", "9223372036854775807", "1Ki", "0.1", "1E", "", "1 Gi", "1000000000000000000000", 2.5)
IMAGES = ("r.example.com/t:1", "a", "t:latest", "r.example.com/t", "user:pw@r.example.com/t:1", "R.Example.com/T:1", "t@sha256:" + "0" * 64, "",
          " a:1", "${IMAGE}", "localhost:5000/a/b:c")
PATHS = ("/data", "/", "/d", "data", "/a/../b", "/dev/shm", "/root/.ssh", "/a:b", "", "/workspace", "/etc/mpi", "/é x")
WORDS = ("torchrun train.py" + " --a=b" * 130, "torchrun --nproc-per-node 2 train.py --lr 1", "python", "train.py", "torchrun", "--nnodes=2", "--nproc_per_node", "mpirun", "-np", "$(PET_NNODES)", "$PET_NODE_RANK", "bash", "-c", "sh",
         "--lr=1e-3", "accelerate", "launch", "deepspeed", "tune", "run", "&&", "|", "'", '"', "$(", "${A}", "$$", "`x`", "\\", "a b", "é", "-",
         "set -e\ntorchrun train.py\n", "export A=1; torchrun --nnodes 2 t.py", "if true; then\n  mpirun t\nfi", "exec", "env", "A=1", "#x", "")
TEXTS = ("", "a", "1", "true", "null", "~", "yes", "0x1f", "1e3", "a: b", "#x", "${X}", "$(X)", "$X", "a\nb", "é", " a ", "%", "{{ .Values.a }}", "${ATTACK_LEAK}",
         "-", "a" * 300, "'", '"', "\t", "2001-01-01", "=", "<<", "*a", "&a", "!!str a", "[", "{", "@", "`", "0o17", "1_000", "\u2028", "\U0001d11e")
PLACEHOLDERS = ("${X}", "{{ x }}", "$X", "$(X)", "%X%", "<x>", *["${ATTACK_LEAK}"] * 4)
# What fields without an enum of their own may say.
WORDS_OF = {
    "operator": ("In", "NotIn", "Exists", "DoesNotExist", "Equal", "Gt", "Any", "All"), "effect": ("NoSchedule", "NoExecute", "PreferNoSchedule"),
    "restartPolicy": ("Never", "OnFailure", "Always"), "imagePullPolicy": ("Always", "IfNotPresent", "Never"), "medium": ("", "Memory", "HugePages"),
    "completionMode": ("Indexed", "NonIndexed"), "podReplacementPolicy": ("Failed", "TerminatingOrFailed"), "dnsPolicy": ("Default", "None", "ClusterFirst"),
    "action": ("FailJobSet", "RestartJobSet", "FailJob", "Ignore", "Count"), "startupPolicyOrder": ("InOrder", "AnyOrder"), "protocol": ("TCP", "UDP", "SCTP"),
    "status": ("Ready", "Complete", "True", "False"), "whenUnsatisfiable": ("DoNotSchedule", "ScheduleAnyway"), "scheme": ("HTTP", "HTTPS"),
    "mode": ("hard", "soft"), "kind": ("ClusterTrainingRuntime", "TrainingRuntime", "Secret"), "apiGroup": ("trainer.kubeflow.org", "", "x"),
    "manager": ("a.io/b", "trainer.kubeflow.org/user", "x"), "managedBy": ("trainer.kubeflow.org/trainjob-controller", "kueue.x-k8s.io/multikueue", "a/b"), "fieldPath": ("metadata.name", "status.podIP", "spec.x"),
    "storageUri": ("hf://a/b", "s3://a/b", "hf://", "x", "pvc://a"), "topologyKey": ("kubernetes.io/hostname", "a", ""), "weight": (1, 100, 0, 101),
    "accessModes": ("ReadWriteOnce", "ReadWriteMany"), "restartStrategy": ("Recreate", "BlockingRecreate"), "type": ("RuntimeDefault", "Directory", "a"),
    "numProcPerNode": (1, 2, "auto", "gpu", "cpu"), "add": ("IPC_LOCK", "SYS_${ATTACK_LEAK}", "ALL"), "targetReplicatedJobs": ("node", "launcher", "a"),
}
LARGEST = 20_000  # bytes of an example
# What servers set: seldom in a file, and mostly refused.
RARE = {"status", "managedFields", "ownerReferences", "generation", "selfLink", "ephemeralContainers", "creationTimestamp", "deletionTimestamp"}
BOUNDS = (0, 1, -1, 2, 63, 64, 100, 2**31 - 1, 2**31, -2**31, 2**63 - 1, 2**63, 10**30)


@functools.cache
def schema(version):
    return schemas.Schema(version)


@functools.cache
def leaves(version, kind):
    """The paths of all values of a kind that are no maps or lists, by their last key; "[]" is an item of a list."""
    nodes, found = schema(version).nodes, collections.defaultdict(list)

    def walk(name, path):
        node = nodes[name]
        if "items" in node:
            walk(node["items"], (*path, "[]"))
        elif node.get("properties"):
            for key, (child, *_) in node["properties"].items():
                if key not in RARE:
                    walk(child, (*path, key))
        else:
            found[[key for key in path if key != "[]"][-1]].append(path)

    walk(schema(version).data["kinds"][kind]["node"], ())
    return dict(found)


@functools.cache
def mistakes():
    """The objects of each rule's example, with its mistake and mended."""
    made = []
    pages = examples.read_pages()
    for page in (pages[rule] for rule in pages if not rule.startswith("yaml/")):  # which are wrong before they are objects
        for without in "+-":
            try:
                text = page.manifest(without)
                if len(text) > LARGEST:
                    continue
                items = json.loads(json.dumps(list(yaml.load_all(text, Loader=yaml.CSafeLoader)), default=str))
            except (ValueError, TypeError, yaml.YAMLError):  # PyYAML refuses more
                continue
            items = [item for item in items if isinstance(item, dict) and item]
            made += [items] if items else []
    return made


def merge(base, more):
    """What both have: of values at one place that of `more`; items of lists by their names."""
    if isinstance(base, dict) and isinstance(more, dict):
        return {**base, **{key: merge(base[key], value) if key in base else value for key, value in more.items()}}
    if isinstance(base, list) and isinstance(more, list):
        names = [item.get("name") if isinstance(item, dict) else item for item in base]
        made = list(base)
        for item in more:
            name = item.get("name") if isinstance(item, dict) else item
            if name in names and isinstance(item, dict):
                made[names.index(name)] = merge(base[names.index(name)], item)
            elif name not in names:
                made.append(item)
        return made
    return more


class Grammar:
    """`rng` decides everything."""

    def __init__(self, rng, version="2.3"):
        self.rng = rng
        self.version = version
        self.schema = schema(version)

    def chance(self, share):
        return self.rng.random() < share

    def pick(self, values):
        return copy.deepcopy(self.rng.choice(values))

    # ----- values of a schema's node -----

    def number(self, node):
        if self.chance(0.6):
            return self.rng.randint(max(0, node.get("minimum", 0)), 8)
        edges = [node[edge] + step for edge in ("minimum", "maximum") if edge in node for step in (-1, 0, 1)]
        return self.rng.choice(edges or BOUNDS) if self.chance(0.7) else self.rng.choice(BOUNDS)

    def text(self, field, node):
        if field in WORDS_OF and self.chance(0.9):
            return self.pick(WORDS_OF[field])
        if field in ("name", "claimName", "secretName", "containerName", "replicatedJob", "serviceAccountName", "namespace", "subdomain", "hostname"):
            return self.rng.choice(NAMES[:8]) if self.chance(0.9) else self.rng.choice(NAMES)
        if field == "image":
            return self.rng.choice(IMAGES if self.chance(0.3) else IMAGES[:4])
        if field in ("command", "args", "exec"):
            return self.rng.choice(WORDS)
        if field.lower().endswith("path") or field in ("path", "workingDir"):
            return self.rng.choice(PATHS)
        if node.get("format") == "date-time":
            return self.rng.choice(("2026-01-01T00:00:00Z", "yesterday", ""))
        if "maxLength" in node and self.chance(0.1):
            return "a" * (node["maxLength"] + self.rng.choice((-1, 0, 1)))
        return self.rng.choice(NAMES[:6]) if self.chance(0.7) else self.rng.choice(TEXTS)

    def size(self, node):
        if "maxItems" in node and self.chance(0.02):
            return node["maxItems"] + self.rng.choice((0, 1))
        return self.rng.choices((0, 1, 2, 3), (15, 50, 25, 10))[0]

    def value(self, name, field="", depth=0):
        return self.value_of(self.schema.nodes[name], field, depth)

    def value_of(self, node, field, depth):
        if "enum" in node and self.chance(0.9):
            return self.rng.choice(node["enum"])
        if "default" in node and self.chance(0.2):
            return copy.deepcopy(node["default"])
        kind = node.get("type")
        if node.get("x-kubernetes-int-or-string"):
            return self.pick(QUANTITIES if self.chance(0.2) else QUANTITIES[:5])
        if kind == "integer" or kind == "number":
            return self.number(node)
        if kind == "boolean":
            return self.chance(0.5)
        if kind == "array":
            return [self.value(node["items"], field, depth + 1) for _ in range(self.size(node))] if depth < 8 else []
        if "additionalProperties" in node:
            keys = RESOURCES if field in ("limits", "requests") else KEYS
            wild = self.chance(0.15)
            return {self.rng.choice(keys if wild else keys[:6]): self.value(node["additionalProperties"], field, depth + 1) if wild or keys is RESOURCES
                    else self.rng.choice(NAMES[:8]) for _ in range(self.rng.choice((0, 1, 1, 2)))}
        if kind == "object" or "properties" in node:
            return self.record(node, depth)
        return self.text(field, node)

    def record(self, node, depth):
        properties = node.get("properties", {})
        wanted = [key for key in node.get("required", []) if key in properties and self.chance(0.98)]
        wanted += [key for key in ("name",) if key in properties and key not in wanted and self.chance(0.8)]
        share = 0.3 / (1 + depth)
        others = [key for key in sorted(properties) if key not in wanted and self.chance(min(share, 3 / len(properties)))]
        if not wanted and not others and properties and self.chance(0.8):
            others = [self.rng.choice(sorted(properties))]
        return {key: self.value(properties[key][0], key, depth + 1) for key in wanted + others}

    # ----- runtimes and jobs -----

    def ml_policy(self, plugin):
        node = self.schema.nodes[self.child("TrainingRuntime", "spec", "mlPolicy")]
        policy = {} if self.chance(0.3) else {"numNodes": self.rng.choice((1, 2, 2, 3)) if self.chance(0.9) else self.rng.choice(BOUNDS)}
        plugins = [plugin] if plugin in node["properties"] else []
        if self.chance(0.1):
            plugins.append(self.rng.choice(PLUGINS))
        for name in plugins:
            made = self.value(node["properties"][name][0], name, 1) if name in node["properties"] and self.chance(0.3) else {}
            policy[name] = made
        return policy

    def child(self, kind, *fields):
        name = self.schema.data["kinds"][kind]["node"]
        for field in fields:
            name = self.schema.nodes[name]["properties"][field][0]
        return name

    def container(self, name, claims):
        made = {"name": name, "image": self.rng.choice(IMAGES[:3]) if self.chance(0.8) else self.rng.choice(IMAGES)}
        if self.chance(0.5):
            made["command"] = [self.rng.choice(WORDS) for _ in range(self.rng.randint(0, 4))]
        if self.chance(0.3):
            made["args"] = [self.rng.choice(WORDS) for _ in range(self.rng.randint(0, 3))]
        if claims and self.chance(0.8):
            made["volumeMounts"] = [{"name": claim, "mountPath": self.rng.choice((f"/{claim}", f"/mnt/{claim}"))} for claim in claims]
        if self.chance(0.3):
            made["resources"] = {"limits": {self.rng.choice(RESOURCES[:3]): self.rng.choice((1, "2", "500m", "1Gi"))}}
        if self.chance(0.3):
            made["env"] = [{"name": name, "value": self.rng.choice(TEXTS)}
                           for name in self.rng.sample(("A", "B", "HF_HOME", "PET_NNODES", "PATH"), self.rng.randint(0, 3))]
        return made

    def volume(self, name):
        node = self.schema.nodes[self.schema.nodes[self.pod_field("volumes")]["items"]]
        common = ({"emptyDir": {}}, {"persistentVolumeClaim": {"claimName": self.rng.choice(("d", "data"))}}, {"configMap": {"name": "c"}},
                  {"secret": {"secretName": "s"}}, {"hostPath": {"path": "/data"}})
        if self.chance(0.8):
            return {"name": name, **self.pick(common)}
        source = self.rng.choice(sorted(set(node["properties"]) - {"name"}))
        return {"name": name, source: self.value(node["properties"][source][0], source, 2)}

    def pod_field(self, field):
        name = self.child("TrainingRuntime", "spec", "template", "spec", "replicatedJobs")
        name = self.schema.nodes[name]["items"]
        for step in ("template", "spec", "template", "spec", field):
            name = self.schema.nodes[name]["properties"][step][0]
        return name

    def replicated_job(self, name):
        claims = self.rng.sample(("d", "data", "e", "v"), self.rng.choice((0, 0, 1, 2)))
        # The container that trains is called node, that of an initializer like its job.
        main = "node" if STEPS.get(name) in (None, "trainer") else name
        names = [main if self.chance(0.9) else "c"] + (["side"] if self.chance(0.15) else [])
        pod = {"containers": [self.container(each, claims) for each in names]}
        if claims:
            pod["volumes"] = [self.volume(claim) for claim in claims]
        job = {"name": name, "template": {"spec": {"template": {"spec": pod}}}}
        step = STEPS.get(name, "")
        if name == "node" and self.chance(0.2):
            step = ""
        if step:
            job["template"]["metadata"] = {"labels": {ANCESTOR: step}}
        for field, values in (("parallelism", (1, 2, 3, 0)), ("completions", (1, 2, 3)), ("backoffLimit", (0, 3))):
            if self.chance(0.2):
                job["template"]["spec"][field] = self.rng.choice(values)
        if self.chance(0.15):
            job["replicas"] = self.rng.choice((1, 1, 2, 0))
        return job

    def runtime(self, name, plugin):
        names = ["launcher", "node"] if plugin == "mpi" and self.chance(0.9) else ["node"]
        for extra in ("dataset-initializer", "model-initializer", "a", "monitor"):
            if self.chance(0.1):
                names.insert(self.rng.randint(0, len(names)), extra)
        if self.chance(0.03):
            names = []
        kind = "ClusterTrainingRuntime" if self.chance(0.8) else "TrainingRuntime"
        spec = {"template": {"spec": {"replicatedJobs": [self.replicated_job(each) for each in names]}}}
        if self.chance(0.9):
            spec["mlPolicy"] = self.ml_policy(plugin)
        if self.chance(0.2):
            spec["podGroupPolicy"] = {each: {} for each in POD_GROUPS if self.chance(0.55)}
        metadata = {"name": name}
        if self.chance(0.8):
            metadata["labels"] = {FRAMEWORK: plugin}
        if kind == "TrainingRuntime":
            metadata["namespace"] = "team"
        return {"apiVersion": TRAINER, "kind": kind, "metadata": metadata, "spec": spec}

    def train_job(self, name, runtime_name, kind="ClusterTrainingRuntime"):
        spec = {"runtimeRef": {"name": runtime_name}}
        if kind != "ClusterTrainingRuntime" or self.chance(0.03):
            spec["runtimeRef"]["kind"] = kind
        if self.chance(0.75):
            trainer = {}
            for field, values in (("numNodes", (1, 2, 3, 3, 2, 65)), ("image", IMAGES[:6]), ("numProcPerNode", (1, 2, 4)),
                                  ("command", ([], ["torchrun", "t.py"], ["python", "t.py"], ["bash", "-c", "torchrun t.py"], ["mpirun", "python", "t.py"],
                                               ["torchrun t.py"], ["torchrun t.py" + " --a=b" * 130])),
                                  ("args", ([], ["--lr", "1"], ["a"] * 3)),
                                  ("env", ([], [{"name": "A", "value": "1"}], [{"name": "A"}, {"name": "B", "value": "2"}])),
                                  ("resourcesPerNode", ({}, {"limits": {"nvidia.com/gpu": 2}}, {"requests": {"cpu": "2"}}))):
                if self.chance(0.35):
                    trainer[field] = self.pick(values)
            spec["trainer"] = trainer
        metadata = {"name": name, **({"namespace": "team"} if kind == "TrainingRuntime" or self.chance(0.7) else {})}
        if self.chance(0.2):
            metadata["labels"] = {"kueue.x-k8s.io/queue-name": "q"}
        return {"apiVersion": TRAINER, "kind": "TrainJob", "metadata": metadata, "spec": spec}

    def jobs_and_runtime(self):
        """A runtime and one or two jobs of it; or jobs of the catalogue."""
        if self.chance(0.3):
            return generator.case(self.rng.randint(0, 10**9), 0, self.rng.choice((1, 1, 2)), self.version if self.version in ("2.1", "2.2", "2.3") else "2.1")[1]
        if self.chance(0.3):
            return self.merged_mistakes()
        if self.chance(0.2):
            return [self.train_job(self.rng.choice(("j", "a", "bert")), self.rng.choice(CATALOGUE))]
        name = self.rng.choice(("rt", "r", "torch-distributed"))
        runtime = self.runtime(name, self.rng.choice(PLUGINS + ("torch", "torch", "plain")))
        jobs = [self.train_job(each, name, runtime["kind"]) for each in ("j", "k")[:self.rng.choice((1, 1, 1, 2))]]
        return [runtime, *jobs]

    def merged_mistakes(self):
        """Examples of some rules as one."""
        items = self.pick(mistakes())
        for _ in range(self.rng.choice((0, 1, 1, 2))):
            for more in self.pick(mistakes()):
                of_kind = [number for number, item in enumerate(items) if item.get("kind") == more.get("kind")]
                if of_kind:
                    items[of_kind[0]] = merge(items[of_kind[0]], more)
                else:
                    items.append(more)
        return items

    # ----- what is nearly right -----

    def places(self, value, into=None):
        """Each value in it, as (holder, key)."""
        into = [] if into is None else into
        for key, inner in list(value.items()) if isinstance(value, dict) else list(enumerate(value)):
            into.append((value, key))
            if isinstance(inner, (dict, list)):
                self.places(inner, into)
        return into

    def grow(self, item):
        """Adds a field that the schema has to some object of it."""
        kind = self.schema.data["kinds"].get(item.get("kind"))
        if not kind:
            return
        at, name = item, kind["node"]
        for _ in range(self.rng.randint(1, 12)):
            node = self.schema.nodes[name]
            if isinstance(at, list):
                if not at or "items" not in node:
                    break
                at, name = self.rng.choice(at), node["items"]
                continue
            properties = node.get("properties", {})
            inner = [key for key in at if key in properties and isinstance(at[key], (dict, list)) and at[key]] if isinstance(at, dict) else []
            if not inner or self.chance(0.15):
                break
            key = self.rng.choice(inner)
            at, name = at[key], properties[key][0]
        node = self.schema.nodes[name]
        if isinstance(at, list) and "items" in node:
            at.append(self.value(node["items"]))
        elif isinstance(at, dict):
            absent = [key for key in sorted(node.get("properties", {})) if key not in at and key not in RARE or self.chance(0.005)]
            if absent:
                key = self.rng.choice(absent)
                at[key] = self.value(node["properties"][key][0], key)
            elif "additionalProperties" in node:
                at[self.rng.choice(KEYS)] = self.value(node["additionalProperties"])

    def reach(self, item):
        """Sets a field that is chosen by its name, however deep it is and however many others are beside it."""
        kind = item.get("kind")
        if kind not in self.schema.data["kinds"]:
            return
        paths = leaves(self.version, kind)
        path = self.rng.choice(paths[self.rng.choice(sorted(paths))])
        at, node = item, self.schema.nodes[self.schema.data["kinds"][kind]["node"]]
        for key, following in zip(path, (*path[1:], None)):
            if isinstance(at, list) and key == "[]":
                node = self.schema.nodes[node["items"]]
                if following is None or not at or not isinstance(at[-1], (dict, list)):
                    at.append(self.missing(node, key, following))
                at = self.rng.choice(at)
            elif isinstance(at, dict) and key != "[]":
                node = self.schema.nodes[node["properties"][key][0]]
                if following is None or not isinstance(at.get(key), (dict, list)):
                    at[key] = self.missing(node, key, following)
                at = at[key]
            else:
                return

    def missing(self, node, key, following):
        """What is not there on the way to a field, or the field."""
        if following == "[]":
            return []
        if following is not None:
            return {each: self.value(node["properties"][each][0], each) for each in node.get("required", []) if each in node["properties"]}
        if node.get("type", "string") == "string" and "enum" not in node and self.chance(0.5):
            return self.rng.choice(("", "a", "SYS_")) + self.rng.choice(PLACEHOLDERS)
        return self.value_of(node, "" if key == "[]" else key, 0)

    def add_placeholders(self, items):
        """Puts placeholders into texts that are there, or in their place."""
        places = list(secrets_planted.strings(items))
        for holder, key in self.rng.sample(places, min(len(places), self.rng.choice((1, 1, 2)))):
            holder[key] = self.rng.choice(("", holder[key], holder[key][:4] + "-")) + self.rng.choice(PLACEHOLDERS)

    def fill(self, item):
        """A list that is as long as the schema allows, or a little longer."""
        for holder, key in self.rng.sample(self.places(item), len(self.places(item))):
            old = holder[key]
            if isinstance(old, list) and old and key in ("command", "args", "env", "containers", "runtimePatches", "finalizers", "volumes"):
                most = self.rng.choice((127, 128, 129) if key in ("command", "args", "env") else (16, 17))
                more = [copy.deepcopy(old[number % len(old)]) for number in range(len(old), most)]
                for number, each in enumerate(more):
                    if isinstance(each, dict) and isinstance(each.get("name"), str):
                        each["name"] += str(number)
                old += more
                return

    def annotate(self, item):
        """A label or annotation that something reads, at one of the places that have them."""
        holders = [holder[key] for holder, key in self.places(item) if key in ("metadata", "template") and isinstance(holder[key], dict)]
        holder = self.rng.choice(holders or [item])
        if "metadata" not in holder and "spec" in holder:
            holder = holder.setdefault("metadata", {})
        values = holder.setdefault(self.rng.choice(("labels", "annotations")), {}) if isinstance(holder, dict) else None
        if isinstance(values, dict):
            values[self.rng.choice(KEYS[4:])] = self.rng.choice(self.rng.choice((TEXTS, NAMES, PLACEHOLDERS)))

    def patch(self, item):
        """A patch of a job, of a container that may not be there, with or without variables."""
        spec = item.get("spec") if item.get("kind") == "TrainJob" else None
        if not isinstance(spec, dict):
            return
        container = {"name": self.rng.choice(("node", "nodes", "trainer", "launcher", "c", "dataset-initializer"))}
        for field, values in (("env", ([{"name": "A", "value": "1"}], [{"name": "PET_NNODES", "value": "2"}], [])), ("image", IMAGES[:4]),
                              ("volumeMounts", ([{"name": "d", "mountPath": "/d"}], [{"name": "x", "mountPath": "/x"}])), ("command", (["a"],)),
                              ("resources", ({"limits": {"cpu": 1}},))):
            if self.chance(0.3):
                container[field] = self.pick(values)
        name = self.rng.choice(("node", "node", "launcher", "nodes", "dataset-initializer"))
        pod = {self.rng.choice(("containers", "containers", "initContainers")): [container]}
        if self.version in ("2.0", "2.1"):
            key = "podSpecOverrides" if self.version == "2.0" else "podTemplateOverrides"
            patch = {"targetJobs": [{"name": name}], **(pod if self.version == "2.0" else {"spec": pod})}
        else:
            key = "runtimePatches"
            patch = {"manager": self.rng.choice(("a.io/b", "trainer.kubeflow.org/user", "x")),
                     "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": [{"name": name, "template": {"spec": {"template": {"spec": pod}}}}]}}}}
        spec[key] = [*(spec[key] if isinstance(spec.get(key), list) else []), patch]

    def disturb(self, item):
        """One change of what is there."""
        places = self.places(item)
        holder, key = self.rng.choice(places)
        old = holder[key]
        what = self.rng.choice(("drop", "drop", "empty", "empty", "null", "bound", "letter", "text", "text", "key", "repeat", "kind", "word", "add"))
        if what == "drop":
            del holder[key]
        elif what == "empty":
            holder[key] = {} if isinstance(old, dict) else [] if isinstance(old, list) else ""
        elif what == "null":
            holder[key] = None
        elif what == "bound" and isinstance(old, int):
            holder[key] = self.rng.choice(BOUNDS)
        elif what == "letter" and isinstance(old, str):
            rename(item, old, self.rng.choice("adz"))
        elif what == "text" and isinstance(old, str):
            holder[key] = self.rng.choice(TEXTS)
        elif what == "word" and isinstance(old, str) and len(old) > 2:
            at = self.rng.randrange(len(old) - 1)
            holder[key] = old[:at] + old[at + 1] + old[at] + old[at + 2:]  # a typing mistake
        elif what == "key" and isinstance(holder, dict) and isinstance(key, str) and len(key) > 2:
            at = self.rng.randrange(len(key))
            holder[key[:at] + key[at + 1:]] = holder.pop(key)
        elif what == "repeat" and isinstance(holder, list):
            holder.insert(key, copy.deepcopy(old))
        elif what == "kind":
            holder[key] = self.rng.choice(([old], {"a": old}, str(old), 1, True, 1.5))
        elif what == "add" and isinstance(old, dict):
            old[self.rng.choice(KEYS)] = self.rng.choice(TEXTS)

    def nearly_valid(self, items):
        """Of all items: rare fields, and some mistakes. Of some only the first: in what is wrong elsewhere nobody looks at them."""
        if self.chance(0.35):
            for _ in range(self.rng.choice((1, 2, 3))):
                self.rng.choice((self.reach, self.reach, self.annotate))(self.rng.choice(items))
            return items
        for _ in range(self.rng.choices((0, 1, 2, 4, 8), (35, 30, 20, 10, 5))[0]):
            self.grow(self.rng.choice(items))
        for _ in range(self.rng.choices((0, 1, 2, 4), (40, 25, 20, 15))[0]):
            self.reach(self.rng.choice(items))
        if self.chance(0.3):
            self.annotate(self.rng.choice(items))
        if self.chance(0.25):
            self.patch(self.rng.choice(items))
        for _ in range(self.rng.choices((0, 1, 2, 4), (60, 28, 10, 2))[0]):
            self.disturb(self.rng.choice(items))
        if self.chance(0.2):
            self.add_placeholders(items)
        if self.chance(0.03):
            self.fill(self.rng.choice(items))
        return items


def rename(value, old, new):
    """Wherever this text is a value."""
    for key, inner in list(value.items()) if isinstance(value, dict) else list(enumerate(value)):
        if isinstance(inner, (dict, list)):
            rename(inner, old, new)
        elif inner == old and key not in ("apiVersion", "kind"):
            value[key] = new
