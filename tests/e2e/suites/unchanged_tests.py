# SPDX-License-Identifier: Apache-2.0

"""JobSet's webhook completes JobSets, which can't be changed after that, but what render prints is
applied again and again."""

import json

from support import EndToEnd

RUNTIME = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {{name: {name}, labels: {{trainer.kubeflow.org/framework: plain}}}}
spec:
  mlPolicy: {{numNodes: 1}}
  template:
    spec:
      volumeClaimPolicies:
      - {retention}templates:
        - metadata: {{name: data}}
          spec: {{accessModes: [ReadWriteOnce], resources: {{requests: {{storage: 1Gi}}}}}}
      replicatedJobs:
      - name: node
        template:
          metadata: {{labels: {{trainer.kubeflow.org/trainjob-ancestor-step: trainer}}}}
          spec:
            template:
              spec:
                containers:
                - {{name: node, image: "registry.example/train:1", volumeMounts: [{{name: data, mountPath: /data}}]}}
"""
JOB = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {{name: {name}}}
spec: {{runtimeRef: {{name: {runtime}}}}}
"""
RETENTIONS = {
    "absent": ("", "Delete"),
    "explicit": ("retentionPolicy: {whenDeleted: Delete}\n        ", "Delete"),
    "retained": ("retentionPolicy: {whenDeleted: Retain}\n        ", "Retain"),
}
# kubectl's apply of what is rendered without --with-defaults would take that away.
NO_LONGER = (
    "warning: JobSet NS/{name}: the inputs no longer set spec.successPolicy. The cluster accepts an update that removes "
    "it, and the JobSet controller then fails on this JobSet every time: keep successPolicy: {{operator: All}} in the "
    "runtime\n"
)


class Unchanged(EndToEnd):
    def setUp(self):
        if self.trainer_version == "2.1":
            self.skipTest("JobSets make no claims with Trainer 2.1")
        super().setUp()

    def write_case(self, name):
        runtime = f"{self.namespace}-{name}"
        self.write("runtime.yaml", RUNTIME.format(name=runtime, retention=RETENTIONS[name][0]))
        self.write("job.yaml", JOB.format(name=name, runtime=runtime))

    def rendered(self, *flags):
        status, manifest, err = self.run_program("render", "job.yaml", "runtime.yaml", *flags)
        self.assertEqual((0, ""), (status, err))
        return manifest

    def expect_no_difference(self, name, warning=""):
        [policy] = self.live("jobset", name)["spec"]["volumeClaimPolicies"]
        self.assertEqual({"whenDeleted": RETENTIONS[name][1]}, policy["retentionPolicy"])
        for flags in ((), ("--server-side",)):
            self.expect(self.diff(*flags), 0, "no difference in 1 job\n", warning)

    def for_each_retention(self, check, warning=""):
        for name in RETENTIONS:
            with self.subTest(name):
                self.write_case(name)
                check(name)
                self.expect_no_difference(name, warning.format(name=name))

    def apply_client_side(self, name):
        manifest = self.rendered("--with-defaults")
        words = ("apply", "-f", "-")
        self.assertEqual(f"jobset.jobset.x-k8s.io/{name} created\n", self.kubectl(*words, stdin=manifest))
        if self.trainer_version == "2.2":  # JobSet 0.11 adds empty structs, such as resources: {}, to the lists
            self.assertEqual(f"jobset.jobset.x-k8s.io/{name} configured\n", self.kubectl(*words, stdin=manifest))
            return
        self.assertEqual(f"jobset.jobset.x-k8s.io/{name} unchanged\n", self.kubectl(*words, stdin=manifest))
        self.assertEqual("", self.kubectl("diff", "-f", "-", stdin=manifest))

    def apply_server_side(self, *flags):
        manifest = self.rendered(*flags)
        words = ("apply", "--server-side", "-o", "json", "-f", "-")
        generations = [json.loads(self.kubectl(*words, stdin=manifest))["metadata"]["generation"] for _ in range(2)]
        self.assertEqual([1, 1], generations)
        self.assertEqual("", self.kubectl("diff", "--server-side", "-f", "-", stdin=manifest))

    def test_client_side_apply(self):
        """It sends whole lists, which therefore have to hold what JobSet's webhook adds to new JobSets."""
        self.for_each_retention(self.apply_client_side, NO_LONGER)

    def test_client_side_apply_without_defaults(self):
        self.write_case("absent")
        words = ("apply", "-f", "-")
        manifest = self.rendered()
        self.kubectl(*words, stdin=manifest)
        with self.assertRaisesRegex(RuntimeError, "spec.replicatedJobs: Invalid value: .*: field is immutable"):
            self.kubectl(*words, stdin=manifest)

    def test_server_side_apply(self):
        self.for_each_retention(lambda _: self.apply_server_side())

    def test_server_side_apply_with_defaults(self):
        self.for_each_retention(lambda _: self.apply_server_side("--with-defaults"), NO_LONGER)

    def test_submit(self):
        def check(name):
            self.expect(self.submit(), 0, f"JobSet NS/{name} created\n1 job: 1 created\n")
            self.expect(self.submit(), 0, f"JobSet NS/{name} unchanged\n1 job: 1 unchanged\n")

        self.for_each_retention(check)

    def test_diff_with_what_trainer_made(self):
        def check(name):
            self.kubectl("apply", "-f", self.folder + "/runtime.yaml")
            self.create_when_known("job.yaml")
            self.kubectl("wait", "--for=create", f"jobset/{name}", "--timeout=60s")

        self.for_each_retention(check)
