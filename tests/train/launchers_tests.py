# SPDX-License-Identifier: Apache-2.0

"""The rows of launchers/programs.yaml whose programs can be installed and run on CPUs: what each command comes to in
pods, and that trainjobc says the same. The training code is a script that joins the others if it is told of them."""

import json
import os
import pathlib
import subprocess
import tempfile

from support import TrainTest, venv, venv_image

NODES = 2
PROCESSES = 2
RANK, ADDRESS, PORT = "$(PET_NODE_RANK)", "$(PET_MASTER_ADDR)", "$(PET_MASTER_PORT)"
MACHINES = ["--num_machines", "2", "--machine_rank", RANK, "--main_process_ip", ADDRESS, "--main_process_port", PORT]
FABRIC = ["fabric", "run", "--accelerator", "cpu"]
COMPOSER = ["composer", "-n", "2"]

# What becomes of the two nodes: the world size that each process sees, or None if the job does not complete; the
# processes of `plan`, and lint's rule.
ROWS = {
    "torchrun": (["torchrun", "train.py"], 4, 4, ""),
    "torchrun_c10d": (["torchrun", "--rdzv-backend", "c10d", "train.py"], None, 4, "advice/launcher-setting"),
    "torchrun_rank": (["torchrun", "--node-rank", "0", "train.py"], None, 4, "advice/launcher-setting"),
    "accelerate_cpu": (["accelerate", "launch", "train.py"], 1, 2, "advice/no-launcher"),
    "accelerate_machines": (["accelerate", "launch", "--num_processes", "2", *MACHINES, "train.py"], 1, 2, "advice/no-launcher"),
    "accelerate_multi_gpu": (["accelerate", "launch", "--multi_gpu", "--num_processes", "2", *MACHINES, "train.py"], 2, 2, ""),
    "accelerate_no_rank": (
        ["accelerate", "launch", "--multi_gpu", "--num_processes", "2", *MACHINES[:2], "train.py"],
        None,
        None,
        "advice/launcher-setting",
    ),
    "fabric": ([*FABRIC, "train.py"], 1, 2, "advice/no-launcher"),
    "fabric_nodes": ([*FABRIC, "--devices", "2", "--num-nodes", "2", "train.py"], None, 4, "advice/launcher-setting"),
    "fabric_all": (
        [*FABRIC, "--devices", "2", "--num-nodes", "2", "--node-rank", RANK, "--main-address", ADDRESS, "train.py"],
        4,
        4,
        "",
    ),
    "composer": ([*COMPOSER, "train.py"], 2, 4, "advice/no-launcher"),
    "composer_world": ([*COMPOSER, "--world_size", "4", "train.py"], None, None, "advice/launcher-setting"),
    "composer_all": (
        [*COMPOSER, "--world_size", "4", "--node_rank", RANK, "--master_addr", ADDRESS, "--master_port", PORT, "train.py"],
        4,
        4,
        "",
    ),
    "tune": (["tune", "run", "train.py", "--config", "a.yaml"], 1, 2, "advice/no-launcher"),
    "tune_processes": (
        ["tune", "run", "--nproc_per_node", "2", "train.py", "--config", "a.yaml"],
        None,
        4,
        "advice/launcher-setting",
    ),
    "tune_endpoint": (
        ["tune", "run", "--nproc_per_node", "2", f"--rdzv_endpoint={ADDRESS}:29500", "train.py", "--config", "a.yaml"],
        4,
        4,
        "",
    ),
    "deepspeed": (["deepspeed", "--num_gpus", "2", "train.py"], 2, 4, "advice/no-launcher"),
    "deepspeed_address": (
        ["deepspeed", "--num_gpus", "2", "--master_addr", ADDRESS, "train.py"],
        2,
        4,
        "advice/no-launcher",
    ),
    "deepspeed_nodes": (["deepspeed", "--num_nodes", "2", "train.py"], None, None, "advice/launcher-setting"),
}
RULES = {"advice/no-launcher", "advice/launcher-setting", "advice/unseen-launcher"}


class Rows(TrainTest):
    """With LAUNCHERS=all, the newest versions instead of the pinned ones."""

    needs_venv = "launchers-newest" if os.environ.get("LAUNCHERS") == "all" else "launchers"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        names = ("torch", "accelerate", "lightning", "mosaicml", "torchtune", "deepspeed")
        code = f"import importlib.metadata as m; print(*(f'{{n}} {{m.version(n)}}' for n in {names!r}), sep=', ')"
        done = subprocess.run([venv(cls.needs_venv, "bin", "python"), "-c", code], capture_output=True, text=True, check=True)
        print(f"\n{done.stdout.strip()}", flush=True)

    def setUp(self):
        programs = {"/workspace/train.py": "torch_plain.py"}
        image = venv_image(self.needs_venv, programs, files={"/workspace/a.yaml": "a: 1\n"})
        image.env |= {"PYTHONPATH": "/workspace", "DS_ACCELERATOR": "cpu"}
        # A Python that is not the machine's own.
        home = str(pathlib.Path(venv(self.needs_venv, "bin", "python")).resolve().parents[1])
        if home != "/usr":
            image.binds |= {home: home}
        self.images = {"registry.example/torch": image}

    def manifest(self, command):
        resources = {"limits": {"cpu": PROCESSES}}
        trainer = {"image": "registry.example/torch:1", "command": command, "numNodes": NODES, "resourcesPerNode": resources}
        job = {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", "metadata": {"name": "sums"}}
        return json.dumps(job | {"spec": {"runtimeRef": {"name": "torch-distributed"}, "trainer": trainer}})

    def said(self, manifest):
        """The processes of `plan`, and the rule of lint's finding."""
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(manifest)
            file.flush()
            reports = []
            for words in (["plan", "-o", "json"], ["lint", "--format", "json"]):
                done = subprocess.run([self.program, *words, file.name], capture_output=True, text=True, check=False)
                reports.append(json.loads(done.stdout))
        rules = {found["rule"] for found in reports[1]["diagnostics"]} & RULES
        return reports[0]["jobs"][0]["processes"], " ".join(sorted(rules))

    def check(self, command, world, processes, rule):
        manifest = self.manifest(command)
        self.assertEqual(self.said(manifest), (processes, rule))
        objects = self.render(manifest)
        if world is not None:
            seen = [report["world"] for report in self.run_job(objects)]
            # Composer shows what the first process of a node prints.
            self.assertEqual(seen, [world] * (NODES if command[0] == "composer" else processes))
            return
        job_set = self.start(objects)
        completed = job_set.cluster.wait(lambda: job_set.state in ("Completed", "Failed"), 60) and job_set.state == "Completed"
        self.assertFalse(completed, self.story(job_set))


def add_row(name, row):
    setattr(Rows, f"test_{name}", lambda self: self.check(*row))


for ROW in ROWS.items():
    add_row(*ROW)
