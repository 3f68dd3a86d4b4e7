#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""plugin/webhook: what the kustomize variants and the Helm chart install, that they install the same, and what they may do.

usage: webhook_manifests_test.py BINARY. Without kustomize and kubectl it is skipped (77); without helm, openssl or
kube-linter, what needs them is left out, and it says so.
"""
import contextlib
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
WEBHOOK = ROOT / "plugin/webhook"
BINARY = pathlib.Path(sys.argv[1]).resolve()
OBJECTS = {
    ("ClusterRole", "trainjobc-webhook"),
    ("ClusterRoleBinding", "trainjobc-webhook"),
    ("ConfigMap", "trainjobc-webhook"),
    ("Deployment", "trainjobc-webhook"),
    ("Namespace", "trainjobc-system"),
    ("NetworkPolicy", "trainjobc-webhook"),
    ("PodDisruptionBudget", "trainjobc-webhook"),
    ("Service", "trainjobc-webhook"),
    ("ServiceAccount", "trainjobc-webhook"),
    ("ValidatingWebhookConfiguration", "trainjobc-webhook"),
}
WATCHING = {("ClusterRole", "trainjobc-webhook-policies"), ("ClusterRoleBinding", "trainjobc-webhook-policies")}
CERT_MANAGER = {("Certificate", "trainjobc-webhook"), ("Issuer", "trainjobc-webhook")}


def by_name(text):
    return {(found["kind"], found["metadata"]["name"]): found for found in yaml.safe_load_all(text) if found}


def build(folder):
    words = ["kustomize", "build"] if shutil.which("kustomize") else ["kubectl", "kustomize"]
    return by_name(subprocess.run([*words, str(folder)], capture_output=True, text=True, check=True).stdout)


def chart(*words):
    return by_name(subprocess.run(["helm", "template", "trainjobc", WEBHOOK / "chart", "--namespace", "trainjobc-system",
                                   "--kube-version", "1.36.0", *words], capture_output=True, text=True, check=True).stdout)


@contextlib.contextmanager
def copied():
    with tempfile.TemporaryDirectory() as name:
        copy = pathlib.Path(name, "webhook")
        shutil.copytree(WEBHOOK, copy, ignore=shutil.ignore_patterns("tls.*", "ca-bundle.yaml"))
        yield copy


def self_signed():
    with copied() as folder:
        subprocess.run([folder / "self-signed/certificate.sh", "30"], check=True)
        if (folder / "self-signed/tls.key").stat().st_mode & 0o777 != 0o600:
            raise AssertionError("others can read the key")
        return build(folder / "self-signed")


def with_component(name):
    with copied() as folder:
        (folder / "all").mkdir()
        (folder / "all/kustomization.yaml").write_text(f"resources: [../base]\ncomponents: [../{name}]\n")
        return build(folder / "all")


class Manifests(unittest.TestCase):
    maxDiff = None

    def test_cert_manager(self):
        found = build(WEBHOOK / "cert-manager")
        self.assertEqual(set(found), OBJECTS | CERT_MANAGER)
        self.assertEqual(found["ValidatingWebhookConfiguration", "trainjobc-webhook"]["metadata"]["annotations"],
                         {"cert-manager.io/inject-ca-from": "trainjobc-system/trainjobc-webhook"})

    @unittest.skipUnless(shutil.which("openssl"), "openssl is not installed")
    def test_self_signed(self):
        found = self_signed()
        secret = found.pop(("Secret", "trainjobc-webhook-tls"))
        self.assertEqual(set(found), OBJECTS)
        self.assertEqual(secret["type"], "kubernetes.io/tls")
        webhook = found["ValidatingWebhookConfiguration", "trainjobc-webhook"]["webhooks"][0]
        self.assertEqual(webhook["clientConfig"]["caBundle"], "".join(secret["data"]["tls.crt"].split()))

    def test_it_can_only_read_runtimes(self):
        rules = build(WEBHOOK / "base")["ClusterRole", "trainjobc-webhook"]["rules"]
        self.assertEqual(rules, [{"apiGroups": ["trainer.kubeflow.org"], "resources": ["trainingruntimes", "clustertrainingruntimes"],
                                  "verbs": ["get", "list", "watch"]}])

    def test_it_can_not_stand_in_the_way(self):
        webhook = build(WEBHOOK / "base")["ValidatingWebhookConfiguration", "trainjobc-webhook"]["webhooks"][0]
        self.assertEqual((webhook["failurePolicy"], webhook["sideEffects"], webhook["timeoutSeconds"]), ("Ignore", "None", 3))

    def test_the_pods_run_what_there_is(self):
        pod = build(WEBHOOK / "base")["Deployment", "trainjobc-webhook"]["spec"]["template"]["spec"]
        container, = pod["containers"]
        self.assertEqual(container["securityContext"], {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                                                        "capabilities": {"drop": ["ALL"]}})
        self.assertEqual(pod["securityContext"]["runAsNonRoot"], True)
        # The arguments are flags of this binary: only the address is wrong.
        tried = subprocess.run([BINARY, *container["args"], "--status-listen", "nowhere"], capture_output=True, text=True)
        self.assertEqual((tried.returncode, tried.stderr),
                         (2, "trainjobc: --status-listen nowhere is not an address such as :9443 or 127.0.0.1:9443\n"))

    def test_monitoring(self):
        self.assertEqual(set(with_component("monitoring")), OBJECTS | {("PodMonitor", "trainjobc-webhook")})

    def test_policies(self):
        found = with_component("policies")
        self.assertEqual(set(found), OBJECTS | WATCHING)
        container = found["Deployment", "trainjobc-webhook"]["spec"]["template"]["spec"]["containers"][0]
        self.assertEqual(container["args"][-2:], ["--config=/settings/trainjobc.yaml", "--watch-policies"])

    def test_chart_is_up_to_date(self):
        made = subprocess.run([sys.executable, ROOT / "tools/webhook_chart.py", "--check"], capture_output=True, text=True)
        self.assertEqual((made.returncode, made.stdout.strip()), (0, ""))

    @unittest.skipUnless(shutil.which("helm"), "helm is not installed")
    def test_chart_installs_the_same(self):
        wanted = build(WEBHOOK / "cert-manager")
        wanted.pop(("Namespace", "trainjobc-system"))
        settings = wanted["ConfigMap", "trainjobc-webhook"]["data"]
        settings["trainjobc.yaml"] = yaml.safe_dump(yaml.safe_load(settings["trainjobc.yaml"]))
        self.assertEqual(chart(), wanted)

    @unittest.skipUnless(shutil.which("helm"), "helm is not installed")
    def test_values_of_the_chart(self):
        found = chart("--set", "certManager=false,caBundle=YQ==,podMonitor=true,replicas=3,deny={error,advice/no-launcher}",
                      "--set", "watchPolicies=true",
                      "--set", "settings.rules.advice/image-tag=off")
        self.assertEqual(set(found), OBJECTS - {("Namespace", "trainjobc-system")} | {("PodMonitor", "trainjobc-webhook")} | WATCHING)
        webhook = found["ValidatingWebhookConfiguration", "trainjobc-webhook"]
        self.assertNotIn("annotations", webhook["metadata"])
        self.assertEqual(webhook["webhooks"][0]["clientConfig"]["caBundle"], "YQ==")
        deployment = found["Deployment", "trainjobc-webhook"]["spec"]
        self.assertEqual(deployment["replicas"], 3)
        self.assertEqual(deployment["template"]["spec"]["containers"][0]["args"][-3:],
                         ["--deny=error", "--deny=advice/no-launcher", "--watch-policies"])
        self.assertEqual(found["ConfigMap", "trainjobc-webhook"]["data"], {"trainjobc.yaml": "rules:\n  advice/image-tag: \"off\"\n"})

    @unittest.skipUnless(shutil.which("kube-linter"), "kube-linter is not installed")
    def test_kube_linter(self):
        variants = {"base": build(WEBHOOK / "base"), "cert-manager": build(WEBHOOK / "cert-manager"), "monitored": with_component("monitoring"), "policies": with_component("policies")}
        if shutil.which("openssl"):
            variants["self-signed"] = self_signed()
        if shutil.which("helm"):
            variants["chart"] = chart()
            variants["chart with values"] = chart("--set", "certManager=false,podMonitor=true,deny={error}")
        for name, found in variants.items():
            with self.subTest(variant=name), tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder, "all.yaml")
                file.write_text(yaml.safe_dump_all(found.values()))
                tried = subprocess.run(["kube-linter", "lint", str(file)], capture_output=True, text=True)
                self.assertEqual(tried.returncode, 0, tried.stdout + tried.stderr)


if __name__ == "__main__":
    if not (shutil.which("kustomize") or shutil.which("kubectl")):
        print("skipped: neither kustomize nor kubectl is installed")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
