# SPDX-License-Identifier: Apache-2.0
"""The Kubeflow SDK's jobs: what ``TrainerClient().train(…)`` posts, before it is posted.

Needs the ``kubeflow`` package, release 0.4 or 0.5.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any

from ._api import catalogue as _catalogue
from ._api import explain as _explain
from ._api import lint as _lint
from ._api import plan as _plan
from ._api import render as _render
from ._core import newest_trainer_version
from ._errors import Rejected
from ._results import Explanation, Finding, Plan, Rendering
from ._value import Value

if TYPE_CHECKING:
    from ._inputs import Objects
    from kubeflow.trainer import TrainerClient

GROUP = "trainer.kubeflow.org"
TRAIN_JOBS = "trainjobs"
#: Plural and kind of the two kinds of runtimes.
RUNTIMES = {"clustertrainingruntimes": "ClusterTrainingRuntime", "trainingruntimes": "TrainingRuntime"}

__all__ = ["Preview", "guard", "preview"]


class Preview(Value):
    """A job that the SDK would post, and what becomes of it."""

    job: dict[str, Any]
    """The TrainJob, with the namespace that it is posted to."""
    findings: tuple[Finding, ...]
    """What ``lint`` says of it."""
    rendering: Rendering
    """Without objects if the cluster would refuse the job."""
    plan: Plan
    explanation: Explanation

    @property
    def job_set(self) -> dict[str, Any] | None:
        """The JobSet; ``None`` if the cluster would refuse the job."""
        made = (one.to_dict() for one in self.rendering.manifests if one.kind == "JobSet")
        return next(made, None)

    def __str__(self) -> str:
        """The job in a few lines, its objects and its findings."""
        lines: list[str] = []
        for job in self.plan.jobs:
            processes = "?" if job.processes is None else str(job.processes)
            lines += [job.object, f"  runtime: {job.runtime}" + (f" ({job.framework})" if job.framework else "")]
            lines.append(f"  nodes: {job.nodes}, processes: {processes}, pods: {job.pods}")
            if job.requests:
                lines.append("  requests: " + ", ".join(f"{name} {amount}" for name, amount in job.requests.items()))
        if not lines:
            metadata = self.job.get("metadata", {})
            lines.append(f"TrainJob/{metadata.get('namespace', 'default')}/{metadata.get('name', '')}")
        made = ", ".join(f"{one.kind} {one.name}" for one in self.rendering.manifests)
        lines.append(f"  objects: {made}" if made else "  the cluster would refuse it")
        return "\n".join(lines) + "\n" + "".join("\n" + one.text for one in self.findings)

    def _repr_html_(self) -> str:
        from . import _html

        return _html.preview(self)


def preview(
    runtime: Any = None,
    initializer: Any = None,
    trainer: Any = None,
    options: list[Any] | None = None,
    *,
    runtimes: Objects | None = None,
    client: TrainerClient | None = None,
    namespace: str = "default",
    trainer_version: str = "auto",
) -> Preview:
    """Returns what ``TrainerClient().train(…)`` would post with the same arguments, and posts nothing.

    Args:
        runtime: As of ``train()``: a name or a ``kubeflow.trainer.Runtime``; by default, ``torch-distributed``.
        initializer: As of ``train()``.
        trainer: As of ``train()``: a CustomTrainer, CustomTrainerContainer or BuiltinTrainer.
        options: As of ``train()``.
        runtimes: TrainingRuntimes and ClusterTrainingRuntimes, as for :func:`trainjobc.render`; by default, those that
            Trainer ships.
        client: Take the runtimes of this client's cluster instead, and its namespace.
        namespace: That the job is for; without effect with ``client``.
        trainer_version: The Trainer that the cluster runs; ``"auto"`` is the newest that accepts the job.

    Raises:
        RuntimeError: There is no such runtime, as the SDK says it.
        ValueError: The SDK refuses the arguments.
        ImportError: The ``kubeflow`` package is missing.
    """
    api: _OfflineApi
    if client is not None:
        backend: Any = client.backend
        if not hasattr(backend, "custom_api"):
            raise TypeError("preview() needs a client of the Kubernetes backend")
        api, namespace = _ClusterApi(backend.custom_api), backend.namespace
    else:
        api = _OfflineApi(_runtime_objects(runtimes, trainer_version), namespace)
    _backend(api, namespace).train(runtime=runtime, initializer=initializer, trainer=trainer, options=options)
    job = api.posted
    assert job is not None, "the SDK posted nothing"
    version = job["apiVersion"].rpartition("/")[2]
    known = _runtime_of(api, job, version, namespace)
    given: dict[str, Any] = {"runtimes": known, "trainer_version": trainer_version, "catalogue": False}
    return Preview(
        job,
        _lint(job, **given).findings,
        _render(job, keep_going=True, **given),
        _plan(job, keep_going=True, **given),
        _explain(job, keep_going=True, **given),
    )


@contextmanager
def guard(
    runtimes: Objects | None = None,
    *,
    trainer_version: str = "auto",
    report: Callable[[Finding], None] | None = None,
) -> Iterator[None]:
    """Checks each TrainJob that the SDK posts in this block before it is posted.

    Errors raise ``Rejected``, and the job is not posted; other findings are printed. It does nothing else. The check
    holds for all threads of the process, and for every client of the SDK with the Kubernetes backend.

        with trainjobc.kubeflow.guard():
            TrainerClient().train(runtime="torch-distributed", trainer=trainer)

    Args:
        runtimes: As for :func:`trainjobc.render`; by default, that of the cluster that the job is posted to.
        trainer_version: The Trainer that the cluster runs; ``"auto"`` is the newest that accepts the job.
        report: Called with each finding that is no error; by default, it is printed to stderr.

    Raises:
        Rejected: By ``train()``: the cluster would refuse the job, or never run it.
        ImportError: The ``kubeflow`` package is missing.
    """
    from kubeflow.trainer import TrainerClient
    from kubernetes.client import CustomObjectsApi

    tell = report or (lambda finding: print(finding.text, end="", file=sys.stderr))
    create = CustomObjectsApi.create_namespaced_custom_object
    train = TrainerClient.train

    @wraps(create)
    def checked_create(self: Any, group: str, version: str, namespace: str, plural: str, body: Any, **others: Any) -> Any:
        if (group, plural) == (GROUP, TRAIN_JOBS):
            job = _with_namespace(body, namespace)
            known = runtimes if runtimes is not None else _runtime_of(self, job, version, namespace)
            findings = _lint(job, runtimes=known, catalogue=False, trainer_version=trainer_version).findings
            if any(finding.severity == "error" for finding in findings):
                raise Rejected(findings)
            for finding in findings:
                tell(finding)
        return create(self, group, version, namespace, plural, body, **others)

    # The SDK turns whatever is raised into a RuntimeError.
    @wraps(train)
    def unwrapped_train(self: Any, *arguments: Any, **named: Any) -> Any:
        try:
            return train(self, *arguments, **named)
        except RuntimeError as error:
            if isinstance(error.__cause__, Rejected):
                raise error.__cause__ from None
            raise

    CustomObjectsApi.create_namespaced_custom_object = checked_create
    TrainerClient.train = unwrapped_train  # type: ignore[method-assign]
    try:
        yield
    finally:
        CustomObjectsApi.create_namespaced_custom_object = create
        TrainerClient.train = train  # type: ignore[method-assign]


def _with_namespace(job: Any, namespace: str) -> dict[str, Any]:
    plain: dict[str, Any] = dict(job if isinstance(job, Mapping) else job.to_dict())
    plain["metadata"] = {**plain.get("metadata", {}), "namespace": namespace}
    return plain


def _runtime_of(api: Any, job: dict[str, Any], version: str, namespace: str) -> list[dict[str, Any]]:
    """The runtime that the job refers to, as the cluster has it; none if it can't be read there."""
    from kubernetes.client import ApiException

    reference = job.get("spec", {}).get("runtimeRef", {})
    name = reference.get("name", "")
    try:
        if reference.get("kind", "ClusterTrainingRuntime") == "TrainingRuntime":
            return [api.get_namespaced_custom_object(GROUP, version, namespace, "trainingruntimes", name)]
        return [api.get_cluster_custom_object(GROUP, version, "clustertrainingruntimes", name)]
    except ApiException as error:
        if error.status == 404:
            return []
        raise


