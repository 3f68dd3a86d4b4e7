# SPDX-License-Identifier: Apache-2.0

"""The runner itself: what a container sees, and the order, restarts and success of JobSets."""

from cluster import reports
from images import Image
from support import SECONDS, TrainTest, secret

IMAGES = {"registry.example/look": Image(programs={"/look.py": "look.py"}, files={"/fails-once": """#!/bin/sh
# Fails unless another pod of that name has failed before.
[ -e "$1/$HOSTNAME" ] || { touch "$1/$HOSTNAME"; exit ${2:-1}; }
exec python /look.py
"""})}


def manifests(pod, job="", job_set="", trainer="", nodes=1):
    return f"""\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {{name: plain, labels: {{trainer.kubeflow.org/framework: plain}}}}
spec:
  mlPolicy: {{numNodes: 1}}
  template:
    spec:
      {job_set or "suspend: false"}
      replicatedJobs:
      - name: node
        template:
          metadata: {{labels: {{trainer.kubeflow.org/trainjob-ancestor-step: trainer}}}}
          spec:
            {job or "backoffLimit: 6"}
            template: {{metadata: {{labels: {{team: blue}}}}, spec: {pod}}}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {{name: looks, namespace: team-a}}
spec:
  runtimeRef: {{name: plain}}
  trainer: {{numNodes: {nodes}{trainer}}}
"""


class Runner(TrainTest):
    images = IMAGES

    def test_names(self):
        words = "looks-node-0-0.looks, looks-node-0-1.looks.team-a.svc.cluster.local, looks-node-0-0, looks-node-0-7.looks"
        pod = f"{{containers: [{{name: node, image: registry.example/look, command: [sh, -c, \"sleep 2; python /look.py {words.replace(',', '')}; sleep 3\"]}}]}}"
        first, second = self.run_job(self.render(manifests(pod, nodes=2)))
        self.assertEqual(first["host"], "looks-node-0-0")
        self.assertEqual(first["full"], "looks-node-0-0.looks.team-a.svc.cluster.local")
        names = words.split(", ")
        self.assertEqual([first[name] == second[name] for name in names], [True, True, False, True])
        self.assertEqual([second[names[2]], second[names[3]]], [None, None])  # short names are the pod's own
        self.assertNotEqual(first[names[0]], first[names[1]])

    def test_variables(self):
        pod = """
                {containers: [{name: node, image: registry.example/look, command: [python, /look.py],
                  args: ["ONE=", "TWO=", "INDEX=", "TEAM=", "CPUS=", "TOKEN=", "JOB_COMPLETION_INDEX=", "$(ONE)="],
                  resources: {limits: {cpu: 1500m}},
                  env: [{name: ONE, value: TWO}, {name: TWO, value: "$(ONE) $$(ONE) $(NONE)"},
                        {name: INDEX, valueFrom: {fieldRef: {fieldPath: "metadata.annotations['batch.kubernetes.io/job-completion-index']"}}},
                        {name: TEAM, valueFrom: {fieldRef: {fieldPath: "metadata.labels['team']"}}},
                        {name: CPUS, valueFrom: {resourceFieldRef: {resource: limits.cpu}}},
                        {name: TOKEN, valueFrom: {secretKeyRef: {name: tokens, key: api-key}}}]}]}"""
        objects = self.render(manifests(pod, nodes=2)) + [secret("tokens", api_key="abc")]
        seen = [report for report in self.run_job(objects) if report["INDEX"] == "1"]
        names = ["ONE", "TWO", "INDEX", "TEAM", "CPUS", "TOKEN", "JOB_COMPLETION_INDEX"]
        self.assertEqual(
            [[report[name] for name in names] for report in seen],
            [["TWO", "TWO $(ONE) $(NONE)", "1", "blue", "2", "abc", "1"]],
        )

    def test_volumes(self):
        pod = """
                {securityContext: {fsGroup: 2000}, containers: [{name: node, image: registry.example/look,
                  command: [python, /look.py, /keys/id, /keys/pub, /keys, /plain/id, /scratch, /share/part],
                  securityContext: {runAsUser: 1000},
                  volumeMounts: [{name: keys, mountPath: /keys}, {name: plain, mountPath: /plain},
                                 {name: scratch, mountPath: /scratch}, {name: share, mountPath: /share/part, subPath: part}]}],
                 volumes: [{name: keys, secret: {secretName: k, defaultMode: 256, items: [{key: a, path: id}, {key: a, path: pub, mode: 420}]}},
                           {name: plain, secret: {secretName: k, items: [{key: a, path: id}]}},
                           {name: scratch, emptyDir: {}}, {name: share, persistentVolumeClaim: {claimName: c}}]}"""
        seen = self.run_job(self.render(manifests(pod)) + [secret("k", a="A")])[0]
        self.assertEqual((seen["user"], seen["groups"]), (1000, [1000, 2000]))
        self.assertEqual(seen["/keys/id"], ["440", 0, 2000, "A"])
        self.assertEqual(seen["/keys/pub"], ["644", 0, 2000, "A"])
        self.assertEqual(seen["/keys"], ["3777", 0, 2000, ["id", "pub"]])
        self.assertEqual(seen["/plain/id"], ["644", 0, 2000, "A"])
        self.assertEqual(seen["/scratch"], ["2777", 0, 2000, []])
        self.assertEqual(seen["/share/part"][2:], [2000, []])

    def once(self, job, job_set, code=1, policy="Never"):
        pod = f"""
                {{restartPolicy: {policy}, containers: [{{name: node, image: registry.example/look,
                  command: [/fails-once, /marks, "{code}"], volumeMounts: [{{name: marks, mountPath: /marks}}]}}],
                 volumes: [{{name: marks, persistentVolumeClaim: {{claimName: marks}}}}]}}"""
        job_set = self.start(self.render(manifests(pod, job, job_set, nodes=2)))
        job_set.cluster.wait(lambda: job_set.state in ("Completed", "Failed"), SECONDS)
        hosts = sorted(report["host"] for report in reports(job_set))
        return job_set.state, job_set.restarts, len(job_set.pods), hosts

    def test_restarts(self):
        both = ["looks-node-0-0", "looks-node-0-1"]
        self.assertEqual(self.once("backoffLimit: 2", ""), ("Completed", 0, 4, both))
        self.assertEqual(self.once("backoffLimit: 6", "", policy="OnFailure"), ("Completed", 0, 2, both))
        self.assertEqual(self.once("backoffLimit: 0", "")[:2], ("Failed", 0))
        state, restarts, _, _ = self.once("backoffLimit: 0", "failurePolicy: {maxRestarts: 2}")
        self.assertEqual((state, restarts in (1, 2)), ("Completed", True))
        rule = "podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {operator: In, values: [2]}}]}"
        self.assertEqual(self.once(rule, "", code=2)[0], "Failed")
        self.assertEqual(self.once(rule, "", code=3)[0], "Completed")
