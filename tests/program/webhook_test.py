#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""trainjobc webhook as an API server sees it: reviews over TLS, runtimes that are listed and watched (the server here
plays the API server), settings and certificates that change, odd requests, and its end.

usage: webhook_test.py BINARY. Without openssl it is skipped (77).
"""
import contextlib
import http.client
import http.server
import json
import os
import pathlib
import queue
import re
import resource
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

BINARY = ""
GROUP = "trainer.kubeflow.org"
RUNTIME = {
    "apiVersion": f"{GROUP}/v1alpha1",
    "kind": "ClusterTrainingRuntime",
    "metadata": {"name": "torch", "labels": {f"{GROUP}/framework": "torch"}},
    "spec": {
        "mlPolicy": {"numNodes": 1, "torch": {}},
        "template": {"spec": {"replicatedJobs": [{
            "name": "node",
            "template": {
                "metadata": {"labels": {f"{GROUP}/trainjob-ancestor-step": "trainer"}},
                "spec": {"template": {"spec": {"containers": [{"name": "node", "image": "team/train:1"}]}}},
            },
        }]}},
    },
}
NO_LAUNCHER = (
    "spec.trainer.command[0]: python starts one process on each node, and does not read PET_*: the 4 nodes train alone, "
    "each the whole job; start it with torchrun: [torchrun, train.py, …] (advice/no-launcher)"
)


def job(**trainer):
    return {
        "apiVersion": f"{GROUP}/v1alpha1",
        "kind": "TrainJob",
        "metadata": {"name": "bert", "namespace": "team-a", "uid": "1", "managedFields": [], "creationTimestamp": "x"},
        "spec": {"runtimeRef": {"name": "torch"}, "trainer": trainer},
        "status": {"conditions": []},
    }


PLAIN = job(numNodes=4, command=["python", "train.py"])
GOOD = job(numNodes=4, command=["torchrun", "train.py"])


def review(new, old=None, **more):
    request = {
        "uid": "u",
        "kind": {"group": GROUP, "version": "v1alpha1", "kind": new["kind"]},
        "operation": "UPDATE" if old else "CREATE",
        "name": new["metadata"].get("name", ""),
        "object": new,
        "oldObject": old,
        **more,
    }
    if "namespace" in new["metadata"]:
        request["namespace"] = new["metadata"]["namespace"]
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}


def changed(original, *path, value):
    copy = json.loads(json.dumps(original))
    at = copy
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return copy


def has_ipv6():
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


class ApiServer:
    """Lists and watches runtimes, as far as the webhook asks; over TLS with the certificate in `folder`."""

    def __init__(self, folder=None):
        self.runtimes = {}
        self.surroundings = {}  # by resource
        self.version = 100
        self.watchers = []
        self.requests = []
        self.refusals = []  # statuses of the next requests; 0: the connection ends without an answer
        self.connections = 0
        self.pause = 0  # after each byte of the answer about one runtime
        self.ends_watches = False
        self.is_endless = False  # a list always has another page
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self):
                super().setup()
                outer.connections += 1

            def log_message(self, *_):
                pass

            def do_GET(self):
                outer.requests.append((self.path, self.headers.get("Authorization")))
                if outer.refusals:
                    return self.answer(outer.refusals.pop(0), {"kind": "Status"})
                path, _, query = self.path.partition("?")
                if "watch=1" in query:
                    return self.watch("clustertrainingruntimes" in path)
                if path.endswith("/clustertrainingruntimes"):
                    return self.answer(200, outer.page(query))
                if path.endswith("/trainingruntimes"):
                    return self.answer(200, {"metadata": {"resourceVersion": "1"}, "items": []})
                if (resource := path.rpartition("/")[2]) in outer.surroundings:
                    return self.answer(200, {"metadata": {"resourceVersion": "1"}, "items": outer.surroundings[resource]})
                found = outer.runtimes.get(path.rpartition("/")[2])
                if found and outer.pause:
                    return self.trickle(json.dumps(found).encode())
                return self.answer(200, found) if found else self.answer(404, {"kind": "Status"})

            def trickle(self, data):
                self.send_response(200)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                with contextlib.suppress(OSError):
                    for at in range(len(data)):
                        self.wfile.write(data[at:at + 1])
                        time.sleep(outer.pause)
                self.close_connection = True

            def answer(self, status, body):
                if status == 0:
                    self.close_connection = True
                    return
                data = json.dumps(body).encode()
                self.send_response(status)
                if not folder:
                    self.send_header("Content-Length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)
                    return
                # As Go's servers answer: one chunk in several records, and with the last one the end of the connection.
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                chunk = b"%x\r\n%s\r\n0\r\n\r\n" % (len(data), data)
                self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
                for at in range(0, len(chunk), 1300):
                    self.wfile.write(chunk[at:at + 1300])
                if self.close_connection:
                    self.connection.settimeout(0)
                    with contextlib.suppress(OSError):
                        self.connection.unwrap()
                self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 0)

            def watch(self, has_events):
                self.send_response(200)
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                if outer.ends_watches:
                    self.wfile.write(b"0\r\n\r\n")
                    return
                events = queue.Queue()
                if has_events:
                    outer.watchers.append(events)
                self.wfile.flush()
                with contextlib.suppress(OSError):
                    while (event := events.get()) is not None:
                        line = json.dumps(event).encode() + b"\n"
                        for part in (line[:7], line[7:]):  # in pieces, as networks do
                            self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
                            self.wfile.flush()
                    self.wfile.write(b"0\r\n\r\n")
                self.close_connection = True

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        if folder:
            tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            tls.load_cert_chain(folder / "tls.crt", folder / "tls.key")
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"{'https' if folder else 'http'}://127.0.0.1:{self.server.server_address[1]}"

    def page(self, query):
        """One runtime on each page."""
        names = sorted(self.runtimes)
        at = int(re.search(r"continue=(\d+)", query).group(1)) if "continue=" in query else 0
        items = [{key: value for key, value in self.runtimes[name].items() if key not in ("apiVersion", "kind")}
                 for name in names[at:at + 1]]
        more = str(at + 1) if at + 1 < len(names) or self.is_endless else ""
        return {"metadata": {"resourceVersion": str(self.version), "continue": more}, "items": items}

    def put(self, runtime, tell=True):
        self.version += 1
        runtime = changed(runtime, "metadata", "resourceVersion", value=str(self.version))
        self.runtimes[runtime["metadata"]["name"]] = runtime
        if tell:
            self.send({"type": "MODIFIED", "object": runtime})

    def send(self, event):
        for watcher in self.watchers:
            watcher.put(event)
        if event is None:
            self.watchers.clear()


class Webhook(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.make_certificate("first")
        (self.folder / "runtime.json").write_text(json.dumps(RUNTIME))

    def make_certificate(self, name):
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
             "2", "-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", self.folder / "tls.key",
             "-out", self.folder / "tls.crt"],
            check=True, capture_output=True)

    def start(self, *words, host="127.0.0.1"):
        """Starts the webhook and waits for its ports."""
        log = (self.folder / "log").open("wb")
        self.process = subprocess.Popen(
            [BINARY, "webhook", "--tls-cert=tls.crt", "--tls-key=tls.key", f"--listen={host}:0",
             f"--status-listen={host}:0", "--drain=1", "--trainer-version=2.3", *words],
            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        log.close()
        self.addCleanup(self.end)
        self.port, self.status_port = self.wait(lambda: self.ports())

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def log(self):
        return [json.loads(line) for line in (self.folder / "log").read_text().splitlines() if line.startswith("{")]

    def ports(self):
        for line in self.log():
            if line["msg"] == "listening":
                return line["ports"]
        self.assertIsNone(self.process.poll(), (self.folder / "log").read_text())
        return None

    def wait(self, ready):
        """The first true answer."""
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            if result := ready():
                return result
            time.sleep(0.02)
        self.fail("nothing within 30 s")

    def post(self, body, path="/validate", method="POST"):
        trust = ssl.create_default_context(cafile=self.folder / "tls.crt")
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=trust, timeout=90)
        connection.request(method, path, body if isinstance(body, (bytes, type(None))) else json.dumps(body))
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text

    def ask(self, new, old=None, **more):
        status, text = self.post(review(new, old, **more))
        self.assertEqual(200, status, text)
        answer = json.loads(text)
        self.assertEqual(("admission.k8s.io/v1", "AdmissionReview", "u"),
                         (answer["apiVersion"], answer["kind"], answer["response"].pop("uid")))
        return answer["response"]

    def status(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.status_port, timeout=30)
        connection.request("GET", path)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text

    def test_reviews(self):
        self.start("--runtimes=runtime.json")
        silent = {"allowed": True}
        self.assertEqual({"allowed": True, "warnings": [NO_LAUNCHER]}, self.ask(PLAIN))
        self.assertEqual(silent, self.ask(GOOD))
        self.assertEqual(silent, self.ask(changed(PLAIN, "spec", "runtimeRef", "name", value="unknown")))
        self.assertEqual(silent, self.ask(PLAIN, PLAIN))
        self.assertEqual(silent, self.ask(changed(PLAIN, "spec", "suspend", value=True), PLAIN))
        self.assertEqual({"allowed": True, "warnings": [NO_LAUNCHER]}, self.ask(PLAIN, GOOD))
        self.assertEqual(silent, self.ask(PLAIN, subResource="status"))
        self.assertEqual(silent, self.ask(PLAIN, operation="DELETE"))
        self.assertEqual(silent, self.ask(changed(PLAIN, "kind", value="Deployment")))
        metrics = self.status("/metrics")[1]
        self.assertIn('trainjobc_webhook_requests_total{kind="TrainJob",operation="CREATE"} 4\n', metrics)
        self.assertIn('trainjobc_webhook_findings_total{rule="advice/no-launcher"} 2\n', metrics)
        self.assertIn('trainjobc_webhook_decisions_total{decision="allowed"} 7\n', metrics)
        told = [line for line in self.log() if line["msg"] == "findings"]
        self.assertEqual([["advice/no-launcher"]] * 2, [line["rules"] for line in told])

    def test_runtimes_are_reviewed(self):
        self.start("--runtimes=runtime.json")
        new = changed(RUNTIME, "spec", "mlPolicy", "numNodes", value=0)
        new = changed(new, "spec", "template", "spec", "replicatedJobs", 0, "template", "spec", "backoffLimit", value=3)
        warnings = self.ask(new, RUNTIME)["warnings"]
        self.assertIn("new jobs: spec.replicatedJobs[node].template.spec.backoffLimit changes from nothing to \"3\"", warnings)

    def test_denied(self):
        self.start("--runtimes=runtime.json", "--deny=advice/no-launcher", "--deny=error")
        self.assertEqual(
            {"allowed": False, "status": {"code": 403, "message": NO_LAUNCHER}}, self.ask(PLAIN))
        self.assertTrue(self.ask(GOOD)["allowed"])

    def test_no_secret_is_told(self):
        self.start("--runtimes=runtime.json")
        secret = "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH"
        answer = self.ask(job(command=["torchrun", secret], env=[{"name": "HF_TOKEN", "value": secret}]))
        self.assertEqual(
            ["spec.trainer.command[1]", "spec.trainer.env[0].value"],
            [warning.split(":")[0] for warning in answer["warnings"]], answer)
        self.assertNotIn(secret, json.dumps(answer) + (self.folder / "log").read_text())

    def test_odd_requests(self):
        self.start("--runtimes=runtime.json")
        self.assertEqual((400, "the body is not JSON\n"), self.post(b"\xff{"))
        self.assertEqual((400, "the body is not JSON\n"), self.post(b'{"a":' + b"[" * 100000))
        self.assertEqual((400, "the body is not an AdmissionReview of admission.k8s.io/v1\n"), self.post({}))
        self.assertEqual((404, "reviews are sent to /validate\n"), self.post({}, "/"))
        self.assertEqual((405, "send an AdmissionReview with POST\n"), self.post(None, method="GET"))
        with contextlib.suppress(OSError, http.client.HTTPException):
            self.assertEqual(413, self.post(b" " * (9 << 20))[0])
        strange = job()
        for value in (None, 3, "x", [], {"a": None}):
            for field in ("metadata", "spec"):
                status, _ = self.post(review(strange, name="x") | {"request": review(strange)["request"] | {
                    "object": changed(strange, field, value=value)}})
                self.assertEqual(200, status)
        with socket.create_connection(("127.0.0.1", self.port)) as plain:  # no TLS
            plain.sendall(b"GET / HTTP/1.1\r\n\r\n")
            with contextlib.suppress(OSError):
                plain.recv(100)
        self.assertEqual((200, "ok\n"), self.status("/healthz"))
        self.assertEqual({"allowed": True, "warnings": [NO_LAUNCHER]}, self.ask(PLAIN))

    def test_large_objects(self):
        cluster = ApiServer()
        cluster.put(RUNTIME)
        large = [{"name": "A"}] * 20000
        cluster.put(changed(RUNTIME, "spec", "template", "spec", "replicatedJobs", 0, "template", "spec", "template", "spec",
                            "containers", 0, "env", value=large) | {"metadata": {"name": "large"}})
        self.start(f"--api-server={cluster.url}", "--deny=error")
        self.wait(lambda: self.status("/readyz") == (200, "ok\n"))
        told = "trainjobc does not check this: the {} has more than 10000 values, 1024 KiB or 200 levels"
        self.assertEqual({"allowed": True, "warnings": [told.format("TrainJob")]}, self.ask(job(env=large)))
        other = changed(PLAIN, "spec", "runtimeRef", "name", value="large")
        self.assertEqual({"allowed": True, "warnings": [told.format("runtime large")]}, self.ask(other))
        self.assertEqual({"allowed": True, "warnings": [NO_LAUNCHER]}, self.ask(PLAIN))

    def test_clients_that_hang(self):
        """They take all connections, for 30 seconds."""
        self.start("--runtimes=runtime.json")
        with contextlib.ExitStack() as clients:
            for _ in range(520):
                clients.enter_context(socket.create_connection(("127.0.0.1", self.port)))
            memory = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
            self.assertLess(int(re.search(r"VmRSS:\s+(\d+)", memory)[1]), 64 << 10)
            self.assertEqual({"allowed": True, "warnings": [NO_LAUNCHER]}, self.ask(PLAIN))
        self.assertEqual((200, "ok\n"), self.status("/healthz"))

    def test_descriptors(self):
        """Without a free one, connections wait, and it neither ends nor keeps a core busy."""
        self.start("--runtimes=runtime.json")
        self.assertLessEqual(resource.prlimit(self.process.pid, resource.RLIMIT_NOFILE)[0], 2048)
        resource.prlimit(self.process.pid, resource.RLIMIT_NOFILE, (40, 40))
        with contextlib.ExitStack() as clients:
            for _ in range(80):
                clients.enter_context(socket.create_connection(("127.0.0.1", self.status_port)))
            before = self.cpu_ticks()
            time.sleep(2)
            self.assertLess(self.cpu_ticks() - before, os.sysconf("SC_CLK_TCK") / 2)
        self.assertEqual((200, "ok\n"), self.status("/healthz"))
        self.assertEqual({"allowed": True, "warnings": [NO_LAUNCHER]}, self.ask(PLAIN))

    def cpu_ticks(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    def test_all_addresses(self):
        """Without a host, those of IPv6, too, if there are any."""
        self.start("--runtimes=runtime.json", host="")
        self.assertEqual((200, "ok\n"), self.status("/healthz"))
        self.assertEqual({"allowed": True, "warnings": [NO_LAUNCHER]}, self.ask(PLAIN))
        if not has_ipv6():
            self.skipTest("there is no IPv6")
        with socket.create_connection(("::1", self.status_port)) as client:
            client.sendall(b"GET /healthz HTTP/1.0\r\n\r\n")
            self.assertIn(b"200 OK", client.recv(100))

    def test_settings(self):
        settings = self.folder / "settings.yaml"
        settings.write_text("suppress: [{rule: advice/no-launcher, paths: [team-a/**], reason: old jobs}]\n")
        self.start("--runtimes=runtime.json", "--config=settings.yaml")
        self.assertEqual({"allowed": True}, self.ask(PLAIN))
        elsewhere = changed(PLAIN, "metadata", "namespace", value="team-b")
        self.assertEqual({"allowed": True, "warnings": [NO_LAUNCHER]}, self.ask(elsewhere))
        settings.write_text("suppress: 3\n")
        self.wait(lambda: 'settings_reloads_total{result="refused"} 1\n' in self.status("/metrics")[1])
        self.assertEqual({"allowed": True}, self.ask(PLAIN))
        settings.write_text("rules: {advice/no-launcher: off}\n")
        self.wait(lambda: 'settings_reloads_total{result="accepted"} 1\n' in self.status("/metrics")[1])
        self.assertEqual({"allowed": True}, self.ask(elsewhere))

    def test_suppressed_by_label(self):
        (self.folder / "settings").write_text(
            "suppress:\n- {rule: advice/no-launcher, labels: {stage: trial}, reason: trials}\n")
        self.start("--runtimes=runtime.json", "--config=settings")
        self.assertEqual({"allowed": True, "warnings": [NO_LAUNCHER]}, self.ask(PLAIN))
        trial = changed(PLAIN, "metadata", "labels", value={"stage": "trial", "team": "a"})
        self.assertEqual({"allowed": True}, self.ask(trial))

    def test_certificate_is_renewed(self):
        self.start("--runtimes=runtime.json")
        self.assertEqual({"allowed": True}, self.ask(GOOD))
        self.make_certificate("second")
        self.wait(lambda: any(line["msg"] == "certificate read again" for line in self.log()))
        self.assertEqual({"allowed": True}, self.ask(GOOD))
        (self.folder / "tls.key").write_text("")
        self.wait(lambda: any(line["msg"] == "the certificate is not used" for line in self.log()))
        self.assertEqual({"allowed": True}, self.ask(GOOD))

    def test_watch(self):
        cluster = ApiServer()
        cluster.put(RUNTIME)
        cluster.put(changed(RUNTIME, "metadata", "name", value="other"))
        cluster.refusals = [500]
        (self.folder / "token").write_text("secret-token\n")
        self.start(f"--api-server={cluster.url}", "--token-file=token")
        self.wait(lambda: self.status("/readyz") == (200, "ok\n"))
        self.assertEqual({"allowed": True, "warnings": [NO_LAUNCHER]}, self.ask(PLAIN))
        self.assertEqual({"allowed": True}, self.ask(changed(PLAIN, "spec", "runtimeRef", "name", value="third")))
        self.assertTrue(all(header == "Bearer secret-token" for _, header in cluster.requests))
        # A new one; a change of which the watch has not told yet.
        cluster.put(changed(RUNTIME, "metadata", "name", value="third"))
        third = changed(PLAIN, "spec", "runtimeRef", "name", value="third")
        self.wait(lambda: self.ask(third) == {"allowed": True, "warnings": [NO_LAUNCHER]})
        env = [{"name": "WORLD_SIZE", "value": "4"}, {"name": "RANK", "value": "0"}]
        own = changed(RUNTIME, "spec", "template", "spec", "replicatedJobs", 0, "template", "spec", "template", "spec",
                      "containers", 0, "env", value=env)
        cluster.put(own, tell=False)
        self.assertNotIn(NO_LAUNCHER, self.ask(PLAIN).get("warnings", []))
        # Bookmarks, and a watch that the server ends because it forgot where it was.
        cluster.send({"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": "500"}}})
        asked = len(cluster.requests)
        cluster.send({"type": "ERROR", "object": {"code": 410}})
        cluster.send(None)
        self.wait(lambda: any("limit=" in path for path, _ in cluster.requests[asked:]))
        self.wait(lambda: self.ask(third) == {"allowed": True, "warnings": [NO_LAUNCHER]})
        self.assertIn("trainjobc_webhook_runtimes 3\n", self.status("/metrics")[1])
        # The runtime can't be read again.
        cluster.refusals = [500]
        self.assertEqual({"allowed": True}, self.ask(third))
        self.assertIn("trainjobc_webhook_unconfirmed_total 1\n", self.status("/metrics")[1])
        # Without its API server it says nothing.
        cluster.server.shutdown()
        cluster.server.server_close()
        cluster.send(None)
        self.wait(lambda: self.ask(third) == {"allowed": True})

    def test_what_namespaces_refuse(self):
        server = ApiServer()
        server.put(RUNTIME)
        label = {"pod-security.kubernetes.io/audit": "restricted"}
        server.surroundings = {
            "namespaces": [{"metadata": {"name": "team-a", "labels": label}}],
            "resourcequotas": [{"metadata": {"name": "pods", "namespace": namespace}, "spec": {"hard": {"pods": most}}}
                               for namespace, most in (("team-a", "3"), ("team-b", "1"))],
            "limitranges": [],
            "validatingadmissionpolicies": [],
            "validatingadmissionpolicybindings": [],
        }
        self.start(f"--api-server={server.url}", "--watch-policies")
        self.wait(lambda: self.status("/readyz")[0] == 200)
        refused = ('spec.replicatedJobs[0].template.spec.template: the job takes pods: 4; the ResourceQuota "pods" of the '
                   'namespace "team-a" allows 3; its last pods are refused, and the others wait for them (job/quota)')
        self.assertEqual({"allowed": True, "warnings": [refused]}, self.ask(GOOD))
        self.assertEqual({"allowed": True}, self.ask(changed(GOOD, "spec", "trainer", "numNodes", value=3)))
        elsewhere = changed(changed(GOOD, "metadata", "namespace", value="team-c"), "spec", "trainer", "numNodes", value=9)
        self.assertEqual({"allowed": True}, self.ask(elsewhere))
        lists = {path.partition("?")[0] for path, _ in server.requests if "watch=1" not in path}
        self.assertEqual(
            {"/api/v1/limitranges", "/api/v1/namespaces", "/api/v1/resourcequotas"}
            | {f"/apis/admissionregistration.k8s.io/v1/validatingadmission{what}" for what in ("policies", "policybindings")},
            {path for path in lists if GROUP not in path})
        self.assertIn("trainjobc_webhook_runtimes 1\n", self.status("/metrics")[1])

    def test_runtimes_over_tls(self):
        cluster = ApiServer(self.folder)
        cluster.put(RUNTIME)
        self.start(f"--api-server={cluster.url}", "--ca-file=tls.crt")
        self.wait(lambda: self.status("/readyz") == (200, "ok\n"))
        for size in range(0, 12000, 600):
            cluster.put(changed(RUNTIME, "metadata", "annotations", value={"note": "x" * size}))
            self.assertEqual({"allowed": True, "warnings": [NO_LAUNCHER]}, self.ask(PLAIN), size)

    def test_connections_are_used_again(self):
        cluster = ApiServer(self.folder)
        cluster.put(RUNTIME)
        self.start(f"--api-server={cluster.url}", "--ca-file=tls.crt")
        self.wait(lambda: self.status("/readyz") == (200, "ok\n"))
        told = {"allowed": True, "warnings": [NO_LAUNCHER]}
        self.assertEqual(told, self.ask(PLAIN))
        before = cluster.connections
        self.assertEqual([told] * 20, [self.ask(PLAIN) for _ in range(20)])
        self.assertEqual(before, cluster.connections)
        # The server ends a connection on which it was asked before: it is asked again, over a new one.
        cluster.refusals = [0]
        self.assertEqual(told, self.ask(PLAIN))
        self.assertEqual(before + 1, cluster.connections)
        cluster.refusals = [0, 0]
        self.assertEqual({"allowed": True}, self.ask(PLAIN))
        self.assertEqual(told, self.ask(PLAIN))
        self.assertIn("trainjobc_webhook_unconfirmed_total 1\n", self.status("/metrics")[1])

    def test_unknown_runtimes_are_not_judged(self):
        cluster = ApiServer()
        cluster.refusals = [403] * 1000
        self.start(f"--api-server={cluster.url}")
        self.assertEqual((503, "the runtimes are not known yet\n"), self.status("/readyz"))
        self.assertEqual({"allowed": True}, self.ask(PLAIN))

    def open_tls(self):
        trust = ssl.create_default_context(cafile=self.folder / "tls.crt")
        raw = socket.create_connection(("127.0.0.1", self.port), timeout=90)
        return self.enterContext(trust.wrap_socket(raw, server_hostname="127.0.0.1"))

    def request(self, new):
        body = json.dumps(review(new)).encode()
        return b"POST /validate HTTP/1.1\r\nHost: w\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)

    def ask_over(self, client):
        client.sendall(self.request(GOOD))
        answer = http.client.HTTPResponse(client, method="POST")
        answer.begin()
        answer.read()
        return answer.status

    def test_clients_that_leave(self):
        """Before their answer, in the middle of their request or of their handshake: nobody else notices."""
        self.start("--runtimes=runtime.json")
        whole = self.request(PLAIN)
        for sent in (whole, whole[:200], b""):
            for _ in range(50):
                client = self.open_tls()
                client.sendall(sent)
                # Without an answer to what is still under way.
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                client.close()
        for beginning in (b"", b"\x16\x03\x01", b"\x16\x03\x01\x02\x00\x01"):
            for _ in range(50):
                with socket.create_connection(("127.0.0.1", self.port)) as client:
                    client.sendall(beginning)
        self.assertIsNone(self.process.poll())
        self.assertEqual({"allowed": True, "warnings": [NO_LAUNCHER]}, self.ask(PLAIN))

    def test_requests_in_a_row(self):
        """Sent before the first has its answer: each gets one, in their order."""
        self.start("--runtimes=runtime.json")
        client = self.open_tls()
        client.sendall(b"".join(self.request(job) for job in (PLAIN, GOOD, PLAIN, GOOD) * 20))
        answers = []
        for _ in range(80):
            answer = http.client.HTTPResponse(client, method="POST")
            answer.begin()
            answers.append("warnings" in json.loads(answer.read())["response"])
        self.assertEqual([True, False] * 40, answers)

    def test_silent_clients_make_room(self):
        """The oldest of them is closed for a client that asks, which does not wait for the end of their time."""
        self.start("--runtimes=runtime.json")
        kept = self.open_tls()
        self.assertEqual(200, self.ask_over(kept))
        clients = [self.enterContext(socket.create_connection(("127.0.0.1", self.port))) for _ in range(1500)]
        begin = time.monotonic()
        self.assertEqual({"allowed": True, "warnings": [NO_LAUNCHER]}, self.ask(PLAIN))
        self.assertLess(time.monotonic() - begin, 10)
        memory = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        self.assertLess(int(re.search(r"VmRSS:\s+(\d+)", memory)[1]), 64 << 10)
        # One that has asked stays.
        self.assertEqual(200, self.ask_over(kept))
        clients[0].settimeout(30)
        self.assertEqual(b"", clients[0].recv(1))

    def test_an_answer_that_trickles(self):
        """The API server's: a review has its answer after the time limit, however often a byte comes."""
        cluster = ApiServer()
        cluster.put(RUNTIME)
        self.start(f"--api-server={cluster.url}")
        self.wait(lambda: self.status("/readyz") == (200, "ok\n"))
        cluster.pause = 0.05
        begin = time.monotonic()
        self.assertEqual({"allowed": True}, self.ask(PLAIN))
        self.assertLess(time.monotonic() - begin, 3)
        self.assertIn("trainjobc_webhook_unconfirmed_total 1\n", self.status("/metrics")[1])
        cluster.pause = 0
        self.assertEqual({"allowed": True, "warnings": [NO_LAUNCHER]}, self.ask(PLAIN))

    def test_watches_that_end_at_once(self):
        """They are asked for less and less often, and the log says why."""
        cluster = ApiServer()
        cluster.put(RUNTIME)
        cluster.ends_watches = True
        self.start(f"--api-server={cluster.url}")
        time.sleep(8)
        self.assertLess(sum("watch=1" in path for path, _ in cluster.requests), 16)
        told = [line for line in self.log() if line["msg"] == "the API server can't be watched"]
        self.assertEqual({"the watch ended at once"}, {line["error"] for line in told})
        self.assertEqual({"trainingruntimes", "clustertrainingruntimes"}, {line["resource"] for line in told})
        cluster.ends_watches = False
        self.wait(lambda: self.ask(PLAIN) == {"allowed": True, "warnings": [NO_LAUNCHER]})

    def test_a_list_without_an_end(self):
        cluster = ApiServer()
        cluster.put(RUNTIME)
        cluster.is_endless = True
        self.start(f"--api-server={cluster.url}")
        problem = "the list has more than 500 pages"
        self.wait(lambda: any(line.get("error") == problem for line in self.log()))
        asked = sum("/clustertrainingruntimes?limit" in path for path, _ in cluster.requests)
        self.assertIn(asked, range(500, 520))
        self.assertEqual((503, "the runtimes are not known yet\n"), self.status("/readyz"))
        cluster.is_endless = False
        self.wait(lambda: self.ask(PLAIN) == {"allowed": True, "warnings": [NO_LAUNCHER]})

    def test_end(self):
        """With connections that are open: one that has had an answer, one in its handshake, one in a request."""
        self.start("--runtimes=runtime.json")
        trust = ssl.create_default_context(cafile=self.folder / "tls.crt")
        kept = http.client.HTTPSConnection("127.0.0.1", self.port, context=trust, timeout=90)
        self.addCleanup(kept.close)
        kept.request("GET", "/")
        self.assertEqual(404, kept.getresponse().status)
        self.enterContext(socket.create_connection(("127.0.0.1", self.port)))
        self.enterContext(socket.create_connection(("127.0.0.1", self.status_port))).sendall(b"GET /hea")
        self.process.send_signal(signal.SIGTERM)
        self.wait(lambda: self.process.poll() is not None)
        self.assertEqual(0, self.process.returncode)
        self.assertEqual("stopped", self.log()[-1]["msg"])

    def test_many_connections(self):
        self.start("--runtimes=runtime.json")
        answers = []

        def work():
            for _ in range(20):
                answers.append(self.ask(PLAIN))

        threads = [threading.Thread(target=work) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([{"allowed": True, "warnings": [NO_LAUNCHER]}] * 400, answers)


if __name__ == "__main__":
    if not shutil.which("openssl"):
        print("skipped: there is no openssl")
        sys.exit(77)
    BINARY = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
