#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bases of v1 jobs with overlays: after `migrate --write`, `kustomize build` gives the pods that the migrated output of
`kustomize build` had before.

usage: v1_kustomize_test.py BINARY [BASE…]. Without kustomize and kubectl it is skipped (77).
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

import yaml

PROGRAM = ["kustomize", "build"] if shutil.which("kustomize") else ["kubectl", "kustomize"]


def torch(name="mnist", workers=2, more="", pod="", run_policy=""):
    """A PyTorchJob whose master and workers are alike."""
    spec = f"""      restartPolicy: OnFailure
      template:
        spec:
{pod}          containers:
          - name: pytorch
            image: ghcr.io/team-a/mnist:1.0
            command: [torchrun, mnist.py]
            env:
            - {{name: LR, value: "0.1"}}
            resources: {{limits: {{nvidia.com/gpu: 1}}}}
{more}"""
    return f"""apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata:
  name: {name}
spec:
{run_policy}  pytorchReplicaSpecs:
    Master:
      replicas: 1
{spec}    Worker:
      replicas: {workers}
{spec}"""


def workers_only(name="bert"):
    return f"""apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {{name: {name}}}
spec:
  nprocPerNode: "4"
  pytorchReplicaSpecs:
    Worker:
      replicas: 4
      template:
        spec:
          containers:
          - name: pytorch
            image: ghcr.io/team-a/bert:1.0
            command: [torchrun, bert.py]
            volumeMounts: [{{name: data, mountPath: /data}}]
          volumes: [{{name: data, persistentVolumeClaim: {{claimName: bert}}}}]
"""


MPI = """apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: pi}
spec:
  slotsPerWorker: 2
  mpiReplicaSpecs:
    Launcher:
      replicas: 1
      template: {spec: {containers: [{name: mpi, image: "ghcr.io/team-a/pi:1.0", command: [mpirun, -n, "4", /pi]}]}}
    Worker:
      replicas: 2
      template: {spec: {containers: [{name: mpi, image: "ghcr.io/team-a/pi:1.0"}]}}
"""
JAX = """apiVersion: kubeflow.org/v1
kind: JAXJob
metadata: {name: jax}
spec:
  jaxReplicaSpecs:
    Worker:
      replicas: 2
      restartPolicy: OnFailure
      template: {spec: {containers: [{name: jax, image: "ghcr.io/team-a/jax:1.0", command: [python3, jax.py]}]}}
"""
SIDECAR = """          - name: metrics
            image: ghcr.io/team-a/metrics:1.0
"""
MASTER = "/spec/pytorchReplicaSpecs/Master/template/spec"
WORKER = "/spec/pytorchReplicaSpecs/Worker/template/spec"


def ops(kind, *operations, name=""):
    lines = "".join(f"    - {{op: {op}, path: {path}{'' if value is None else f', value: {value}'}}}\n" for op, path, value in operations)
    return f"- target: {{kind: {kind}{f', name: {name}' if name else ''}}}\n  patch: |-\n{lines}"


def both(path, value, op="add"):
    return (op, MASTER + path, value), (op, WORKER + path, value)


