#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The migrated job renders to an equivalent JobSet under the new Trainer version, or a difference is listed.

usage: migrate.py BINARY [COUNT [SEED]] [--files VERSION PATH…]
Generates COUNT pairs of a TrainJob and its runtime, written in many styles, and takes every input of golden/
and examples/. Of each migration it checks, with tools of its own:
- the exit status is 0 or 1, and with 1 something is said;
- a JobSet that differs is named on stderr, and so is a job that is not rendered any more;
- every comment is still there, and all that has nothing to do with versions is the same value as before;
- a second migration changes nothing, and one back gives what the original rendered to.
"""
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
VERSIONS = ["2.0", "2.1", "2.2", "2.3"]
# What a migration is about; everything else stays.
MOVED_SPEC = {"podSpecOverrides", "podTemplateOverrides", "runtimePatches", "labels", "annotations"}
# Rewritten from top to bottom.
DIALECTS = {"kubeflow.org/v2alpha1", "trainer.kubeflow.org/v2alpha1", "ome.io/v1beta1"}
COMPUTED_VOLUMES = {"mpi-ssh-auth", "mpi-hostfile", "shared-memory", "dshm"}
OVERRIDES = {"2.0": "podSpecOverrides", "2.1": "podTemplateOverrides", "2.2": "runtimePatches", "2.3": "runtimePatches"}


# --- generated inputs


def pod_spec(r, version):
    parts = {
        "nodeSelector": {"gpu": r.choice(["h100", "a100"]), "zone/one": "x"},
        "serviceAccountName": "trainer",
        "tolerations": [{"key": "gpu", "operator": "Exists"}, {"key": "b", "value": "true", "effect": "NoSchedule"}],
        "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}, {"name": "tmp", "emptyDir": {}}],
        "containers": [{"name": "side", "env": [{"name": "A", "value": "1"}, {"name": "SCRIPT", "value": "a\n # b\n\nc\n"}],
                        "volumeMounts": [{"name": "data", "mountPath": "/data"}]}],
    }
    if version != "2.0":
        parts["imagePullSecrets"] = [{"name": "registry"}]
    if version in ("2.2", "2.3"):
        parts["securityContext"] = {"runAsUser": 1000}
    return {key: parts[key] for key in r.sample(sorted(parts), r.randint(1, 3))}


def overrides(r, version, jobs):
    items = []
    targets = r.sample(jobs, r.randint(1, len(jobs)))
    if version in ("2.0", "2.1"):
        while targets:
            some, targets = targets[:r.randint(1, 2)], targets[2:]
            item = {"targetJobs": [{"name": name} for name in some]}
            if version == "2.0":
                item.update(pod_spec(r, version))
            else:
                if r.random() < 0.5:
                    item["metadata"] = {"labels": {"team": "a"}, "annotations": {"note": "yes: it's"}}
                item["spec"] = pod_spec(r, version)
            items.append(item)
        if version == "2.1" and r.random() < 0.3:
            items.append({"targetJobs": [{"name": jobs[0]}], "spec": pod_spec(r, version)})
        return items
    for i in range(r.randint(1, 2)):
        template = {"spec": {"replicatedJobs": []}}
        if r.random() < 0.3:
            template["metadata"] = {"labels": {"patched": str(i)}}
        for name in targets:
            pod = {"spec": pod_spec(r, version)}
            if r.random() < 0.3:
                pod["metadata"] = {"labels": {"team": "b"}}
            job = {"spec": {"template": pod}}
            if r.random() < 0.1:
                job["metadata"] = {"labels": {"of": "job"}}
            template["spec"]["replicatedJobs"].append({"name": name, "template": job})
        items.append({"manager": f"example.com/team-{i}", "trainingRuntimeSpec": {"template": template}})
    return items


def generate(r, version):
    kind = r.choice(["torch", "torch", "mpi", "plain"])
    jobs = ["node"] + (["launcher"] if kind == "mpi" else []) + (["extra"] if r.random() < 0.4 else [])
    policy = {"numNodes": r.randint(1, 3)}
    old = version in ("2.0", "2.1")
    if kind == "torch":
        policy["torch"] = {"numProcPerNode": r.choice(["auto", "cpu", "gpu", 4])} if old and r.random() < 0.7 else {}
    if kind == "mpi":
        policy["mpi"] = {"numProcPerNode": r.randint(1, 4), "mpiImplementation": "OpenMPI"}
    runtime = {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "ClusterTrainingRuntime",
               "metadata": {"name": "rt", "labels": {"trainer.kubeflow.org/framework": kind}},
               "spec": {"mlPolicy": policy, "template": {"spec": {"replicatedJobs": []}}}}
    for name in jobs:
        containers = [{"name": "node" if name in ("node", "launcher") else "main", "image": "registry.example/x:1",
                       "command": ["run", "--all"]}, {"name": "side", "image": "registry.example/side:1"}]
        template = {"spec": {"template": {"spec": {"containers": containers}}}}
        if name == ("launcher" if kind == "mpi" else "node"):
            template["metadata"] = {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}}
        runtime["spec"]["template"]["spec"]["replicatedJobs"].append({"name": name, "template": template})
    spec = {"runtimeRef": {"name": "rt"}}
    trainer = {"numNodes": r.randint(1, 3)}
    if r.random() < 0.5:
        trainer["env"] = [{"name": "LR", "value": "0.1"}]
    if r.random() < 0.4:
        trainer["resourcesPerNode"] = {"limits": {"nvidia.com/gpu": r.randint(1, 8)}, "requests": {"cpu": 4}}
    if kind == "torch" and r.random() < 0.5:
        trainer["numProcPerNode"] = r.choice(["auto", "cpu", 2]) if old else 2
    parts = [("trainer", trainer), (OVERRIDES[version], overrides(r, version, jobs)), ("suspend", False)]
    if old and r.random() < 0.5:
        parts.append(("labels", {"queue": "fast", "a.b/c": "1"}))
    if old and r.random() < 0.3:
        parts.append(("annotations", {"why": "# none"}))
    r.shuffle(parts)
    spec.update(parts)
    job = {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", "metadata": {"name": "job"}, "spec": spec}
    return [job, runtime]


class Writer:
    """YAML in many styles, with comments that can be told apart."""

    def __init__(self, r):
        self.r = r
        self.step = r.choice([2, 2, 4])
        self.compact = r.random() < 0.5
        self.comments = r.choice([0, 0.1, 0.4])
        self.flow = r.choice([0, 0, 0.2])
        self.count = 0

    def comment(self):
        self.count += 1
        return f"# comment {self.count}: - x"

    def trailing(self):
        return "  " + self.comment() if self.r.random() < self.comments else ""

    def above(self, indent):
        lines = ""
        if self.r.random() < self.comments / 4:
            lines += "\n"
        if self.r.random() < self.comments:
            lines += " " * indent + self.comment() + "\n"
        return lines

    def scalar(self, value):
        return json.dumps(value) if isinstance(value, str) and self.r.random() < 0.3 else yaml.safe_dump(
            value, default_style=None, width=10**6).removesuffix("\n...\n").removesuffix("\n")

    def flow_text(self, value):
        if isinstance(value, dict):
            return "{" + ", ".join(f"{key}: {self.flow_text(item)}" for key, item in value.items()) + "}"
        if isinstance(value, list):
            return "[" + ", ".join(self.flow_text(item) for item in value) + "]"
        return json.dumps(value)

    def value(self, value, indent):
        """What follows a key."""
        if isinstance(value, (dict, list)) and (not value or self.r.random() < self.flow):
            return " " + self.flow_text(value) + self.trailing() + "\n"
        if isinstance(value, dict):
            return self.trailing() + "\n" + self.map(value, indent + self.step)
        if isinstance(value, list):
            return self.trailing() + "\n" + self.list(value, indent + (0 if self.compact else self.step))
        if isinstance(value, str) and "\n" in value:
            lines = "".join((" " * (indent + self.step) + line if line else "") + "\n" for line in value.splitlines())
            return " |" + self.trailing() + "\n" + lines
        return " " + self.scalar(value) + self.trailing() + "\n"

    def map(self, value, indent):
        return "".join(self.above(indent) + " " * indent + key + ":" + self.value(item, indent) for key, item in value.items())

    def list(self, value, indent):
        out = ""
        for item in value:
            out += self.above(indent)
            if isinstance(item, dict) and item and self.r.random() >= self.flow:
                text = self.map(item, indent + 2)
                lead = len(text) - len(text[text.index(" " * (indent + 2) + next(iter(item)) + ":"):])
                out += text[:lead] + " " * indent + "- " + text[lead:].removeprefix(" " * (indent + 2))
            else:
                out += " " * indent + "- " + (self.flow_text(item) if isinstance(item, (dict, list)) else self.scalar(item))
                out += self.trailing() + "\n"
        return out


def write(r, objects):
    style = r.random()
    if style < 0.08:
        return "".join(json.dumps(item, indent=r.choice([2, 4])) + "\n" for item in objects[:1]) + "---\n" + json.dumps(objects[1])
    if style < 0.16:
        writer = Writer(r)
        return writer.map({"apiVersion": "v1", "kind": "List", "items": objects}, 0)
    texts = []
    for item in objects:
        writer = Writer(r)
        texts.append(writer.map(item, 0))
    text = "---\n".join(texts)
    return text.replace("\n", "\r\n") if r.random() < 0.15 else text


# --- checks


class Case:
    def __init__(self, binary, folder, text, runtimes=()):
        self.binary = binary
        self.path = pathlib.Path(folder) / "input.yaml"
        self.seed = pathlib.Path(folder) / "seed"
        self.seed.write_text("a seed for reproducible keys")
        self.runtimes = [word for path in runtimes for word in ("--runtimes", str(path))]
        self.text = text

    def run(self, *arguments):
        return subprocess.run([self.binary, *arguments, "--no-config", *self.runtimes, str(self.path)],
                              capture_output=True, text=True)

    def write(self, text):
        self.path.write_bytes(text.encode())

    def migrate(self, old, new):
        done = self.run("migrate", "--write", "--no-catalogue", "--from", old, "--to", new)
        return done, self.path.read_bytes().decode()

    def render(self, version):
        """Every TrainJob's objects under a version, by namespace and name."""
        done = self.run("render", "--no-catalogue", "--keep-going", "--with-defaults", "-o", "json", "--name-suffix", "x",
                        "--ssh-key", f"seed:{self.seed}", "--trainer-version", version)
        items = json.loads(done.stdout)["items"] if done.stdout.strip() else []
        job_sets = {}
        for item in items:
            if item["kind"] == "JobSet":
                meta = item["metadata"]
                job_sets[meta.get("namespace", "default"), meta["name"]] = normal(item)
        return job_sets


