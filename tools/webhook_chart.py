#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the templates of plugin/webhook/chart from the kustomize bases, so that there is one text of each object.

usage: webhook_chart.py [--check]. --check only says whether they are up to date.
"""
import pathlib
import sys

WEBHOOK = pathlib.Path(__file__).resolve().parents[1] / "plugin/webhook"
MADE = "{{- /* Made by tools/webhook_chart.py from plugin/webhook. */ -}}\n"
LICENCE = "# SPDX-License" "-Identifier: Apache-2.0\n"  # in two: `reuse` takes one text for this file's own
IMAGE = "ghcr.io/trainjobc/trainjobc:0.1.0"
# What differs from one installation to another.
EVERYWHERE = {"trainjobc-system": "{{ .Release.Namespace }}"}
DEPLOYMENT = {
    "replicas: 2": "replicas: {{ .Values.replicas }}",
    f"image: {IMAGE}": "image: {{ .Values.image }}",
    "        - --config=/settings/trainjobc.yaml\n":
        "        - --config=/settings/trainjobc.yaml\n"
        "        {{- range .Values.deny }}\n        - --deny={{ . }}\n        {{- end }}\n"
        "        {{- if .Values.watchPolicies }}\n        - --watch-policies\n        {{- end }}\n",
    "          requests: {cpu: 50m, memory: 64Mi}\n          limits: {cpu: \"1\", memory: 256Mi}\n":
        "          {{- toYaml .Values.resources | nindent 10 }}\n",
}
WEBHOOK_CONFIGURATION = {
    "  name: trainjobc-webhook\nwebhooks:":
        "  name: trainjobc-webhook\n"
        "  {{- if .Values.certManager }}\n"
        "  annotations: {cert-manager.io/inject-ca-from: {{ .Release.Namespace }}/trainjobc-webhook}\n"
        "  {{- end }}\nwebhooks:",
    "  clientConfig:\n":
        "  clientConfig:\n    {{- with .Values.caBundle }}\n    caBundle: {{ . }}\n    {{- end }}\n",
}
SETTINGS = """apiVersion: v1
kind: ConfigMap
metadata:
  name: trainjobc-webhook
  namespace: {{ .Release.Namespace }}
data:
  trainjobc.yaml: |
    {{- toYaml .Values.settings | nindent 4 }}
"""


def template(source, changes, condition=""):
    """The text of a base with its values; each of the changes must be there."""
    text = (WEBHOOK / source).read_text()
    for old, new in {**changes, **EVERYWHERE}.items():
        if old not in text:
            raise ValueError(f"plugin/webhook/{source} has no {old!r}")
        text = text.replace(old, new)
    text = text.removeprefix(LICENCE)
    return MADE + (f"{{{{- if .Values.{condition} }}}}\n{text}{{{{- end }}}}\n" if condition else text)


def templates():
    yield "rbac.yaml", template("base/rbac.yaml", {})
    yield "deployment.yaml", template("base/deployment.yaml", DEPLOYMENT)
    yield "network-policy.yaml", template("base/network-policy.yaml", {})
    yield "webhook.yaml", template("base/webhook.yaml", WEBHOOK_CONFIGURATION)
    yield "certificate.yaml", template("cert-manager/certificate.yaml", {}, "certManager")
    yield "pod-monitor.yaml", template("monitoring/pod-monitor.yaml", {}, "podMonitor")
    yield "policies.yaml", template("policies/rbac.yaml", {}, "watchPolicies")
    yield "settings.yaml", MADE + SETTINGS


def main():
    old = []
    for name, text in templates():
        path = WEBHOOK / "chart/templates" / name
        if "--check" not in sys.argv:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            old.append(str(path))
    print("\n".join(f"{path} is not what tools/webhook_chart.py writes now" for path in old))
    return 1 if old else 0


sys.exit(main())