# By name: the base's files, and the overlays', each of which is built. {"": text} is kustomization.yaml without `resources`.
BASES = {
    "replicas": ({"job.yaml": torch()}, {
        "dev": {"": "patches:\n" + ops("PyTorchJob", ("replace", "/spec/pytorchReplicaSpecs/Worker/replicas", 1), name="mnist")},
        "prod": {"": "patches:\n" + ops("PyTorchJob", ("replace", "/spec/pytorchReplicaSpecs/Worker/replicas", 7), name="mnist")}}),
    "images": ({"job.yaml": torch()}, {
        "dev": {"": "images: [{name: ghcr.io/team-a/mnist, newTag: dev}]\n"},
        "prod": {"": "namePrefix: prod-\nimages: [{name: ghcr.io/team-a/mnist, newName: registry.example/mnist, newTag: '2.1'}]\n"}}),
    "documents": ({"job.yaml": workers_only()}, {
        "prod": {"": "patches: [{path: more.yaml}]\n", "more.yaml": """# More nodes for production.
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata:
  name: bert
spec:
  runPolicy: {ttlSecondsAfterFinished: 3600, suspend: true}
  pytorchReplicaSpecs:
    Worker:
      replicas: 16
"""}}),
    "old-fields": ({"job.yaml": workers_only()}, {
        "prod": {"": """patchesStrategicMerge:
- |-
  apiVersion: kubeflow.org/v1
  kind: PyTorchJob
  metadata: {name: bert, labels: {kueue.x-k8s.io/queue-name: prod}}
  spec: {nprocPerNode: "8"}
patchesJson6902:
- target: {group: kubeflow.org, version: v1, kind: PyTorchJob, name: bert}
  path: ops.yaml
""", "ops.yaml": "- op: replace\n  path: /spec/pytorchReplicaSpecs/Worker/replicas\n  value: 8\n"}}),
    "env": ({"job.yaml": torch()}, {
        "prod": {"": "patches:\n" + ops("PyTorchJob", *both("/containers/0/env/-", '{name: EPOCHS, value: "90"}'),
                                        *both("/containers/0/env/0/value", '"0.5"', "replace"))}}),
    "placement": ({"job.yaml": torch()}, {
        "a100": {"": "patches:\n" + ops("PyTorchJob", *both("/nodeSelector", "{gpu: a100}"))},
        "h100": {"": "patches:\n" + ops("PyTorchJob", *both("/tolerations", "[{key: gpu, operator: Exists}]"),
                                        *both("/containers/0/resources/limits/nvidia.com~1gpu", 8, "replace"))}}),
    "metadata": ({"job.yaml": torch()}, {
        "team": {"": "namespace: team-a\nnameSuffix: -v2\ncommonAnnotations: {owner: team-a}\n"
                     "labels: [{pairs: {team: a}}]\n" + "patches:\n"
                     + ops("PyTorchJob", ("add", "/metadata/labels", "{kueue.x-k8s.io/queue-name: team-a}"))}}),
    "sidecar": ({"job.yaml": torch(more=SIDECAR)}, {
        "dev": {"": "namePrefix: dev-\nimages: [{name: ghcr.io/team-a/metrics, newTag: '2.0'}, {name: ghcr.io/team-a/mnist, newTag: dev}]\n"},
        "prod": {"": "namePrefix: prod-\npatches:\n" + ops("PyTorchJob", *both("/containers/1/image", "ghcr.io/team-a/metrics:1.1", "replace"))}}),
    "mpi": ({"job.yaml": MPI}, {
        "small": {"": "patches:\n" + ops("MPIJob", ("replace", "/spec/mpiReplicaSpecs/Worker/replicas", 1), ("replace", "/spec/slotsPerWorker", 4))},
        "other": {"": "namePrefix: other-\nimages: [{name: ghcr.io/team-a/pi, newTag: '2.0'}]\n"}}),
    "mpi-image": ({"job.yaml": MPI}, {
        "prod": {"": "patches:\n" + ops(
            "MPIJob", ("replace", "/spec/mpiReplicaSpecs/Launcher/template/spec/containers/0/image", "ghcr.io/team-a/pi:3.0"),
            ("replace", "/spec/mpiReplicaSpecs/Worker/template/spec/containers/0/image", "ghcr.io/team-a/pi:3.0"),
            ("replace", "/spec/mpiReplicaSpecs/Launcher/template/spec/containers/0/command", "[mpirun, -n, '8', /pi]"))}}),
    "two-jobs": ({"a.yaml": torch("a"), "b.yaml": torch("b", workers=5)}, {
        "suspended": {"": "patches:\n" + ops("PyTorchJob", ("add", "/spec/runPolicy", "{suspend: true}"))},
        "one": {"": "patches:\n" + ops("PyTorchJob", ("replace", "/spec/pytorchReplicaSpecs/Worker/replicas", 3), name="b")}}),
    "component": ({"job.yaml": torch()}, {
        "gpus": {"": "components: [../../component]\n"}}, {
        "component/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches:\n"
                                        + ops("PyTorchJob", *both("/containers/0/env/-", '{name: NCCL_DEBUG, value: INFO}'))}),
    "layers": ({"job.yaml": torch()}, {
        "prod": {"": "patches:\n" + ops("PyTorchJob", ("replace", "/spec/pytorchReplicaSpecs/Worker/replicas", 3))},
        "prod-eu": {"resources": "../prod", "": "namePrefix: eu-\npatches:\n"
                    + ops("PyTorchJob", *both("/nodeSelector", "{region: eu}"), ("replace", "/spec/pytorchReplicaSpecs/Worker/replicas", 9))}}),
    "replacements": ({"job.yaml": torch(), "settings.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n"
                                                            "data: {image: 'ghcr.io/team-a/mnist:9.9', queue: team-b}\n"}, {
        "prod": {"": """replacements:
- source: {kind: ConfigMap, name: settings, fieldPath: data.image}
  targets:
  - select: {kind: PyTorchJob, name: mnist}
    fieldPaths:
    - spec.pytorchReplicaSpecs.Master.template.spec.containers.[name=pytorch].image
    - spec.pytorchReplicaSpecs.Worker.template.spec.containers.[name=pytorch].image
- source: {kind: PyTorchJob, name: mnist, fieldPath: metadata.name}
  targets:
  - select: {kind: PyTorchJob}
    fieldPaths: ["spec.pytorchReplicaSpecs.Master.template.spec.containers.0.env.[name=LR].value",
                 "spec.pytorchReplicaSpecs.Worker.template.spec.containers.0.env.[name=LR].value"]
"""}}),
    "replacements-mpi": ({"job.yaml": MPI, "settings.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n"
                                                            "data: {image: 'ghcr.io/team-a/pi:9.9'}\n"}, {
        "prod": {"": """replacements:
- source: {kind: ConfigMap, name: settings, fieldPath: data.image}
  targets:
  - select: {kind: MPIJob, name: pi}
    fieldPaths:
    - spec.mpiReplicaSpecs.Launcher.template.spec.containers.0.image
    - spec.mpiReplicaSpecs.Worker.template.spec.containers.0.image
"""}}),
    "generators": ({"job.yaml": workers_only()}, {
        "prod": {"": """configMapGenerator: [{name: settings, literals: [LR=0.1], options: {disableNameSuffixHash: true}}]
patches:
""" + ops("PyTorchJob", ("add", WORKER + "/volumes/-", "{name: settings, configMap: {name: settings}}"),
          ("add", WORKER + "/containers/0/volumeMounts/-", "{name: settings, mountPath: /settings}"))}}),
    "jax": ({"job.yaml": JAX}, {
        "prod": {"": "namePrefix: prod-\nimages: [{name: ghcr.io/team-a/jax, newTag: '2'}]\npatches:\n"
                     + ops("JAXJob", ("replace", "/spec/jaxReplicaSpecs/Worker/replicas", 4))}}),
    "replicas-field": ({"job.yaml": torch()}, {
        "prod": {"": "replicas: [{name: mnist, count: 7}]\nconfigurations: [fields.yaml]\n",
                 "fields.yaml": "replicas: [{kind: PyTorchJob, path: spec/pytorchReplicaSpecs/Worker/replicas}]\n"}}),
    "name-references": ({"job.yaml": workers_only(), "claim.yaml": "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: bert}\nspec: {}\n"}, {
        "prod": {"": "namePrefix: prod-\nconfigurations: [fields.yaml]\n",
                 "fields.yaml": "nameReference:\n- kind: PersistentVolumeClaim\n  version: v1\n  fieldSpecs:\n"
                                "  - {kind: PyTorchJob, path: spec/pytorchReplicaSpecs/Worker/template/spec/volumes/persistentVolumeClaim/claimName}\n"}}),
    "gang": ({"job.yaml": torch(run_policy="  runPolicy: {schedulingPolicy: {queue: a}}\n")}, {
        "prod": {"": "namePrefix: prod-\npatches:\n" + ops("PyTorchJob", ("replace", "/spec/runPolicy/schedulingPolicy/queue", "b"))}}),
}
BINARY = ""