def normal(value):
    """Without what JobSet admission adds in newer versions, and what is empty."""
    if isinstance(value, dict):
        kept = {key: normal(item) for key, item in value.items()}
        if kept.get("groupName") == "default":
            del kept["groupName"]
        for key in ("limits", "requests"):
            if kept.get(key) == {}:  # Go writes none
                del kept[key]
        return kept
    if isinstance(value, list):
        return [normal(item) for item in value]
    return value


def overridden(job_set):
    """What overrides can say and no version computes: equal whatever the versions do."""
    found = [job_set["metadata"].get("labels"), job_set["metadata"].get("annotations")]
    for job in job_set["spec"].get("replicatedJobs", []):
        template = job["template"]["spec"]["template"]
        pod = template.get("spec", {})
        labels = dict(template.get("metadata", {}).get("labels") or {})
        labels.pop("scheduling.x-k8s.io/pod-group", None)
        found.append((job["name"], job["template"].get("metadata"), labels, template.get("metadata", {}).get("annotations")))
        found += [pod.get(key) for key in ("nodeSelector", "tolerations", "serviceAccountName", "affinity", "schedulingGates",
                                           "imagePullSecrets", "securityContext")]
        found.append([volume for volume in pod.get("volumes", []) if volume["name"] not in COMPUTED_VOLUMES])
        for container in pod.get("containers", []) + pod.get("initContainers", []):
            mounts = [mount for mount in container.get("volumeMounts", []) if mount["name"] not in COMPUTED_VOLUMES]
            env = [one for one in container.get("env", []) if container["name"] not in ("node", "launcher")]
            found.append((container["name"], container.get("image"), mounts, env if "flux" not in json.dumps(pod) else 0))
    return found


