# SPDX-License-Identifier: Apache-2.0
"""The functions: they convert what comes in and goes out, and compute nothing."""

from __future__ import annotations

import json

from . import _core
from ._errors import InvalidRequest, Rejected
from ._inputs import texts_of
from ._results import (
    CatalogueRuntime,
    Composition,
    Diff,
    EarlierValue,
    ExplainedObject,
    Explanation,
    FieldOrigin,
    Finding,
    Fix,
    LintReport,
    Manifest,
    MigratedFile,
    Migration,
    Note,
    Place,
    Plan,
    Rendering,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable
    from typing import Any, Literal, Union

    from ._inputs import Objects

    SshKey = Union[Literal["random", "omit"], dict[str, Union[str, os.PathLike[str]]]]


def render(
    objects: Objects,
    *,
    runtimes: Objects | None = None,
    trainer_version: str = "auto",
    catalogue: bool = True,
    with_defaults: bool = False,
    owner_references: bool = False,
    namespace: str = "",
    name_suffix: str = "",
    ssh_key: SshKey = "random",
    keep_going: bool = False,
    threads: int = 1,
) -> Rendering:
    """Compiles TrainJobs to the objects that the Trainer controller would create.

    Args:
        objects: TrainJobs and runtimes: YAML or JSON text, paths of files or folders, dicts, objects with
            ``to_dict()``, or an iterable of them. Objects of other kinds are skipped. A string with a line break,
            with ``": "`` or that begins with a bracket is text; another one is a path.
        runtimes: Searched for runtimes after ``objects``.
        trainer_version: The Trainer that the cluster runs, ``"2.0"`` to ``"2.4-preview"``; ``"auto"``, the default, is the
            newest that accepts the objects.
        catalogue: Whether to search the runtimes that Trainer ships, last.
        with_defaults: The JobSet as the cluster stores it, not as the controller sends it.
        owner_references: Whether the objects refer to their TrainJob, if it has a uid.
        namespace: Of TrainJobs that name none; by default, they are rendered without one.
        name_suffix: For ``metadata.generateName``; by default, a hash of the TrainJob.
        ssh_key: Of MPI jobs. ``"random"``, the default: a different one each time, as in the cluster; ``"omit"``: no
            Secret; ``{"file": path}``: this unencrypted private key; ``{"seed": path}``: the same key for the same
            job, made from the file's secret text.
        keep_going: Return the objects of the TrainJobs that are accepted instead of raising ``Rejected``.
        threads: How many compile; 0 is one per processor. The result doesn't depend on it.

    Raises:
        Rejected: The cluster would refuse an object. The exception has all findings.
        InvalidRequest: There is no such Trainer version.
        OSError: A file can't be read.
        TypeError: An object is none of these, or contains what a manifest can't.
    """
    request = _request(
        objects,
        runtimes,
        trainer_version,
        catalogue,
        namespace,
        threads,
        with_defaults=with_defaults,
        owner_references=owner_references,
        name_suffix=name_suffix,
        **_ssh_key(ssh_key),
    )
    made = _call(_core.render, request)
    findings = _findings(made["findings"], keep_going)
    rendering = Rendering(tuple(Manifest(**manifest) for manifest in made["manifests"]), findings, made["trainer_version"])
    object.__setattr__(rendering, "_explain", lambda: _explanation(request, "", keep_going=True))
    return rendering


def lint(
    objects: Objects,
    *,
    runtimes: Objects | None = None,
    trainer_version: str = "auto",
    catalogue: bool = True,
    namespace: str = "",
    settings: str = "",
    threads: int = 1,
) -> LintReport:
    """Says what the cluster would refuse, and what is probably a mistake. Raises nothing for findings.

    Comments in YAML suppress findings, as they do for the command; configuration files are not read.

    Args:
        objects: TrainJobs and runtimes, as for :func:`render`.
        settings: The text of a ``.trainjobc.yaml``. Its ``policies`` (rules of your own), ``podSecurity``,
            ``platform``, ``allowPrivileged``, ``rules`` and ``suppress`` apply; paths in it are not read.
        runtimes, trainer_version, catalogue, namespace, threads: As for :func:`render`.

    Raises:
        InvalidRequest: As :func:`render` does, and for wrong settings.
        OSError, TypeError: As :func:`render` does.
    """
    request = _request(objects, runtimes, trainer_version, catalogue, namespace, threads, settings=settings)
    made = _call(_core.lint, request)
    return LintReport(_findings(made["findings"]), made["trainer_version"])


def explain(
    objects: Objects,
    field: str = "",
    *,
    runtimes: Objects | None = None,
    trainer_version: str = "auto",
    catalogue: bool = True,
    with_defaults: bool = False,
    namespace: str = "",
    keep_going: bool = False,
    threads: int = 1,
) -> Explanation:
    """Says where each field of the rendered objects comes from.

    Args:
        objects: TrainJobs and runtimes, as for :func:`render`.
        field: Only fields whose path contains this text, such as ``image`` or ``PET_NNODES``, or that this JSONPath
            selects, such as ``..image``.
        with_defaults: Explain the JobSet with the defaults that JobSet admission adds.
        keep_going: Explain the TrainJobs that are accepted instead of raising ``Rejected``.
        runtimes, trainer_version, catalogue, namespace, threads: As for :func:`render`.

    Raises:
        InvalidRequest: There is no such Trainer version, or ``field`` is not a JSONPath.
        Rejected, OSError, TypeError: As :func:`render` does.
    """
    request = _request(
        objects, runtimes, trainer_version, catalogue, namespace, threads, with_defaults=with_defaults
    )
    return _explanation(request, field, keep_going)


def plan(
    objects: Objects,
    *,
    quota: Objects | None = None,
    ranks: bool = False,
    runtimes: Objects | None = None,
    trainer_version: str = "auto",
    catalogue: bool = True,
    namespace: str = "",
    keep_going: bool = False,
    threads: int = 1,
) -> Plan:
    """Says what the jobs will occupy: pods, processes, resources, host names.

    Args:
        objects: TrainJobs and runtimes, as for :func:`render`.
        quota: Kueue's ClusterQueues, LocalQueues, ResourceFlavors and Cohorts: then also whether each job could be
            admitted.
        ranks: List in ``data`` what each process sees.
        keep_going: Plan the TrainJobs that are accepted instead of raising ``Rejected``.
        runtimes, trainer_version, catalogue, namespace, threads: As for :func:`render`.

    Raises:
        Rejected, InvalidRequest, OSError, TypeError: As :func:`render` does.
    """
    request = _request(objects, runtimes, trainer_version, catalogue, namespace, threads)
    made = _call(_core.plan, request, ranks, texts_of(quota, "quota"))
    return Plan(**{**made, "findings": _findings(made["findings"], keep_going)})


def diff(
    objects: Objects,
    *,
    before: Objects | None = None,
    live: Objects | None = None,
    from_version: str | None = None,
    runtimes: Objects | None = None,
    before_runtimes: Objects | None = None,
    trainer_version: str = "auto",
    catalogue: bool = True,
    namespace: str = "",
    threads: int = 1,
) -> Diff:
    """Compares what objects render to with what earlier ones did, what a cluster has, or another version makes.

    Args:
        objects: TrainJobs and runtimes, as for :func:`render`.
        before: The earlier objects.
        live: Objects of the cluster, as ``kubectl get -o yaml`` prints them.
        from_version: The earlier Trainer version; ``trainer_version`` is the new one.
        before_runtimes: Searched for runtimes after ``before``; by default, ``runtimes``.
        runtimes, trainer_version, catalogue, namespace, threads: As for :func:`render`.

    Raises:
        InvalidRequest: There is no such Trainer version.
        OSError: A file can't be read.
        TypeError: Not exactly one of ``before``, ``live`` and ``from_version`` is given, or an object is none of
            these.
    """
    if sum(side is not None for side in (before, live, from_version)) != 1:
        raise TypeError("diff() takes exactly one of before=, live= and from_version=")

    def request_of(of: Objects, their_runtimes: Objects | None) -> _core.Request:
        return _request(of, their_runtimes, trainer_version, catalogue, namespace, threads)

    after = request_of(objects, runtimes)
    if live is not None:
        return _to_diff(_call(_core.diff_live, after, texts_of(live, "live")))
    if from_version is not None:
        newest = _core.newest_trainer_version() if trainer_version == "auto" else trainer_version
        return _to_diff(_call(_core.diff_versions, after, from_version, newest))
    earlier = runtimes if before_runtimes is None else before_runtimes
    assert before is not None
    return _to_diff(_call(_core.diff, request_of(before, earlier), after))


def migrate(
    objects: Objects,
    *,
    to: str = "",
    runtimes: Objects | None = None,
    trainer_version: str = "auto",
    manager: str = "",
    runtime_name: str = "",
    per_namespace: bool = False,
    plain: bool = False,
    catalogue: bool = True,
    namespace: str = "",
) -> Migration:
    """Rewrites TrainJobs and runtimes for another Trainer version, and jobs of Training Operator v1 as TrainJobs.

    Args:
        objects: TrainJobs, runtimes and v1 jobs, as for :func:`render`. YAML keeps its comments and formatting.
        to: The Trainer version to migrate to; by default, the newest.
        runtimes: Searched for runtimes after ``objects``, and left as they are.
        trainer_version: That of the objects; ``"auto"`` is the newest that accepts them.
        manager: Of ``runtimePatches`` that overrides become; by default, ``trainer.kubeflow.org/user``.
        runtime_name: Of new runtimes that v1 jobs need; by default, by what is in them.
        per_namespace: Write a TrainingRuntime for each namespace of v1 jobs, instead of a ClusterTrainingRuntime.
        plain: Keep roles of v1 jobs that differ only in labels, annotations or restart policy apart.
        catalogue, namespace: As for :func:`render`.

    Raises:
        InvalidRequest, OSError, TypeError: As :func:`render` does.
    """
    request = _request(objects, runtimes, trainer_version, catalogue, namespace)
    made = _call(_core.migrate, request, to, manager, runtime_name, per_namespace, plain)
    files = tuple(MigratedFile(**file) for file in made["files"])
    return Migration(files, _findings(made["findings"]), _to_diff(made["difference"]))


def compose(
    objects: Objects,
    *,
    job: str = "",
    nodes: int = 0,
    processes: int = 0,
    image: str = "",
    cpu: bool = False,
    mounts: str | Iterable[str] = (),
    runtimes: Objects | None = None,
    trainer_version: str = "auto",
    catalogue: bool = True,
    namespace: str = "",
    name_suffix: str = "",
    ssh_key: SshKey = "random",
    threads: int = 1,
) -> Composition:
    """Makes a file with which ``docker compose`` or ``podman compose`` runs a TrainJob on one machine.

    Args:
        objects: The TrainJob and its runtime, as for :func:`render`. ConfigMaps and Secrets among them become files and
            variables.
        job: ``NAME`` or ``NAMESPACE/NAME`` of the TrainJob, if there are several.
        nodes: Compile the job with this number of nodes, 1 to 256; 0, the default, is as the job says.
        processes: Compile the job with this number of processes per node, 1 to 256, each with one GPU if the job has
            GPUs; 0, the default, is as the job says.
        image: Run this image in the containers that train; by default, their own.
        cpu: Leave out GPUs and other devices; the processes stay.
        mounts: Folders of this machine in the containers that train, over what the job mounts there:
            ``"DIR:/PATH"`` or ``"DIR:/PATH:ro"``.
        runtimes, trainer_version, catalogue, namespace, name_suffix, ssh_key, threads: As for :func:`render`.

    Raises:
        InvalidRequest: There is no such Trainer version, no such TrainJob or several, the job has more than 256 pods, or
            a number, the image or a mount is none of these.
        Rejected, OSError, TypeError: As :func:`render` does.
    """
    request = _request(
        objects, runtimes, trainer_version, catalogue, namespace, threads, name_suffix=name_suffix, **_ssh_key(ssh_key)
    )
    made = _call(_core.compose, request, job, nodes, processes, image, cpu, [mounts] if isinstance(mounts, str) else list(mounts))
    return Composition(**{**made, "findings": _findings(made["findings"], keep_going=False)})


def catalogue(trainer_version: str | None = None) -> tuple[CatalogueRuntime, ...]:
    """The runtimes that Trainer ships: those of a version (``"2.3"``), or of all, the oldest first."""
    runtimes = (CatalogueRuntime(*runtime) for runtime in _core.catalogue())
    return tuple(one for one in runtimes if trainer_version in (None, one.trainer_version))


def trainer_versions() -> tuple[str, ...]:
    """The versions of Trainer that are known, the oldest first: ``("2.0", …)``; previews come last."""
    return tuple(_core.trainer_versions())


def _ssh_key(key: SshKey) -> dict[str, str]:
    if isinstance(key, str):
        if key not in ("random", "omit"):
            raise InvalidRequest(f'ssh_key is "random", "omit", {{"file": path}} or {{"seed": path}}, not "{key}"')
        return {"ssh_key": key, "ssh_key_material": ""}
    if len(key) != 1 or not key.keys() <= {"file", "seed"}:
        raise InvalidRequest('ssh_key is "random", "omit", {"file": path} or {"seed": path}')
    ((source, path),) = key.items()
    with open(path, encoding="utf-8") as file:
        return {"ssh_key": source, "ssh_key_material": file.read()}


def _request(
    objects: Objects,
    runtimes: Objects | None,
    trainer_version: str,
    catalogue: bool,
    namespace: str,
    threads: int = 1,
    **others: Any,
) -> _core.Request:
    return _core.Request(
        texts_of(objects, "objects", required=True),
        texts_of(runtimes, "runtimes"),
        trainer_version=trainer_version,
        use_catalogue=catalogue,
        namespace=namespace,
        threads=threads,
        **others,
    )


def _call(function: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
    try:
        return function(*arguments)
    except ValueError as error:
        raise InvalidRequest(str(error)) from None


def _findings(findings: tuple[dict[str, Any], ...], keep_going: bool = True) -> tuple[Finding, ...]:
    found = tuple(_to_finding(finding) for finding in findings)
    if not keep_going and any(finding.is_refusal for finding in found):
        raise Rejected(found)
    return found


def _to_finding(finding: dict[str, Any]) -> Finding:
    finding["place"] = Place(**finding["place"])
    finding["notes"] = tuple(Note(note["message"], Place(**note["place"])) for note in finding["notes"])
    finding["fixes"] = tuple(Fix(Place(**fix["place"]), fix["text"]) for fix in finding["fixes"])
    return Finding(**finding)


def _explanation(request: _core.Request, field: str, keep_going: bool) -> Explanation:
    made = _call(_core.explain, request, field)
    findings = _findings(made["findings"], keep_going)
    return Explanation(tuple(_to_explained(one) for one in made["objects"]), findings, made["trainer_version"])


def _to_explained(explained: dict[str, Any]) -> ExplainedObject:
    return ExplainedObject(explained["id"], explained["yaml"], tuple(_to_origin(one) for one in explained["fields"]))


def _to_origin(origin: dict[str, Any]) -> FieldOrigin:
    origin["value"] = json.loads(origin["value"])
    origin["place"] = Place(**origin["place"])
    origin["earlier"] = tuple(
        EarlierValue(one["step"], json.loads(one["value"]), Place(**one["place"])) for one in origin["earlier"]
    )
    return FieldOrigin(**origin)


def _to_diff(made: dict[str, Any]) -> Diff:
    return Diff(**{**made, "findings": _findings(made["findings"])})
