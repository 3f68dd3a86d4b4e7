# SPDX-License-Identifier: Apache-2.0

"""The runner itself: the order of replicatedJobs, sidecars, restarts of JobSets, and what a kubelet resolves."""

import json

from cluster import reports
from images import Image
from support import SECONDS, TrainTest, secret

API = {"apiVersion": "trainer.kubeflow.org/v1alpha1"}
STEP = "trainer.kubeflow.org/trainjob-ancestor-step"
IMAGE = "registry.example/look"
MARKS = {"name": "marks", "mountPath": "/marks"}
SCRIPTS = {
    # Fails as often as the second word says, and says which attempt succeeded.
    "/fails": """#!/bin/sh
echo run >> "$1/$HOSTNAME"
runs=$(wc -l < "$1/$HOSTNAME")
[ "$runs" -gt "$2" ] || exit 1
echo "{\\"host\\": \\"$HOSTNAME\\", \\"attempt\\": $runs}"
""",
    # Ready when it listens, a second after its start.
    "/listens": """#!/usr/bin/python3
import pathlib, socket, sys, time
time.sleep(1)
pathlib.Path(sys.argv[1]).touch()
server = socket.create_server(("", 7000))
while True:
    server.accept()[0].close()
""",
}
LISTENS = {"command": ["/listens", "/marks/listens"], "readinessProbe": {"tcpSocket": {"port": 7000}}}


def container(command, **more):
    return {"name": "node", "image": IMAGE, "command": command, "volumeMounts": [MARKS], **more}


def part(name, box, job=None, **more):
    """A replicatedJob of one container; the one called node is the trainer's."""
    pod = {"restartPolicy": "Never", "containers": [box], **more.pop("pod", {})}
    pod["volumes"] = [{"name": "marks", "persistentVolumeClaim": {"claimName": "marks"}}, *pod.get("volumes", [])]
    template = {"spec": {"backoffLimit": 0, **(job or {}), "template": {"metadata": {"labels": {"team": "blue"}}, "spec": pod}}}
    if name == "node":
        template["metadata"] = {"labels": {STEP: "trainer"}}
    return {"name": name, "template": template, **more}


def sh(script):
    return ["sh", "-ec", script]


LOOK = ["python", "/look.py", "/marks"]


class Policies(TrainTest):
    images = {IMAGE: Image(programs={"/look.py": "look.py"}, files=SCRIPTS)}

    def objects(self, *parts, **job_set):
        labels = {"trainer.kubeflow.org/framework": "plain"}
        runtime = API | {"kind": "ClusterTrainingRuntime", "metadata": {"name": "plain", "labels": labels}}
        runtime["spec"] = {"mlPolicy": {"numNodes": 1}, "template": {"spec": {**job_set, "replicatedJobs": list(parts)}}}
        job = API | {"kind": "TrainJob", "metadata": {"name": "looks", "namespace": "team-a"}}
        job["spec"] = {"runtimeRef": {"name": "plain"}, "trainer": {"numNodes": 1}}
        return self.render(json.dumps(runtime) + "\n---\n" + json.dumps(job))

    def ended(self, objects):
        job_set = self.start(objects)
        job_set.cluster.wait(lambda: job_set.state in ("Completed", "Failed"), SECONDS)
        return job_set

    def marks_seen(self, objects):
        """What the trainer saw in /marks when it started."""
        return [one["/marks"][3] for one in self.run_job(objects) if one["host"] == "looks-node-0-0"]


