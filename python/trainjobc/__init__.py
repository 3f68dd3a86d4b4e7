# SPDX-License-Identifier: Apache-2.0
"""trainjobc in Python: what the cluster would make of TrainJobs, without a cluster.

    >>> import trainjobc
    >>> made = trainjobc.render({
    ...     "apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", "metadata": {"name": "bert"},
    ...     "spec": {"runtimeRef": {"name": "torch-distributed"}, "trainer": {"numNodes": 2}}})
    >>> [(one.kind, one.name) for one in made.manifests]
    [('JobSet', 'bert')]

A call keeps nothing, reads only the files that it is given, and lets other threads run while it compiles.
"""

from importlib import import_module as _import_module


def _refuse_sub_interpreters() -> None:
    """nanobind's types are those of one interpreter. CPython refuses some sub-interpreters itself, since 3.12."""
    for name in ("_interpreters", "_xxsubinterpreters"):
        try:
            interpreters = _import_module(name)
        except ModuleNotFoundError:
            continue
        if interpreters.get_current() != interpreters.get_main():
            raise ImportError("trainjobc can't be imported in a sub-interpreter")
        return


_refuse_sub_interpreters()
try:
    from . import _core as _core
except ModuleNotFoundError as error:
    if error.name != f"{__name__}._core":
        raise
    import sys

    raise ImportError(
        f"trainjobc was installed without its module for {sys.implementation.name} {sys.version.split()[0]}: the command "
        "works, and `pip install --no-binary trainjobc trainjobc` builds the module"
    ) from None

from ._api import catalogue, compose, diff, explain, lint, migrate, plan, render, trainer_versions
from ._errors import InvalidRequest, Rejected, TrainjobcError
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
    JobPlan,
    LintReport,
    Manifest,
    MigratedFile,
    Migration,
    Note,
    Place,
    Plan,
    PodSet,
    Rendering,
    Report,
)

__version__: str = _core.version

__all__ = [
    "CatalogueRuntime",
    "Composition",
    "Diff",
    "EarlierValue",
    "ExplainedObject",
    "Explanation",
    "FieldOrigin",
    "Finding",
    "Fix",
    "InvalidRequest",
    "JobPlan",
    "LintReport",
    "Manifest",
    "MigratedFile",
    "Migration",
    "Note",
    "Place",
    "Plan",
    "PodSet",
    "Rejected",
    "Rendering",
    "Report",
    "TrainjobcError",
    "catalogue",
    "compose",
    "diff",
    "explain",
    "lint",
    "migrate",
    "plan",
    "render",
    "trainer_versions",
]
