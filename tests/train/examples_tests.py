# SPDX-License-Identifier: Apache-2.0

"""All jobs of examples/, with small programs in place of those of their images."""

import os
import pathlib
import shutil

from framework_tests import FETCHERS
from images import PROGRAMS, Image
from support import TrainTest, secret, with_env

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
JOBS = EXAMPLES / "jobs"

# The redirects of torch 1.13 need -r and -t with Python 3.11.
TORCHRUN = "#!/bin/sh\nexec /usr/bin/torchrun -r 1 -t 1 \"$@\"\n"
SUMS = ("pretrain", "evaluate", "ablate", "point", "smoke", "train", "rank")
TRAINER = Image(
    programs={f"/workspace/{name}.py": "sums.py" for name in SUMS}, files={"/usr/local/bin/torchrun": TORCHRUN}
)
MPI = Image(programs={"/workspace/train.py": "mpi_ranks.py"}, folder="/workspace")
TUNE = Image(
    files={
        "/usr/local/bin/tune": "#!/bin/sh\nexec python /look.py PET_NNODES= PET_NPROC_PER_NODE= "
        "/workspace/dataset/data/fetched /workspace/model/original/fetched\n"
    },
    programs={"/look.py": "look.py"},
)
IMAGES = FETCHERS | {
    "registry.example.com/climate/emulator": MPI,
    "ghcr.io/kubeflow/trainer/deepspeed-runtime": MPI,
    "ghcr.io/kubeflow/trainer/torchtune-trainer": TUNE,
    "registry.example.com/": TRAINER,
}
SECRETS = [secret("wandb", api_key="none"), secret("hf-token", HF_TOKEN="none")]


class Examples(TrainTest):
    needs = ("torchrun", "mpirun.openmpi", "sshd", "ssh")
    images = IMAGES

    def objects(self, path):
        return self.render_files([str(JOBS / path)]) + SECRETS

    def torch_objects(self, path, gpus):
        """torchrun counts the GPUs of its node, which has none here."""
        return with_env(self.objects(path), "PET_NPROC_PER_NODE", str(gpus))

    def assert_sums(self, objects, name, nodes, processes=1, arguments=()):
        """Each rank saw all others, on the host that it belongs to."""
        world = nodes * processes
        hosts = [f"{name}-node-0-{rank // processes}" for rank in range(world)]
        self.assertEqual(
            self.run_job(objects),
            [
                {"rank": rank, "world": world, "host": host, "printed_by": host, "args": list(arguments)}
                | {"sum": world * (world + 1) // 2}
                for rank, host in enumerate(hosts)
            ],
        )

    def test_there_is_a_test_for_each(self):
        with open(__file__, encoding="utf-8") as file:
            tests = file.read()
        jobs = sorted(str(path.relative_to(JOBS)) for path in JOBS.rglob("*.yaml"))
        self.assertEqual([job for job in jobs if f'"{job}"' not in tests], [])

    def test_bert_pretrain(self):
        arguments = ["--config=/workspace/configs/bert-large.yaml", "--data-dir=/data/wiki-books"]
        arguments += ["--checkpoint-dir=/data/checkpoints/bert-pretrain", "--resume=latest", "--max-steps=125000"]
        self.assert_sums(self.torch_objects("ml-research/bert-pretrain.yaml", 8), "bert-pretrain", 4, 8, [*arguments, "--precision=bf16"])

    def test_bert_eval(self):
        arguments = ["--checkpoint=/data/checkpoints/bert-pretrain/latest"]
        self.assert_sums(self.torch_objects("ml-research/bert-eval.yaml", 1), "bert-eval", 1, 1, arguments)

    def test_sweep(self):
        objects = self.torch_objects("ml-research/sweep.yaml", 1)
        name = next(item for item in objects if item["kind"] == "JobSet")["metadata"]["name"]
        self.assertRegex(name, "^sweep-.")
        self.assert_sums(objects, name, 1, 1, ["--learning-rate=3e-4"])

    def test_smoke(self):
        self.assert_sums(self.torch_objects("scratch/smoke.yaml", 1), "smoke", 1)

    def test_detector(self):
        self.assert_sums(self.torch_objects("vision/detector-volcano.yaml", 8), "detector", 4, 8, ["--backbone=vit-l", "--epochs=90"])

    def test_two_tower_cache(self):
        """After its initializer."""
        self.assert_sums(self.torch_objects("recsys/two-tower-cache.yaml", 4), "two-tower-cache", 2, 4)

    def test_moe_kueue(self):
        """Suspended until Kueue resumes it."""
        objects = self.torch_objects("ml-research/moe-kueue.yaml", 8)
        job_set = self.start(objects)
        self.assertFalse(job_set.cluster.wait(lambda: job_set.pods, 2), self.story(job_set))
        next(item for item in objects if item["kind"] == "JobSet")["spec"]["suspend"] = False
        seen = self.run_job(objects)
        self.assertEqual([report["rank"] for report in seen], list(range(64)))
        self.assertEqual({(report["world"], report["sum"]) for report in seen}, {(64, 2080)})

    def test_protein_jax(self):
        self.assert_sums(self.objects("science/protein-jax.yaml"), "protein-jax", 4, 1, ["--mesh=data:4,model:8"])

    def test_ranker_xgboost(self):
        self.assert_sums(self.objects("fraud/ranker-xgboost.yaml"), "ranker-xgboost", 6, 1, ["--rounds=800", "--max-depth=9"])

    def assert_mpi(self, seen, hosts, processes):
        world = len(hosts) * processes
        self.assertEqual([report["host"] for report in seen], [hosts[rank // processes] for rank in range(world)])
        self.assertEqual([report["rank"] for report in seen], list(range(world)))
        self.assertEqual({(report["world"], report["sum"]) for report in seen}, {(world, world * (world + 1) // 2)})

    def test_weather_emulator(self):
        seen = self.run_job(self.objects("climate/weather-emulator.yaml"))
        nodes = [f"weather-emulator-node-0-{index}" for index in range(3)]
        self.assert_mpi(seen, ["weather-emulator-launcher-0-0", *nodes], 4)

    def test_t5_deepspeed(self):
        """Its program is on a claim."""
        made = self.cluster()
        claim = os.path.join(made.claims, "ml-research-t5")
        os.makedirs(claim)
        shutil.copy(os.path.join(PROGRAMS, "mpi_ranks.py"), os.path.join(claim, "finetune_t5.py"))
        job_set = made.apply(self.objects("ml-research/t5-deepspeed.yaml"))
        seen = self.end_of(job_set)
        self.assert_mpi(seen, ["t5-deepspeed-launcher-0-0", "t5-deepspeed-node-0-0"], 8)

    def assert_tuned(self, path, model):
        [seen] = [report for report in self.run_job(self.objects(path)) if "PET_NNODES" in report]
        self.assertEqual((seen["PET_NNODES"], seen["PET_NPROC_PER_NODE"]), ("1", "auto"))
        self.assertEqual(seen["/workspace/dataset/data/fetched"][3], "hf://tatsu-lab/alpaca")
        self.assertEqual(seen["/workspace/model/original/fetched"][3], model)

    def test_llama_lora(self):
        self.assert_tuned("assistants/llama-lora.yaml", "hf://meta-llama/Llama-3.2-1B-Instruct")

    def test_llama_qlora(self):
        self.assert_tuned("assistants/llama-qlora.yaml", "hf://meta-llama/Llama-3.2-1B-Instruct")

    def test_qwen_community(self):
        self.assert_tuned("assistants/qwen-community.yaml", "hf://Qwen/Qwen2.5-1.5B-Instruct")
