# SPDX-License-Identifier: Apache-2.0

"""The community's runtime for DeepSpeed, with DeepSpeed itself on CPUs."""

import json

from support import TrainTest, venv, venv_image, with_hostfile, with_other_key

NODES = 2
PROCESSES = 2


class DeepSpeed(TrainTest):
    needs = ("mpirun.openmpi", "sshd", "ssh")
    needs_venv = "torch"

    def setUp(self):
        image = venv_image(self.needs_venv, {"/workspace/train.py": "deepspeed_ranks.py"}, user=1000)
        self.images = {"ghcr.io/kubeflow/trainer/": image}
        # By its path: ssh starts the other ranks without the image's PATH.
        self.manifest = self.job(["mpirun", venv(self.needs_venv, "bin", "python"), "train.py"])
        self.objects = self.render(self.manifest)

    def job(self, command):
        trainer = {"command": command, "numNodes": NODES, "numProcPerNode": PROCESSES}
        job = {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob"}
        job["metadata"] = {"name": "sums", "namespace": "team-a"}
        job["spec"] = {"runtimeRef": {"name": "deepspeed-distributed"}, "trainer": trainer}
        return json.dumps(job)

    def test_an_engine_takes_a_step(self):
        hosts = ["sums-launcher-0-0"] * PROCESSES + ["sums-node-0-0"] * PROCESSES
        printed = {"world": 4, "sum": 10, "weight": 2.5, "printed_by": "sums-launcher-0-0"}
        expected = [
            {"rank": rank, "local_rank": rank % PROCESSES, "host": host} | printed for rank, host in enumerate(hosts)
        ]
        self.assertEqual(self.run_job(self.objects), expected)

    def test_wrong_slots_are_seen(self):
        seen = self.run_job(with_hostfile(self.objects, "slots=2", "slots=1"))
        self.assertEqual({report["world"] for report in seen}, {2})

    def test_a_wrong_address_fails(self):
        wrong = with_hostfile(self.objects, "sums-node-0-0.", "sums-node-0-1.")
        self.assert_fails(wrong, saying="Could not resolve hostname sums-node-0-1.sums")

    def test_another_key_fails(self):
        wrong = with_other_key(self.objects, self.render(self.manifest))
        self.assert_fails(wrong, saying="Permission denied (publickey")

    def test_deepspeed_as_launcher_needs_the_hostfile_and_mpirun(self):
        """As in Trainer's image, which has no pdsh."""
        flags = ["--hostfile", "/etc/mpi/hostfile", "--launcher", "openmpi"]
        seen = self.run_job(self.render(self.job(["deepspeed", *flags, "train.py"])))
        self.assertEqual([report["rank"] for report in seen], [0, 1, 2, 3])
        self.assertEqual({(report["world"], report["sum"]) for report in seen}, {(4, 10)})

    def test_deepspeed_without_a_hostfile_trains_alone(self):
        """What advice/mpi-launcher says."""
        [seen] = self.run_job(self.render(self.job(["deepspeed", "train.py"])))
        self.assertEqual((seen["world"], seen["host"], seen["sum"]), (1, "sums-launcher-0-0", 1))

    def test_deepspeed_wants_pdsh(self):
        wrong = self.render(self.job(["deepspeed", "--hostfile", "/etc/mpi/hostfile", "train.py"]))
        self.assert_fails(wrong, saying="launcher 'pdsh' not installed")
