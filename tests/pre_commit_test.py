#!/usr/bin/env python3
"""A bad commit is stopped by the real pre-commit; a runtime outside the staged files comes from the configuration.

usage: pre_commit_test.py BINARY. Without pre-commit or a git checkout it says so and passes.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

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


def main():
    binary = pathlib.Path(sys.argv[1]).resolve()
    if not shutil.which("pre-commit") or not (ROOT / ".git").exists():
        print("skipped: pre-commit or the git checkout is not there")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        env = {
            **os.environ,
            "PATH": f"{binary.parent}:{os.environ['PATH']}",
            "PRE_COMMIT_HOME": f"{folder}/cache",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            **{f"GIT_{who}_{what}": "test" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
        }

        def run(*command, check=True):
            done = subprocess.run(command, cwd=repo, env=env, capture_output=True, text=True)
            if check and done.returncode != 0:
                sys.exit(f"{command}: {done.stdout}{done.stderr}")
            return done

        repo = pathlib.Path(folder, "repo")
        (repo / "platform").mkdir(parents=True)
        run("git", "init", "-q")
        (repo / "platform/runtime.yaml").write_text(RUNTIME)
        (repo / ".trainjobc.yaml").write_text("runtimes: [platform]\ncatalogue: false\n")
        head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
        (repo / ".pre-commit-config.yaml").write_text(
            f"repos:\n- repo: {ROOT}\n  rev: {head}\n  hooks:\n  - id: trainjobc-lint-system\n"
        )
        run("git", "add", ".")
        run("git", "commit", "-qm", "platform")
        run("pre-commit", "install")

        (repo / "job.yaml").write_text(JOB.format(field="numNode"))
        run("git", "add", "job.yaml")
        bad = run("git", "commit", "-qm", "bad", check=False)
        want = 'job.yaml:9:5: error: unknown field "numNode" in spec.trainer [input/unknown-field]'
        if bad.returncode == 0 or want not in bad.stdout + bad.stderr:
            print(f"a bad commit was not stopped:\n{bad.stdout}{bad.stderr}")
            return 1
        (repo / "job.yaml").write_text(JOB.format(field="numNodes"))
        run("git", "add", "job.yaml")
        run("git", "commit", "-qm", "good")
        print("1 passed, 0 failed")
    return 0


sys.exit(main())
