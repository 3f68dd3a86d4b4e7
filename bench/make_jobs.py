#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints COUNT TrainJobs of the shape that teams commit (about 1 kB each), and the runtime that they share.

usage: make_jobs.py COUNT [SHAPE]

SHAPE, if given, changes something in each job: see SHAPES at the end.
"""
import sys

RUNTIME = """apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata:
  name: torch-a100
  labels:
    trainer.kubeflow.org/framework: torch
spec:
  mlPolicy:
    numNodes: 2
    torch: {}
  template:
    spec:
      replicatedJobs:
        - name: node
          template:
            metadata:
              labels:
                trainer.kubeflow.org/trainjob-ancestor-step: trainer
            spec:
              backoffLimit: 0
              template:
                spec:
                  restartPolicy: Never
                  nodeSelector:
                    nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB
                  containers:
                    - name: node
                      image: registry.example.com/research/train:1.0.0
                      volumeMounts:
                        - name: data
                          mountPath: /data
                  volumes:
                    - name: data
                      persistentVolumeClaim:
                        claimName: data
"""

JOB = """---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: sweep-{i:04d}
  namespace: team-{team}
  labels:
    kueue.x-k8s.io/queue-name: research
spec:
  runtimeRef:
    name: torch-a100
  trainer:
    # learning rate sweep
    image: registry.example.com/research/train:1.{minor}.0
    command: [torchrun, /workspace/train.py]
    args:
      - --config=/workspace/configs/bert-large.yaml
      - --learning-rate={rate}
      - --batch-size=256
      - --output=/data/runs/sweep-{i:04d}
    numNodes: {nodes}
    env:
      - name: NCCL_DEBUG
        value: WARN
      - name: WANDB_API_KEY
        valueFrom:
          secretKeyRef:
            name: wandb
            key: api-key
    resourcesPerNode:
      requests:
        cpu: "32"
        memory: 256Gi
      limits:
        memory: 256Gi
        nvidia.com/gpu: 8
  runtimePatches:
    - manager: example.com/team-{team}
      trainingRuntimeSpec:
        template:
          spec:
            replicatedJobs:
              - name: node
                template:
                  spec:
                    template:
                      spec:
                        tolerations:
                          - key: nvidia.com/gpu
                            operator: Exists
                            effect: NoSchedule
"""

PATCHES = JOB[JOB.index("  runtimePatches:"):]

OVERRIDES = """  podTemplateOverrides:
    # the big nodes
    - targetJobs:
        - name: node
      spec:
        tolerations:
          - key: nvidia.com/gpu
            operator: Exists
            effect: NoSchedule
"""

MPI = (RUNTIME.replace("numNodes: 2", "numNodes: 1").replace("torch: {}", "mpi: {mpiImplementation: OpenMPI, numProcPerNode: 8, runLauncherAsNode: true}")
       .replace("        - name: node\n          template:", """        - name: launcher
          template:
            metadata:
              labels:
                trainer.kubeflow.org/trainjob-ancestor-step: trainer
            spec:
              template:
                spec:
                  containers:
                    - name: node
                      image: registry.example.com/research/train:1.0.0
        - name: node
          template:""", 1))

ALIAS = """apiVersion: v1
kind: ConfigMap
metadata:
  name: texts
data:
  first: &text "{text}"
"""


def job(i):
    text = JOB.format(i=i, team=i % 7, minor=i % 10, rate=f"{i % 50 + 1}e-5", nodes=i % 8 + 1)
    return text, PATCHES.format(team=i % 7)


def with_patches(change):
    def changed(i):
        text, patches = job(i)
        return text.replace(patches, change(patches))
    return changed


def replacing(old, new):
    return lambda i: job(i)[0].replace(old, new.format(i=i))


def runtime(name):
    return "---\n" + RUNTIME.replace("name: torch-a100", f"name: {name}")


def keys(count):
    text = job(0)[0].replace("  trainer:\n", "  trainer:\n" + "".join(f"    key{i}: {i}\n" for i in range(count)), 1)
    return RUNTIME + text


def aliases(count):
    text = ALIAS.format(text="x" * 100)
    return text + "".join(f"  key{i}: *text\n" for i in range(count)) + "---\n" + RUNTIME + job(0)[0]


def each(make, head=RUNTIME):
    return lambda count: head + "".join(make(i) for i in range(count))


SHAPES = {
    "plain": each(lambda i: job(i)[0]),
    "old": each(with_patches(lambda patches: OVERRIDES)),  # for Trainer 2.1
    "changed": each(replacing("--batch-size=256", "--batch-size=512")),
    "unknown": each(replacing("    numNodes:", "    numNode: 1\n    numNodes:")),
    "comments": each(replacing("    kueue", "    # trainjobc:ignore advice/queue -- job {i}\n    kueue")),
    "lost": each(lambda i: runtime(f"torch-{i:05d}") + job(i)[0].replace("name: torch-a100", f"name: trch-{i:05d}")),
    "mpi": each(lambda i: job(i)[0], MPI),
    "keys": keys,        # one job with so many unknown keys
    "aliases": aliases,  # one text with so many aliases
}

sys.stdout.write(SHAPES[sys.argv[2] if len(sys.argv) > 2 else "plain"](int(sys.argv[1])))
