# SPDX-License-Identifier: Apache-2.0

"""A Kubernetes API server of its own on loopback, with the CRDs of JobSet and Trainer and no controller."""

import http.client
import json
import os
import ssl
import subprocess
import tempfile
import time

import crds
from processes import die_with_parent, free_ports

# Bearer tokens and contexts of these users; what they may do, the tests say.
USERS = ("admin", "guest", "nosecrets")
START_SECONDS = 120


class Cluster:
    def __init__(self, server, kubectl, facts=None):
        self.kubectl_path = kubectl
        self.folder = tempfile.TemporaryDirectory(prefix="trainjobc-e2e-")
        [self.port] = free_ports(1)
        self.kubeconfig = os.path.join(self.folder.name, "kubeconfig")
        self._write_files()
        self.log = open(os.path.join(self.folder.name, "log"), "w", encoding="utf-8")
        self.process = subprocess.Popen(
            [server, self.folder.name, *self._flags()],
            stdin=subprocess.PIPE,
            stdout=self.log,
            stderr=self.log,
            start_new_session=True,
            preexec_fn=die_with_parent,
        )
        try:
            self._wait_until_ready()
            if facts:
                self._install(facts)
        except BaseException:
            self.stop()
            raise

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def _write_files(self):
        with open(self.path("tokens.csv"), "w", encoding="utf-8") as file:
            for user in USERS:
                groups = ",system:masters" if user == "admin" else ""
                file.write(f"{user}-token,{user},{user}{groups}\n")
        self.write_kubeconfig(self.kubeconfig)

    def write_kubeconfig(self, path, extra_context=""):
        """One context a user, named like it; `extra_context` is one more name for the admin's."""
        contexts = {user: user for user in USERS}
        if extra_context:
            contexts[extra_context] = "admin"
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [
                {
                    "name": "loopback",
                    "cluster": {
                        "server": f"https://127.0.0.1:{self.port}",
                        "certificate-authority": self.path("certificates/apiserver.crt"),
                    },
                }
            ],
            "users": [{"name": user, "user": {"token": f"{user}-token"}} for user in USERS],
            "contexts": [
                {"name": name, "context": {"cluster": "loopback", "user": user}} for name, user in contexts.items()
            ],
            "current-context": "admin",
        }
        with open(path, "w", encoding="utf-8") as file:
            json.dump(config, file)

    def _flags(self):
        return [
            "--bind-address=127.0.0.1",
            f"--secure-port={self.port}",
            f"--token-auth-file={self.path('tokens.csv')}",
            "--authorization-mode=RBAC",
            "--disable-admission-plugins=ServiceAccount",
            "--service-cluster-ip-range=10.0.0.0/24",
        ]

    def _is_ready(self):
        unchecked = ssl.create_default_context()
        unchecked.check_hostname = False
        unchecked.verify_mode = ssl.CERT_NONE
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=5, context=unchecked)
        try:
            connection.request("GET", "/readyz", headers={"Authorization": "Bearer admin-token"})
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()

    def _wait_until_ready(self):
        deadline = time.monotonic() + START_SECONDS
        while not self._is_ready():
            if self.process.poll() is not None or time.monotonic() > deadline:
                with open(self.log.name, encoding="utf-8") as file:
                    raise RuntimeError("kube-apiserver did not start:\n" + file.read()[-4000:])
            time.sleep(0.2)

    def _install(self, facts):
        self.kubectl("create", "-f", "-", stdin=json.dumps(crds.as_list(facts)))
        self.kubectl("wait", "--for=condition=Established", "--timeout=60s", "crd", "--all")

    def environment(self):
        """kubectl first in PATH, nothing of the user's own configuration."""
        return {
            "PATH": os.path.dirname(self.kubectl_path) + ":/usr/bin:/bin",
            "HOME": self.folder.name,
            "KUBECONFIG": self.kubeconfig,
        }

    def kubectl(self, *words, stdin="", check=True):
        """What kubectl prints, as the admin."""
        done = subprocess.run(
            [self.kubectl_path, *words],
            input=stdin,
            env=self.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        if check and done.returncode != 0:
            raise RuntimeError(f"kubectl {' '.join(words)}: {done.stderr}")
        return done.stdout

    def get(self, kind, name, namespace):
        return json.loads(self.kubectl("get", kind, name, "-n", namespace, "-o", "json", "--show-managed-fields"))

    def stop(self):
        self.process.stdin.close()
        self.process.wait()
        self.log.close()
        self.folder.cleanup()
