# SPDX-License-Identifier: Apache-2.0

"""What an administrator installs for Trainer and JobSet: their CRDs and webhook configurations as the modules ship
them, with the webhooks at loopback; and kwok's nodes and stages."""

import base64
import glob

import yaml

import crds
from programs import source_folder

WEBHOOKS_DISABLED = {
    "matchExpressions": [
        {"key": "trainer.kubeflow.org/webhook-validation", "operator": "NotIn", "values": ["disabled"]}
    ]
}
RUNS_ON = "runs-on"  # annotation of pods that don't complete
PODS_OF_JOB_SETS = {"matchExpressions": [{"key": "jobset.sigs.k8s.io/jobset-name", "operator": "Exists"}]}
# What the overlays of the releases add to their manifests.
SELECTORS = {
    "/validate-trainer-kubeflow-org-v1alpha1-clustertrainingruntime": WEBHOOKS_DISABLED,
    "/validate-trainer-kubeflow-org-v1alpha1-trainingruntime": WEBHOOKS_DISABLED,
    "/mutate--v1-pod": PODS_OF_JOB_SETS,
    "/validate--v1-pod": PODS_OF_JOB_SETS,
}
QUEUED = {"batch/job": "jobs", "jobset.x-k8s.io/jobset": "jobsets", "trainer.kubeflow.org/trainjob": "trainjobs"}
# Kueue's kinds whose versions its webhook converts; those of the others are the same.
CONVERTED = ("localqueues", "clusterqueues", "cohorts", "workloads", "multikueueclusters")
QUEUES = ("clusterqueues", "localqueues", "cohorts", "resourceflavors", "workloads")
CAPACITY = {
    "cpu": "9000",
    "memory": "90Ti",
    "pods": "50000",
    "ephemeral-storage": "900Ti",
    "nvidia.com/gpu": "50000",
}


def read_yaml(pattern):
    """The documents of the files of that name, of which there is one at least."""
    files = sorted(glob.glob(pattern))
    if not files:
        raise RuntimeError(f"the module has no {pattern}")
    for name in files:
        with open(name, encoding="utf-8") as file:
            yield from (document for document in yaml.safe_load_all(file) if document)


def definitions(trainer, jobset, scheduler_plugins):
    yield from read_yaml(f"{trainer}/manifests/base/crds/trainer*.yaml")
    yield from read_yaml(f"{jobset}/config/components/crd/bases/jobset*.yaml")
    yield from read_yaml(f"{scheduler_plugins}/config/crd/bases/scheduling.x-k8s.io_podgroups.yaml")
    # Volcano's module ships no CRD.
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    yield crds.definition("PodGroup", "podgroups", "scheduling.volcano.sh", "v1beta1", "Namespaced", anything, [])


def webhook_configurations(pattern, prefix, port, authority):
    for document in read_yaml(pattern):
        document["metadata"]["name"] = f"{prefix}-{document['kind'].lower()}"
        for webhook in document["webhooks"]:
            path = webhook["clientConfig"]["service"]["path"]
            webhook["clientConfig"] = {"url": f"https://127.0.0.1:{port}{path}", "caBundle": authority}
            if path in SELECTORS:
                webhook["objectSelector"] = SELECTORS[path]
        yield document


def encoded(path):
    with open(path, "rb") as file:
        return base64.b64encode(file.read()).decode()


def kueue_definitions(module, port, authority_file):
    yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kueue-system"}}
    client = {"url": f"https://127.0.0.1:{port}/convert", "caBundle": encoded(authority_file)}
    for definition in read_yaml(source_folder(module, "sigs.k8s.io/kueue") + "/config/components/crd/bases/*.yaml"):
        if definition["spec"]["names"]["plural"] in CONVERTED:
            webhook = {"clientConfig": client, "conversionReviewVersions": ["v1"]}
            definition["spec"]["conversion"] = {"strategy": "Webhook", "webhook": webhook}
        yield definition


def kueue_webhooks(module, port, authority_file):
    """Of the kinds that it is to manage here."""
    manifests = source_folder(module, "sigs.k8s.io/kueue") + "/config/components/webhook/manifests.yaml"
    for document in webhook_configurations(manifests, "kueue", port, encoded(authority_file)):
        document["webhooks"] = [
            webhook
            for webhook in document["webhooks"]
            if webhook["rules"][0]["resources"][0] in (*QUEUED.values(), *QUEUES)
        ]
        yield document


def objects(version, trainer_port, jobset_port, authority_file):
    """To be created before the controllers start."""
    authority = encoded(authority_file)
    trainer = source_folder(f"trainer-{version}", "github.com/kubeflow/trainer/v2")
    jobset = source_folder(f"jobset-{version}", "sigs.k8s.io/jobset")
    scheduler_plugins = source_folder(f"trainer-{version}", "sigs.k8s.io/scheduler-plugins")
    yield from definitions(trainer, jobset, scheduler_plugins)
    webhooks = "webhook/manifests.yaml"
    yield from webhook_configurations(f"{trainer}/manifests/base/{webhooks}", "trainer", trainer_port, authority)
    yield from webhook_configurations(f"{jobset}/config/components/{webhooks}", "jobset", jobset_port, authority)


def fake_nodes(count):
    for index in range(count):
        name = f"fake-{index}"
        labels = {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "type": "kwok"}
        yield {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name, "labels": labels, "annotations": {"kwok.x-k8s.io/node": "fake"}},
            "status": {"allocatable": CAPACITY, "capacity": CAPACITY},
        }


def stages():
    """Nodes are ready, pods of Jobs run, and complete unless they have the annotation."""
    folder = source_folder("kwok", "sigs.k8s.io/kwok") + "/kustomize/stage"
    for name in ("pod/fast/pod-*", "node/fast/node-initialize", "node/heartbeat/node-heartbeat"):
        for stage in read_yaml(f"{folder}/{name}.yaml"):
            if stage["metadata"]["name"] == "pod-complete":
                unless = {"key": f'.metadata.annotations["{RUNS_ON}"]', "operator": "DoesNotExist"}
                stage["spec"]["selector"]["matchExpressions"].append(unless)
            yield stage


def write_stages(path):
    with open(path, "w", encoding="utf-8") as file:
        yaml.safe_dump_all(stages(), file)
