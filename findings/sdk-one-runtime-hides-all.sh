#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# kubeflow 0.5.0 (the Kubeflow SDK), seen in November 2026: TrainerClient().list_runtimes() guesses the device of each
# runtime from the limits of its container "node", and knows nvidia.com/gpu, google.com/tpu, nvidia.com/mig-*,
# huawei.com/Ascend910 and cpu. A runtime with other limits alone, such as amd.com/gpu or memory, which Trainer accepts
# and runs, is an exception, and none of the cluster's runtimes is listed. With a limit for cpu beside it, it is
# listed, as a runtime of CPUs.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check kubeflow==0.5.0

cat > "$work/list.py" <<'PYTHON'
import logging
from types import SimpleNamespace

from kubeflow.trainer.backends.kubernetes.backend import KubernetesBackend

logging.disable(logging.CRITICAL)


def runtime(name, limits):
    node = {"name": "node", "image": "registry.example/train:1", "resources": {"limits": limits}}
    job = {"spec": {"template": {"spec": {"containers": [node]}}}}
    job["metadata"] = {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}}
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "ClusterTrainingRuntime",
        "metadata": {"name": name, "labels": {"trainer.kubeflow.org/framework": "torch"}},
        "spec": {
            "mlPolicy": {"numNodes": 2, "torch": {}},
            "template": {"spec": {"replicatedJobs": [{"name": "node", "template": job}]}},
        },
    }


def listed(*runtimes):
    cluster = {"items": list(runtimes)}
    backend = KubernetesBackend.__new__(KubernetesBackend)
    backend.namespace = "ml"
    backend.custom_api = SimpleNamespace(
        list_cluster_custom_object=lambda *_, **__: SimpleNamespace(get=lambda _: cluster),
        list_namespaced_custom_object=lambda *_, **__: SimpleNamespace(get=lambda _: {"items": []}),
    )
    try:
        return [(one.name, one.trainer.device) for one in backend.list_runtimes()]
    except Exception as error:
        return str(error).split(":")[0]


nvidia = runtime("nvidia", {"nvidia.com/gpu": 1})
print(listed(nvidia))
print(listed(nvidia, runtime("amd", {"amd.com/gpu": 1})))
print(listed(nvidia, runtime("memory", {"memory": "8Gi"})))
print(listed(nvidia, runtime("amd", {"amd.com/gpu": 1, "cpu": 8})))
PYTHON

"$work/venv/bin/python" "$work/list.py" > "$work/seen"
diff - "$work/seen" <<'SEEN'
[('nvidia', 'gpu')]
Unknown device type in the container resources
Unknown device type in the container resources
[('nvidia', 'gpu'), ('amd', 'cpu')]
SEEN
echo "as in November 2026"
