# SPDX-License-Identifier: Apache-2.0

"""trainjobc webhook behind a real API server: what kubectl and the SDK show, what is refused, what passes untouched, and that
jobs are created as without it when it does not answer."""

import collections
import concurrent.futures
import json
import os
import re
import resource
import signal
import subprocess
import time

import yaml

from api import Api
from cases import case as inputs
from certificates import openssl
from comparison.live_round import Round
from comparison.round_trip import Program
from suites.kueue_tests import PRIORITY, QUEUE, queue_objects, runtime, train_job
from webhook_process import NO_LAUNCHER, PAGE, PLUGIN, SECONDS, SYSTEM, WebhookProcess, as_list, job, run_kubectl, torch_runtime

KUEUE = "system:serviceaccount:kueue-system:kueue-controller-manager"
RULE = re.compile(r" \([a-z0-9]+/[a-z0-9-]+\)$")  # how a finding ends
SERVER_FIELD = "advice/server-field"  # what an author wrote there, the API server has replaced
RECORDED = ("2.3", "2.2")  # the recordings whose inputs are applied
BATCH = 30  # cases
NAMED_QUEUE = (
    'metadata.labels[kueue.x-k8s.io/queue-name]: the cluster must have the Kueue LocalQueue "{}" in namespace "{}", which '
    "can't be checked here (advice/queue)"
)
PYTHON_CLIENTS = {
    "kubernetes": """
import json, sys
from kubernetes import client, config
config.load_kube_config()
job = json.loads(sys.argv[3])
client.CustomObjectsApi().create_namespaced_custom_object("trainer.kubeflow.org", "v1alpha1", sys.argv[1], "trainjobs", job)
""",
    "kubeflow": """
import sys
from kubeflow.common.types import KubernetesBackendConfig
from kubeflow.trainer import CustomTrainer, TrainerClient
from kubeflow.trainer.options import Labels
def train():
    pass
client = TrainerClient(KubernetesBackendConfig(namespace=sys.argv[1]))
labels = Labels({"kueue.x-k8s.io/queue-name": "team"})
client.train(runtime=client.get_runtime(sys.argv[2]), trainer=CustomTrainer(func=train), options=[labels])
""",
}
OWN_RANKS = [{"name": "WORLD_SIZE", "value": "4"}, {"name": "RANK", "value": "0"}]


class KubectlApi(Api):
    """Creates TrainJobs and runtimes with `kubectl apply`."""

    def __init__(self, plane):
        super().__init__(plane.port, "admin-token")
        self.plane = plane

    def create(self, kind, namespace, body):
        if kind not in inputs.KINDS:
            return super().create(kind, namespace, body)
        words = ("apply", "--namespace", namespace or inputs.NAMESPACE, "-f", "-")
        status, _, err = run_kubectl(self.plane, *words, stdin=json.dumps(body))
        warnings = [line.removeprefix("Warning: ") for line in err.splitlines() if line.startswith("Warning: ")]
        return 422 if status else 201, {"message": err}, warnings


def warning_of(row, item):
    """A finding in lint's report, as the webhook says it."""
    is_inside = row["file"].endswith("object.json")
    place = "" if is_inside else f"in the runtime {inputs.runtime_name(item)}: "
    field = f"{row['field']}: " if row["field"] else ""
    hint = f"; {row['hint']}" if row["hint"] else ""
    return f"{place}{field}{row['message']}{hint} ({row['rule']})"


def without_nulls(node):
    """As the API server takes it."""
    if isinstance(node, list):
        return [without_nulls(one) for one in node]
    if isinstance(node, dict):
        return {key: without_nulls(value) for key, value in node.items() if value is not None}
    return node


def cut(warnings):
    """To what an API server passes on."""
    if sum(len(one.encode()) for one in warnings) <= 4096:
        return warnings
    return [one if len(one.encode()) <= 250 else one.encode()[:247].decode(errors="ignore") + "..." for one in warnings]