def objects_of(text):
    found = []
    for document in yaml.load_all(text, Loader=yaml.BaseLoader):
        if isinstance(document, dict):
            found += document["items"] if str(document.get("kind", "")).endswith("List") and "items" in document else [document]
    return found


def without_moved(item):
    """The object without all that a migration may touch."""
    if item.get("apiVersion") in DIALECTS:
        return None
    item = json.loads(json.dumps(item))
    spec = item.get("spec")
    if not isinstance(spec, dict):
        return item
    if item.get("kind") == "TrainJob":
        for key in MOVED_SPEC:
            spec.pop(key, None)
        if isinstance(spec.get("trainer"), dict):
            spec["trainer"].pop("numProcPerNode", None)
        spec.setdefault("trainer", {})
    torch = (spec.get("mlPolicy") or {}).get("torch") if isinstance(spec.get("mlPolicy"), dict) else None
    if isinstance(torch, dict):
        torch.pop("numProcPerNode", None)
        torch.pop("elasticPolicy", None)
    return item


def comments_of(text):
    return re.findall(r"# comment \d+", text)


def check(case, old, new):
    """What is wrong, and what became of it."""
    case.write(case.text)
    before = case.render(old)
    done, text = case.migrate(old, new)
    if done.returncode not in (0, 1):
        return f"status {done.returncode}", ""
    if done.returncode == 1 and ": error: " not in done.stderr:
        return "status 1, and nothing said", ""
    case.write(text)
    after = case.render(new)
    listed = done.stderr.partition("renders the migrated objects differently")[2]
    for (ns, name), job_set in before.items():
        if (ns, name) not in after:
            if done.returncode == 0:
                return f"{name} is not rendered any more, and nothing said", ""
        elif overridden(job_set) != overridden(after[ns, name]):
            return f"{name} lost what an override or the runtime said", ""
        elif job_set != after[ns, name] and f"JobSet {ns}/{name}\n" not in listed:
            return f"{name} is rendered differently, and nothing said", ""
    lost = set(comments_of(case.text)) - set(comments_of(text))
    if lost:
        return f"lost {lost}", ""
    try:
        old_objects, new_objects = objects_of(case.text), objects_of(text)
    except (yaml.YAMLError, ValueError):
        old_objects = new_objects = []  # inputs of mistakes
    pairs = zip(map(without_moved, old_objects), map(without_moved, new_objects))
    if len(old_objects) != len(new_objects) or any(a != b for a, b in pairs if a is not None):
        return "what has nothing to do with versions changed", ""
    again, same = case.migrate(new, new)
    if same != text and done.returncode == 0:  # else the version was not the input's
        return "a second migration changes it", ""
    result = "changed" if text != case.text else "same"
    if done.returncode == 1:
        return "", result + ", said why not all"
    if listed:
        return "", result + ", differences listed"
    case.write(text)
    back, _ = case.migrate(new, old)
    if back.returncode == 0 and "renders the migrated objects differently" not in back.stderr and case.render(old) != before:
        return "there and back again it renders differently", ""
    return "", result + ", equivalent"


