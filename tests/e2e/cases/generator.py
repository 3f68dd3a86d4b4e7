# SPDX-License-Identifier: Apache-2.0

"""Random runtimes and TrainJobs, from a seed."""

import copy
import json
import random

from cases import mistakes
from cases.pods import Pods
from cases.versions import for_version, frameworks

ANCESTOR = "trainer.kubeflow.org/trainjob-ancestor-step"
GROUP = "trainer.kubeflow.org/v1alpha1"
NAMESPACES = ("default", "team-a", "team-b")
SHARE_OF_MISTAKES = 0.3
JOB_FIELDS = {
    "backoffLimit": (0, 3, 6),
    "activeDeadlineSeconds": (3600, 86400),
    "podReplacementPolicy": ("Failed", "TerminatingOrFailed"),
    "ttlSecondsAfterFinished": (86400,),
    "completionMode": ("Indexed",),
    "manualSelector": (False,),
    "backoffLimitPerIndex": (1,),
    "completions": (1, 2),
    "parallelism": (1, 2),
}
JOB_SET_FIELDS = {
    "network": (
        {"enableDNSHostnames": True},
        {"enableDNSHostnames": False},
        {"publishNotReadyAddresses": False},
        {"subdomain": "workers"},
        {},
    ),
    "successPolicy": ({"operator": "Any"}, {"operator": "All", "targetReplicatedJobs": ["node"]}),
    "startupPolicy": ({"startupPolicyOrder": "AnyOrder"}, {"startupPolicyOrder": "InOrder"}),
    "failurePolicy": (
        {"maxRestarts": 3},
        {"maxRestarts": 1, "restartStrategy": "BlockingRecreate"},
        {"rules": [{"name": "rule", "action": "FailJobSet", "onJobFailureReasons": ["BackoffLimitExceeded"]}]},
        {"maxRestarts": 2, "rules": [{"action": "RestartJobSet", "targetReplicatedJobs": ["node"]}]},
    ),
    "coordinator": ({"replicatedJob": "node"}, {"replicatedJob": "node", "jobIndex": 0, "podIndex": 0}),
    "ttlSecondsAfterFinished": (86400,),
    "managedBy": ("jobset.sigs.k8s.io/jobset-controller",),
    "suspend": (False,),
}
POLICIES = {
    "plain": ({}, {"numNodes": 2}),
    "torch": ({"torch": {}}, {"numNodes": 2, "torch": {}}),
    "jax": ({"numNodes": 1, "jax": {}},),
    "xgboost": ({"numNodes": 2, "xgboost": {}},),
    "flux": ({"numNodes": 2, "flux": {}}, {"numNodes": 1, "flux": {"numProcPerNode": 2}}),
    "mpi": (
        {"numNodes": 2, "mpi": {"mpiImplementation": "OpenMPI", "numProcPerNode": 2}},
        {"mpi": {"runLauncherAsNode": True}},
        {"numNodes": 3, "mpi": {"runLauncherAsNode": True, "sshAuthMountPath": "/home/mpiuser/.ssh"}},
    ),
}
POD_GROUPS = (
    {"coscheduling": {"scheduleTimeoutSeconds": 100}},
    {"coscheduling": {}},
    {"volcano": {}},
    {"volcano": {"networkTopology": {"mode": "soft", "highestTierAllowed": 2}}},
)
CLAIMS = {
    "templates": [
        {
            "metadata": {"name": "claim"},
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
        }
    ]
}