def run(*words, status=0, **how):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **how)
    assert done.returncode == status, f"{words} ends with {done.returncode}: {done.stderr}{done.stdout}"
    return done.stdout


def write(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def write_base(root, base, overlays, others=()):
    write(root / "base", {**base, "kustomization.yaml": f"resources: [{', '.join(base)}]\n"})
    write(root, dict(others))
    for name, files in overlays.items():
        below = files.get("resources", "../../base")
        rest = {path: text for path, text in files.items() if path not in ("", "resources")}
        write(root / "overlays" / name, {**rest, "kustomization.yaml": f"resources: [{below}]\n{files['']}"})


def job_sets(manifests, place):
    """The JobSets of TrainJobs and runtimes, whose hostfiles and Secrets have no names of their own."""
    place.write_text(manifests)
    made = run(BINARY, "render", "--no-config", "--with-defaults", "--ssh-key", "omit", place)
    return [item for item in yaml.safe_load_all(made) if item["kind"] in ("JobSet", "ConfigMap", "PodGroup")]


def before(root, overlay, place):
    """What the migration makes of the built v1 jobs."""
    built = run(*PROGRAM, root / "overlays" / overlay)
    return job_sets(run(BINARY, "migrate", "--no-config", "--to", "2.3", "-", input=built), place)


def differences(folder, base, overlays, others=()):
    root = folder / "tree"
    write_base(root, base, overlays, others)
    old = {name: before(root, name, folder / "old.yaml") for name in overlays}
    run(BINARY, "migrate", "--no-config", "--to", "2.3", "--write", root)
    for name in overlays:
        new = job_sets(run(*PROGRAM, root / "overlays" / name), folder / "new.yaml")
        if new != old[name]:
            yield f"{name}: {new}\n  were {old[name]}"
    left = [path for path in root.rglob("*") if path.is_file() and "kubeflow.org/v" in path.read_text().replace("trainer.kubeflow.org/v", "")]
    if left:
        yield f"{left} still have jobs of v1"


def main():
    global BINARY
    BINARY = pathlib.Path(sys.argv[1]).resolve()
    if not shutil.which(PROGRAM[0]):
        print("neither kustomize nor kubectl is installed")
        return 77
    names = sys.argv[2:] or list(BASES)
    failed = 0
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            try:
                found = list(differences(pathlib.Path(folder), *BASES[name]))
            except AssertionError as problem:
                found = [problem]
            for problem in found:
                failed += 1
                print(f"{name}: {problem}")
    print(f"{len(names)} bases of v1 jobs with {sum(len(BASES[name][1]) for name in names)} overlays, {failed} problems")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
