# SPDX-License-Identifier: Apache-2.0

"""What `trainjobc new` writes, run: for each framework, with the small programs of the examples."""

import subprocess

from examples_tests import IMAGES
from images import Image
from support import TrainTest, secret, with_env

IMAGE = "registry.example.com/new:1"
PLAIN = Image(programs={"/workspace/train.py": "look.py"})
# With a stand-in for flux: neither Debian nor a package index has it.
VIEW = "/opt/views/._view/v"
FLUX = {
    "ghcr.io/converged-computing/flux-view-ubuntu": Image(
        programs={VIEW + "/bin/flux": "flux.py"},
        files={VIEW + "/lib/python3.11/site-packages/flux/__init__.py": "", "/opt/software/hwloc/lib": ""},
    ),
    IMAGE.rsplit(":", 1)[0]: Image(programs={"/workspace/train.py": "flux_ranks.py"}),
}


class New(TrainTest):
    needs = ("torchrun", "mpirun.openmpi", "sshd", "ssh")

    def new(self, framework, *words):
        """The objects of what `new` writes, in which lint finds nothing."""
        done = subprocess.run([self.program, "new", framework, "--name", "a", *words], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lint = subprocess.run([self.program, "lint", "-"], input=done.stdout, capture_output=True, text=True, check=False)
        self.assertEqual(lint.returncode, 0, lint.stdout + lint.stderr)
        return self.render(done.stdout)

    def assert_world(self, objects, hosts, images=IMAGES):
        """One rank on each host, which all others reached."""
        seen = self.run_job(objects, images=images)
        world = len(hosts)
        self.assertEqual([(report["rank"], report["world"], report["host"]) for report in seen], [(rank, world, host) for rank, host in enumerate(hosts)])
        self.assertEqual({report["sum"] for report in seen}, {world * (world + 1) // 2})

    def test_torch(self):
        objects = self.new("torch", "--nodes", "2", "--gpus", "2", "--image", IMAGE, "--", "torchrun", "/workspace/train.py")
        self.assert_world(with_env(objects, "PET_NPROC_PER_NODE", "2"), ["a-node-0-0"] * 2 + ["a-node-0-1"] * 2)

    def test_torch_with_a_runtime_and_volumes(self):
        objects = self.new("torch", "--nodes", "2", "--image", IMAGE, "--runtime", "--claim", "kept", "--shared-memory", "1Gi", "--", "torchrun", "/workspace/train.py")
        self.assert_world(objects, ["a-node-0-0", "a-node-0-1"])

    def test_initializers(self):
        objects = self.new("torch", "--image", IMAGE, "--runtime", "--model", "hf://a/b", "--dataset", "hf://c/d", "--", "torchrun", "/workspace/train.py")
        self.assert_world(objects, ["a-node-0-0"])

    def test_jax(self):
        self.assert_world(self.new("jax", "--nodes", "2", "--image", IMAGE, "--", "python", "/workspace/train.py"), ["a-node-0-0", "a-node-0-1"])

    def test_xgboost(self):
        self.assert_world(self.new("xgboost", "--nodes", "2", "--image", IMAGE, "--", "python", "/workspace/train.py"), ["a-node-0-0", "a-node-0-1"])

    def assert_mpi(self, framework, *words):
        image = "registry.example.com/climate/emulator:1"
        objects = self.new(framework, "--nodes", "2", "--processes", "2", "--image", image, *words, "--", "mpirun", "python", "/workspace/train.py")
        self.assert_world(objects, ["a-launcher-0-0"] * 2 + ["a-node-0-0"] * 2)

    def test_mpi(self):
        self.assert_mpi("mpi")

    def test_mpi_with_a_claim(self):
        self.assert_mpi("mpi", "--claim", "kept", "--shared-memory", "1Gi")

    def test_deepspeed(self):
        self.assert_mpi("deepspeed")

    def test_mlx(self):
        self.assert_mpi("mlx")

    def test_torchtune(self):
        objects = self.new("torchtune", "--gpus", "2", "--model", "hf://a/b", "--model-secret", "hf-token")
        self.run_job([*objects, secret("hf-token", HF_TOKEN="none")], images=IMAGES)

    def test_plain(self):
        objects = self.new("plain", "--nodes", "2", "--image", IMAGE, "--", "python", "/workspace/train.py", "JOB_COMPLETION_INDEX=")
        self.assertEqual(len(self.run_job(objects, images={IMAGE.rsplit(":", 1)[0]: PLAIN})), 2)

    def flux(self):
        return self.new("flux", "--nodes", "2", "--processes", "2", "--image", IMAGE, "--", "python", "/workspace/train.py", "--epochs=3")

    def test_flux(self):
        seen = self.run_job(self.flux(), images=FLUX)
        hosts = ["a-node-0-0"] * 2 + ["a-node-0-1"] * 2
        expected = [{"rank": rank, "world": 4, "host": host, "args": ["--epochs=3"], "printed_by": "a-node-0-0"} for rank, host in enumerate(hosts)]
        self.assertEqual(seen, expected)

    def test_flux_calls_its_first_broker(self):
        """At another address, the second one does not come."""
        wrong = self.flux()
        scripts = next(item for item in wrong if item["kind"] == "ConfigMap")["data"]
        self.assertIn("tcp://%h.a:%p", scripts["init.sh"])
        scripts["init.sh"] = scripts["init.sh"].replace("tcp://%h.a:%p", "tcp://%h.b:%p")
        self.assert_fails(wrong, saying="the broker ended with status 1", images=FLUX)
