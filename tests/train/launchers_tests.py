# SPDX-License-Identifier: Apache-2.0

"""The rows of launchers/programs.yaml whose programs can be installed and run on CPUs: what each command comes to in
pods, and that trainjobc says the same. The training code is a script that joins the others if it is told of them."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
from dataclasses import dataclass, field

from cluster import reports
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
NEWEST = os.environ.get("LAUNCHERS") == "all"
TABLE = pathlib.Path(__file__).parents[2] / "launchers" / "programs.yaml"


def table_versions():
    """What the table was seen with: name of the package → version."""
    return dict(re.findall(r"^  version: (\S+) (\S+)$", TABLE.read_text(encoding="utf-8"), re.MULTILINE))


class LauncherTest(TrainTest):
    """With LAUNCHERS=all, the newest versions instead of the pinned ones."""

    packages = ()  # as the table names them

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        code = (
            "import importlib.metadata as m, sys\n"
            "for name in sys.argv[1:]:\n"
            "  try: print(name, m.version('mosaicml' if name == 'composer' else name))\n"
            "  except m.PackageNotFoundError: pass"
        )
        command = [venv(cls.needs_venv, "bin", "python"), "-c", code, *cls.packages]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        tried = dict(line.split() for line in done.stdout.splitlines())
        seen = table_versions()
        for name, version in tried.items():
            other = "" if seen.get(name) == version else f", the table's row was seen with {seen.get(name)}"
            print(f"\n{name} {version}{other}", end="", flush=True)
        print(flush=True)

    def image(self, programs, files, **env):
        image = venv_image(self.needs_venv, programs, files=files)
        image.env |= {"PYTHONPATH": "/workspace", "DS_ACCELERATOR": "cpu"} | env
        # A Python that is not the machine's own.
        home = str(pathlib.Path(venv(self.needs_venv, "bin", "python")).resolve().parents[1])
        if home != "/usr":
            image.binds |= {home: home}
        return {"registry.example/torch": image}

    def manifest(self, command, nodes, resource, amount, env=None):
        trainer = {"image": "registry.example/torch:1", "command": command, "numNodes": nodes}
        trainer["resourcesPerNode"] = {"limits": {resource: amount}}
        if env:
            trainer["env"] = [{"name": name, "value": value} for name, value in env.items()]
        job = {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", "metadata": {"name": "sums"}}
        return json.dumps(job | {"spec": {"runtimeRef": {"name": "torch-distributed"}, "trainer": trainer}})

    def said(self, manifest):
        """The processes of `plan`, and the rule of lint's finding."""
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(manifest)
            file.flush()
            answers = []
            for words in (["plan", "-o", "json"], ["lint", "--format", "json"]):
                done = subprocess.run([self.program, *words, file.name], capture_output=True, text=True, check=False)
                answers.append(json.loads(done.stdout))
        rules = {found["rule"] for found in answers[1]["diagnostics"]} & RULES
        return answers[0]["jobs"][0]["processes"], " ".join(sorted(rules))

    def assert_does_not_complete(self, objects):
        job_set = self.start(objects)
        completed = job_set.cluster.wait(lambda: job_set.state in ("Completed", "Failed"), 60) and job_set.state == "Completed"
        self.assertFalse(completed, self.story(job_set))


class Rows(LauncherTest):
    needs_venv = "launchers-newest" if NEWEST else "launchers"
    packages = ("torch", "accelerate", "lightning", "composer", "torchtune", "deepspeed")

    def setUp(self):
        self.images = self.image({"/workspace/train.py": "torch_plain.py"}, {"/workspace/a.yaml": "a: 1\n"})

    def check(self, command, world, processes, rule):
        manifest = self.manifest(command, NODES, "cpu", PROCESSES)
        self.assertEqual(self.said(manifest), (processes, rule))
        objects = self.render(manifest)
        if world is None:
            return self.assert_does_not_complete(objects)
        seen = [report["world"] for report in self.run_job(objects)]
        # Composer shows what the first process of a node prints.
        self.assertEqual(seen, [world] * (NODES if command[0] == "composer" else processes))


def add_row(name, row):
    setattr(Rows, f"test_{name}", lambda self: self.check(*row))


for ROW in ROWS.items():
    add_row(*ROW)


# Frameworks, on nodes whose GPUs are in torch's count alone: sitecustomize.py beside the script says so, and starts the
# script in the place of the training code.


@dataclass
class Framework:
    command: list
    # Nodes × GPUs per node → the world size that each process sees, or None if the job does not complete; processes of
    # `plan`; lint's rule.
    seen: dict
    code: str = ""  # the training code that the script replaces
    left_out: str = ""  # packages that the launcher imports, and that are not installed
    env: dict = field(default_factory=dict)


ALONE, SETTING = "advice/no-launcher", "advice/launcher-setting"
WORLD = {"4x8": (32, 32, ""), "4x1": (4, 4, "")}
IF_SEVERAL = {"4x8": (32, 32, ""), "4x1": (1, 4, ALONE)}
XTUNER = "transformers,peft,datasets,bitsandbytes,skimage,loguru"
XTUNER_PLACE = ["NNODES=4", "NPROC_PER_NODE=8", f"NODE_RANK={RANK}", f"ADDR={ADDRESS}", f"PORT={PORT}"]
TRL = ["trl", "sft", "--model_name_or_path", "m", "--dataset_name", "d", "--output_dir", "o"]