class Order(Policies):
    """When a replicatedJob starts."""

    first = container(sh("sleep 1; touch /marks/first"))

    def test_all_at_once(self):
        """Each waits for the other."""
        waits = "touch /marks/{}; until [ -e /marks/{} ]; do sleep 0.1; done"
        objects = self.objects(
            part("first", container(sh(waits.format("first", "second")))),
            part("node", container(sh(waits.format("second", "first")))),
        )
        self.assertEqual(self.run_job(objects), [])

    def test_after_the_end(self):
        after = [{"name": "first", "status": "Complete"}]
        objects = self.objects(part("first", self.first), part("node", container(LOOK), dependsOn=after))
        self.assertEqual(self.marks_seen(objects), [["first"]])

    def test_never_after_a_failure(self):
        after = [{"name": "first", "status": "Complete"}]
        job_set = self.ended(
            self.objects(part("first", container(sh("exit 3"))), part("node", container(LOOK), dependsOn=after))
        )
        self.assertEqual((job_set.state, job_set.reason), ("Failed", "looks-first-0: BackoffLimitExceeded"))
        self.assertEqual(reports(job_set), [])

    def test_after_it_is_ready(self):
        after = [{"name": "server", "status": "Ready"}]
        done = {"targetReplicatedJobs": ["node"], "operator": "All"}
        objects = self.objects(
            part("server", container(**LISTENS)), part("node", container(LOOK), dependsOn=after), successPolicy=done
        )
        self.assertEqual(self.marks_seen(objects), [["listens"]])

    def test_in_order(self):
        """Each when those before it are ready; the one that ends is ready, too."""
        done = {"targetReplicatedJobs": ["node"], "operator": "All"}
        in_order = {"startupPolicyOrder": "InOrder"}
        objects = self.objects(
            part("server", container(**LISTENS)),
            part("second", container(sh("cp /marks/listens /marks/second"))),
            part("node", container(LOOK)),
            successPolicy=done,
            startupPolicy=in_order,
        )
        self.assertIn(self.marks_seen(objects), ([["listens"]], [["listens", "second"]]))

    def test_any_success_is_enough(self):
        done = {"targetReplicatedJobs": [], "operator": "Any"}
        objects = self.objects(
            part("endless", container(["sleep", "infinity"])), part("node", container(LOOK)), successPolicy=done
        )
        self.assertEqual(self.marks_seen(objects), [[]])

    def test_sidecars_run_beside_the_others(self):
        """They start in the order of the init containers, are started again, and end with the pod."""
        init = [
            container(sh("echo run >> /marks/sidecar; sleep 0.3"), name="sidecar", restartPolicy="Always"),
            container(sh("until [ -e /marks/sidecar ]; do sleep 0.1; done; touch /marks/init"), name="init"),
            container(["sleep", "infinity"], name="endless", restartPolicy="Always"),
        ]
        node = container(sh("until [ $(wc -l < /marks/sidecar) -gt 1 ]; do sleep 0.1; done; exec python /look.py /marks"))
        objects = self.objects(part("node", node, pod={"initContainers": init}))
        self.assertEqual(self.marks_seen(objects), [["init", "sidecar"]])

    def test_a_pod_is_ready_when_its_sidecar_is(self):
        after = [{"name": "server", "status": "Ready"}]
        init = [container(**LISTENS, name="sidecar", restartPolicy="Always")]
        server = part("server", container(["sleep", "infinity"]), pod={"initContainers": init})
        done = {"targetReplicatedJobs": ["node"], "operator": "All"}
        objects = self.objects(server, part("node", container(LOOK), dependsOn=after), successPolicy=done)
        self.assertEqual(self.marks_seen(objects), [["listens"]])

    def test_a_failed_init_container_fails_its_pod(self):
        init = [container(sh("exit 4"), name="init")]
        job_set = self.ended(self.objects(part("node", container(LOOK), pod={"initContainers": init})))
        self.assertEqual((job_set.state, [pod.exit_code for pod in job_set.pods]), ("Failed", [4]))
        self.assertEqual(reports(job_set), [])


