# SPDX-License-Identifier: Apache-2.0

"""Random namespaces that refuse pods: Pod Security levels, ResourceQuotas and LimitRanges, each with a runtime and a job."""

import json
import random

from cases import generator

LABEL = "pod-security.kubernetes.io/"
LEVELS = ("privileged", "baseline", "restricted")
VERSIONS = ("latest", "v1.20", "v1.24", "v1.29", "v1.34", "v1.36")
FRAMEWORKS = ("plain", "torch", "mpi", "jax", "xgboost")
GPU = "nvidia.com/gpu"
AMOUNTS = {"cpu": ("500m", "1", "2", "4"), "memory": ("512Mi", "1Gi", "2Gi", "8Gi"), GPU: ("1", "2")}
HARD = {
    **{name: ("500m", "1", "3", "6", "20") for name in ("cpu", "requests.cpu", "limits.cpu")},
    **{name: ("256Mi", "1Gi", "5Gi", "50Gi") for name in ("memory", "requests.memory", "limits.memory")},
    f"requests.{GPU}": ("1", "2", "3", "8"),
    "pods": ("1", "2", "3", "10"),
    "count/pods": ("1", "2", "3", "10"),
}
SCOPES = (["NotTerminating"], ["Terminating"], ["NotBestEffort"])
# In order: the least, what is requested, the limit, the most.
STEPS = {"cpu": ("100m", "250m", "500m", "1", "2", "4"), "memory": ("64Mi", "256Mi", "512Mi", "1Gi", "4Gi", "16Gi")}
RESTRICTED = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}


class Namespaces:
    def __init__(self, rng, namespace):
        self.rng = rng
        self.namespace = namespace

    def chance(self, share):
        return self.rng.random() < share

    def make(self, kind, name, spec):
        return {"apiVersion": "v1", "kind": kind, "metadata": {"name": name, "namespace": self.namespace}, "spec": spec}

    def labelled(self):
        labels = {}
        for mode, share in (("enforce", 0.6), ("warn", 0.2)):
            if self.chance(share):
                labels[LABEL + mode] = self.rng.choice(LEVELS)
                if self.chance(0.4):
                    labels[f"{LABEL}{mode}-version"] = self.rng.choice(VERSIONS)
        return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.namespace, "labels": labels}}

    def quota(self, index):
        names = self.rng.sample(sorted(HARD), self.rng.randint(1, 3))
        spec = {"hard": {name: self.rng.choice(HARD[name]) for name in names}}
        if self.chance(0.15):
            spec["scopes"] = self.rng.choice(SCOPES)
        elif self.chance(0.1):
            spec = {"hard": {"pods": self.rng.choice(HARD["pods"])}, "scopes": ["BestEffort"]}
        return self.make("ResourceQuota", f"quota-{index}", spec)

    def limits(self, index):
        """Of containers, pods, or both, which the API server takes."""
        items = []
        for kind, share in (("Container", 0.8), ("Pod", 0.3)):
            if not self.chance(share):
                continue
            item = {"type": kind}
            for name in self.rng.sample(sorted(STEPS), self.rng.randint(1, 2)):
                steps = [STEPS[name][step] for step in sorted(self.rng.choices(range(len(STEPS[name])), k=4))]
                for field, value in zip(("min", "defaultRequest", "default", "max"), steps):
                    if self.chance(0.5) and (kind == "Container" or field in ("min", "max")):
                        item.setdefault(field, {})[name] = value
                if self.chance(0.1) and "default" not in item and "defaultRequest" not in item and "min" not in item:
                    item["maxLimitRequestRatio"] = {name: self.rng.choice(("1", "2"))}
            items.append(item)
        return self.make("LimitRange", f"limits-{index}", {"limits": items}) if any(len(one) > 1 for one in items) else None

    def surroundings(self):
        yield self.labelled()
        for index in range(self.rng.choice((0, 0, 1, 1, 2))):
            yield self.quota(index)
        for index in range(self.rng.choice((0, 0, 1, 1, 2))):
            limits = self.limits(index)
            if limits:
                yield limits

    def resources(self):
        """Requests, limits or both; requests are no more than limits."""
        found = {}
        for name, amounts in AMOUNTS.items():
            low, high = sorted(self.rng.choices(range(len(amounts)), k=2))
            if name == GPU:
                if self.chance(0.3):
                    found.setdefault("limits", {})[name] = amounts[high]
                continue
            for field, step in (("requests", low), ("limits", high)):
                if self.chance(0.45):
                    found.setdefault(field, {})[name] = amounts[step]
        return found

    def harden(self, spec):
        """As a restricted namespace asks for."""
        for field in ("hostNetwork", "hostIPC", "hostPID", "os"):
            spec.pop(field, None)
        spec["securityContext"] = {"runAsNonRoot": True}
        unwanted = {"hostPath", "nfs"}
        gone = {volume["name"] for volume in spec.get("volumes", []) if unwanted & volume.keys()}
        spec["volumes"] = [volume for volume in spec.get("volumes", []) if volume["name"] not in gone]
        for container in spec.get("initContainers", []) + spec["containers"]:
            container["securityContext"] = json.loads(json.dumps(RESTRICTED))
            mounts = [mount for mount in container.get("volumeMounts", []) if mount["name"] not in gone]
            container["volumeMounts"] = mounts


def pod_specs(runtime):
    return [job["template"]["spec"]["template"]["spec"] for job in runtime["spec"]["template"]["spec"]["replicatedJobs"]]


def case(seed, index):
    """The items of one: the namespace with what stands in it, a runtime, and its job. Depends on nothing but the arguments."""
    rng = random.Random(f"namespaces/{seed}/{index}")
    name = f"ns-{seed}-{index}"
    namespaces = Namespaces(rng, name)
    made = generator.Generator(rng)
    framework = rng.choice(FRAMEWORKS)
    runtime = made.runtime(f"{name}-{framework}", framework)
    runtime["spec"].pop("podGroupPolicy", None)
    job_set = runtime["spec"]["template"]["spec"]
    for field in ("suspend", "startupPolicy", "managedBy"):
        job_set.pop(field, None)
    for job in job_set["replicatedJobs"]:
        job.pop("dependsOn", None)
    is_hardened = rng.random() < 0.5
    for spec in pod_specs(runtime):
        if is_hardened:
            namespaces.harden(spec)
        for container in spec.get("initContainers", []) + spec["containers"]:
            container["resources"] = namespaces.resources()
    job = made.train_job(name, runtime, framework)
    job["metadata"]["namespace"] = name
    job["metadata"].get("labels", {}).pop("kueue.x-k8s.io/queue-name", None)
    job["spec"].pop("suspend", None)
    if rng.random() < 0.5:
        job["spec"].setdefault("trainer", {})["resourcesPerNode"] = namespaces.resources()
    items = [*namespaces.surroundings(), runtime, job]
    return name, json.loads(json.dumps(items))


def cases(seed, count):
    return (case(seed, index) for index in range(count))
