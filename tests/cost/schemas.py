# SPDX-License-Identifier: Apache-2.0
"""Documents with n items in one list or map of a schema, for each list and map that the schema has."""
import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
REPLICATED = "spec.template.spec.replicatedJobs[]"
POD = ".template.spec.template.spec"

# What the i-th item of a list is, or the i-th value of a map, by the end of its path: values that are accepted, so that
# all passes see them. Others are made of the schema.
ITEMS = {
    "finalizers": lambda i: f"example.com/f-{i}",
    "env": lambda i: {"name": f"V_{i}", "value": f"v{i}"},
    "envFrom": lambda i: {"secretRef": {"name": f"s-{i}"}},
    "args": lambda i: f"--a{i}=1",
    "command": lambda i: f"c{i}",
    "ports": lambda i: {"containerPort": i + 1},
    "volumeMounts": lambda i: {"name": "data", "mountPath": f"/m/{i}"},
    "volumeDevices": lambda i: {"name": "data", "devicePath": f"/dev/{i}"},
    "volumes": lambda i: {"name": f"v-{i}", "secret": {"secretName": f"s-{i}"}},
    "containers": lambda i: {"name": f"c-{i}", "image": f"example.com/c:{i}"},
    "initContainers": lambda i: {"name": f"i-{i}", "image": f"example.com/c:{i}"},
    "tolerations": lambda i: {"key": f"k-{i}", "operator": "Exists"},
    "matchExpressions": lambda i: {"key": f"k-{i}", "operator": "In", "values": ["a"]},
    "matchFields": lambda i: {"key": "metadata.name", "operator": "In", "values": [f"n-{i}"]},
    "limits": lambda i: 1,
    "requests": lambda i: 1,
    "items": lambda i: {"key": f"k-{i}", "path": f"p-{i}"},
    "hostAliases": lambda i: {"ip": "10.0.0.1", "hostnames": [f"h-{i}"]},
    "topologySpreadConstraints": lambda i: {"topologyKey": f"k-{i}", "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"},
    "replicatedJobs": lambda i: {"name": f"r-{i}", "template": {"spec": {"template": {"spec": {"restartPolicy": "Never",
                                 "containers": [{"name": "c", "image": "a:1"}]}}}}},
    "onExitCodes.values": lambda i: i + 1,
    "supplementalGroups": lambda i: i,
    "sysctls": lambda i: {"name": f"kernel.shm_{i}", "value": "1"},
    "add": lambda i: f"CAP_{i}",
    "drop": lambda i: f"CAP_{i}",
    "accessModes": lambda i: "ReadWriteOnce",
}
# Fields that an object needs beside those that the schema requires, by the end of its path.
NEEDED = {
    "matchExpressions[]": {"operator": "In", "values": ["a"]},
    "matchFields[]": {"key": "metadata.name", "operator": "In"},
    "volumes[]": {"name": "v"},
    "env[]": {"name": "V"},
    "initContainers[]": {"name": "i", "image": "example.com/c:1"},
    "ephemeralContainers[]": {"name": "e", "image": "example.com/c:1"},
    "runtimePatches[]": {"manager": "example.com/m"},
    "topologySpreadConstraints[]": {"topologyKey": "k", "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"},
    "podAffinityTerm": {"topologyKey": "k"},
    "podAffinity.requiredDuringSchedulingIgnoredDuringExecution[]": {"topologyKey": "k"},
    "podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[]": {"topologyKey": "k"},
    "httpGet": {"port": 80},
    "onExitCodes": {"operator": "In"},
}