class Restarts(Policies):
    """failurePolicy, and what a Job counts."""

    def run_of(self, failures, policy=None, job=None, pod=None):
        """State, restarts and the attempt that succeeded, of a program that fails so many times."""
        policies = {} if policy is None else {"failurePolicy": policy}
        node = part("node", container(["/fails", "/marks", str(failures)]), job, pod=pod or {})
        job_set = self.ended(self.objects(node, **policies))
        return job_set.state, job_set.restarts, [one["attempt"] for one in reports(job_set)]

    def rule(self, action, **more):
        return {"name": "rule", "action": action, **more}

    def test_without_a_policy(self):
        self.assertEqual(self.run_of(1), ("Failed", 0, []))

    def test_as_often_as_max_restarts(self):
        self.assertEqual(self.run_of(2, {"maxRestarts": 2}), ("Completed", 2, [3]))
        self.assertEqual(self.run_of(3, {"maxRestarts": 2}), ("Failed", 2, []))

    def test_a_rule_fails_the_job_set(self):
        rules = {"maxRestarts": 2, "rules": [self.rule("FailJobSet", onJobFailureReasons=["BackoffLimitExceeded"])]}
        self.assertEqual(self.run_of(1, rules), ("Failed", 0, []))

    def test_a_rule_for_another_reason_does_not(self):
        rules = {"maxRestarts": 2, "rules": [self.rule("FailJobSet", onJobFailureReasons=["PodFailurePolicy"])]}
        self.assertEqual(self.run_of(1, rules), ("Completed", 1, [2]))

    def test_a_rule_sees_the_reason_of_a_pod_failure_policy(self):
        codes = {"operator": "In", "values": [1]}
        job = {"backoffLimit": 3, "podFailurePolicy": {"rules": [{"action": "FailJob", "onExitCodes": codes}]}}
        rules = {"maxRestarts": 2, "rules": [self.rule("FailJobSet", onJobFailureReasons=["PodFailurePolicy"])]}
        self.assertEqual(self.run_of(1, rules, job), ("Failed", 0, []))

    def test_a_rule_for_another_replicated_job_does_not(self):
        other = part("other", container(["true"]))
        rules = {"maxRestarts": 1, "rules": [self.rule("FailJobSet", targetReplicatedJobs=["other"])]}
        node = part("node", container(["/fails", "/marks", "1"]))
        job_set = self.ended(self.objects(other, node, failurePolicy=rules))
        self.assertEqual((job_set.state, job_set.restarts), ("Completed", 1))

    def test_the_first_rule_counts(self):
        rules = {"maxRestarts": 0, "rules": [self.rule("RestartJobSetAndIgnoreMaxRestarts"), self.rule("FailJobSet") | {"name": "no"}]}
        self.assertEqual(self.run_of(3, rules), ("Completed", 3, [4]))

    def test_a_jobs_own_retries_come_first(self):
        self.assertEqual(self.run_of(2, {"maxRestarts": 1}, {"backoffLimit": 2}), ("Completed", 0, [3]))

    def test_a_container_restarts_once_less(self):
        """With OnFailure, the restart that reaches backoffLimit fails the Job; a pod may fail as often."""
        on_failure = {"restartPolicy": "OnFailure"}
        self.assertEqual(self.run_of(1, None, {"backoffLimit": 2}, on_failure), ("Completed", 0, [2]))
        self.assertEqual(self.run_of(9, None, {"backoffLimit": 2}, on_failure), ("Failed", 0, []))
        self.assertEqual(self.run_of(9, None, {"backoffLimit": 0}, on_failure), ("Failed", 0, []))


