#!/usr/bin/env python3
"""Prints COUNT TrainJobs of the shape that teams commit (about 1 kB each), and the runtime that they share."""
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

print(RUNTIME, end="")
for i in range(int(sys.argv[1])):
    print(JOB.format(i=i, team=i % 7, minor=i % 10, rate=f"{i % 50 + 1}e-5", nodes=i % 8 + 1), end="")
