# SPDX-License-Identifier: Apache-2.0

"""torchtune: the commands that Trainer makes of [tune, run], and those of the runtimes, read by the real `tune`."""

import itertools
import json
import os
import subprocess
import tempfile

import environment
from framework_tests import FETCHERS, FINE_TUNING
from images import PROGRAMS
from support import TrainTest, containers_of, venv, venv_image, with_words

VERSIONS = ("2.0", "2.1", "2.2", "2.3")
API = {"apiVersion": "trainer.kubeflow.org/v1alpha1"}

# As Kubeflow's SDK writes them.
SETTINGS = ["dataset=torchtune.datasets.instruct_dataset", "dataset.source=parquet", "dataset.split=train[:95%]"]
SETTINGS += ["dataset.data_dir=/workspace/dataset/data", "dtype=bf16", "batch_size=4", "epochs=1"]
LORA = ["model.lora_attn_modules=[q_proj,v_proj]", "model.lora_rank=16", "model.lora_alpha=32", "model.lora_dropout=0.1"]
ARGS = {
    "full": SETTINGS,
    "lora": SETTINGS + LORA,
    "qlora": SETTINGS + LORA + ["model.quantize_base=True"],
    "dora": SETTINGS + LORA + ["model.use_dora=True"],
    "part-of-lora": SETTINGS + ["model.lora_rank=16"],
}
RESOURCES = {
    "own": {},
    "one-gpu": {"resourcesPerNode": {"limits": {"nvidia.com/gpu": 1}}},
    "gpus": {"resourcesPerNode": {"limits": {"nvidia.com/gpu": 4}}},
    "cpus": {"resourcesPerNode": {"limits": {"cpu": 4}}},
}
PROCESSES = {"": {}, "-1": {"numProcPerNode": 1}, "-2": {"numProcPerNode": 2}, "-gpu": {"numProcPerNode": "gpu"}}
FULL = ("full", "full_single_device")
WITH_LORA = ("lora", "lora_single_device")
NO_MODEL = "torchtune-llama3.2-7b"  # of Trainer 2.0's list; there is none
INITIALIZERS = {name: {"storageUri": f"hf://team/{name}"} for name in ("dataset", "model")}


def own_runtime(name, model, resources):
    """A team's runtime, of that namespace."""
    command = ["tune", "run", "--rdzv_endpoint=localhost:29500", "full_finetune_distributed", "--config", f"{model}_full"]
    box = {"name": "node", "image": "registry.example/tune:1", "command": command, "resources": resources}
    labels = {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}
    template = {"metadata": {"labels": labels}, "spec": {"template": {"spec": {"containers": [box]}}}}
    metadata = {"name": name, "namespace": "team-a", "labels": {"trainer.kubeflow.org/framework": "torchtune"}}
    spec = {"mlPolicy": {"numNodes": 1, "torch": {}}, "template": {"spec": {"replicatedJobs": [{"name": "node", "template": template}]}}}
    return API | {"kind": "TrainingRuntime", "metadata": metadata, "spec": spec}


OWN = [
    own_runtime("torchtune-llama3.2-1b", "llama3_2/1B", {}),
    own_runtime("torchtune-llama3.3-70b", "llama3_3/70B", {"limits": {"nvidia.com/gpu": 8}}),
    own_runtime(NO_MODEL, "llama3_2/7B", {"limits": {"nvidia.com/gpu": 8}}),
]


def text_of(objects):
    return "\n---\n".join(json.dumps(item) for item in objects)


