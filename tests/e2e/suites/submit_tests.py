# SPDX-License-Identifier: Apache-2.0

"""trainjobc submit against an API server."""

import json

from support import HAS_TRAINER, RUNTIME, EndToEnd, job

APPLY = "kubectl apply --server-side --field-manager=trainjobc -f - --namespace=NS"


def managers(live):
    return [entry["manager"] for entry in live["metadata"]["managedFields"]]


class Submit(EndToEnd):
    def test_first_and_second(self):
        self.write_job("demo", "mpi")
        self.expect(
            self.submit(),
            0,
            "Secret NS/demo-mpi-ssh-auth created\n"
            "ConfigMap NS/demo-mpi-hostfile created\n"
            "JobSet NS/demo created\n"
            "1 job: 1 created\n",
        )
        first = {kind: self.live(kind, name) for kind, name in self.objects()}
        for live in first.values():
            self.assertEqual(["trainjobc"], managers(live))
        self.expect(
            self.submit(),
            0,
            "Secret NS/demo-mpi-ssh-auth kept: already exists\n"
            "ConfigMap NS/demo-mpi-hostfile unchanged\n"
            "JobSet NS/demo unchanged\n"
            "1 job: 1 unchanged\n",
        )
        self.assertEqual(first, {kind: self.live(kind, name) for kind, name in self.objects()})
        self.expect(self.diff(), 0, "no difference in 1 job\n")

    @staticmethod
    def objects():
        return (("secret", "demo-mpi-ssh-auth"), ("configmap", "demo-mpi-hostfile"), ("jobset", "demo"))

    def test_dry_runs(self):
        self.write_job("demo")
        for kind in ("client", "server"):
            self.expect(
                self.submit("job.yaml", "runtime.yaml", f"--dry-run={kind}"),
                0,
                "JobSet NS/demo created (dry run)\n1 job: 1 created (dry run)\n",
            )
        self.assertEqual("", self.kubectl("get", "jobsets", "-o", "name"))

    def test_changed(self):
        self.write_job("demo")
        self.submit()
        self.write("runtime.yaml", self.read("runtime.yaml").replace("team: blue", "team: red"))
        self.expect(self.submit(), 0, "JobSet NS/demo changed\n1 job: 1 changed\n")
        self.assertEqual("red", self.live("jobset", "demo")["metadata"]["labels"]["team"])

    def test_conflict(self):
        self.write_job("demo")
        self.submit()
        self.kubectl("patch", "jobset", "demo", "--type=merge", "-p", '{"metadata":{"labels":{"team":"red"}}}')
        self.expect(
            self.submit(),
            2,
            "1 job: 1 not applied\n",
            "trainjobc: another manager owns fields that would change: leave them out, or take them over with "
            "--force-conflicts\n"
            f"  {APPLY}: exit status 1\n"
            '  error: Apply failed with 1 conflict: conflict with "kubectl-patch" using jobset.x-k8s.io/v1alpha2: '
            ".metadata.labels.team\n"
            "  Please review the fields above--they currently have other managers. Here\n"
            "  are the ways you can resolve this warning:\n"
            "  * If you intend to manage all of these fields, please re-run the apply\n"
            "    command with the `--force-conflicts` flag.\n"
            "  * If you do not intend to manage all of the fields, please edit your\n"
            "    manifest to remove references to the fields that should keep their\n"
            "    current managers.\n"
            "  * You may co-own fields by updating your manifest to match the existing\n"
            "    value; in this case, you'll become the manager if the other manager(s)\n"
            "    stop managing the field (remove it from their configuration).\n"
            "  See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts\n"
            "not applied:\n  JobSet NS/demo\n",
        )
        self.expect(
            self.submit("job.yaml", "runtime.yaml", "--force-conflicts"),
            0,
            "JobSet NS/demo changed\n1 job: 1 changed\n",
        )
        self.assertEqual("blue", self.live("jobset", "demo")["metadata"]["labels"]["team"])

    def test_secret_that_exists(self):
        self.kubectl("create", "secret", "generic", "demo-mpi-ssh-auth", "--from-literal=ssh-privatekey=mine")
        before = self.live("secret", "demo-mpi-ssh-auth")
        self.write_job("demo", "mpi")
        self.expect(
            self.submit("job.yaml", "runtime.yaml", "--force-conflicts"),
            0,
            "Secret NS/demo-mpi-ssh-auth kept: already exists\n"
            "ConfigMap NS/demo-mpi-hostfile created\n"
            "JobSet NS/demo created\n"
            "1 job: 1 created\n",
        )
        self.assertEqual(before, self.live("secret", "demo-mpi-ssh-auth"))

    def test_who_may_not_read_secrets(self):
        verbs = "--verb=get,list,create,patch,update"
        self.kubectl("create", "role", "r", verbs, "--resource=configmaps,jobsets.jobset.x-k8s.io")
        self.kubectl("create", "role", "s", "--verb=create", "--resource=secrets")
        for role in ("r", "s"):
            self.kubectl("create", "rolebinding", role, f"--role={role}", "--user=nosecrets")
        self.write_job("demo", "mpi")
        warning = (
            "warning: can't tell whether TrainJobs with these names exist: you are not allowed to do this in this cluster: ask "
            "for a role that allows it, or choose another context\n"
            "  kubectl get -f - -o json --ignore-not-found --namespace=NS "
            "--context=nosecrets: exit status 1\n"
            '  Error from server (Forbidden): trainjobs.trainer.kubeflow.org "demo" is forbidden: User "nosecrets" '
            'cannot get resource "trainjobs" in API group "trainer.kubeflow.org" in the namespace "NS"\n'
        )
        for secret, rest in (("created", "created"), ("kept: already exists", "unchanged")):
            self.expect(
                self.submit("job.yaml", "runtime.yaml", "--context=nosecrets"),
                0,
                f"Secret NS/demo-mpi-ssh-auth {secret}\n"
                f"ConfigMap NS/demo-mpi-hostfile {rest}\n"
                f"JobSet NS/demo {rest}\n"
                f"1 job: 1 {rest}\n",
                warning,
            )

    def test_forbidden(self):
        self.write_job("demo")
        self.expect(
            self.submit("job.yaml", "runtime.yaml", "--context=guest"),
            2,
            "",
            "trainjobc: you are not allowed to do this in this cluster: ask for a role that allows it, or choose another "
            "context\n"
            "  kubectl get -f - -o json --ignore-not-found --show-managed-fields --namespace=NS "
            "--context=guest: exit status 1\n"
            '  Error from server (Forbidden): jobsets.jobset.x-k8s.io "demo" is forbidden: User "guest" cannot get '
            'resource "jobsets" in API group "jobset.x-k8s.io" in the namespace "NS"\n'
            "nothing was sent\n",
        )

    def test_no_cluster(self):
        self.write_job("demo")
        self.cluster.write_kubeconfig(self.folder + "/config")
        self.write("config", self.read("config").replace(str(self.cluster.port), "1"))
        self.expect(
            self.submit("job.yaml", "runtime.yaml", "--kubeconfig=config"),
            2,
            "",
            "trainjobc: the cluster can't be reached: check the context, the kubeconfig and the network\n"
            "  kubectl get -f - -o json --ignore-not-found --show-managed-fields --namespace=NS "
            "--kubeconfig=config: exit status 1\n"
            '  error: unable to recognize "STDIN": Get "https://127.0.0.1:1/api?timeout=32s": dial tcp 127.0.0.1:1: '
            "connect: connection refused\n"
            "nothing was sent\n",
        )

    def test_no_kubectl(self):
        self.write_job("demo")
        self.expect(
            self.submit(environment={"PATH": "/nowhere"}),
            2,
            "",
            "trainjobc: kubectl was not found: install it, or add its folder to PATH\n"
            "  kubectl get -f - -o json --ignore-not-found --show-managed-fields --namespace=NS: "
            "run kubectl: No such file or directory\n"
            "nothing was sent\n",
        )

    def test_no_namespace(self):
        self.write_job("demo", "mpi")
        self.expect(
            self.submit(namespace="nowhere"),
            2,
            "1 job: 1 not applied\n",
            "trainjobc: the namespace doesn't exist: create it first (kubectl create namespace)\n"
            "  kubectl create --field-manager=trainjobc -f - --namespace=nowhere: exit status 1\n"
            '  Error from server (NotFound): error when creating "STDIN": namespaces "nowhere" not found\n'
            "not applied:\n"
            "  ConfigMap nowhere/demo-mpi-hostfile\n"
            "  Secret nowhere/demo-mpi-ssh-auth\n"
            "  JobSet nowhere/demo\n",
        )

    def test_rejected_by_the_cluster(self):
        self.refuse("bad")
        self.write("runtime.yaml", RUNTIME)
        self.write("job.yaml", job("bad") + "---\n" + job("good"))
        self.expect(
            self.submit(),
            2,
            "JobSet NS/good created\n2 jobs: 1 created, 1 not applied\n",
            "trainjobc: the API server refused it\n"
            f"  {APPLY}: exit status 1\n"
            '  The jobsets "bad" is invalid: : ValidatingAdmissionPolicy '
            "'NS-no-bad' with binding 'NS-no-bad' denied request: not that name\n"
            "applied:\n  JobSet NS/good\nnot applied:\n  JobSet NS/bad\n",
        )

    def test_train_job_that_exists(self):
        self.write_job("demo")
        self.kubectl("create", "-f", "-", stdin=job("demo"))
        self.expect(
            self.submit(),
            0,
            "JobSet NS/demo created\n1 job: 1 created\n",
            "warning: TrainJob NS/demo exists in the cluster: the Trainer controller owns the JobSet of that name "
            "and may revert what is submitted; apply the TrainJob instead, or delete it first (kubectl delete trainjob "
            "demo -n NS also deletes its JobSet)\n",
        )

    def test_cluster_with_trainer(self):
        self.write_job("demo")
        run = self.run_program("submit", "job.yaml", "runtime.yaml")
        self.expect(run, 0, "JobSet NS/demo created\n1 job: 1 created\n", HAS_TRAINER)

    def test_two_hundred_jobs(self):
        self.write("runtime.yaml", RUNTIME)
        names = [f"job-{number:03}" for number in range(200)]
        self.write("job.yaml", "---\n".join(job(name) for name in names))
        for word in ("created", "unchanged"):
            lines = "".join(f"JobSet NS/{name} {word}\n" for name in names)
            self.expect(self.submit(), 0, lines + f"200 jobs: 200 {word}\n")
        self.expect(self.diff(), 0, "no difference in 200 jobs\n")

    def test_generated_names(self):
        self.write_job("demo")
        self.write("job.yaml", self.read("job.yaml").replace("name: demo", "generateName: sweep-"))
        status, out, err = self.submit()
        self.assertRegex(out, rf"^JobSet {self.namespace}/sweep-[a-z0-9]+ created\n1 job: 1 created\n$")
        self.assertEqual((0, ""), (status, err))
        self.expect(self.submit(), 0, out.replace("created", "unchanged"))
        self.expect(self.diff(), 0, "no difference in 1 job\n")
        self.write("job.yaml", self.read("job.yaml").replace("numNodes: 2", "numNodes: 3"))
        status, out, err = self.submit()
        self.assertRegex(out, "created\n1 job: 1 created\n$")
        self.assertEqual(2, len(self.kubectl("get", "jobsets", "-o", "name").splitlines()))

    def test_names_of_shell_characters(self):
        context = "-x; touch hacked `touch hacked` $(touch hacked)"
        self.write_job("demo")
        self.cluster.write_kubeconfig(self.folder + "/-k $(touch hacked)", context)
        self.write("$(touch hacked).yaml", job("demo"))
        self.expect(
            self.submit(
                "./$(touch hacked).yaml",
                "runtime.yaml",
                f"--context={context}",
                "--kubeconfig=-k $(touch hacked)",
            ),
            0,
            "JobSet NS/demo created\n1 job: 1 created\n",
        )
        self.assertEqual(0, self.diff(f"--context={context}", "--kubeconfig=-k $(touch hacked)")[0])
        for name in ("-rf", "--all", "$(touch hacked)", "; touch hacked"):
            self.write("job.yaml", job(json.dumps(name)))
            status, out, err = self.submit()
            self.assertEqual((1, ""), (status, out))
            self.assertIn("[input/name]", err)
        for namespace in ("--all-namespaces", "$(touch hacked)"):
            self.write("job.yaml", job("demo"))
            status, out, err = self.submit(namespace=namespace)
            self.assertEqual((1, ""), (status, out))
        self.assertEqual("", self.kubectl("get", "jobsets", "-o", "name").replace("jobset.jobset.x-k8s.io/demo\n", ""))
        with self.assertRaises(FileNotFoundError):
            self.read("hacked")
