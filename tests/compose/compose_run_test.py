# SPDX-License-Identifier: Apache-2.0

"""Runs what `compose` prints: `compose_run_test.py TRAINJOBC`, with docker compose over Docker and over podman.

Needs root, Docker or podman, Debian's packages of the programs, and docker compose: $DOCKER_COMPOSE, or docker-compose
on the PATH (`make compose` builds it from its Go module). What is missing is skipped (77)."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import engines
import sandbox

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "tests" / "train" / "programs"
SECONDS = int(os.environ.get("TRAIN_SECONDS", "300"))
COMPOSE = os.environ.get("DOCKER_COMPOSE") or shutil.which("docker-compose")

JOB = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {{name: sums, namespace: {ns}}}
spec:
  runtimeRef: {{kind: {kind}, name: {runtime}}}
  {more}
  trainer:
    command: {command}
    numNodes: {nodes}
"""
PLAIN = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: fetched}
spec:
  mlPolicy: {numNodes: 1}
  template:
    spec:
      replicatedJobs:
      - name: dataset-initializer
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: dataset-initializer}}
          spec:
            template:
              spec:
                containers:
                - name: dataset-initializer
                  image: localhost/fetcher:1
                  volumeMounts: [{name: initializer, mountPath: /workspace/dataset}]
                volumes: [{name: initializer, persistentVolumeClaim: {claimName: data}}]
      - name: node
        dependsOn: [{name: dataset-initializer, status: Complete}]
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec:
            template:
              spec:
                containers:
                - name: node
                  image: localhost/trial:1
                  volumeMounts: [{name: data, mountPath: /data}]
                volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
