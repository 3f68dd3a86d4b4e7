# SPDX-License-Identifier: Apache-2.0

"""Every runtime of the catalogue, of every version of Trainer, with small programs in place of those of its image."""

import json
import subprocess

from examples_tests import MPI, SECRETS, TRAINER, TUNE
from framework_tests import FETCHERS
from images import Image
from support import TrainTest, with_env, with_hostfile

LAUNCHED_BY_MPIRUN = ("deepspeed", "mlx", None)  # mpi-distributed of 2.0 has no label
NODES = 2
PROCESSES = 2


def initializer(**uris):
    return {name: {"storageUri": uri} for name, uri in uris.items()}


class CatalogueTest(TrainTest):
    needs = ("torchrun", "mpirun.openmpi", "sshd", "ssh")

    def objects(self, version, runtime, **spec):
        metadata = {"name": "sums", "namespace": "team-a"}
        job = {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", "metadata": metadata}
        job["spec"] = {"runtimeRef": {"name": runtime}, **spec}
        return self.render(json.dumps(job), "--trainer-version", version) + SECRETS

    def mpi_objects(self, version, name):
        trainer = {"command": ["mpirun", "python", "train.py"], "numNodes": NODES, "numProcPerNode": PROCESSES}
        return self.objects(version, name, trainer=trainer)


class Catalogue(CatalogueTest):
    def runtimes(self, version):
        """Name → framework."""
        command = [self.program, "runtimes", "--trainer-version", version, "-o", "json"]
        listed = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        return {runtime["name"]: runtime.get("framework") or None for runtime in listed["runtimes"]}

    def check(self, version, name, framework):
        if (version, name) == ("2.3", "torch-distributed-with-cache"):
            self.skipTest("Trainer's webhook refuses the dataset that it is for: its initializer mounts no volume")
        if framework == "torchtune":
            return self.check_torchtune(version, name)
        if framework in LAUNCHED_BY_MPIRUN:
            return self.check_mpi(version, name)
        return self.check_sums(version, name, PROCESSES if framework == "torch" else 1)

    def check_sums(self, version, name, processes):
        program = ["torchrun"] if processes > 1 else ["python"]
        spec = {"trainer": {"command": [*program, "/workspace/train.py"], "numNodes": NODES}}
        if name.endswith("-with-cache"):
            spec["initializer"] = initializer(dataset="cache://clicks/impressions")
        objects = self.objects(version, name, **spec)
        if processes > 1:
            objects = with_env(objects, "PET_NPROC_PER_NODE", str(processes))
        seen = self.run_job(objects, images=FETCHERS | {"": TRAINER})
        world = NODES * processes
        self.assertEqual(
            [(report["rank"], report["host"]) for report in seen],
            [(rank, f"sums-node-0-{rank // processes}") for rank in range(world)],
        )
        self.assertEqual({(one["world"], one["sum"]) for one in seen}, {(world, world * (world + 1) // 2)})

    def check_mpi(self, version, name):
        seen = self.run_job(self.mpi_objects(version, name), images={"": MPI})
        world = NODES * PROCESSES
        self.assertEqual([one["rank"] for one in seen], list(range(world)))
        self.assertEqual({(one["world"], one["sum"]) for one in seen}, {(world, world * (world + 1) // 2)})
        self.assertEqual(len({one["host"] for one in seen}), NODES)

    def check_torchtune(self, version, name):
        uris = initializer(dataset="hf://team/data", model="hf://team/weights")
        objects = self.objects(version, name, initializer=uris, trainer={"numNodes": 1})
        [seen] = [one for one in self.run_job(objects, images=FETCHERS | {"": TUNE}) if "PET_NNODES" in one]
        self.assertEqual(seen["PET_NNODES"], "1")
        self.assertEqual(seen["/workspace/dataset/data/fetched"][3], "hf://team/data")
        self.assertEqual(seen["/workspace/model/original/fetched"][3], "hf://team/weights")

    def check_all(self, version):
        for name, framework in self.runtimes(version).items():
            with self.subTest(runtime=name):
                self.check(version, name, framework)

    def test_2_0(self):
        self.check_all("2.0")

    def test_2_1(self):
        self.check_all("2.1")

    def test_2_2(self):
        self.check_all("2.2")

    def test_2_3(self):
        self.check_all("2.3")


class WrongRenders(CatalogueTest):
    """What the small programs say of wrong manifests: those of the catalogue's and of the examples' tests."""

    impatient = Image(programs=TRAINER.programs, files=TRAINER.files, env={"SUMS_SECONDS": "10"})

    def trained(self, runtime, program):
        return self.objects("2.3", runtime, trainer={"command": [program, "/workspace/train.py"], "numNodes": NODES})

    def assert_fails_with(self, objects, variable, address, saying):
        self.assert_fails(with_env(objects, variable, address), saying=saying, images={"": self.impatient})

    def test_a_wrong_address_fails(self):
        torch = with_env(self.trained("torch-distributed", "torchrun"), "PET_NPROC_PER_NODE", "1")
        self.assert_fails_with(torch, "PET_MASTER_ADDR", "sums-node-0-0.other", "sums-node-0-0.other")
        jax = self.trained("jax-distributed", "python")
        self.assert_fails_with(jax, "JAX_COORDINATOR_ADDRESS", "sums-node-0-0.other:29500", "Name or service not known")
        xgboost = self.trained("xgboost-distributed", "python")
        self.assert_fails_with(xgboost, "DMLC_TRACKER_URI", "sums-node-0-0.other", "Name or service not known")

    def test_a_wrong_port_fails(self):
        jax = self.trained("jax-distributed", "python")
        self.assert_fails_with(jax, "JAX_COORDINATOR_ADDRESS", "sums-node-0-0.sums:0", "Connection refused")
        self.assert_fails_with(self.trained("xgboost-distributed", "python"), "DMLC_TRACKER_PORT", "0", "Connection refused")

    def test_a_wrong_number_fails(self):
        jax = self.trained("jax-distributed", "python")
        self.assert_fails_with(jax, "JAX_NUM_PROCESSES", "3", "timed out")
        self.assert_fails_with(self.trained("xgboost-distributed", "python"), "DMLC_NUM_WORKER", "3", "timed out")

    def test_a_wrong_hostfile_fails(self):
        for runtime in ("deepspeed-distributed", "mlx-distributed"):
            wrong = with_hostfile(self.mpi_objects("2.3", runtime), "sums-node-0-0.", "sums-node-0-1.")
            self.assert_fails(wrong, saying="Could not resolve hostname sums-node-0-1.sums", images={"": MPI})

    def test_wrong_slots_are_seen(self):
        for runtime in ("deepspeed-distributed", "mlx-distributed"):
            wrong = with_hostfile(self.mpi_objects("2.3", runtime), "slots=2", "slots=1")
            self.assertEqual({one["world"] for one in self.run_job(wrong, images={"": MPI})}, {2})
