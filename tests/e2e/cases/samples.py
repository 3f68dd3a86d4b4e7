# SPDX-License-Identifier: Apache-2.0

"""Cases made of what the repository ships: its examples, and jobs of the catalogue's runtimes."""

import copy

from cases import case as inputs
from cases.versions import for_version

EXAMPLES = inputs.ROOT / "examples"
NAMESPACE = "samples"

# What people ask of a runtime of the catalogue, beside nothing at all.
SCALED = {"numNodes": 3, "image": "registry.example.com/train:3.2", "env": [{"name": "SEED", "value": "7"}]}
GPUS = {"resourcesPerNode": {"requests": {"cpu": "8"}, "limits": {"memory": "64Gi", "nvidia.com/gpu": 2}}}
SCRIPT = {"command": ["bash", "-c", "set -e\npython train.py\n"], "args": ["--epochs=3"]}
PATCH = {
    "manager": "team.example.com/placement",
    "trainingRuntimeSpec": {
        "template": {
            "metadata": {"labels": {"team": "blue"}},
            "spec": {
                "replicatedJobs": [
                    {
                        "name": "node",
                        "template": {
                            "spec": {
                                "template": {
                                    "metadata": {"annotations": {"note": "x"}},
                                    "spec": {
                                        "nodeSelector": {"kubernetes.io/os": "linux"},
                                        "tolerations": [{"key": "gpu", "operator": "Exists"}],
                                        "terminationGracePeriodSeconds": 0,
                                    },
                                }
                            }
                        },
                    }
                ]
            },
        }
    },
}
JOBS = {
    "bare": {},
    "empty": {"trainer": {}},
    "scaled": {"trainer": SCALED},
    "gpus": {"trainer": GPUS},
    "script": {"trainer": SCRIPT},
    "patched": {"trainer": {"numNodes": 2}, "runtimePatches": [PATCH]},
    "suspended": {"trainer": {"numNodes": 2}, "suspend": True},
    "elsewhere": {"trainer": {"numNodes": 2}, "managedBy": "kueue.x-k8s.io/multikueue"},
    "inputs": {"initializer": {"dataset": {"storageUri": "hf://tatsu-lab/alpaca"}}},
}


def train_job(name, runtime, spec):
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {"runtimeRef": {"name": runtime}, **spec},
    }


def catalogue(kubectl, program, version, folder):
    """One case for each runtime."""
    for item in inputs.read_all(kubectl, *inputs.catalogue(program, version, folder)):
        runtime = item["metadata"]["name"]
        start = runtime.replace(".", "-")[:20]
        jobs = [
            train_job(f"{start}-{name}", runtime, for_version(copy.deepcopy(spec), version))
            for name, spec in JOBS.items()
        ]
        yield inputs.write(folder, f"catalogue-{runtime}", [item, *jobs])


def examples(kubectl, program, version, folder):
    """All of them as one case, with the runtimes that they name."""
    files = sorted(EXAMPLES.glob("runtimes/*.yaml")) + sorted(EXAMPLES.glob("jobs/*/*.yaml"))
    items = inputs.read_all(kubectl, *map(str, files))
    for item in items:
        if "generateName" in item["metadata"]:
            item["metadata"]["name"] = item["metadata"].pop("generateName") + "x7k2p"  # as the API server would
    own = {item["metadata"]["name"] for item in items if item["kind"] in inputs.RUNTIMES}
    wanted = {inputs.runtime_name(item) for item in items if item["kind"] == "TrainJob"} - own
    shipped = inputs.read_all(kubectl, *inputs.catalogue(program, version, folder))
    items += [item for item in shipped if item["metadata"]["name"] in wanted]
    yield inputs.write(folder, "examples", items)