def _runtime_objects(runtimes: Objects | None, trainer_version: str) -> list[dict[str, Any]]:
    """The runtimes as dicts, as a cluster would return them."""
    import yaml

    from ._inputs import texts_of

    if runtimes is None:
        version = newest_trainer_version() if trainer_version == "auto" else trainer_version
        texts = [one.yaml for one in _catalogue(version)]
    else:
        texts = [text for _, text, _ in texts_of(runtimes, "runtimes")]
    documents = (document for text in texts for document in yaml.safe_load_all(text))
    objects = (item for one in documents if one for item in (one["items"] if one.get("kind") == "List" else [one]))
    return [one for one in objects if one.get("kind") in RUNTIMES.values()]


class _Answer:
    """What the kubernetes client returns if it is asked with ``async_req=True``."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def get(self, timeout: float | None = None) -> Any:
        return self.value


class _OfflineApi:
    """Of the kubernetes client's ``CustomObjectsApi``, what ``train()`` calls."""

    def __init__(self, objects: list[dict[str, Any]], namespace: str) -> None:
        self._objects = objects
        self._namespace = namespace
        self.posted: dict[str, Any] | None = None

    def create_namespaced_custom_object(
        self, group: str, version: str, namespace: str, plural: str, body: Any, **_: Any
    ) -> Any:
        self.posted = _with_namespace(body, namespace)
        return self.posted

    def get_cluster_custom_object(self, group: str, version: str, plural: str, name: str, **how: Any) -> Any:
        return self._answer(self.find(plural, None, name, version), how)

    def get_namespaced_custom_object(
        self, group: str, version: str, namespace: str, plural: str, name: str, **how: Any
    ) -> Any:
        return self._answer(self.find(plural, namespace, name, version), how)

    def find(self, plural: str, namespace: str | None, name: str, version: str) -> dict[str, Any]:
        from kubernetes.client import ApiException

        for one in self._objects:
            metadata = one["metadata"]
            its_own = metadata.get("namespace", self._namespace) if namespace else None
            if (one["kind"], its_own, metadata["name"]) == (RUNTIMES[plural], namespace, name):
                return one
        raise ApiException(status=404, reason="Not Found")

    def _answer(self, found: dict[str, Any], how: Mapping[str, Any]) -> Any:
        return _Answer(found) if how.get("async_req") else found


class _ClusterApi(_OfflineApi):
    """The same with the runtimes of a cluster, which is only read."""

    def __init__(self, api: Any) -> None:
        super().__init__([], "")
        self._api = api

    def find(self, plural: str, namespace: str | None, name: str, version: str) -> dict[str, Any]:
        found: dict[str, Any]
        if namespace:
            found = self._api.get_namespaced_custom_object(GROUP, version, namespace, plural, name)
        else:
            found = self._api.get_cluster_custom_object(GROUP, version, plural, name)
        return found


def _backend(api: _OfflineApi, namespace: str) -> Any:
    """The SDK's Kubernetes backend, with ``api`` in place of a cluster."""
    from kubeflow.common.types import KubernetesBackendConfig
    from kubeflow.trainer.backends.kubernetes.backend import KubernetesBackend
    from kubernetes.client import Configuration

    class Offline(KubernetesBackend):
        def verify_backend(self) -> None:
            """There is no cluster to ask."""

    backend: Any = Offline(KubernetesBackendConfig(namespace=namespace, client_configuration=Configuration()))
    backend.custom_api = api
    return backend