class CommandLines(TrainTest):
    """All of them at once, without pods."""

    needs_venv = "torch"
    answers = {}  # what `tune` made of lines that other tests had, too

    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def tune(self, lines):
        """What `tune` makes of each."""
        texts = [json.dumps(line, sort_keys=True) for line in lines]
        new = sorted(set(texts) - set(self.answers))
        if not new:
            return [self.answers[line] for line in texts]
        command = [venv("torch", "bin", "python"), os.path.join(PROGRAMS, "tune_lines.py")]
        text = "".join(line + "\n" for line in new)
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        self.answers.update(zip(new, map(json.loads, done.stdout.splitlines())))
        return [self.answers[line] for line in texts]

    def runtimes(self, version):
        """Name and kind."""
        command = [self.program, "runtimes", "--trainer-version", version, "-o", "json"]
        listed = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["runtimes"]
        catalogue = [(one["name"], "ClusterTrainingRuntime") for one in listed if one.get("framework") == "torchtune"]
        return catalogue + [(one["metadata"]["name"], one["kind"]) for one in OWN]

    def jobs(self, version):
        """For each runtime, own and of the catalogue, jobs of all kinds."""
        chosen = [("tune", *kinds) for kinds in itertools.product(ARGS, RESOURCES, PROCESSES)]
        chosen += [("theirs", args, "own", "") for args in ARGS]
        for (name, kind), (command, args, resources, processes) in itertools.product(self.runtimes(version), chosen):
            if command == "theirs" and name == NO_MODEL:
                continue
            trainer = {"numNodes": 1, "args": ARGS[args]} | RESOURCES[resources] | PROCESSES[processes]
            if command == "tune":
                trainer["command"] = ["tune", "run"]
            spec = {"runtimeRef": {"name": name, "kind": kind}, "trainer": trainer}
            if kind == "ClusterTrainingRuntime":
                spec["initializer"] = INITIALIZERS
            place = "team" if kind == "TrainingRuntime" else "all"
            model = name.removeprefix("torchtune-").replace(".", "-")
            metadata = {"name": f"{place}-{model}-{command}-{args}-{resources}{processes}", "namespace": "team-a"}
            yield API | {"kind": "TrainJob", "metadata": metadata, "spec": spec}

    def findings(self, jobs, version):
        """Names of the jobs that Trainer refuses, and of those whose command, says lint, tune refuses."""
        path = os.path.join(self.folder, "jobs.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text_of(OWN + jobs))
        command = [self.program, "lint", "--trainer-version", version, "--format", "json", path]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        refused, warned = set(), set()
        for one in json.loads(done.stdout)["diagnostics"]:
            name = one["object"].split("/")[-1]
            if one["severity"] == "error" and one["stage"] != "advice":
                refused.add(name)
            elif one["rule"] == "advice/tune-command":
                warned.add(name)
        return refused, warned

    def line(self, job_set):
        """Words and PET variables of the trainer, of a job called NAME."""
        name = job_set["metadata"]["name"]
        box = next(box for part, box in containers_of([job_set]) if part == "node")
        env = {item["name"]: item["value"] for item in box.get("env", []) if "value" in item}
        words = [environment.expand(word, env).replace(name, "NAME") for word in box["command"] + box.get("args", [])]
        return {"words": words, "env": {key: env[key] for key in ("PET_NNODES", "PET_NPROC_PER_NODE")}}

    def lines(self, jobs, version):
        objects = self.render(text_of(OWN + jobs), "--trainer-version", version)
        return {item["metadata"]["name"]: self.line(item) for item in objects if item["kind"] == "JobSet"}

    def check(self, version):
        """tune refuses exactly what lint warns of. The configurations of the others."""
        jobs = list(self.jobs(version))
        refused, warned = self.findings(jobs, version)
        lines = self.lines([job for job in jobs if job["metadata"]["name"] not in refused], version)
        seen = dict(zip(lines, self.tune(lines.values())))
        unlike = {name: [lines[name], one] for name, one in seen.items() if ("refused" in one) != (name in warned)}
        self.assertEqual(unlike, {})
        self.assertTrue(warned & set(seen))
        good = {name: one for name, one in seen.items() if "refused" not in one}
        for name, one in good.items():
            self.check_kind(name, one)
        return {one["config"] for one in good.values()}

    def check_kind(self, name, one):
        kind = next(kind for kind in sorted(ARGS, key=len, reverse=True) if f"-{kind}-" in name)
        self.assertEqual(one["recipe"].startswith("lora_"), kind != "full", [name, one])
        self.assertEqual(one["lora_rank"], 16 if kind != "full" else None, name)
        self.assertEqual((one["quantize_base"], one["use_dora"]), (kind == "qlora" or None, kind == "dora" or None), name)
        if "-tune-" in name and "endpoint" in one:
            self.assertEqual(one["endpoint"], "NAME-node-0-0.NAME:29500")

    def test_2_0(self):
        self.assertEqual(self.check("2.0"), {f"llama3_2/{size}_{kind}" for size in ("1B", "3B") for kind in FULL} | {"llama3_3/70B_full"})

    def check_lora(self, version):
        """QLoRA, too, of the sizes that have it."""
        small = {f"llama3_2/{size}_{kind}" for size in ("1B", "3B") for kind in (*FULL, *WITH_LORA, "qlora_single_device")}
        others = {f"qwen2_5/1.5B_{kind}" for kind in (*FULL, *WITH_LORA)}
        large = {f"llama3_3/70B_{kind}" for kind in ("full", "lora", "qlora")}
        self.assertEqual(self.check(version), small | others | large)

    def test_2_1(self):
        self.check_lora("2.1")

    def test_2_2(self):
        self.check_lora("2.2")

    def test_2_3(self):
        self.check_lora("2.3")

    def test_wrong_words_are_refused(self):
        job = next(job for job in self.jobs("2.3") if job["metadata"]["name"] == "all-llama3-2-1b-tune-lora-gpus")
        [right] = self.lines([job], "2.3").values()
        changes = {
            "--rdzv_endpoint": "--rdzv_endpiont",
            "lora_finetune_distributed": "lora_finetune_single_device",
            "llama3_2/1B_lora": "llama3_2/1B_laro",
            "output_dir=": "output_dir:",
            "model.lora_rank": "model.lora_rnak",
        }
        wrong = [{**right, "words": [word.replace(*change) for word in right["words"]]} for change in changes.items()]
        seen = self.tune([right, *wrong])
        self.assertEqual(["refused" in one for one in seen], [False] + [True] * len(changes), seen)
        self.assertIn("unrecognized arguments: --rdzv_endpiont", seen[1]["refused"])
        self.assertIn("does not support distributed training", seen[2]["refused"])
        self.assertIn("llama3_2/1B_laro", seen[3]["refused"])
        self.assertIn("key=value", seen[4]["refused"])
        self.assertIn("lora_rnak", seen[5]["refused"])


class Torchtune(TrainTest):
    """In their pods, after their initializers."""

    needs_venv = "torch"

    def setUp(self):
        image = venv_image("torch", {"/usr/local/sbin/tune": "tune"})
        image.env["PATH"] = "/usr/local/sbin:" + image.env["PATH"]
        self.images = FETCHERS | {"ghcr.io/kubeflow/trainer/torchtune-trainer": image}

    def tuned(self, objects):
        seen = self.run_job(objects)
        return [{key: value for key, value in report.items() if value is not None} for report in seen]

    def objects(self, trainer):
        return self.render(FINE_TUNING.format(trainer=trainer))

    def expected(self, **more):
        host = {"host": "tuned-node-0-0", "printed_by": "tuned-node-0-0"}
        return [{"dataset": ["fetched"], "model": ["original"], "output": "/workspace/output"} | host | more]

    def test_the_runtimes_own_command(self):
        right = self.expected(recipe="full_finetune_distributed.py", nodes="1", processes="auto", endpoint="localhost:29500")
        self.assertEqual(self.tuned(self.objects("numNodes: 1")), right)

    def test_another_port_is_seen(self):
        wrong = with_words(self.objects("numNodes: 1"), "localhost:29500", "localhost:29501")
        self.assertEqual([one["endpoint"] for one in self.tuned(wrong)], ["localhost:29501"])

    def test_a_wrong_folder_fails(self):
        wrong = with_words(self.objects("numNodes: 1"), "data_dir=/workspace/dataset", "data_dir=/workspace/datasets")
        self.assert_fails(wrong, saying="/workspace/datasets")

    def test_lora_on_four_gpus(self):
        words = ", ".join(f"'{word}'" for word in SETTINGS + LORA)
        limits = "resourcesPerNode: {limits: {nvidia.com/gpu: 4}}"
        seen = self.tuned(self.objects(f"{{command: [tune, run], args: [{words}], numNodes: 1, {limits}}}"))
        self.assertEqual([(r["recipe"], r["lora_rank"]) for r in seen], [("lora_finetune_distributed.py", 16)])

    def test_qlora_on_one_gpu(self):
        words = ", ".join(f"'{word}'" for word in ARGS["qlora"])
        limits = "resourcesPerNode: {limits: {nvidia.com/gpu: 1}}"
        seen = self.tuned(self.objects(f"{{command: [tune, run], args: [{words}], numNodes: 1, {limits}}}"))
        self.assertEqual(seen, self.expected(recipe="lora_finetune_single_device.py", lora_rank=16, quantized=True))


class Refused(TrainTest):
    """What advice/tune-command says, by `tune` itself and torchtune's own recipe."""

    needs_venv = "torch"

    def setUp(self):
        self.images = FETCHERS | {"ghcr.io/kubeflow/trainer/torchtune-trainer": venv_image("torch", {})}

    def objects(self, trainer):
        return self.render(FINE_TUNING.format(trainer=trainer))

    def test_a_recipe_for_one_device_with_two_processes(self):
        limits = "resourcesPerNode: {limits: {nvidia.com/gpu: 1}}"
        objects = self.objects(f"{{command: [tune, run], numNodes: 1, numProcPerNode: 2, {limits}}}")
        self.assert_fails(objects, saying="does not support distributed training")

    def test_a_recipe_for_several_processes_alone(self):
        objects = self.objects("{command: [tune, run], args: [device=cpu], numNodes: 1}")
        for name, box in containers_of(objects):
            if name == "node":
                box["command"] = [word for word in box["command"] if not word.startswith("--rdzv_endpoint")]
        self.assert_fails(objects, saying="environment variable RANK expected")
