# SPDX-License-Identifier: Apache-2.0

"""docs/tasks/admission.md as it says it: install, what users see, from a warning to a refusal, removal. The repository is a
copy on this machine. Pods are kwok's, so the Service leads to a process with the flags and files of the pod, and the
certificate is made and trusted as cert-manager does it."""

import base64
import json
import os
import re
import shutil
import subprocess
import unittest

import crds
import programs
from webhook_process import CONFIGURATION, NO_LAUNCHER, PAGE, PLUGIN, SYSTEM, WebhookProcess, job, run_kubectl

ADDRESS = "127.43.4.43"  # on this machine, too; the port is that of the Service
NAME = f"trainjobc-webhook.{SYSTEM}.svc"
SECRET = "trainjobc-webhook-tls"
REPOSITORY = re.compile(r"--branch (\S+) (https://\S+)")
ANYTHING = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
KINDS = (
    ("Certificate", "certificates", "cert-manager.io", "v1"),
    ("Issuer", "issuers", "cert-manager.io", "v1"),
    ("PodMonitor", "podmonitors", "monitoring.coreos.com", "v1"),
)
KINDS_OF_CLUSTER = ("validatingwebhookconfigurations", "clusterroles", "clusterrolebindings")


class Installation(WebhookProcess):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if os.geteuid() != 0:
            raise unittest.SkipTest("the port of the Service needs root")
        cls.apply_all(crds.definition(*kind, "Namespaced", ANYTHING, []) for kind in KINDS)
        cls.page = PAGE.read_text(encoding="utf-8")

    def setUp(self):
        super().setUp()
        tag, address = REPOSITORY.search(self.page).groups()
        origin = os.path.join(self.folder, "origin")
        shutil.copytree(PLUGIN, f"{origin}/plugin/webhook", ignore=shutil.ignore_patterns("tls.*", "ca-bundle.yaml"))
        self.environment = {
            **self.cluster.environment(),
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": f"url.file://{origin}.insteadOf",
            "GIT_CONFIG_VALUE_0": address,
        }
        author = "-c user.name=test -c user.email=test@example.com"
        self.run_line(f"git init -q && git add . && git {author} commit -qm all && git tag {tag}", origin)
        self.addCleanup(self.cluster.kubectl, "delete", "namespace", SYSTEM, "--ignore-not-found")

    def run_line(self, line, folder=None):
        done = subprocess.run(
            ["sh", "-ec", line], cwd=folder or self.folder, env=self.environment, capture_output=True, text=True, check=False
        )
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        return done.stdout

    def block(self, section, language):
        """The first one in the section of the page."""
        text = self.page.split(f"\n## {section}\n")[1].split("\n## ")[0]
        return re.search(f"```{language}\n(.*?)```", text, re.DOTALL)[1]

    def command(self, beginning):
        """What the page's text says to run."""
        found = re.search(f"`({re.escape(beginning)}[^`]*)`", self.page)
        return " ".join(found[1].split())

    def installed(self):
        """What is there of it, by kind and name."""
        found = run_kubectl(self.cluster, "get", ",".join(KINDS_OF_CLUSTER), "-o", "name")[1].split()
        inside = "deployments,services,configmaps,secrets,serviceaccounts,networkpolicies,poddisruptionbudgets,issuers,certificates"
        found += run_kubectl(self.cluster, "get", inside, "-n", SYSTEM, "-o", "name")[1].split()
        return {one for one in found if "trainjobc" in one}

    def expect_installed(self, *more):
        own = {f"{kind}/trainjobc-webhook" for kind in (
            "validatingwebhookconfiguration.admissionregistration.k8s.io", "clusterrole.rbac.authorization.k8s.io",
            "clusterrolebinding.rbac.authorization.k8s.io", "deployment.apps", "service", "configmap", "serviceaccount",
            "networkpolicy.networking.k8s.io", "poddisruptionbudget.policy",
        )}  # fmt: skip
        self.assertEqual(own | set(more), self.installed())
        self.cluster.kubectl("rollout", "status", "deployment/trainjobc-webhook", "-n", SYSTEM, "--timeout=60s")

    def be_cert_manager(self):
        """It signs with the key itself, as its issuer says, and tells the API server."""
        certificate = self.cluster.get("certificate", "trainjobc-webhook", SYSTEM)["spec"]
        self.assertEqual((SECRET, [NAME]), (certificate["secretName"], certificate["dnsNames"]))
        made = os.path.join(self.folder, "self-signed")
        shutil.copytree(PLUGIN / "self-signed", made)
        self.run_line("./certificate.sh 1", made)
        self.kubectl("create", "secret", "tls", SECRET, f"--cert={made}/tls.crt", f"--key={made}/tls.key", "-n", SYSTEM)
        annotations = self.cluster.get(*CONFIGURATION.split("/"), SYSTEM)["metadata"]["annotations"]
        self.assertEqual(f"{SYSTEM}/trainjobc-webhook", annotations["cert-manager.io/inject-ca-from"])
        with open(f"{made}/tls.crt", "rb") as file:
            bundle = base64.b64encode(file.read()).decode()
        patch = [{"op": "add", "path": "/webhooks/0/clientConfig/caBundle", "value": bundle}]
        self.patch(CONFIGURATION, patch, "--field-manager=cert-manager-cainjector")

    def patch(self, name, patch, *words):
        self.cluster.kubectl("patch", name, "-n", SYSTEM, "--type=json", "-p", json.dumps(patch), *words)

    def run_pod(self):
        """The process that a pod of the Deployment would be."""
        (container,) = self.cluster.get("deployment", "trainjobc-webhook", SYSTEM)["spec"]["template"]["spec"]["containers"]
        self.assertEqual("webhook", container["args"][0])
        for path, (kind, name, is_encoded) in {
            "/tls": ("secret", SECRET, True),
            "/settings": ("configmap", "trainjobc-webhook", False),
        }.items():
            for file, text in self.cluster.get(kind, name, SYSTEM)["data"].items():
                self.write(f"pod{path}/{file}", base64.b64decode(text).decode() if is_encoded else text)
        own = [flag.replace("=/", f"={self.folder}/pod/") for flag in container["args"][1:] if not flag.startswith("--tls-")]
        process = self.start(*own, certificates=f"{self.folder}/pod/tls", address=f"{ADDRESS}:443")
        service = [
            {"op": "replace", "path": "/spec/type", "value": "ExternalName"},
            {"op": "add", "path": "/spec/externalName", "value": ADDRESS},
        ]
        self.patch("service/trainjobc-webhook", service)
        self.wait("the API server asks", lambda: self.is_asked("trial"))
        return process

    def stop(self, process):
        process.terminate()
        self.assertEqual(0, process.wait(30))

    def create_bert(self):
        status, out, err = self.create(job("bert", self.runtime))
        self.kubectl("delete", "trainjob", "bert", "--ignore-not-found")
        return status, err + out

    def test_page(self):
        self.run_line(self.block("Install", "sh"))
        self.expect_installed("issuer.cert-manager.io/trainjobc-webhook", "certificate.cert-manager.io/trainjobc-webhook")
        self.be_cert_manager()
        process = self.run_pod()
        seen = self.block_of_intro()
        self.assertEqual((0, seen), self.create_bert())

        self.write("kustomization.yaml", self.block("From a warning to a refusal", "yaml"))
        self.run_line(self.command("kubectl apply --server-side -k ."))
        self.stop(process)
        process = self.run_pod()
        status, said = self.create_bert()
        self.assertEqual((1, True), (status, said.endswith(f"denied the request: {NO_LAUNCHER}\n")), said)

        self.run_line(self.block("Remove it", "sh"))
        self.stop(process)
        self.assertEqual(set(), self.installed())
        self.assertEqual((0, "trainjob.trainer.kubeflow.org/bert created\n"), self.create_bert())

    def block_of_intro(self):
        """What kubectl says there."""
        return re.search("```text\n\\$ [^\n]*\n(.*?)```", self.page, re.DOTALL)[1]

    def test_self_signed(self):
        self.run_line(self.block("Install", "sh").splitlines()[0])
        for path, command in (("/certificate.sh", ""), ("", "kubectl apply --server-side -k ")):
            self.assertIn(f"`plugin/webhook/self-signed{path}`", self.page)
            self.run_line(f"{command}trainjobc/plugin/webhook/self-signed{path}")
        self.expect_installed(f"secret/{SECRET}")
        self.run_pod()
        self.assertEqual((0, self.block_of_intro()), self.create_bert())
        self.run_line("kubectl delete -k trainjobc/plugin/webhook/self-signed")
        self.assertEqual(set(), self.installed())

    def test_helm(self):
        try:
            helm = programs.build_tool("helm-4", os.path.dirname(os.path.dirname(self.cluster.kubectl_path)))
        except programs.Missing as missing:
            self.skipTest(str(missing))
        os.symlink(helm, os.path.join(self.folder, "helm"))
        self.environment["PATH"] = f"{self.folder}:{self.environment['PATH']}"
        self.run_line(self.block("Install", "sh").splitlines()[0])
        self.run_line(self.command("helm install"))
        release = "secret/sh.helm.release.v1.trainjobc.v1"
        self.expect_installed("issuer.cert-manager.io/trainjobc-webhook", "certificate.cert-manager.io/trainjobc-webhook", release)
        self.be_cert_manager()
        self.run_pod()
        self.assertEqual((0, self.block_of_intro()), self.create_bert())
        self.run_line(self.command("helm uninstall"))
        self.assertEqual({f"secret/{SECRET}"}, self.installed())
