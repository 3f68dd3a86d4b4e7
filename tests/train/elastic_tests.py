# SPDX-License-Identifier: Apache-2.0

"""Elastic jobs of the OME dialect: they start with the minimum, gain a node, lose one and go on."""

import os

from cluster import reports
from images import Image
from support import SECONDS, TrainTest, with_env, without_env

IMAGES = {
    "registry.example/torch": Image(
        programs={"/workspace/train.py": "torch_ranks.py", "/workspace/elastic.py": "elastic_ranks.py"},
        folder="/workspace",
        env={"PYTHONUNBUFFERED": "1"},  # torchrun passes on what its processes print
    )
}

# Short times for the rendezvous, which waits half a minute for more nodes.
MANIFESTS = """\
apiVersion: ome.io/v1beta1
kind: ClusterTrainingRuntime
metadata: {name: elastic}
spec:
  mlPolicy: {torch: {elasticPolicy: {minNodes: 2, maxNodes: 3, maxRestarts: 5}}}
  template:
    spec:
      replicatedJobs:
      - name: worker
        template:
          spec:
            template:
              spec:
                containers:
                - name: pytorch
                  image: registry.example/torch:1
                  command: [torchrun, -r, "1", -t, "1"]
                  volumeMounts: [{name: shared, mountPath: /shared}]
                volumes: [{name: shared, persistentVolumeClaim: {claimName: shared}}]
---
apiVersion: ome.io/v1beta1
kind: TrainJob
metadata: {name: grow, namespace: team-a}
spec:
  runtimeRef: {name: elastic}
  trainer:
    args: [PROGRAM]
    env:
    - {name: PET_RDZV_CONF, value: "is_host=true,last_call_timeout=2"}
    - {name: PET_MONITOR_INTERVAL, value: "0.5"}
"""


def started(hosts):
    """Who must have reported a world of these hosts: one rank each, in any order."""
    world = len(hosts)
    return sorted((host, world, world * (world + 1) // 2) for host in hosts)


class ElasticTest(TrainTest):
    needs = ("torchrun",)
    images = IMAGES
    hosts = ["grow-node-0-0", "grow-node-0-1", "grow-node-0-2"]

    def objects(self, program, *flags):
        return self.render(MANIFESTS.replace("PROGRAM", program), *flags)

    def assert_completes(self, job_set, seconds=SECONDS):
        job_set.cluster.wait(lambda: job_set.state != "Running", seconds)
        self.assertEqual(job_set.state, "Completed", self.story(job_set))


class Elastic(ElasticTest):
    def test_the_minimum_is_enough(self):
        job_set = self.start(self.objects("train.py"), machines=2)
        self.assert_completes(job_set)
        seen = [(report["host"], report["world"], report["sum"]) for report in reports(job_set)]
        self.assertEqual(sorted(seen), started(self.hosts[:2]))

    def test_a_wrong_address_fails(self):
        wrong = with_env(self.objects("train.py"), "PET_RDZV_ENDPOINT", "grow-node-0-0.other:29500")
        wrong = with_env(wrong, "PET_RDZV_CONF", "is_host=true,read_timeout=5")
        self.assert_fails(wrong, saying="RendezvousConnectionError")


class ElasticChanges(ElasticTest):
    """Minutes, because a lost node counts as such after 15 s."""

    def wait_for_world(self, job_set, hosts, count):
        """Until these hosts have reported, together, `count` times."""

        def seen():
            found = [r for r in reports(job_set) if r["world"] == len(hosts) and "stopped" not in r]
            return sorted(r["host"] for r in found) == sorted(hosts * count)

        if not job_set.cluster.wait(seen, SECONDS):
            self.fail(f"no world of {hosts}, {count} times:\n" + self.story(job_set))

    def run_changes(self, objects):
        job_set = self.start(objects, machines=2)
        self.wait_for_world(job_set, self.hosts[:2], 1)
        job_set.cluster.machines = 3
        self.wait_for_world(job_set, self.hosts, 1)
        job_set.cluster.machines = 2
        next(pod for pod in job_set.pods if pod.host_name == self.hosts[2] and pod.phase == "Running").evict()
        self.wait_for_world(job_set, self.hosts[:2], 2)
        with open(os.path.join(job_set.cluster.claims, "shared", "stop"), "w", encoding="utf-8"):
            pass
        self.assert_completes(job_set)
        ended = [(r["host"], r["world"], r["sum"]) for r in reports(job_set) if "stopped" in r]
        self.assertEqual(sorted(ended), started(self.hosts[:2]))

    def test_a_node_comes_and_goes(self):
        self.run_changes(self.objects("elastic.py, /shared/stop"))

    def test_a_node_comes_and_goes_by_flags(self):
        objects = self.objects("elastic.py, /shared/stop", "--torchrun", "flags")
        names = ["NNODES", "NPROC_PER_NODE", "MASTER_ADDR", "MASTER_PORT"]
        names += ["RDZV_BACKEND", "RDZV_ENDPOINT", "RDZV_ID", "MAX_RESTARTS"]
        self.run_changes(without_env(objects, *(f"PET_{name}" for name in names)))

    def test_a_wrong_minimum_waits(self):
        job_set = self.start(with_env(self.objects("train.py"), "PET_NNODES", "3:3"), machines=2)
        self.assertFalse(job_set.cluster.wait(lambda: job_set.state != "Running", 20), self.story(job_set))
        self.assertEqual(reports(job_set), [])

    def test_without_the_success_policy_it_does_not_end(self):
        objects = self.objects("train.py")
        for replicated in next(item for item in objects if item["kind"] == "JobSet")["spec"]["replicatedJobs"]:
            del replicated["template"]["spec"]["successPolicy"]
        job_set = self.start(objects, machines=2)
        self.assertTrue(job_set.cluster.wait(lambda: len(reports(job_set)) == 2, SECONDS), self.story(job_set))
        self.assertFalse(job_set.cluster.wait(lambda: job_set.state != "Running", 15), self.story(job_set))
