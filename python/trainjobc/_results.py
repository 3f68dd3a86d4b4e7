# SPDX-License-Identifier: Apache-2.0
"""What the functions return: values that don't change."""

from __future__ import annotations

import json

from ._value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ClassVar


class Place(Value):
    """A range of an input. Lines and columns count from 1, columns in bytes; the end is one past the last byte."""

    file: str | None
    """The path; ``None`` for objects that are in no file."""
    line: int | None
    column: int | None
    end_line: int | None
    end_column: int | None
    path: str | None
    """The field of the object, where there is no file: ``spec.trainer.numNodes``."""

    def __str__(self) -> str:
        if self.file is None:
            return self.path or ""
        parts = [self.file, *(str(number) for number in (self.line, self.column) if number is not None)]
        return ":".join(parts)


class Note(Value):
    """What else there is to know of a finding, and where."""

    message: str
    place: Place


class Fix(Value):
    """A part of the change that fixes a finding: ``text`` replaces what is at ``place``."""

    place: Place
    text: str


class Finding(Value):
    """What the cluster would refuse, or a probable mistake."""

    rule: str
    """``input/unknown-field``; the site's page of rules and ``trainjobc lint --explain`` describe it."""
    stage: str
    """Who would say it: ``yaml``, ``input``, ``jobset``, ``job``, or ``advice`` for trainjobc alone."""
    severity: str
    """``error``, ``warning`` or ``info``."""
    is_refusal: bool
    """Whether the cluster would not store the object."""
    object: str
    """``TrainJob/namespace/name``; empty if the document has no readable identity."""
    field: str
    """The field as the cluster names it: ``spec.trainer.env[0].name``; of stage ``job``, of the JobSet."""
    message: str
    hint: str
    """What to write instead; empty if unknown."""
    place: Place
    notes: tuple[Note, ...]
    fixes: tuple[Fix, ...]
    """All together do what the hint says. Of objects without a file, ``hint`` alone says it."""
    fixes_are_safe: bool
    """``False``: they are what was most likely meant, which a person decides."""
    text: str
    """As the command prints it, with the source line; without secrets."""

    @property
    def file(self) -> str | None:
        """The path; ``None`` for objects that are in no file."""
        return self.place.file

    @property
    def line(self) -> int | None:
        """From 1; ``None`` for objects that are in no file."""
        return self.place.line

    @property
    def column(self) -> int | None:
        """From 1, in bytes; ``None`` for objects that are in no file."""
        return self.place.column

    @property
    def path(self) -> str:
        """The field to edit: ``spec.trainer.numNodes``."""
        return self.place.path or self.field

    def __str__(self) -> str:
        return self.text.rstrip("\n")

    def _repr_html_(self) -> str:
        from . import _html

        return _html.findings((self,))


class Manifest(Value):
    """A rendered object. A Secret holds its private key."""

    _unshown: ClassVar[frozenset[str]] = frozenset({"yaml", "json"})
    api_version: str
    kind: str
    namespace: str
    """Empty if the TrainJob has none."""
    name: str
    train_job: str
    """The TrainJob that it is made from: ``TrainJob/namespace/name``."""
    yaml: str
    json: str

    def to_dict(self) -> dict[str, Any]:
        """The object as a dict, a new one each time."""
        made: dict[str, Any] = json.loads(self.json)
        return made


class Rendering(Value):
    """The objects that the Trainer controller would create.

    Their order is that of ``trainjobc render``: by namespace and name of the TrainJob; for each, its ConfigMaps,
    Secrets, PodGroup and JobSet.
    """

    # Explains the same request, for notebooks; no part of the value, and of no copy.
    __slots__ = ("_explain",)
    _explain: ClassVar[Callable[[], Explanation]]
    manifests: tuple[Manifest, ...]
    findings: tuple[Finding, ...]
    """By file, line and column."""
    trainer_version: str
    """The Trainer that the objects are for; ``2.1, 2.3`` if no single one fits all inputs."""

    @property
    def objects(self) -> list[dict[str, Any]]:
        """The manifests as dicts, new ones each time."""
        return [manifest.to_dict() for manifest in self.manifests]

    @property
    def yaml(self) -> str:
        """What ``trainjobc render`` prints."""
        return "---\n".join(manifest.yaml for manifest in self.manifests)

    def _repr_html_(self) -> str:
        from . import _html

        explain = getattr(self, "_explain", None)
        return _html.explanation(explain()) if explain else _html.rendering(self)