class Kubelet(Policies):
    """Variables and volumes."""

    def seen(self, box, pod=None, more=()):
        objects = self.objects(part("node", box, pod=pod or {})) + list(more)
        [report] = self.run_job(objects)
        return report

    def test_env_from(self):
        names = ["A", "B", "C", "K_A", "MISSING"]
        box = container(
            ["python", "/look.py", *(name + "=" for name in names), "$(B)=", "$(PATH)="],
            envFrom=[
                {"configMapRef": {"name": "settings"}},
                {"secretRef": {"name": "tokens"}},
                {"prefix": "K_", "configMapRef": {"name": "settings"}},
                {"configMapRef": {"name": "none", "optional": True}},
            ],
            env=[{"name": "C", "value": "own $(A)"}],
        )
        settings = {"kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"A": "a", "B": "b", "C": "c"}}
        report = self.seen(box, more=[settings, secret("tokens", B="K_A")])
        self.assertEqual([report[name] for name in names], ["a", "K_A", "own a", "a", None])
        self.assertIn("$(PATH)", report)  # a variable of the image

    def test_field_references(self):
        paths = {
            "NAME": "metadata.name",
            "NAMESPACE": "metadata.namespace",
            "TEAM": "metadata.labels['team']",
            "JOB_SET": "metadata.labels['jobset.sigs.k8s.io/jobset-name']",
            "INDEX": "metadata.annotations['batch.kubernetes.io/job-completion-index']",
            "NONE": "metadata.labels['none']",
            "ACCOUNT": "spec.serviceAccountName",
            "ADDRESS": "status.podIP",
        }
        env = [{"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}} for name, path in paths.items()]
        sizes = {"CPUS": "requests.cpu", "MEMORY": "limits.memory"}
        env += [{"name": name, "valueFrom": {"resourceFieldRef": {"resource": path}}} for name, path in sizes.items()]
        mebibytes = {"resource": "limits.memory", "divisor": "1Mi"}
        env.append({"name": "MEBIBYTES", "valueFrom": {"resourceFieldRef": mebibytes}})
        resources = {"requests": {"cpu": "1500m"}, "limits": {"memory": "1Gi"}}
        words = [item["name"] + "=" for item in env] + ["looks-node-0-0.looks"]
        report = self.seen(container(["python", "/look.py", *words], env=env, resources=resources))
        self.assertRegex(report["NAME"], "^looks-node-0-0-[a-z]{5}$")
        self.assertEqual(report["ADDRESS"], report["looks-node-0-0.looks"])
        rest = ["NAMESPACE", "TEAM", "JOB_SET", "INDEX", "NONE", "ACCOUNT", "CPUS", "MEMORY", "MEBIBYTES"]
        expected = ["team-a", "blue", "looks", "0", "", "default", "2", str(1024**3), "1024"]
        self.assertEqual([report[name] for name in rest], expected)

    def test_parts_of_volumes(self):
        """subPath and subPathExpr: a folder of a claim, made if it is missing, and one file of a Secret."""
        mounts = [
            MARKS,
            {"name": "marks", "mountPath": "/own", "subPathExpr": "runs/$(WHO)"},
            {"name": "keys", "mountPath": "/etc/key", "subPath": "id", "readOnly": True},
        ]
        box = container(
            sh("touch /own/here; exec python /look.py /marks /marks/runs /marks/runs/looks-node-0-0 /etc/key"),
            volumeMounts=mounts,
            env=[{"name": "WHO", "value": "$(SET)-node-0-0"}],
        )
        box["env"].insert(0, {"name": "SET", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['jobset.sigs.k8s.io/jobset-name']"}}})
        keys = {"name": "keys", "secret": {"secretName": "k", "defaultMode": 0o400}}
        report = self.seen(box, {"volumes": [keys]}, [secret("k", id="A")])
        self.assertEqual(report["/marks"][3], ["runs"])
        self.assertEqual(report["/marks/runs"][3], ["looks-node-0-0"])
        self.assertEqual(report["/marks/runs/looks-node-0-0"][3], ["here"])
        self.assertEqual(report["/etc/key"], ["400", 0, 0, "A"])

    def test_modes_of_secrets(self):
        """Without fsGroup they are as given; another user reads what others may."""
        items = [{"key": "id", "path": "id", "mode": 0o600}, {"key": "id", "path": "pub", "mode": 0o644}]
        volumes = [
            {"name": "given", "secret": {"secretName": "k", "defaultMode": 0o440, "items": [*items, {"key": "id", "path": "sub/key"}]}},
            {"name": "plain", "secret": {"secretName": "k"}},
            {"name": "map", "configMap": {"name": "m", "defaultMode": 0o755}},
        ]
        paths = ["/given/id", "/given/pub", "/given/sub/key", "/plain/id", "/map/run"]
        mounts = [MARKS] + [{"name": volume["name"], "mountPath": "/" + volume["name"]} for volume in volumes]
        box = container(["python", "/look.py", *paths], volumeMounts=mounts, securityContext={"runAsUser": 1000})
        more = [secret("k", id="A"), {"kind": "ConfigMap", "metadata": {"name": "m"}, "data": {"run": "B"}}]
        report = self.seen(box, {"volumes": volumes}, more)
        expected = [["600", 0, 0, None], ["644", 0, 0, "A"], ["440", 0, 0, None], ["644", 0, 0, "A"], ["755", 0, 0, "B"]]
        self.assertEqual([report[path] for path in paths], expected)
