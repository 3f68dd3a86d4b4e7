# SPDX-License-Identifier: Apache-2.0
"""The compiled part: what the C++ API returns, as dicts of the classes' fields in _results.py."""

from collections.abc import Sequence
from typing import Any

_Text = tuple[str, str, bool]

version: str

class Request:
    def __init__(
        self,
        inputs: Sequence[_Text],
        runtimes: Sequence[_Text],
        *,
        trainer_version: str = ...,
        use_catalogue: bool = ...,
        with_defaults: bool = ...,
        owner_references: bool = ...,
        namespace: str = ...,
        name_suffix: str = ...,
        ssh_key: str = ...,
        ssh_key_material: str = ...,
        settings: str = ...,
        threads: int = ...,
    ) -> None: ...

def render(request: Request, /) -> dict[str, Any]: ...
def lint(request: Request, /) -> dict[str, Any]: ...
def explain(request: Request, field: str, /) -> dict[str, Any]: ...
def plan(request: Request, ranks: bool, quota: Sequence[_Text], /) -> dict[str, Any]: ...
def diff(before: Request, after: Request, /) -> dict[str, Any]: ...
def diff_versions(request: Request, before: str, after: str, /) -> dict[str, Any]: ...
def diff_live(request: Request, live: Sequence[_Text], /) -> dict[str, Any]: ...
def migrate(
    request: Request, to: str, manager: str, runtime_name: str, per_namespace: bool, plain: bool, /
) -> dict[str, Any]: ...
def compose(
    request: Request, job: str, nodes: int, processes: int, image: str, cpu: bool, mounts: Sequence[str], /
) -> dict[str, Any]: ...
def catalogue() -> tuple[tuple[str, str, str], ...]: ...
def trainer_versions() -> list[str]: ...
def newest_trainer_version() -> str: ...
