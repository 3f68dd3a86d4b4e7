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
sys.path.append(str(ROOT / "tests" / "docs"))
EXAMPLES = ROOT / "examples"
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
    gpu_error = ""  # of a daemon without a driver for GPUs
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
        """The Compose file, and the words of its second line that run it. Of the machine, the job has its programs."""
        path = os.path.join(self.folder, "input.yaml")
        pathlib.Path(path).write_text(text, encoding="utf-8")
        given = {flag.split(":")[1] for flag in flags if flag.startswith("--mount=")}
        mounts = [f"--mount={source}:{target}:ro" for source, target in (("/usr", "/usr"), (PROGRAMS, "/workspace")) if target not in given]
        command = [self.program, "compose", "--no-config", "--cpu", f"--image={engines.IMAGE}", *mounts, *flags, path]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.notes = done.stderr
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

    def run_job(self, text, *flags, words=None):
        """What the programs report, by rank, and the status of `up`."""
        path, own_words = self.compose(text, *flags)
        words = words or own_words
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


class Examples:
    """The jobs of examples/, smaller, with small programs in the place of theirs."""

    def run_example(self, paths, programs, *flags):
        """`programs`: where the job has them, and which of programs/ it is; or the text of a script."""
        work = tempfile.mkdtemp(dir=self.folder)
        for path, source in programs.items():
            file = pathlib.Path(work + path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(source if source.startswith("#!") else (PROGRAMS / source).read_text(encoding="utf-8"), encoding="utf-8")
            file.chmod(0o755)
        for path, folders, _ in os.walk(work):
            os.chmod(path, 0o755)
        mounts = [f"--mount={work}{folder}:{folder}:ro" for folder in sorted({os.path.dirname(path) for path in programs})]
        text = "---\n".join((EXAMPLES / path).read_text(encoding="utf-8") for path in paths)
        return self.run_job(text, *mounts, *flags)

    def test_torchrun(self):
        """Two nodes of two processes, over gloo."""
        # The redirects of torch 1.13 need -r and -t with Python 3.11.
        programs = {"/workspace/smoke.py": "torch_ranks.py", "/opt/bin/torchrun": "#!/bin/sh\nexec /usr/bin/torchrun -r 1 -t 1 \"$@\"\n"}
        seen = self.run_example(["jobs/scratch/smoke.yaml"], programs, "--nodes=2", "--processes=2")
        self.assert_sums(seen, ["smoke-node-0-0"] * 2 + ["smoke-node-0-1"] * 2)
        self.assertEqual({one["store"] for one in seen[0]}, {"smoke-node-0-0.smoke:29500"})

    def test_open_mpi_over_ssh(self):
        """The runtime of examples/: a launcher and a worker, of two processes each."""
        runtime = (EXAMPLES / "runtimes" / "openmpi-gpu.yaml").read_text(encoding="utf-8")
        text = runtime + "---\n" + job("openmpi-gpu", ["mpirun", "/opt/bin/python", "/workspace/mpi_ranks.py"], 8, "TrainingRuntime", "climate")
        seen = self.run_job(text, "--nodes=2", "--processes=2")
        self.assertEqual({(one["world"], one["sum"], one["user"]) for one in seen[0]}, {(4, 10, 1000)}, self.said)
        self.assertEqual({one["host"] for one in seen[0]}, {"sums-launcher-0-0", "sums-node-0-0"})
        self.assertEqual(seen[1], 0, self.said)
        self.assertIn("failurePolicy.maxRestarts (1) is left out: Compose does not start all pods again", self.notes)

    def run_python(self, paths, path, program, *flags):
        """With the Python packages of `make train`."""
        venv = os.path.join(os.environ.get("TRAIN_VENVS", ROOT / "build" / "train"), "small")
        if not os.path.exists(os.path.join(venv, "bin", "python")):
            self.skipTest("needs Python packages that `make train` installs")
        programs = {path: program, "/opt/bin/python": f"#!/bin/sh\nexec {venv}/bin/python \"$@\"\n"}
        return self.run_example(paths, programs, f"--mount={venv}:{venv}:ro", *flags)

    def test_jax(self):
        seen = self.run_python(["jobs/science/protein-jax.yaml", "runtimes/jax-gpu.yaml"], "/workspace/train.py", "jax_ranks.py", "--nodes=2")
        self.assert_sums(seen, ["protein-jax-node-0-0", "protein-jax-node-0-1"])

    def test_xgboost(self):
        seen = self.run_python(["jobs/fraud/ranker-xgboost.yaml"], "/workspace/rank.py", "xgboost_ranks.py", "--nodes=3")
        self.assert_sums(seen, [f"ranker-xgboost-node-0-{index}" for index in range(3)])


FAILS_ONCE = """\
import json, os
first = not os.path.exists("/data/seen")
open("/data/seen", "a").close()
print(json.dumps({"rank": 0, "first": first}), flush=True)
raise SystemExit(4 if first else 0)
"""
# The command and the variables as Kubernetes reads them, and files; what of it is Compose's syntax, a shell's or YAML's.
ODD = {"A": "$B ${C} $$ 'q' \"d\" \\ #", "LINES": "one\n two\n\n", "N": "yes", "EMPTY": "", "U": "ünï 火"}
ODD_WORDS = ["for i in $HOME ${X:-y}; do\n  `x`\ndone", "", "- a", "{b: c}", "%d", "!", "ünï"]
ODD_FILES = {"run.sh": "#!/bin/sh\nset -- $1 ${2} $(date)\n\techo \"$@\" # 'x'\n", "one": "no newline $", "two": "\n\nblank\n\n"}
SHOW = """\
import json, os, sys
files = {name: open("/etc/odd/" + name, newline="").read() for name in os.listdir("/etc/odd")}
print(json.dumps({"rank": 0, "words": sys.argv[1:], "env": {name: os.environ[name] for name in "A LINES N EMPTY U".split()}, "files": files}))
"""


class Jobs:
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

    def test_a_failing_rank_of_a_job_set_that_restarts(self):
        """The first failure ends the job all the same, and a note says so."""
        runtime = PLAIN.replace("    spec:\n      replicatedJobs:", "    spec:\n      failurePolicy: {maxRestarts: 2}\n      replicatedJobs:", 1)
        before, _, after = runtime.rpartition("          spec:\n            template:\n")
        runtime = f"{before}          spec:\n            backoffLimit: 0\n            template:\n{after}"
        more = "initializer: {dataset: {storageUri: hf://team/data}}"
        seen, status = self.run_job(runtime + job("fetched", ["python", "-c", FAILS_ONCE], 1, more=more))
        self.assertEqual((seen, status), ([{"rank": 0, "first": True}], 4), self.said)
        self.assertIn("note: failurePolicy.maxRestarts (2) is left out: Compose does not start all pods again\n", self.notes)

    def test_texts_arrive_as_they_are(self):
        files = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "odd", "namespace": "team-a"}, "stringData": ODD_FILES}
        runtime = PLAIN.replace(
            "volumeMounts: [{name: data, mountPath: /data}]", "volumeMounts: [{name: odd, mountPath: /etc/odd}]").replace(
            "volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]", "volumes: [{name: odd, secret: {secretName: odd}}]")
        words = ["python", "-c", SHOW, *ODD_WORDS]
        env = [{"name": name, "value": value.replace("$$", "$$$$")} for name, value in ODD.items()]
        text = json.dumps(files) + "\n---\n" + runtime + job("fetched", words, 1) + f"    env: {json.dumps(env)}\n"
        seen, status = self.run_job(text)
        self.assertEqual((seen, status), ([{"rank": 0, "words": ODD_WORDS, "env": ODD, "files": ODD_FILES}], 0), self.said)

    def test_gpus_are_device_reservations(self):
        """There is no GPU here: docker compose reads them, and Docker asks for its driver."""
        done = subprocess.run([self.program, "compose", "--no-config", "--image", engines.IMAGE, "--nodes=2", "--processes=2",
                               EXAMPLES / "jobs/scratch/smoke.yaml"], capture_output=True, text=True, check=True)
        made = os.path.join(self.folder, "gpus.yaml")
        pathlib.Path(made).write_text(done.stdout, encoding="utf-8")
        env = os.environ | {"DOCKER_HOST": f"unix://{self.engine.socket}"}
        compose = [COMPOSE, "--ansi=never", "-f", made]
        config = json.loads(subprocess.run([*compose, "config", "--format=json"], env=env, capture_output=True, text=True, check=True).stdout)
        read = {name: service["deploy"]["resources"]["reservations"]["devices"] for name, service in config["services"].items()}
        self.assertEqual(read, {f"node-0-{pod}": [{"capabilities": ["gpu"], "driver": "nvidia", "device_ids": ids}]
                                for pod, ids in enumerate((["0", "1"], ["2", "3"]))})
        if self.gpu_error and not shutil.which("nvidia-container-runtime"):
            up = subprocess.run([*compose, "up"], env=env, capture_output=True, text=True, check=False)
            subprocess.run([*compose, "down", "--volumes", "--timeout=1"], env=env, capture_output=True, check=False)
            self.assertIn(self.gpu_error, up.stderr)