class Webhook(WebhookProcess):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        objects = list(yaml.safe_load_all(cls.cluster.kubectl("kustomize", str(PLUGIN / "base"))))
        kind = "ValidatingWebhookConfiguration"
        cls.configuration = next(one for one in objects if one["kind"] == kind)
        cls.apply_all(one for one in objects if one["kind"] != kind)
        cls.addClassCleanup(cls.cluster.kubectl, "delete", "-k", str(PLUGIN / "base"), "--ignore-not-found")

    def test_recorded(self):
        """kubectl shows of each object what lint finds in it, and nothing else."""
        self.start()
        self.register()
        folder, kubectl = inputs.CONFORMANCE, self.cluster.kubectl
        cases = [case for version in RECORDED for case in inputs.recorded(kubectl, folder, version) if not case.unreadable]
        wanted = 200 if self.runs_all_recorded else 30
        cases = cases if self.runs_all_recorded else cases[:: len(cases) // wanted]
        counts = collections.Counter()
        for batch in batches(cases):
            self.compare(batch, counts)
        print(f"recorded cases applied: {len(cases)}; " + ", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
        self.assertGreaterEqual(len(cases), wanted)
        self.assertLessEqual(counts["silent"], self.metric("unconfirmed_total"))

    def compare(self, cases, counts):
        applied = Applied(self.cluster, KubectlApi(self.cluster), cases)
        applied.apply(lambda: self.wait("all runtimes", lambda: self.metric("runtimes") == applied.count_runtimes()))
        try:
            for case in cases:
                for item in case.objects:
                    self.compare_object(case, item, applied.verdict(case, item), counts)
        finally:
            applied.clean_up()

    def compare_object(self, case, item, verdict, counts):
        shown = [one for one in verdict.warnings if RULE.search(one)]
        found = self.lint(case, item) if verdict.allowed or shown else []
        with self.subTest(case=case.name, object=inputs.identity(item)):
            if shown or not found:
                self.assertEqual(sorted(found), sorted(shown))
            else:  # a busy machine: the runtime could not be read again in time
                counts["silent"] += 1
        what = "accepted" if verdict.allowed else "refused, shown findings" if shown else "refused before"
        counts[f"{item['kind']}s {what}"] += 1
        counts["warnings"] += len(shown)

    def lint(self, case, item):
        """Its findings on a runtime, or on a job with its runtime, as warnings."""
        command = ["lint", "--format=json", self.write_list("object.json", [without_nulls(item)])]
        if item["kind"] == "TrainJob":
            wanted = inputs.runtime_name(item)
            runtimes = [one for one in case.runtimes() if one["metadata"]["name"] == wanted]
            command += ["--runtimes", self.write_list("runtime.json", map(without_nulls, runtimes))]
        _, out, _ = Program(self.program, self.cluster.environment(), self.trainer_version).run(*command)
        own = [row for row in json.loads(out)["diagnostics"] if row["object"] == inputs.identity(item)]
        told = [row for row in own if not row.get("consequence") and row["rule"] != SERVER_FIELD]
        return cut(list(dict.fromkeys(warning_of(row, item) for row in told)))

    def write_list(self, name, objects):
        self.write(name, as_list(objects))
        return os.path.join(self.folder, name)

    def test_refused(self):
        self.start("--deny=advice/no-launcher")
        self.register()
        status, out, err = self.create(job("demo", self.runtime))
        refused = 'Error from server: error when creating "STDIN": admission webhook "lint.trainjobc.github.io" denied the request: '
        self.assertEqual((1, "", refused + NO_LAUNCHER + "\n"), (status, out, err))
        self.expect_created("demo", self.create(job("demo", self.runtime, "torchrun")))

    def test_python_clients(self):
        """They drop warnings, unless the lines of the page make them print these."""
        python = os.path.join(os.path.dirname(self.program), "python-venv/bin/python")
        if not os.path.exists(python) or subprocess.run([python, "-c", "import kubeflow.trainer"], capture_output=True, check=False).returncode:
            self.skipTest("the SDK is not there: make python")
        printing = re.search("```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[1]
        self.start()
        self.register()
        told = {"kubernetes": NO_LAUNCHER, "kubeflow": NAMED_QUEUE.format("team", self.namespace)}
        for name, lines in PYTHON_CLIENTS.items():
            for is_printing in (False, True):
                text = json.dumps(job(f"plain-{is_printing}".lower(), self.runtime))
                self.write("client.py", printing * is_printing + lines)  # the SDK reads its source
                command = [python, os.path.join(self.folder, "client.py"), self.namespace, self.runtime, text]
                run = subprocess.run(command, env=self.cluster.environment(), capture_output=True, text=True, check=False)
                self.assertEqual(0, run.returncode, run.stderr)
                shown = [line for line in (run.stdout + run.stderr).splitlines() if line.startswith("Warning: ")]
                self.assertEqual([f"Warning: {told[name]}"] * is_printing, shown)
        self.assertEqual(4, len(json.loads(self.kubectl("get", "trainjobs", "-o", "json"))["items"]))

    def test_runtimes(self):
        """Whoever changes one sees what that means for new jobs."""
        self.start()
        self.register()
        patch = json.dumps({"spec": {"mlPolicy": {"numNodes": 3}, "template": {"spec": {"network": {"publishNotReadyAddresses": False}}}}})
        run = run_kubectl(self.cluster, "patch", "clustertrainingruntime", self.runtime, "--type=merge", "-p", patch)
        self.assertEqual(
            (
                0,
                f"clustertrainingruntime.trainer.kubeflow.org/{self.runtime} patched\n",
                "Warning: new jobs: spec.network.publishNotReadyAddresses changes from \"true\" to \"false\"\n",
            ),
            run,
        )

    def test_updates_of_controllers(self):
        """A job that would be refused, and was there before: Trainer runs it to its end."""
        process = self.start("--deny=warning")
        self.expect_created("demo", self.create(job("demo", self.runtime, suspend=True)))
        self.register()
        before = self.reviews()
        self.kubectl("patch", "trainjob", "demo", "--type=merge", "-p", '{"spec":{"suspend":false}}')
        self.kubectl("wait", "--for=condition=Complete", "trainjob/demo", f"--timeout={SECONDS}s")
        self.assertEqual((1, 0), (self.reviews() - before, self.metric("findings_total")))
        self.assertIsNone(process.poll())

    def test_kueue(self):
        """A job that would be refused, and was there before: Kueue suspends and resumes it."""
        if not self.cluster.kueue_module:
            self.skipTest("without Kueue")
        self.kubectl("create", "-f", "-", stdin=as_list([*queue_objects(self.namespace), runtime(self.namespace, {}, completes=False)]))
        low = {**train_job("low", self.namespace, {QUEUE: self.namespace})}
        low["spec"]["trainer"] = {"env": [{"name": "API_TOKEN", "value": "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH"}]}
        self.write("low.json", json.dumps(low))
        self.start("--deny=warning")
        self.create_when_known("low.json")
        self.wait("it runs", lambda: self.is_suspended("low") is False)
        self.register()
        self.assertIn("denied the request", self.create({**low, "metadata": {"name": "other"}})[2])
        high = train_job("high", self.namespace, {QUEUE: self.namespace, PRIORITY: self.namespace})
        self.expect_created("high", self.create(high), NAMED_QUEUE.format(self.namespace, self.namespace))
        self.wait("it is preempted", lambda: self.is_suspended("low"))
        self.kubectl("delete", "trainjob", "high")
        self.wait("it runs again", lambda: not self.is_suspended("low"))
        self.assertEqual(1, len(re.findall('"allowed":false', self.read("log"))), self.read("log"))

    def is_suspended(self, name):
        return self.live("trainjob", name)["spec"].get("suspend", False)

    def test_controllers_are_not_reviewed(self):
        self.start()
        self.register()
        binding = ("clusterrolebinding", "acts-as-kueue")
        self.cluster.kubectl("create", *binding, "--clusterrole=cluster-admin", f"--user={KUEUE}")
        self.addCleanup(self.cluster.kubectl, "delete", *binding)
        self.assertFalse(self.is_asked("demo", f"--as={KUEUE}"))
        self.assertTrue(self.is_asked("demo"))

    def test_changed_runtime(self):
        """Changed a moment before the job: lint's findings with the new one are told, or none."""
        self.start()
        self.register()
        told = collections.Counter()
        for index in range(40):
            has_ranks = index % 2 == 1
            self.apply_all([torch_runtime(self.runtime, OWN_RANKS if has_ranks else ())])
            status, _, err = self.create(job("demo", self.runtime), "--dry-run=server")
            self.assertEqual(0, status, err)
            is_told = f"Warning: {NO_LAUNCHER}\n" in err
            self.assertFalse(has_ranks and is_told, err)
            told[has_ranks, is_told] += 1
        print(f"runtimes changed before a job: {told[False, True]} of 20 findings told, none of those that no longer hold")

    def expect_created_without_it(self, name):
        began = time.monotonic()
        self.expect_created(name, self.create(job(name, self.runtime)))
        print(f"{name}: created in {time.monotonic() - began:.1f} s")

    def test_without_it(self):
        process = self.start()
        self.register()
        self.expect_created("demo", self.create(job("demo", self.runtime)), NO_LAUNCHER)
        process.send_signal(signal.SIGSTOP)
        self.expect_created_without_it("hung")
        process.kill()
        process.wait()
        self.expect_created_without_it("killed")
        self.start()
        self.wait("it is asked again", lambda: self.is_asked("trial"))
        self.expect_created("again", self.create(job("again", self.runtime)), NO_LAUNCHER)

    def test_out_of_memory(self):
        process = self.start()
        self.register()
        with open(f"/proc/{process.pid}/statm", encoding="utf-8") as file:
            used = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        resource.prlimit(process.pid, resource.RLIMIT_AS, (used + (1 << 20), used + (1 << 20)))
        large = job("large", self.runtime)
        large["spec"]["trainer"]["env"] = [{"name": f"OPTION_{i}", "value": "x" * 8000} for i in range(100)]
        began = time.monotonic()
        self.expect_created("large", self.create(large))
        print(f"out of memory: created in {time.monotonic() - began:.1f} s; the process: {process.poll()}")

    def test_expired_certificate(self):
        process = self.start()
        self.register()
        process.kill()
        process.wait()
        folder = os.path.join(self.folder, "expired")
        os.makedirs(folder)
        authority = self.cluster.path("webhooks")
        key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=127.0.0.1")
        openssl(folder, "req", *key, "-keyout", "tls.key", "-out", "tls.csr")
        sign = ("-CA", f"{authority}/ca.crt", "-CAkey", f"{authority}/ca.key", "-extfile", f"{authority}/extensions", "-set_serial", "2")
        openssl(folder, "x509", "-req", *sign, "-days", "0", "-in", "tls.csr", "-out", "tls.crt")
        time.sleep(2)
        self.start(certificates=folder)
        self.expect_created_without_it("expired")
        self.assertEqual(0, self.reviews())

    def test_rights(self):
        """The service account can read runtimes, and nothing else."""
        account = f"system:serviceaccount:{SYSTEM}:trainjobc-webhook"

        def can(*words):
            return run_kubectl(self.cluster, "auth", "can-i", *words, "--all-namespaces", f"--as={account}")[1].strip() == "yes"

        runtimes = ("trainingruntimes", "clustertrainingruntimes")
        self.assertTrue(all(can(verb, one) for verb in ("get", "list", "watch") for one in runtimes))
        others = [(verb, one) for verb in ("create", "update", "patch", "delete") for one in runtimes]
        others += [(verb, one) for verb in ("get", "list") for one in ("trainjobs", "secrets", "pods", "configmaps", "nodes")]
        self.assertEqual([], [words for words in others if can(*words)])

    def test_deployment(self):
        """The pods are admitted by the standard `restricted`, and run on two nodes."""
        self.cluster.kubectl("rollout", "status", "deployment/trainjobc-webhook", "-n", SYSTEM, f"--timeout={SECONDS}s")
        pods = json.loads(self.cluster.kubectl("get", "pods", "-n", SYSTEM, "-o", "json"))["items"]
        self.assertEqual(2, len({pod["spec"]["nodeName"] for pod in pods}))


class Applied(Round):
    def apply(self, before_jobs):
        self._make_namespaces()
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(self._apply_runtimes, self.cases))
            before_jobs()
            list(pool.map(self._apply_jobs, self.cases))

    def _left(self):
        """Whatever has a name that the next batch may have."""
        own = {inputs.identity(item) for case in self.cases for item in case.objects}
        return any(inputs.identity(item) in own for kind in inputs.KINDS for item in self.api.list(kind))

    def count_runtimes(self):
        return sum(len(self.api.list(kind)) for kind in inputs.RUNTIMES)


def batches(cases):
    """Cases at once that have no name in common."""
    waiting = cases
    while waiting:
        batch, names, later = [], set(), []
        for case in waiting:
            own = {inputs.identity(item) for item in case.objects}
            if len(batch) < BATCH and not own & names:
                batch.append(case)
                names |= own
            else:
                later.append(case)
        yield batch
        waiting = later
