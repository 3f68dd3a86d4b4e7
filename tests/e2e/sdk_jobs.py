# SPDX-License-Identifier: Apache-2.0

"""Trains with the Kubeflow SDK in the cluster of KUBECONFIG: each case in a guard; what that refuses, without it. Prints what
became of each as JSON. guard_tests.py runs it with the interpreter of the Python module.

usage: sdk_jobs.py NAMESPACE TRAINER_VERSION
"""

import json
import os
import sys

from kubeflow.common.types import KubernetesBackendConfig
from kubeflow.trainer import (
    BuiltinTrainer,
    CustomTrainer,
    CustomTrainerContainer,
    HuggingFaceDatasetInitializer,
    HuggingFaceModelInitializer,
    Initializer,
    LoraConfig,
    TorchTuneConfig,
    TrainerClient,
)
from kubeflow.trainer.options import Name
from kubeflow.trainer.options import kubernetes as options

import trainjobc
from trainjobc.kubeflow import guard

IMAGE = "registry.example/train:1"


def train():
    print("training")


def patch(job="node", **pods):
    template = options.PodTemplatePatch(spec=options.PodSpecPatch(**pods))
    of_job = options.JobTemplatePatch(spec=options.JobSpecPatch(template=template))
    job_set = options.JobSetSpecPatch(replicated_jobs=[options.ReplicatedJobPatch(name=job, template=of_job)])
    runtime = options.TrainingRuntimeSpecPatch(template=options.JobSetTemplatePatch(spec=job_set))
    return options.RuntimePatch(training_runtime_spec=runtime)


def function(**more):
    return {"trainer": CustomTrainer(func=train, **more)}


TORCHTUNE = {
    "trainer": BuiltinTrainer(
        config=TorchTuneConfig(num_nodes=1, epochs=1, peft_config=LoraConfig(), resources_per_node={"gpu": 1})
    ),
    "initializer": Initializer(
        dataset=HuggingFaceDatasetInitializer(storage_uri="hf://tatsu-lab/alpaca"),
        model=HuggingFaceModelInitializer(storage_uri="hf://meta-llama/Llama-3.2-1B-Instruct"),
    ),
}
# What suits runtimes for own trainers; torchtune's have theirs.
FITTING = {
    "function": function(num_nodes=2, resources_per_node={"cpu": 4, "gpu": 2}),
    "container": {"trainer": CustomTrainerContainer(image=IMAGE, num_nodes=2)},
    "nothing": {},
}
NODE = [options.ContainerPatch(name="node")]
# With torch-distributed: what the cluster refuses or never runs, and what it runs.
WRONG = {
    "a-label": {"options": [options.Labels({"team": "n l p"})]},
    "a-quantity": function(resources_per_node={"cpu": "4 cores"}),
    "a-reserved-variable": function(env={"PET_NNODES": "2"}),
    "a-patched-variable": {"options": [patch(containers=[options.ContainerPatch(name="node", env=[{"name": "A", "value": "1"}])])]},
    "Capitals": {},
    "a-name-too-long-" + "x" * 50: {},
    "a-name-too-long-for-pods-" + "x" * 35: {},
    "another-job-patched": {"options": [patch(job="trainer", containers=NODE)]},
    "half-a-gpu": function(resources_per_node={"gpu": "500m"}),
    "no-such-volume": {
        "options": [patch(containers=[options.ContainerPatch(name="node", volume_mounts=[{"name": "a", "mountPath": "/a"}])])]
    },
    "a-negative-number": function(num_nodes=-1),
}
RIGHT = {
    "labelled": {"options": [options.Labels({"team": "nlp"})]},
    "patched": {"options": [patch(containers=NODE, node_selector={"type": "kwok"})]},
    "one-node": function(num_nodes=1),
}


def cases(version):
    """Name, runtime and arguments of train()."""
    for name, arguments in WRONG.items():
        yield name, "torch-distributed", arguments
    for runtime in (one.name for one in trainjobc.catalogue(version)):
        own = {"torchtune": TORCHTUNE, "nothing": {}} if runtime.startswith("torchtune") else FITTING
        for kind, arguments in own.items():
            yield f"{runtime.replace('-distributed', '').replace('.', '-')}-{kind}", runtime, arguments
    for name, arguments in RIGHT.items():
        yield name, "torch-distributed", arguments


def try_case(client, version, name, runtime, arguments):
    """The rules of guard's errors; then also whether the cluster stores the job."""
    arguments = {**arguments, "options": [*arguments.get("options", []), Name(name)]}
    try:
        with guard(trainer_version=version, report=lambda _: None):
            client.train(runtime=runtime, **arguments)
    except trainjobc.Rejected as refused:
        rules = sorted({one.rule for one in refused.findings if one.severity == "error"})
    else:
        return {"rules": [], "stored": True}
    try:
        client.train(runtime=runtime, **arguments)
    except RuntimeError as error:
        assert 400 <= error.__cause__.status < 500, error
        return {"rules": rules, "stored": False}
    return {"rules": rules, "stored": True}


def main(namespace, version):
    config = KubernetesBackendConfig(namespace=namespace, config_file=os.environ["KUBECONFIG"])
    client = TrainerClient(config)
    said = {name: try_case(client, version, name, *rest) for name, *rest in cases(version)}
    json.dump(said, sys.stdout, indent=1)


main(*sys.argv[1:])
