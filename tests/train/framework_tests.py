# SPDX-License-Identifier: Apache-2.0

"""JAX, XGBoost and initializers, with the community's runtimes and small programs."""

import json

from images import Image
from support import SECONDS, TrainTest, containers_of, reports, venv_image, with_env

JOB = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {{name: sums, namespace: team-a}}
spec:
  runtimeRef: {{name: {runtime}}}
  trainer: {{image: "registry.example/{image}:1", command: [python, train.py], numNodes: {nodes}}}
"""


def ranks(nodes, **more):
    total = nodes * (nodes + 1) // 2
    hosts = [f"sums-node-0-{index}" for index in range(nodes)]
    return [
        {"rank": rank, "world": nodes, "host": host, "printed_by": host, "sum": total} | more
        for rank, host in enumerate(hosts)
    ]


class Jax(TrainTest):
    needs_venv = "small"

    def setUp(self):
        self.images = {"registry.example/jax": venv_image("small", {"/workspace/train.py": "jax_ranks.py"})}
        self.objects = self.render(JOB.format(runtime="jax-distributed", image="jax", nodes=2))

    def test_two_processes(self):
        self.assertEqual(self.run_job(self.objects), ranks(2))

    def test_it_does_not_read_the_numbers_itself(self):
        """What advice/jax-initialize says."""
        script = ["python", "-c", "import jax; jax.distributed.initialize()"]
        job = JOB.format(runtime="jax-distributed", image="jax", nodes=2).replace("[python, train.py]", json.dumps(script))
        self.assert_fails(self.render(job), saying="Number of processes must be defined")

    def test_a_wrong_address_fails(self):
        wrong = with_env(self.objects, "JAX_COORDINATOR_ADDRESS", "sums-node-0-0.other:29500")
        self.assert_does_not_end(wrong)

    def test_a_wrong_port_fails(self):
        self.assert_does_not_end(with_env(self.objects, "JAX_COORDINATOR_ADDRESS", "sums-node-0-0.sums:0"))

    def test_a_wrong_number_fails(self):
        self.assert_does_not_end(with_env(self.objects, "JAX_NUM_PROCESSES", "3"))

    def test_the_same_rank_twice_fails(self):
        self.assert_does_not_end(with_env(self.objects, "JAX_PROCESS_ID", "0"))

    def assert_does_not_end(self, objects):
        """JAX waits five minutes for its coordinator."""
        job_set = self.start(objects)
        self.assertFalse(job_set.cluster.wait(lambda: job_set.state == "Completed", 30), self.story(job_set))
        self.assertEqual(reports(job_set), [])


class XGBoost(TrainTest):
    needs_venv = "small"

    def setUp(self):
        programs = {"/workspace/train.py": "xgboost_ranks.py"}
        self.images = {"registry.example/xgboost": venv_image("small", programs)}
        self.objects = self.render(JOB.format(runtime="xgboost-distributed", image="xgboost", nodes=3))

    def test_three_workers(self):
        seen = self.run_job(self.objects)
        self.assertEqual(sorted(report.pop("task") for report in seen), [0, 1, 2])
        self.assertEqual(seen, ranks(3, trees=2))

    def test_a_wrong_address_fails(self):
        self.assert_is_not_three(with_env(self.objects, "DMLC_TRACKER_URI", "sums-node-0-0.other"))

    def test_a_wrong_port_fails(self):
        self.assert_is_not_three(with_env(self.objects, "DMLC_TRACKER_PORT", "0"))

    def test_a_wrong_number_fails(self):
        self.assert_is_not_three(with_env(self.objects, "DMLC_NUM_WORKER", "4"))

    def assert_is_not_three(self, objects):
        job_set = self.start(objects)
        self.assertFalse(job_set.cluster.wait(lambda: job_set.state == "Completed", 30), self.story(job_set))
        self.assertEqual([report for report in reports(job_set) if report["world"] == 3], [])


FETCHERS = {
    "ghcr.io/kubeflow/trainer/dataset-initializer": Image(
        programs={"/fetch.py": "fetch.py"}, command=["python", "/fetch.py", "dataset/data"]
    ),
    "ghcr.io/kubeflow/trainer/model-initializer": Image(
        programs={"/fetch.py": "fetch.py"}, command=["python", "/fetch.py", "model/original"]
    ),
}

FINE_TUNING = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {{name: tuned, namespace: team-a}}
spec:
  runtimeRef: {{name: torchtune-llama3.2-1b}}
  initializer:
    dataset: {{storageUri: hf://team/data}}
    model: {{storageUri: hf://team/weights}}
  trainer:
    {trainer}
"""


class Initializers(TrainTest):
    """A program in place of `tune` reads what the initializers wrote."""

    def setUp(self):
        reads = Image(files={"/usr/local/bin/tune": "#!/bin/sh\nexec python /look.py /workspace/dataset/data/fetched "
                             "/workspace/model/original/fetched\n"}, programs={"/look.py": "look.py"})
        self.images = FETCHERS | {"ghcr.io/kubeflow/trainer/torchtune-trainer": reads}
        self.objects = self.render(FINE_TUNING.format(trainer="numNodes: 1"))

    def test_the_trainer_reads_what_they_wrote(self):
        seen = self.run_job(self.objects)[0]
        self.assertEqual(seen["/workspace/dataset/data/fetched"][3], "hf://team/data")
        self.assertEqual(seen["/workspace/model/original/fetched"][3], "hf://team/weights")

    def test_another_folder_fails(self):
        for name, box in containers_of(self.objects):
            if name == "node":
                for mount in box["volumeMounts"]:
                    mount["mountPath"] = mount["mountPath"].replace("/workspace", "/other")
        self.assert_fails(self.objects, saying="No such file or directory: '/workspace/dataset/data/fetched'")

    def test_the_order_matters(self):
        for replicated in next(item for item in self.objects if item["kind"] == "JobSet")["spec"]["replicatedJobs"]:
            replicated.pop("dependsOn", None)
        job_set = self.start(self.objects)
        job_set.cluster.wait(lambda: "No such file" in self.story(job_set), SECONDS)
        self.assertIn("No such file", self.story(job_set))
