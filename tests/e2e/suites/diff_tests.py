# SPDX-License-Identifier: Apache-2.0

"""trainjobc diff against an API server."""

import json

from support import RUNTIME, EndToEnd, job

IMAGE = "/spec/replicatedJobs/0/template/spec/template/spec/containers/0/image"


class Diff(EndToEnd):
    def patch(self, *operations, manager="kubectl-patch"):
        self.kubectl(
            "patch", "jobset", "demo", "--type=json", f"--field-manager={manager}", "-p", json.dumps(operations)
        )

    def submit_demo(self, **named):
        self.write_job("demo", **named)
        self.assertEqual(0, self.submit()[0])

    def test_nothing_there(self):
        self.write_job("demo", "mpi")
        self.expect(
            self.diff(),
            1,
            "ConfigMap NS/demo-mpi-hostfile   missing: it would be created   job.yaml:3  metadata.name\n"
            "\n"
            "Secret NS/demo-mpi-ssh-auth   missing: it would be created   the same\n"
            "\n"
            "JobSet NS/demo   missing: it would be created   the same\n"
            "\n"
            "1 of 1 job differs\n"
            "cost: +3 pods in NS\n",
        )

    def test_live_change(self):
        self.submit_demo()
        self.patch(
            {"op": "replace", "path": IMAGE, "value": "registry.example/train:debug"},
            {"op": "replace", "path": "/metadata/labels/team", "value": "red"},
        )
        expected = (
            "JobSet NS/demo\n"
            '  metadata.labels.team                               "red" → "blue"                                     '
            '           runtime.yaml:7  spec.template.metadata.labels.team, last written by kubectl-patch\n'
            '! spec.replicatedJobs[node]…containers[node].image   "registry.example/train:debug" → '
            '"registry.example/train:1"   runtime.yaml:13  spec.template.spec.replicatedJobs[0]…containers[0].image, '
            "last written by kubectl-patch\n"
            "  ! refused (1 field): spec.replicatedJobs is immutable\n"
            "    delete the JobSet and let it be recreated (kubectl delete jobset demo -n NS), or rename the TrainJob\n"
            "\n"
            "1 of 1 job differs\n"
        )
        self.expect(self.diff(), 1, expected)
        self.expect(self.diff("--server-side"), 1, expected)

    def test_fields_of_another_controller(self):
        self.submit_demo()
        self.patch(
            {"op": "replace", "path": "/spec/suspend", "value": True},
            {
                "op": "add",
                "path": "/spec/replicatedJobs/0/template/spec/template/spec/nodeSelector",
                "value": {"pool": "gpu"},
            },
            manager="kueue",
        )
        self.expect(self.diff(), 0, "no difference in 1 job\n")
        self.expect(
            self.diff("--show-ignored"),
            0,
            "JobSet NS/demo\n"
            '  spec.replicatedJobs[node]…nodeSelector   {"pool":"gpu"} → none   ignored: managed by kueue\n'
            "  spec.suspend                             true → false            ignored: managed by kueue\n"
            "\n"
            "no difference in 1 job\n",
        )
        note = "note: spec.suspend, owned by kueue, is left unchanged in JobSet NS/demo\n"
        for _ in range(2):
            self.expect(self.submit(), 0, "JobSet NS/demo unchanged\n1 job: 1 unchanged\n", note)
        self.assertTrue(self.live("jobset", "demo")["spec"]["suspend"])
        forced = self.submit("job.yaml", "runtime.yaml", "--force-conflicts")
        self.expect(forced, 0, "JobSet NS/demo changed\n1 job: 1 changed\n")
        self.assertFalse(self.live("jobset", "demo")["spec"]["suspend"])

    def test_upgrade_of_the_runtime(self):
        self.write("runtime.yaml", RUNTIME)
        self.write("job.yaml", job("demo") + "---\n" + job("other"))
        self.submit()
        self.write("runtime.yaml", RUNTIME.replace("train:1", "train:2"))
        rows = (
            '! spec.replicatedJobs[node]…containers[node].image   "registry.example/train:1" → '
            '"registry.example/train:2"   {}\n'
            "  ! refused (1 field): spec.replicatedJobs is immutable\n"
            "    delete the JobSet and let it be recreated (kubectl delete jobset {} -n NS), or rename the TrainJob\n"
            "\n"
        )
        place = "runtime.yaml:13  spec.template.spec.replicatedJobs[0]…containers[0].image"
        self.expect(
            self.diff(),
            1,
            "JobSet NS/demo\n" + rows.format(place, "demo")
            + "JobSet NS/other\n" + rows.format("the same", "other")
            + "2 of 2 jobs differ\n",
        )

    def test_what_the_api_server_refuses(self):
        with_policy = "    spec:\n      successPolicy: {operator: %s}\n      replicatedJobs:\n"
        self.write("job.yaml", job("demo"))
        self.write("runtime.yaml", RUNTIME.replace("    spec:\n      replicatedJobs:\n", with_policy % "All"))
        self.submit()
        self.write("runtime.yaml", RUNTIME.replace("    spec:\n      replicatedJobs:\n", with_policy % "Any"))
        for flags in ([], ["--server-side"]):
            self.expect(
                self.diff(*flags),
                1,
                "JobSet NS/demo\n"
                '! spec.successPolicy.operator   "All" → "Any"   runtime.yaml:9  '
                "spec.template.spec.successPolicy.operator\n"
                "  ! refused (1 field): spec.successPolicy is immutable\n"
                "    delete the JobSet and let it be recreated (kubectl delete jobset demo -n NS), or rename the "
                "TrainJob\n"
                "\n"
                "1 of 1 job differs\n",
            )
        # The API server says the same.
        status, manifests, _ = self.run_program("render", "job.yaml", "runtime.yaml")
        self.assertEqual(0, status)
        words = ("apply", "--server-side", "--field-manager=trainjobc", "-f", "-")
        with self.assertRaisesRegex(AssertionError, "spec.successPolicy: Invalid value: Value is immutable"):
            self.kubectl_or_fail(*words, stdin=manifests)

    def kubectl_or_fail(self, *words, stdin):
        try:
            self.kubectl(*words, stdin=stdin)
        except RuntimeError as error:
            self.fail(str(error))

    def test_external_program(self):
        self.submit_demo()
        self.patch({"op": "replace", "path": "/metadata/labels/team", "value": "red"})
        status, out, err = self.diff(environment={"KUBECTL_EXTERNAL_DIFF": "diff -N -r"})
        self.assertEqual((1, ""), (status, err))
        lines = out.splitlines()
        self.assertRegex(lines[0], r"^diff -N -r /tmp/LIVE-\w+/jobset.x-k8s.io.v1alpha2.JobSet.\S+.demo /tmp/MERGED-")
        self.assertEqual(["<     team: red", "---", ">     team: blue"], lines[2:])
        status, unified, _ = self.diff("--format=unified")
        self.assertEqual(1, status)
        self.assertIn("-    team: red\n+    team: blue\n", unified)

    def test_orphans(self):
        self.write("runtime.yaml", RUNTIME)
        self.write("jobs/job.yaml", job("demo") + "---\n" + job("other"))
        self.submit("jobs", "runtime.yaml")
        self.write("jobs/job.yaml", job("demo"))
        self.expect(
            self.run_program("diff", "-f", "jobs", "-f", "runtime.yaml"),
            1,
            "JobSet NS/other   orphaned: no input creates it\n\nno difference in 1 job, 1 object orphaned\n"
            "cost: -2 pods in NS\n",
        )

    def test_secrets_are_masked(self):
        with_uid = job("demo", "flux").replace("name: demo}", "name: demo, uid: 6b0b3f5e-0000-4000-8000-000000000001}")
        flux = RUNTIME.replace("name: plain", "name: flux").replace(
            "mlPolicy: {numNodes: 1}", "mlPolicy: {numNodes: 1, flux: {numProcPerNode: 1}}"
        )
        self.write("runtime.yaml", flux)
        self.write("job.yaml", with_uid)
        status, manifests, err = self.run_program("render", "job.yaml", "runtime.yaml")
        self.assertEqual((0, ""), (status, err))
        self.kubectl("create", "-f", "-", stdin=manifests)
        self.expect(self.diff(), 0, "no difference in 1 job\n")
        secret = json.loads(self.kubectl("get", "secret", "-o", "json", "demo-flux-curve"))
        key = next(iter(secret["data"]))
        patch = json.dumps({"data": {key: "c2VjcmV0"}})
        self.kubectl("patch", "secret", "demo-flux-curve", "--type=merge", "-p", patch)
        for words in ([], ["--format=unified"], ["--format=json"], ["--format=markdown"]):
            status, out, err = self.diff(*words)
            self.assertEqual((1, ""), (status, err))
            self.assertIn("*** (before)", out)
            for value in ("c2VjcmV0", secret["data"][key]):
                self.assertNotIn(value, out)

    def test_runtime_patches_of_a_train_job_that_runs(self):
        patches = (
            "  runtimePatches:\n"
            "  - manager: example.com/me\n"
            "    trainingRuntimeSpec: {template: {metadata: {labels: {tier: %s}}}}\n"
        )
        self.write_job("demo", more=patches % "old")
        self.submit()
        self.kubectl("create", "-f", "-", stdin=self.read("job.yaml"))
        self.expect(self.diff(), 0, "no difference in 1 job\n")
        self.write_job("demo", more=patches % "new")
        place = "job.yaml:9  spec.runtimePatches[0].trainingRuntimeSpec.template.metadata.labels.tier"
        self.expect(
            self.diff(),
            1,
            "JobSet NS/demo\n"
            f'  metadata.labels.tier   "old" → "new"   {place}\n'
            "\n"
            "TrainJob NS/demo\n"
            "! spec.runtimePatches[example.com/me].trainingRuntimeSpec.template.metadata.labels.tier   "
            '"old" → "new"   the same\n'
            "  ! refused (1 field): spec.runtimePatches of a TrainJob can be changed only while it is suspended\n"
            "    suspend it first (spec.suspend: true) and wait until its Jobs are gone\n"
            "\n"
            "1 of 1 job differs\n",
        )
        status, out, err = self.submit()
        self.assertEqual((1, ""), (status, out))
        self.assertTrue(err.endswith("nothing was sent: the cluster would refuse to update 1 object\n"), err)
        self.kubectl("patch", "trainjob", "demo", "--type=merge", "-p", '{"spec":{"suspend":true}}')
        self.expect(
            self.diff(),
            1,
            f'JobSet NS/demo\n  metadata.labels.tier   "old" → "new"   {place}\n\n1 of 1 job differs\n',
        )

    def test_pod_groups(self):
        self.write("job.yaml", job("one", "co") + "---\n" + job("two", "vol"))
        policies = (("co", "{coscheduling: {scheduleTimeoutSeconds: 60}}"), ("vol", "{volcano: {}}"))
        self.write(
            "runtime.yaml",
            "---\n".join(
                RUNTIME.replace("name: plain", f"name: {name}").replace(
                    "  mlPolicy", f"  podGroupPolicy: {policy}\n  mlPolicy"
                )
                for name, policy in policies
            ),
        )
        for word in ("created", "unchanged"):
            self.expect(
                self.submit(),
                0,
                f"PodGroup NS/one {word}\nPodGroup NS/two {word}\nJobSet NS/one {word}\nJobSet NS/two {word}\n"
                f"2 jobs: 2 {word}\n",
            )
        self.expect(self.diff(), 0, "no difference in 2 jobs\n")
