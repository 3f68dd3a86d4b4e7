# SPDX-License-Identifier: Apache-2.0

"""The Kubernetes API over HTTP: what kubectl sends and what the API server answers, without a process each."""

import http.client
import json
import re
import ssl
import threading

PLURALS = {
    "TrainJob": ("trainer.kubeflow.org/v1alpha1", "trainjobs"),
    "TrainingRuntime": ("trainer.kubeflow.org/v1alpha1", "trainingruntimes"),
    "ClusterTrainingRuntime": ("trainer.kubeflow.org/v1alpha1", "clustertrainingruntimes"),
    "JobSet": ("jobset.x-k8s.io/v1alpha2", "jobsets"),
    "Job": ("batch/v1", "jobs"),
    "Pod": ("v1", "pods"),
    "Event": ("v1", "events"),
    "ConfigMap": ("v1", "configmaps"),
    "Secret": ("v1", "secrets"),
    "Namespace": ("v1", "namespaces"),
    "ServiceAccount": ("v1", "serviceaccounts"),
    "ResourceQuota": ("v1", "resourcequotas"),
    "LimitRange": ("v1", "limitranges"),
    "PersistentVolumeClaim": ("v1", "persistentvolumeclaims"),
    "PersistentVolume": ("v1", "persistentvolumes"),
    "PriorityClass": ("scheduling.k8s.io/v1", "priorityclasses"),
    "PodGroup": ("scheduling.x-k8s.io/v1alpha1", "podgroups"),
    "VolcanoPodGroup": ("scheduling.volcano.sh/v1beta1", "podgroups"),
}
WARNING = re.compile(r'299 \S+ "((?:[^"\\]|\\.)*)"')


def base_path(kind, namespace=""):
    version, plural = PLURALS[kind]
    root = f"/apis/{version}" if "/" in version else f"/api/{version}"
    return f"{root}/namespaces/{namespace}/{plural}" if namespace else f"{root}/{plural}"


class Api:
    """Safe for threads: a connection each."""

    def __init__(self, port, token):
        self.port = port
        self.token = token
        self.local = threading.local()

    def _connection(self):
        if not hasattr(self.local, "connection"):
            unchecked = ssl.create_default_context()
            unchecked.check_hostname = False
            unchecked.verify_mode = ssl.CERT_NONE
            self.local.connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=60, context=unchecked)
        return self.local.connection

    def request(self, method, path, body=None):
        """Status, decoded answer, warnings."""
        try:
            return self._request(method, path, body)
        except (http.client.RemoteDisconnected, ConnectionResetError):  # an idle connection was closed
            return self._request(method, path, body)

    def _request(self, method, path, body):
        connection = self._connection()
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        try:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            response = connection.getresponse()
            text = response.read()
        except (OSError, http.client.HTTPException):
            connection.close()
            raise
        warnings = [match for value in response.headers.get_all("Warning", []) for match in WARNING.findall(value)]
        return response.status, json.loads(text), warnings

    def create(self, kind, namespace, body):
        """As kubectl create does it, with its strict check of fields."""
        path = base_path(kind, namespace) + "?fieldManager=kubectl-create&fieldValidation=Strict"
        return self.request("POST", path, body)

    def list(self, kind, namespace=""):
        status, answer, _ = self.request("GET", base_path(kind, namespace))
        if status != 200:
            raise RuntimeError(f"list of {kind}: {answer}")
        version = PLURALS[kind][0]
        kind = kind.removeprefix("Volcano")
        return [{**item, "apiVersion": version, "kind": kind} for item in answer["items"] or []]

    def delete(self, kind, namespace, name):
        self.request("DELETE", f"{base_path(kind, namespace)}/{name}?propagationPolicy=Background")

    def delete_all(self, kind, namespace):
        self.request("DELETE", f"{base_path(kind, namespace)}?propagationPolicy=Background")
