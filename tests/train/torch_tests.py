# SPDX-License-Identifier: Apache-2.0

"""torchrun with gloo, from the rendered env and from the rendered flags."""

from images import Image
from support import TrainTest, reports, with_env, with_words, without_env

IMAGES = {"registry.example/torch": Image(programs={"/workspace/train.py": "torch_ranks.py"}, folder="/workspace")}

# The redirects of torch 1.13 need -r and -t with Python 3.11.
JOB = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {{name: sums, namespace: team-a}}
spec:
  runtimeRef: {{name: torch-distributed}}
  trainer:
    image: registry.example/torch:1
    command: [torchrun, -r, "1", -t, "1", train.py]
    numNodes: {nodes}
    numProcPerNode: {processes}
"""


def expected(nodes, processes):
    world = nodes * processes
    return [
        {
            "rank": rank,
            "world": world,
            "local_rank": rank % processes,
            "node": rank // processes,
            "host": f"sums-node-0-{rank // processes}",
            "printed_by": f"sums-node-0-{rank // processes}",
            "sum": world * (world + 1) // 2,
            "store": "sums-node-0-0.sums:29500",
        }
        for rank in range(world)
    ]


class Torch(TrainTest):
    needs = ("torchrun",)
    images = IMAGES

    def objects(self, nodes, processes, *flags):
        return self.render(JOB.format(nodes=nodes, processes=processes), *flags)

    def test_two_nodes_of_two_processes(self):
        self.assertEqual(self.run_job(self.objects(2, 2)), expected(2, 2))

    def test_three_nodes_of_one_process_by_flags(self):
        objects = self.objects(3, 1, "--torchrun", "flags")
        bare = without_env(objects, "PET_NNODES", "PET_NPROC_PER_NODE", "PET_MASTER_ADDR", "PET_MASTER_PORT")
        self.assertEqual(self.run_job(bare), expected(3, 1))

    def test_a_wrong_address_fails(self):
        wrong = with_env(self.objects(2, 1), "PET_MASTER_ADDR", "sums-node-0-0.other")
        self.assert_fails(wrong, saying="sums-node-0-0.other")

    def test_another_port_is_seen(self):
        seen = self.run_job(with_env(self.objects(2, 1), "PET_MASTER_PORT", "29501"))
        self.assertEqual([report["store"] for report in seen], ["sums-node-0-0.sums:29501"] * 2)

    def test_a_wrong_port_fails(self):
        self.assert_fails(with_env(self.objects(2, 1), "PET_MASTER_PORT", "65536"), saying="endpoint 'sums-node-0-0.sums:65536' must be")

    def test_a_wrong_port_in_the_flags_fails(self):
        wrong = with_words(self.objects(2, 1, "--torchrun", "flags"), "29500", "65536")
        self.assert_fails(wrong, saying="endpoint 'sums-node-0-0.sums:65536' must be")

    def test_a_wrong_number_of_processes_is_seen(self):
        seen = self.run_job(with_env(self.objects(2, 2), "PET_NPROC_PER_NODE", "1"))
        self.assertEqual([report["world"] for report in seen], [2, 2])

    def test_a_wrong_address_in_the_flags_fails(self):
        wrong = with_words(self.objects(2, 1, "--torchrun", "flags"), "sums-node-0-0.sums", "sums-worker-0-0.sums")
        self.assert_fails(wrong, saying="sums-worker-0-0.sums")


class Launchers(TrainTest):
    """What advice/no-launcher, advice/no-command and advice/launcher-setting warn of, seen."""

    needs = ("torchrun",)
    images = {
        "registry.example/torch": Image(programs={"/workspace/train.py": "torch_plain.py"}, folder="/workspace"),
        "registry.example/framework": Image(command=["/bin/bash"]),  # as pytorch/pytorch
    }

    def objects(self, command, env=""):
        text = JOB.format(nodes=2, processes=1).replace('[torchrun, -r, "1", -t, "1", train.py]', command)
        return self.render(text + (f"    env: {env}\n" if env else ""))

    def torchrun(self, flags):
        return self.objects(f'[torchrun, -r, "1", -t, "1", {flags}, train.py]')

    def worlds(self, objects):
        seen = self.run_job(objects)
        return sorted((report["host"], report["world"]) for report in seen)

    def test_torchrun_is_one_world(self):
        self.assertEqual(self.worlds(self.torchrun("--nnodes=2")), [("sums-node-0-0", 2), ("sums-node-0-1", 2)])

    def test_python_is_a_world_on_each_node(self):
        for command in ("[python, train.py]", "[bash, -c, cd /workspace && python train.py 2>&1]"):
            self.assertEqual(self.worlds(self.objects(command)), [("sums-node-0-0", 1), ("sums-node-0-1", 1)])

    def test_without_a_command_nothing_trains(self):
        text = JOB.format(nodes=2, processes=1).replace("registry.example/torch", "registry.example/framework")
        command = '    command: [torchrun, -r, "1", -t, "1", train.py]\n'
        for words, state in (("", "Completed"), ('    args: [--epochs, "3"]\n', "Failed")):
            job_set = self.start(self.render(text.replace(command, words)))
            self.assertTrue(job_set.cluster.wait(lambda: job_set.state == state, 60), self.story(job_set))
            self.assertEqual(reports(job_set), [])

    def test_code_without_ranks_fails(self):
        code = "import torch.distributed as d; d.init_process_group('gloo')"
        torchrun = '[torchrun, -r, "1", -t, "1", --no_python, '
        for command, state in (("[", "Failed"), (torchrun, "Completed")):
            objects = self.objects(f'{command}python3, -c, "{code}"]')
            job_set = self.start(objects)
            self.assertTrue(job_set.cluster.wait(lambda: job_set.state == state, 60), self.story(job_set))

    def test_settings_with_which_the_nodes_never_meet(self):
        rank = "{name: RANK, valueFrom: {fieldRef: {fieldPath: \"metadata.labels['batch.kubernetes.io/job-completion-index']\"}}}"
        address = "{name: MASTER_ADDR, value: sums-node-0-0.sums}, {name: MASTER_PORT, value: '29500'}"
        for objects in (
            self.torchrun("--standalone"),
            self.torchrun("--nnodes=3"),
            self.torchrun("--rdzv_backend=c10d, '--rdzv_endpoint=localhost:29400'"),
            self.torchrun("--master_addr=other-node-0-0.other"),
            self.objects("[python, train.py]", f"[{rank}, {address}, {{name: WORLD_SIZE, value: '3'}}]"),
            self.objects("[python, train.py]", f"[{rank}, {address.replace('sums-', 'other-')}, {{name: WORLD_SIZE, value: '2'}}]"),
        ):
            job_set = self.start(objects)
            self.assertFalse(job_set.cluster.wait(lambda: job_set.state == "Completed", 15), self.story(job_set))
            self.assertEqual(reports(job_set), [])


class TorchMore(TrainTest):
    """What takes longer."""

    needs = ("torchrun",)
    images = IMAGES

    def objects(self, nodes, processes, *flags):
        return self.render(JOB.format(nodes=nodes, processes=processes), *flags)

    def test_three_nodes_of_one_process(self):
        self.assertEqual(self.run_job(self.objects(3, 1)), expected(3, 1))

    def test_two_nodes_of_two_processes_by_flags(self):
        self.assertEqual(self.run_job(self.objects(2, 2, "--torchrun", "flags")), expected(2, 2))

    def test_a_wrong_number_of_nodes_waits(self):
        self.assert_does_not_complete(with_env(self.objects(2, 1), "PET_NNODES", "3"))
        self.assert_does_not_complete(with_words(self.objects(2, 1, "--torchrun", "flags"), "--nnodes=2", "--nnodes=3"))

    def test_the_same_rank_twice_fails(self):
        self.assert_does_not_complete(with_env(self.objects(2, 1), "PET_NODE_RANK", "0"))

    def assert_does_not_complete(self, objects):
        job_set = self.start(objects)
        self.assertFalse(job_set.cluster.wait(lambda: job_set.state == "Completed", 20), self.story(job_set))
        self.assertEqual(reports(job_set), [])