class Schema:
    def __init__(self, version="2.3"):
        self.data = json.loads((ROOT / f"schema/v{version}.json").read_text())
        self.nodes = self.data["nodes"]

    def collections(self, kind):
        """The paths of all lists and maps below a kind, with their nodes."""
        found = []
        self._collect(self.data["kinds"][kind]["node"], "", found)
        return [(path, node) for path, node in found if not path.startswith("status")]

    def _collect(self, name, path, found):
        node = self.nodes[name]
        if node.get("type") == "array":
            found.append((path, node))
            self._collect(node["items"], path + "[]", found)
        elif "additionalProperties" in node:
            found.append((path, node))
        for field, value in node.get("properties", {}).items():
            self._collect(value[0], f"{path}.{field}" if path else field, found)

    def value(self, name, field, i=0, depth=0):
        """A small value of a node; strings and numbers differ with i."""
        node = self.nodes[name]
        if "enum" in node:
            return node["enum"][0]
        kind = node.get("type")
        if kind in ("integer", "number"):
            return node.get("minimum", 1)
        if kind == "boolean":
            return False
        if kind == "array":
            return []
        properties = node.get("properties", {})
        if kind == "object" and depth < 6:
            wanted = set(node.get("required", [])) | ({"name", "key", "path"} & set(properties))
            return {key: self.value(properties[key][0], key, i, depth + 1) for key in sorted(wanted)}
        if node.get("format") == "date-time":
            return "2026-01-01T00:00:00Z"
        return f"{field.lower()}-{i}"

    def item(self, path, node, i):
        for end in (".".join(path.split(".")[-2:]), path.split(".")[-1]):
            if end in ITEMS:
                return ITEMS[end](i)
        if "items" in node:
            return self.value(node["items"], "x", i)
        return f"v{i}"


def ends_with(path, end):
    return path == end or path.endswith("." + end)


def set_items(root, path, make, node, n):
    """Puts n items into the list or map at the path; the objects above it are made, or are those that are there."""
    at = root
    parts = path.split(".")
    for depth, part in enumerate(parts[:-1]):
        name = part.removesuffix("[]")
        if part.endswith("[]"):
            items = at.setdefault(name, [])
            if not items:
                items.append({})
            at = items[0]
        else:
            at = at.setdefault(name, {})
        here = ".".join(parts[:depth + 1])
        for end, fields in NEEDED.items():
            if ends_with(here, end):
                for key, value in fields.items():
                    at.setdefault(key, value)
    last = parts[-1].removesuffix("[]")
    if parts[-1].endswith("[]"):  # a list of lists
        at.setdefault(last, [[]])[0].extend(make(i) for i in range(n))
    elif "items" in node:
        at.setdefault(last, [])
        at[last] = at[last] + [make(i) for i in range(n)]
    else:
        at[last] = {**at.get(last, {}), **{f"example.com/k-{i}": make(i) for i in range(n)}}


def runtime(name="torch", kind="ClusterTrainingRuntime"):
    container = {"name": "node", "image": "example.com/train:1", "command": ["torchrun", "train.py"],
                 "volumeMounts": [{"name": "data", "mountPath": "/data"}]}
    return {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": kind,
            "metadata": {"name": name, "labels": {"trainer.kubeflow.org/framework": "torch"}},
            "spec": {"mlPolicy": {"numNodes": 2, "torch": {}}, "template": {"spec": {"replicatedJobs": [
                {"name": "node", "template": {
                    "metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}},
                    "spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [container],
                                                   "volumes": [{"name": "data", "emptyDir": {}}]}}}}}]}}}}


def job(name="a", runtime_name="torch"):
    return {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob",
            "metadata": {"name": name, "namespace": "team", "labels": {"kueue.x-k8s.io/queue-name": "lq"}},
            "spec": {"runtimeRef": {"name": runtime_name}, "trainer": {"numNodes": 2}}}


def block(value, indent, out):
    """The value as block YAML, one item per line."""
    pad = " " * indent
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            if isinstance(inner, (dict, list)) and inner:
                out.append(f"{pad}{key}:")
                block(inner, indent + 2, out)
            else:
                out.append(f"{pad}{key}: {json.dumps(inner)}")
    elif isinstance(value, list) and value:
        for inner in value:
            if isinstance(inner, (dict, list)) and inner:
                at = len(out)
                block(inner, indent + 2, out)
                out[at] = pad + "- " + out[at][indent + 2:]
            else:
                out.append(f"{pad}- {json.dumps(inner)}")
    else:
        out.append(pad + json.dumps(value))


def to_yaml(*objects):
    texts = []
    for each in objects:
        lines = []
        block(each, 0, lines)
        texts.append("\n".join(lines) + "\n")
    return "---\n".join(texts)