def inputs(count, seed, files):
    for version, path in files:
        yield version, path.read_bytes().decode(), str(path)
    for i in range(count):
        r = random.Random(f"{seed}/{i}")
        version = r.choice(VERSIONS)
        yield version, write(r, generate(r, version)), f"generated {seed}/{i}"


def recorded_files():
    found = []
    for path in sorted([*ROOT.glob("golden/*/*.yaml"), *ROOT.glob("examples/**/*.yaml")]):
        if "ssh" not in path.name:
            found += [(version, path) for version in VERSIONS]
    return found


def main():
    arguments = sys.argv[1:]
    files = recorded_files()
    if "--files" in arguments:
        at = arguments.index("--files")
        files = [(arguments[at + 1], pathlib.Path(path)) for path in arguments[at + 2:]]
        arguments = arguments[:at]
    binary, count = arguments[0], int(arguments[1]) if len(arguments) > 1 else 60
    seed = arguments[2] if len(arguments) > 2 else "1"
    results, wrong = {}, 0
    with tempfile.TemporaryDirectory() as folder:
        for version, text, name in inputs(count, seed, files):
            targets = [other for other in VERSIONS if other != version]
            if name.startswith("generated"):
                targets = random.Random(f"{seed}/{name}").sample(targets, 1)
            for new in targets:
                problem, result = check(Case(binary, folder, text), version, new)
                if problem:
                    wrong += 1
                    print(f"{name}: {version} to {new}: {problem}")
                else:
                    results[result] = results.get(result, 0) + 1
    print(", ".join(f"{count} {result}" for result, count in sorted(results.items())) + f"; {wrong} wrong")
    return 1 if wrong or not results else 0


if __name__ == "__main__":
    sys.exit(main())