class Generator:
    def __init__(self, rng):
        self.rng = rng
        self.pods = Pods(rng)

    def some(self, fields, share):
        chosen = {name: self.rng.choice(values) for name, values in sorted(fields.items()) if self.pods.chance(share)}
        return copy.deepcopy(chosen)

    def replicated_job(self, name, step="", container="node", claims=()):
        metadata = self.pods.metadata().get("metadata", {})
        if step:
            metadata.setdefault("labels", {})[ANCESTOR] = step
        template = {
            "metadata": metadata,
            "spec": {
                **self.some(JOB_FIELDS, 0.07),
                "template": {**self.pods.metadata(), "spec": self.pods.pod_spec(container, claims)},
            },
        }
        if not metadata:
            del template["metadata"]
        return {"name": name, "template": template, **self.some({"replicas": (1, 1, 2)}, 0.1)}

    def initializers(self, claims):
        for step in ("dataset-initializer", "model-initializer"):
            if self.pods.chance(0.5):
                job = self.replicated_job(step, step, step, claims)
                container = job["template"]["spec"]["template"]["spec"]["containers"][0]
                mounts = [mount for mount in container.get("volumeMounts", []) if mount["name"] != "initializer"]
                container["volumeMounts"] = [*mounts, {"name": "initializer", "mountPath": "/workspace"}]
                spec = job["template"]["spec"]["template"]["spec"]
                spec.setdefault("volumes", []).append({"name": "initializer", "emptyDir": {}})
                yield job

    def replicated_jobs(self, framework, claims):
        jobs = list(self.initializers(claims)) if self.pods.chance(0.2) else []
        if framework == "mpi":
            launcher = self.replicated_job("launcher", "trainer")
            workers = self.replicated_job("node", claims=claims)
            jobs += [launcher, workers] if self.pods.chance(0.5) else [workers, launcher]
        else:
            jobs.append(self.replicated_job("node", "trainer", claims=claims))
        if self.pods.chance(0.15):
            jobs.append(self.replicated_job("monitor", container="monitor"))
        for before, job in zip(jobs, jobs[1:]):
            if self.pods.chance(0.3):
                job["dependsOn"] = [{"name": before["name"], "status": self.rng.choice(("Ready", "Complete"))}]
        return jobs

    def runtime(self, name, framework):
        claims = ("claim",) if self.pods.chance(0.1) else ()
        job_set = {**self.some(JOB_SET_FIELDS, 0.08), "replicatedJobs": self.replicated_jobs(framework, claims)}
        if claims:
            job_set["volumeClaimPolicies"] = [copy.deepcopy(CLAIMS)]
        if any("dependsOn" in job for job in job_set["replicatedJobs"]):
            job_set.pop("startupPolicy", None)
        spec = {"template": {**self.pods.metadata(0.3), "spec": job_set}}
        policy = copy.deepcopy(self.rng.choice(POLICIES[framework]))
        if policy or self.pods.chance(0.5):
            spec["mlPolicy"] = policy
        if self.pods.chance(0.2):
            spec["podGroupPolicy"] = copy.deepcopy(self.rng.choice(POD_GROUPS))
        metadata = {"name": name, **self.some({"labels": ({"trainer.kubeflow.org/framework": framework},)}, 0.5)}
        return {"apiVersion": GROUP, "kind": "ClusterTrainingRuntime", "metadata": metadata, "spec": spec}

    def trainer(self, framework):
        fields = {
            "numNodes": (1, 2, 3),
            "image": ("registry.example.com/train:2",),
            "command": (["python", "main.py"], ["bash", "-c", "echo hi"]),
            "args": (["--epochs", "3"], []),
            "numProcPerNode": (1, 2),
        }
        trainer = self.some(fields, 0.4)
        if framework not in ("torch", "mpi", "flux"):
            trainer.pop("numProcPerNode", None)
        if framework == "flux":
            trainer["numNodes"] = self.rng.randint(1, 3)
        if self.pods.chance(0.35):
            trainer["env"] = self.pods.env()
        if self.pods.chance(0.35):
            trainer["resourcesPerNode"] = self.pods.resources(0.5)
        return trainer

    def patch(self, index, jobs):
        target = self.rng.choice(jobs)
        pod = {
            **self.some(
                {
                    "nodeSelector": ({"kubernetes.io/os": "linux"},),
                    "tolerations": ([{"key": "k", "operator": "Exists"}],),
                    "imagePullSecrets": ([{"name": "private"}],),
                    "volumes": ([{"name": "extra", "emptyDir": {}}], [{"name": "data", "emptyDir": {}}]),
                    "schedulingGates": ([],),
                    "securityContext": ({"fsGroup": 3000},),
                    "affinity": ({"podAffinity": {}},),
                },
                0.3,
            )
        }
        if self.pods.chance(0.4):
            main = target["template"]["spec"]["template"]["spec"]["containers"][0]["name"]
            container = {"name": main, **self.some({"securityContext": ({"runAsUser": 5},)}, 0.3)}
            if self.pods.chance(0.15):
                container["env"] = [{"name": "PATCHED", "value": str(index)}]
            pod["containers"] = [container]
        template = {**self.pods.metadata(), "spec": pod}
        job = {"name": target["name"], "template": {**self.pods.metadata(), "spec": {"template": template}}}
        spec = {"template": {**self.pods.metadata(), "spec": {"replicatedJobs": [job]}}}
        return {"manager": f"team-{index}.example.com/patches", "trainingRuntimeSpec": spec}

    def train_job(self, name, runtime, framework):
        jobs = runtime["spec"]["template"]["spec"]["replicatedJobs"]
        spec = {"runtimeRef": {"name": runtime["metadata"]["name"]}}
        if self.pods.chance(0.9) or framework in ("jax", "flux"):
            spec["trainer"] = self.trainer(framework)
        if self.pods.chance(0.1):
            spec["suspend"] = True
        if self.pods.chance(0.05):
            spec["activeDeadlineSeconds"] = 86400
        if any(job["name"] == "dataset-initializer" for job in jobs) and self.pods.chance(0.7):
            spec["initializer"] = {"dataset": {"storageUri": "hf://tatsu-lab/alpaca", "env": self.pods.env()}}
        if self.pods.chance(0.3):
            count = self.rng.choice((1, 1, 2))
            spec["runtimePatches"] = [self.patch(index, jobs) for index in range(count)]
        metadata = {"name": name, "namespace": self.rng.choice(NAMESPACES)}
        metadata.update(self.some({"labels": ({"kueue.x-k8s.io/queue-name": "q"}, {"team": "red"})}, 0.2))
        return {"apiVersion": GROUP, "kind": "TrainJob", "metadata": metadata, "spec": spec}


def case(seed, index, jobs, version):
    """The items of one: a runtime, then its jobs. Depends on nothing but the arguments."""
    rng = random.Random(f"{seed}/{index}")
    generator = Generator(rng)
    framework = rng.choice(frameworks(version))
    name = f"r{seed}-{index}"
    items = [generator.runtime(f"{name}-{framework}", framework)]
    items += [generator.train_job(f"{name}-{letter}", items[0], framework) for letter in "abc"[:jobs]]
    for item in items[1:]:
        for_version(item["spec"], version)
    # So far they share parts with each other and with the tables that these were chosen from.
    items = json.loads(json.dumps(items))
    if rng.random() < SHARE_OF_MISTAKES:
        mistakes.make_one(rng, rng.choice(items))
    return f"random-{seed}-{index}", items


def cases(seed, count, version="2.3"):
    """Of `count` TrainJobs together."""
    index = 0
    while count > 0:
        jobs = min(count, 1 + index % 3)
        yield case(seed, index, jobs, version)
        count -= jobs
        index += 1
