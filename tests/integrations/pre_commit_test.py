#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A bad commit is stopped by the real pre-commit; a runtime outside the staged files comes from the configuration.

A repository's other YAML is skipped. The hook of docs/tasks/pre-commit.md and both of .pre-commit-hooks.yaml: the one that
runs the trainjobc on the PATH, and the one that pip installs, whose package takes BINARY here instead of compiling another.
usage: pre_commit_test.py BINARY. Without pre-commit, a git checkout or pip's index
it says so and ends with status 77.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

DOCUMENTED = "documented"  # the hook that docs/tasks/pre-commit.md shows
ROOT = pathlib.Path(__file__).resolve().parents[2]

RUNTIME = """apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata:
  name: team-torch
  labels:
    trainer.kubeflow.org/framework: torch
spec:
  mlPolicy:
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
            template:
              spec:
                containers:
                - name: node
                  image: registry.example.com/train:1.0.0
"""

JOB = """apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: bert
spec:
  runtimeRef:
    name: team-torch
  trainer:
    {field}: 2
"""


# What else lies in such a repository, and is not trainjobc's business.
OTHERS = {
    "kustomization.yaml": "resources:\n- job.yaml\n",
    "overlays/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [..]\n",
    "overlays/patch.yaml": "- op: replace\n  path: /spec/trainer/numNodes\n  value: 4\n",
    "charts/training/Chart.yaml": "apiVersion: v2\nname: training\nversion: 0.1.0\n",
    "charts/training/values.yaml": "image: {tag: 1.0.0}\ntrainer:\n  numNodes: 4\n",
    "charts/training/templates/service.yaml": "{{- if .Values.service }}\nkind: Service\nmetadata:\n  name: {{ .Release.Name }}\n{{- end }}\n",
    "charts/training/templates/job.yaml": "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata:\n  name: {{ .Release.Name }}\n",
    ".github/workflows/ci.yaml": "name: ci\non: push\njobs:\n  build:\n    runs-on: ubuntu-latest\n    steps:\n    - run: echo ${{ github.ref }}\n",
    ".gitlab-ci.yml": "test:\n  script: !reference [.shared, script]\n",
    "docker-compose.yml": "services:\n  a: {image: 'a:1'}\n",
    "deployment.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: a\n",
    "legacy.yaml": "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata:\n  name: a\n",
}


def documented_hook():
    """The .pre-commit-config.yaml that the page shows."""
    blocks = re.findall(r"^```yaml\n(repos:\n.*?)^```", (ROOT / "docs/tasks/pre-commit.md").read_text(), re.M | re.S)
    return blocks[0]


def git(*words, folder=ROOT):
    return subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True).stdout.strip()


def has_index():
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", folder, "scikit-build-core>=0.11"]
        return subprocess.run(command, capture_output=True).returncode == 0


def try_hook(hook, environment, folder):
    """What went wrong, or nothing."""
    repo = pathlib.Path(folder, hook)
    (repo / "platform").mkdir(parents=True)

    def run(*command, check=True):
        done = subprocess.run(command, cwd=repo, env=environment, capture_output=True, text=True)
        if check and done.returncode != 0:
            sys.exit(f"{command}: {done.stdout}{done.stderr}")
        return done

    run("git", "init", "-q")
    (repo / "platform/runtime.yaml").write_text(RUNTIME)
    (repo / ".trainjobc.yaml").write_text("runtimes: [platform]\ncatalogue: false\nexclude: [charts/*/templates/job.yaml]\n")
    own = f"repos:\n- repo: {ROOT}\n  rev: {git('rev-parse', 'HEAD')}\n  hooks:\n  - id: {hook}\n"
    (repo / ".pre-commit-config.yaml").write_text(documented_hook() if hook == DOCUMENTED else own)
    run("git", "add", ".")
    run("git", "commit", "-qm", "platform")
    run("pre-commit", "install")
    for name, text in OTHERS.items():
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        (repo / name).write_text(text)
    run("git", "add", ".")
    others = run("git", "commit", "-qm", "others", check=False)
    if others.returncode:
        return f"{hook}: what is not trainjobc's business stopped a commit:\n{others.stdout}{others.stderr}"
    (repo / "job.yaml").write_text(JOB.format(field="numNode"))
    run("git", "add", "job.yaml")
    bad = run("git", "commit", "-qm", "bad", check=False)
    want = 'job.yaml:9:5: error: unknown field "numNode" in spec.trainer [input/unknown-field]'
    if bad.returncode == 0 or want not in bad.stdout + bad.stderr:
        return f"{hook}: a bad commit was not stopped:\n{bad.stdout}{bad.stderr}"
    (repo / "job.yaml").write_text(JOB.format(field="numNodes"))
    run("git", "add", "job.yaml")
    good = run("git", "commit", "-qm", "good", check=False)
    return f"{hook}: a good commit was stopped:\n{good.stdout}{good.stderr}" if good.returncode else ""


def main():
    binary = pathlib.Path(sys.argv[1]).resolve()
    if not shutil.which("pre-commit") or not (ROOT / ".git").exists():
        print("skipped: pre-commit or the git checkout is not there")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "PRE_COMMIT_HOME": f"{folder}/cache",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            **{f"GIT_{who}_{what}": "test" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
        }
        on_path = {**environment, "PATH": f"{binary.parent}:{os.environ['PATH']}"}
        problems = [try_hook(hook, on_path, folder) for hook in (DOCUMENTED, "trainjobc-lint-system")]
        if has_index():
            packed = {**environment, "CMAKE_ARGS": f"-DTRAINJOBC_PREBUILT={binary}"}
            problems.append(try_hook("trainjobc-lint", packed, folder))
        else:
            print("pip's index can't be reached: the hook that pip installs was not tried")
    failed = [problem for problem in problems if problem]
    print("\n".join(failed))
    print(f"{len(problems) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


sys.exit(main())
