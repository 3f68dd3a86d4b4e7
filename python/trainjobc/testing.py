# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin: tests for a repository of TrainJobs and runtimes.

    from trainjobc.testing import assert_clean, assert_plan, assert_renders

    def test_no_findings():
        assert_clean("jobs", runtimes="runtimes")

``pytest -p trainjobc.testing --trainjobc-update`` writes the snapshots of ``assert_renders``.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._api import lint, plan, render

if TYPE_CHECKING:
    from ._inputs import Objects
    import pytest

__all__ = ["assert_clean", "assert_plan", "assert_renders"]

OPTION = "--trainjobc-update"
WRITES = f"pytest -p trainjobc.testing {OPTION}"
# Set by the option; also read from the environment, for processes that pytest starts.
UPDATE = "TRAINJOBC_UPDATE_SNAPSHOTS"
_RANK = {"info": 0, "warning": 1, "error": 2}


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("trainjobc")
    group.addoption(OPTION, action="store_true", help="write the snapshots of trainjobc.testing.assert_renders")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption(OPTION):
        os.environ[UPDATE] = "1"


def assert_clean(objects: Objects, *, level: str = "warning", **options: Any) -> None:
    """Fails if ``lint`` finds something.

    Args:
        objects: TrainJobs and runtimes, as for :func:`trainjobc.render`.
        level: The least severity that fails: ``info``, ``warning`` (the default) or ``error``.
        options: Those of :func:`trainjobc.lint`.
    """
    __tracebackhide__ = True
    findings = lint(objects, **options).findings
    failing = [one.text for one in findings if _RANK[one.severity] >= _RANK[level]]
    if failing:
        raise AssertionError("\n" + "".join(failing))


def assert_renders(objects: Objects, snapshot: str | os.PathLike[str], **options: Any) -> None:
    """Fails if the objects don't render to what the file contains.

    ``pytest -p trainjobc.testing --trainjobc-update`` writes the file. SSH keys of MPI jobs are left out, unless ``ssh_key`` says otherwise.

    Args:
        objects: TrainJobs and runtimes, as for :func:`trainjobc.render`.
        snapshot: A YAML file.
        options: Those of :func:`trainjobc.render`.
    """
    __tracebackhide__ = True
    file = Path(snapshot)
    made = render(objects, **{"ssh_key": "omit", **options}).yaml
    if os.environ.get(UPDATE):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(made, encoding="utf-8")
        return
    if not file.exists():
        raise AssertionError(f"{file} is missing: {WRITES} writes it")
    expected = file.read_text(encoding="utf-8")
    if made != expected:
        lines = difflib.unified_diff(
            expected.splitlines(keepends=True), made.splitlines(keepends=True), str(file), "rendered"
        )
        raise AssertionError(f"{WRITES} accepts these changes:\n{''.join(lines)}")


def assert_plan(
    objects: Objects,
    *,
    nodes: int | None = None,
    pods: int | None = None,
    processes: int | None = None,
    requests: Mapping[str, str] | None = None,
    quota: Objects | None = None,
    **options: Any,
) -> None:
    """Fails if the jobs together occupy something else, or if one of them could never be admitted.

    Args:
        objects: TrainJobs and runtimes, as for :func:`trainjobc.render`.
        nodes: That train.
        pods: With initializers and launchers.
        processes: The world size.
        requests: Kubernetes quantities by resource, of all pods; resources that are not named are not compared.
        quota: Kueue's objects: then each job must be one that Kueue could admit.
        options: Those of :func:`trainjobc.plan`.
    """
    __tracebackhide__ = True
    made = plan(objects, quota=quota, **options)
    total = made.data["total"]
    wanted = {"nodes": nodes, "pods": pods, "processes": processes}
    differences = [
        f"{name}: {total[name]}, not {number}" for name, number in wanted.items() if number not in (None, total[name])
    ]
    for name, amount in (requests or {}).items():
        if total["requests"].get(name, "0") != amount:
            differences.append(f"{name}: {total['requests'].get(name, '0')}, not {amount}")
    differences += [f"{job.object} can never be admitted" for job in made.jobs if job.verdict == "never"]
    if differences:
        raise AssertionError("\n".join([*differences, "", made.text]))