class LintReport(Value):
    """What ``trainjobc lint`` finds."""

    findings: tuple[Finding, ...]
    """By file, line and column."""
    trainer_version: str

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings of severity ``error``."""
        return tuple(finding for finding in self.findings if finding.severity == "error")

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """The findings of severity ``warning``."""
        return tuple(finding for finding in self.findings if finding.severity == "warning")

    def __str__(self) -> str:
        return "".join(finding.text for finding in self.findings)

    def _repr_html_(self) -> str:
        from . import _html

        return _html.findings(self.findings)


class EarlierValue(Value):
    """What a field was before the last word on it."""

    step: str
    """``runtime``, ``override 1``."""
    value: Any
    place: Place


class FieldOrigin(Value):
    """A field without subfields, and where its value comes from."""

    path: str
    """``spec.replicatedJobs[0].name``"""
    value: Any
    rule: str | None
    """What computed it: ``torch/PET_NNODES``; ``None`` if it is written in an input."""
    place: Place
    """Of the input that it was read or computed from, with the field there."""
    earlier: tuple[EarlierValue, ...]
    """The values that it replaces, the oldest first."""
    line: int | None
    """In ``ExplainedObject.yaml``, from 1."""


class ExplainedObject(Value):
    """A rendered object and the origins of its fields."""

    _unshown: ClassVar[frozenset[str]] = frozenset({"yaml"})
    id: str
    """``JobSet/team-a/llama``"""
    yaml: str
    """Without secrets."""
    fields: tuple[FieldOrigin, ...]
    """In the order of the lines."""


class Explanation(Value):
    """Where each field of the rendered objects comes from."""

    objects: tuple[ExplainedObject, ...]
    findings: tuple[Finding, ...]
    trainer_version: str

    @property
    def fields(self) -> tuple[FieldOrigin, ...]:
        """Those of all objects."""
        return tuple(one for explained in self.objects for one in explained.fields)

    def _repr_html_(self) -> str:
        from . import _html

        return _html.explanation(self)


class Report(Value):
    """A report in the formats of the command of the same name. Secrets are left out."""

    _unshown: ClassVar[frozenset[str]] = frozenset({"text", "markdown", "json"})
    text: str
    markdown: str
    json: str
    findings: tuple[Finding, ...]
    trainer_version: str

    @property
    def data(self) -> dict[str, Any]:
        """The JSON report as a dict, a new one each time."""
        made: dict[str, Any] = json.loads(self.json)
        return made

    def __str__(self) -> str:
        return self.text


class PodSet(Value):
    """Pods of a job that are alike."""

    name: str
    pods: int
    requests_per_pod: dict[str, str]
    """Kubernetes quantities by resource: ``{"cpu": "500m", "nvidia.com/gpu": "8"}``."""
    hosts: str
    """The names in the cluster's DNS, as a shell expands them."""


class JobPlan(Value):
    """What a TrainJob occupies."""

    object: str
    """``TrainJob/team-a/llama``"""
    namespace: str
    name: str
    runtime: str
    framework: str
    """``torch``, ``MPI``, …; empty if it has none."""
    queue: str
    """Kueue's or Volcano's; empty if it has none."""
    nodes: int
    """That train."""
    pods: int
    """With initializers and launchers."""
    processes: int | None
    """The world size; ``None`` if it depends on the machine."""
    requests: dict[str, str]
    """Of all pods: Kubernetes quantities by resource."""
    pod_sets: tuple[PodSet, ...]
    verdict: str | None
    """With quotas, whether Kueue could admit it: ``admitted``, ``never``, …; else ``None``."""


class Plan(Report):
    """Pods, processes and resources, as ``trainjobc plan`` counts them."""

    @property
    def jobs(self) -> tuple[JobPlan, ...]:
        """By namespace and name. Everything else that the command says is in ``data``."""
        return tuple(_to_job(job) for job in self.data["jobs"])

    def _repr_html_(self) -> str:
        from . import _html

        return _html.plan(self)


def _to_job(job: dict[str, Any]) -> JobPlan:
    return JobPlan(
        object=job["object"],
        namespace=job["namespace"],
        name=job["name"],
        runtime=job["runtime"],
        framework=job["framework"],
        queue=job["queue"],
        nodes=job["nodes"],
        pods=job["pods"],
        processes=job["processes"],
        requests=job["requests"],
        pod_sets=tuple(PodSet(one["name"], one["pods"], one["requestsPerPod"], one["hosts"]) for one in job["podSets"]),
        verdict=job["admission"]["verdict"] if job.get("admission") else None,
    )


class Diff(Report):
    """What differs, as ``trainjobc diff`` says it. True if anything does."""

    differs: bool

    @property
    def differences(self) -> list[dict[str, Any]]:
        """``object``, ``path``, ``kind``, ``live``, ``rendered``, ``file``, ``line``, … of each, as ``--format json``."""
        made: list[dict[str, Any]] = self.data["differences"]
        return made

    def __bool__(self) -> bool:
        return self.differs


class MigratedFile(Value):
    """An input that changes."""

    _unshown: ClassVar[frozenset[str]] = frozenset({"old_text", "new_text"})
    name: str
    old_text: str
    new_text: str


class Migration(Value):
    """The inputs for another Trainer version."""

    files: tuple[MigratedFile, ...]
    """Those that change; comments and formatting stay."""
    findings: tuple[Finding, ...]
    """What can't be converted, and what a person should check."""
    difference: Diff
    """Of the JobSets."""


class Composition(Value):
    """A file of the Compose specification that runs a TrainJob on one machine, as ``trainjobc compose`` prints it."""

    _unshown: ClassVar[frozenset[str]] = frozenset({"yaml"})
    yaml: str
    """The file. That of an MPI job contains its private key."""
    notes: tuple[str, ...]
    """Parts of the job that a single machine can't provide."""
    findings: tuple[Finding, ...]
    """By file, line and column."""
    trainer_version: str

    def __str__(self) -> str:
        return self.yaml


class CatalogueRuntime(Value):
    """A runtime that Trainer ships."""

    _unshown: ClassVar[frozenset[str]] = frozenset({"yaml"})
    trainer_version: str
    name: str
    yaml: str