FRAMEWORKS = {
    "torchrun": Framework(["torchrun", "train.py"], WORLD),
    "accelerate": Framework(["accelerate", "launch", "train.py"], IF_SEVERAL | {"1x8": (8, 8, "")}),
    "trl": Framework(TRL, IF_SEVERAL, "trl/scripts/sft.py"),
    "llamafactory_cli": Framework(["llamafactory-cli", "train", "a.yaml"], {"4x8": (8, 32, ALONE)}, "llamafactory/launcher.py"),
    "llamafactory": Framework(["torchrun", "-m", "llamafactory.launcher", "a.yaml"], WORLD, "llamafactory.launcher"),
    "swift": Framework(["swift", "sft", "--model", "m"], {"4x8": (1, 4, ALONE), "4x1": (1, 4, ALONE)}, "swift/cli/sft.py"),
    "swift_processes": Framework(["swift", "sft", "--model", "m"], {"4x8": (32, 32, "")}, "swift/cli/sft.py", env={"NPROC_PER_NODE": "8"}),
    "swift_torchrun": Framework(["torchrun", "-m", "swift.cli.main", "sft", "--model", "m"], WORLD, "swift.cli.main"),
    "megatron": Framework(["megatron", "sft", "--model", "m"], {"4x8": (32, 32, "")}, "swift/cli/_megatron/sft.py", env={"NPROC_PER_NODE": "8"}),
    "xtuner": Framework(["xtuner", "train", "a.py"], {"4x1": (1, 4, ALONE)}, "xtuner/tools/train.py", XTUNER),
    "xtuner_processes": Framework(["xtuner", "train", "a.py"], {"4x8": (8, 32, ALONE)}, "xtuner/tools/train.py", XTUNER, {"NPROC_PER_NODE": "8"}),
    "xtuner_all": Framework(["env", *XTUNER_PLACE, "xtuner", "train", "a.py"], {"4x8": (32, 32, "")}, "xtuner/tools/train.py", XTUNER),
    "axolotl": Framework(["axolotl", "train", "a.yaml"], IF_SEVERAL, "axolotl.cli.train"),
    "axolotl_torchrun": Framework(["axolotl", "train", "a.yaml", "--launcher", "torchrun"], WORLD, "axolotl.cli.train"),
    "automodel": Framework(["automodel", "recipe.yaml"], IF_SEVERAL, "own_recipe.py"),
    "automodel_torchrun": Framework(["torchrun", "-m", "nemo_automodel.cli.app", "recipe.yaml"], WORLD),
    "colossalai": Framework(["colossalai", "run", "--nproc_per_node", "8", "train.py"], {"4x8": (8, 32, ALONE)}),
    "colossalai_address": Framework(
        ["colossalai", "run", "--nproc_per_node", "8", "--num_nodes", "4", "--master_addr", ADDRESS, "train.py"],
        {"4x8": (None, 32, SETTING)},
    ),
    "ft_launcher": Framework(["ft_launcher", "train.py"], {"4x8": (None, None, SETTING)}),
    "ft_launcher_gpu": Framework(["ft_launcher", "--nproc-per-node=gpu", "train.py"], {"4x8": (None, 32, SETTING)}),
    "ft_launcher_all": Framework(
        ["ft_launcher", "--nproc-per-node=gpu", f"--rdzv-endpoint={ADDRESS}:{PORT}", "train.py"], WORLD
    ),
}
RECIPE = """\
import runpy


class Recipe:
    def __init__(self, config):
        pass

    def setup(self):
        pass

    def run_train_validation_loop(self):
        runpy.run_path("/workspace/train.py", run_name="__main__")
"""
FILES = {
    "/workspace/a.yaml": "a: 1\n",
    "/workspace/a.py": "",
    "/workspace/recipe.yaml": "recipe: {_target_: own_recipe.Recipe}\n",
    "/workspace/own_recipe.py": RECIPE,
}


class Frameworks(LauncherTest):
    needs_venv = "frameworks-newest" if NEWEST else "frameworks"
    packages = ("torch", "accelerate", "trl", "llamafactory", "ms-swift", "xtuner", "axolotl", "nemo-automodel", "colossalai")
    packages += ("nvidia-resiliency-ext",)

    def check(self, row, shape):
        nodes, gpus = (int(part) for part in shape.split("x"))
        world, processes, rule = row.seen[shape]
        manifest = self.manifest(row.command, nodes, "nvidia.com/gpu", gpus, row.env)
        self.assertEqual(self.said(manifest), (processes, rule))
        programs = {"/workspace/train.py": "launched.py", "/workspace/sitecustomize.py": "sitecustomize.py"}
        settings = {"FAKE_GPUS": str(gpus), "TRAINING_CODE": row.code, "LEFT_OUT": row.left_out, "HF_HUB_OFFLINE": "1"}
        self.images = self.image(programs, FILES, **settings)
        objects = self.render(manifest)
        if world is None:
            return self.assert_does_not_complete(objects)
        job_set = self.start(objects)

        def is_over():
            return job_set.state in ("Completed", "Failed") or len(reports(job_set)) >= processes

        job_set.cluster.wait(is_over, 240)
        seen = [report["world"] for report in reports(job_set)]
        self.assertEqual(seen, [world] * processes, self.story(job_set))


def add_framework(name, row, shape):
    setattr(Frameworks, f"test_{name}_{shape}", lambda self: self.check(row, shape))


for NAME, ROW in FRAMEWORKS.items():
    for SHAPE in ROW.seen:
        add_framework(NAME, ROW, SHAPE)