---
"""


def job(runtime, command, nodes=2, kind="ClusterTrainingRuntime", ns="team-a", more=""):
    return JOB.format(runtime=runtime, command=json.dumps(command), nodes=nodes, kind=kind, ns=ns, more=more)


class ComposeTest(unittest.TestCase):
    engine_type = None
    program = ""
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="compose")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        try:
            cls.engine = cls.engine_type(cls.folder)
            cls.engine.start()
            cls.addClassCleanup(cls.engine.stop)
            cls.engine.load()
        except engines.Unavailable as error:
            raise unittest.SkipTest(str(error)) from error

    def compose(self, text, *flags):
        """The Compose file, and the words of its second line that run it."""
        path = os.path.join(self.folder, "input.yaml")
        pathlib.Path(path).write_text(text, encoding="utf-8")
        mounts = [f"--mount={source}:{target}:ro" for source, target in (("/usr", "/usr"), (PROGRAMS, "/workspace"))]
        command = [self.program, "compose", "--no-config", "--cpu", f"--image={engines.IMAGE}", *mounts, *flags, path]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        made = os.path.join(self.folder, "compose.yaml")
        pathlib.Path(made).write_text(done.stdout, encoding="utf-8")
        return made, done.stdout.splitlines()[1].partition("docker compose ")[2].split()

    def up(self, command, env):
        with tempfile.TemporaryFile("w+") as out:
            running = subprocess.Popen(command, env=env, stdout=out, stderr=subprocess.STDOUT)
            deadline = time.monotonic() + SECONDS
            while running.poll() is None and time.monotonic() < deadline:
                self.engine.check_health()
                time.sleep(1)
            if running.poll() is None:
                running.kill()
            out.seek(0)
            return running.wait(), out.read()

    def run_job(self, text, *flags):
        """What the programs report, by rank, and the status of `up`."""
        path, words = self.compose(text, *flags)
        env = os.environ | {"DOCKER_HOST": f"unix://{self.engine.socket}"}
        compose = [COMPOSE, "--ansi=never", "--progress=quiet", "-f", path]
        try:
            status, self.said = self.up([*compose, *words], env)
        finally:
            subprocess.run([*compose, "down", "--volumes", "--timeout=1"], env=env, capture_output=True, check=False)
        reports = [json.loads(line[line.index("{"):]) for line in self.said.splitlines() if '{"rank"' in line]
        return sorted(reports, key=lambda report: report["rank"]), status

    def assert_sums(self, seen, hosts):
        reports, status = seen
        world = len(hosts)
        expected = [(rank, world, host, world * (world + 1) // 2) for rank, host in enumerate(hosts)]
        self.assertEqual([(one["rank"], one["world"], one["host"], one["sum"]) for one in reports], expected, self.said)
        self.assertEqual(status, 0, self.said)


class Jobs:
    def test_torchrun(self):
        """Two nodes of two processes, over gloo."""
        text = job("torch-distributed", ["torchrun", "-r", "1", "-t", "1", "/workspace/torch_ranks.py"], nodes=8)
        seen = self.run_job(text, "--nodes=2", "--processes=2")
        self.assert_sums(seen, ["sums-node-0-0"] * 2 + ["sums-node-0-1"] * 2)
        self.assertEqual({one["store"] for one in seen[0]}, {"sums-node-0-0.sums:29500"})

    def test_open_mpi_over_ssh(self):
        """The runtime of examples/: a launcher and a worker, of two processes each."""
        runtime = (ROOT / "examples" / "runtimes" / "openmpi-gpu.yaml").read_text(encoding="utf-8")
        text = runtime + "---\n" + job("openmpi-gpu", ["mpirun", "/opt/bin/python", "/workspace/mpi_ranks.py"], 8, "TrainingRuntime", "climate")
        seen = self.run_job(text, "--nodes=2", "--processes=2")
        self.assertEqual({(one["world"], one["sum"], one["user"]) for one in seen[0]}, {(4, 10, 1000)}, self.said)
        self.assertEqual({one["host"] for one in seen[0]}, {"sums-launcher-0-0", "sums-node-0-0"})
        self.assertEqual(seen[1], 0, self.said)

    def test_the_trainer_reads_what_the_initializer_wrote(self):
        say = 'import json; print(json.dumps({"rank": 0, "fetched": open("/data/fetched").read().strip()}))'
        more = "initializer: {dataset: {storageUri: hf://team/data}}"
        seen, status = self.run_job(PLAIN + job("fetched", ["python", "-c", say], 1, more=more))
        self.assertEqual((seen, status), ([{"rank": 0, "fetched": "hf://team/data"}], 0), self.said)

    def test_a_failing_rank_ends_the_job(self):
        """The others would wait for it."""
        fails = 'import os, sys, time; sys.exit(3) if os.environ["JOB_COMPLETION_INDEX"] == "1" else time.sleep(1000)'
        seen, status = self.run_job(job("torch-distributed", ["python", "-c", fails], 3))
        self.assertEqual((seen, status), ([], 3), self.said)


class PythonPackages:
    """With the Python packages of `make train`."""

    def setUp(self):
        self.venv = os.path.join(os.environ.get("TRAIN_VENVS", ROOT / "build" / "train"), "small")

    def run_python(self, runtime, program, *flags):
        if not os.path.exists(os.path.join(self.venv, "bin", "python")):
            self.skipTest("needs Python packages that `make train` installs")
        text = job(runtime, [os.path.join(self.venv, "bin", "python"), "/workspace/" + program], 8)
        return self.run_job(text, f"--mount={self.venv}:{self.venv}:ro", *flags)

    def test_jax(self):
        seen = self.run_python("jax-distributed", "jax_ranks.py", "--nodes=2")
        self.assert_sums(seen, ["sums-node-0-0", "sums-node-0-1"])

    def test_xgboost(self):
        seen = self.run_python("xgboost-distributed", "xgboost_ranks.py", "--nodes=3")
        self.assert_sums(seen, [f"sums-node-0-{index}" for index in range(3)])


class OnDocker(PythonPackages, Jobs, ComposeTest):
    engine_type = engines.Docker


class OnPodman(PythonPackages, Jobs, ComposeTest):
    engine_type = engines.Podman


def main():
    if not COMPOSE:
        sandbox.skip("needs docker compose: docker-compose on the PATH, or DOCKER_COMPOSE")
    sandbox.enter()
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    ComposeTest.program = os.path.abspath(sys.argv[1])
    names = sys.argv[2:] or ["OnDocker", "OnPodman"]
    suite = unittest.defaultTestLoader.loadTestsFromNames(names, sys.modules[__name__])
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    if not result.wasSuccessful():
        sys.exit(1)
    if result.testsRun == 0 or result.testsRun == len(result.skipped):
        sandbox.skip("nothing of this runs here")


if __name__ == "__main__":
    main()