class OnDocker(Examples, Jobs, ComposeTest):
    engine_type = engines.Docker
    gpu_error = 'could not select device driver "nvidia" with capabilities: [[gpu]]'

    def test_a_container_starts_again_without_flags(self):
        """As backoffLimit says: `up` alone leaves restarts to the daemon. Over podman, it ends at the first exit."""
        more = "initializer: {dataset: {storageUri: hf://team/data}}"
        seen, status = self.run_job(PLAIN + job("fetched", ["python", "-c", FAILS_ONCE], 1, more=more), words=["up"])
        self.assertEqual((seen, status), ([{"rank": 0, "first": True}, {"rank": 0, "first": False}], 0), self.said)

    def test_your_first_job(self):
        """All commands of the page, with docker itself. The image that its own is made from is the machine's Debian."""
        import readme_test

        page = (ROOT / "docs" / "tasks" / "first-job.md").read_text(encoding="utf-8")
        base = page.partition("\nFROM ")[2].split()[0]
        docker = ["docker", "-H", f"unix://{self.engine.socket}"]
        engines.run(*docker, "tag", engines.IMAGE, base)
        programs = tempfile.mkdtemp(dir=self.folder)
        environment = readme_test.with_stand_ins(programs)
        os.remove(os.path.join(programs, "docker"))
        os.makedirs(os.path.join(programs, "config", "cli-plugins"))
        os.symlink(os.path.abspath(COMPOSE), os.path.join(programs, "config", "cli-plugins", "docker-compose"))
        service = {"volumes": ["/usr:/usr:ro"], "environment": {name: "1" for name in ("PET_REDIRECTS", "PET_TEE", "OMP_NUM_THREADS")}}
        more = os.path.join(programs, "more.yaml")
        pathlib.Path(more).write_text(json.dumps({"services": {f"node-0-{pod}": service for pod in range(2)}}), encoding="utf-8")
        environment |= {"DOCKER_HOST": f"unix://{self.engine.socket}", "DOCKER_CONFIG": os.path.join(programs, "config"),
                        "COMPOSE_FILE": f"compose.yaml:{more}", "DOCKER_BUILDKIT": "0"}
        results = list(readme_test.try_page(page, environment, played=()))
        self.assertEqual([problem for problem in results if problem], [])
        self.assertGreater(len(results), 12)


class OnPodman(Examples, Jobs, ComposeTest):
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
