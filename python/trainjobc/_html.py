# SPDX-License-Identifier: Apache-2.0
"""What notebooks show of results: tables and YAML, without scripts and without anything from outside."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._results import ExplainedObject, Explanation, FieldOrigin, Finding, Place, Plan, Rendering
    from .kubeflow import Preview

# Longer objects are folded.
FOLDED_LINES = 60

# Colours of the page hold; what has its own is readable on white and on black.
STYLE = """<style>
.trainjobc {font-size: 13px; line-height: 1.45; color: inherit; color-scheme: light dark}
.trainjobc table {border-collapse: collapse; margin: 4px 0; color: inherit; background: transparent}
.trainjobc.trainjobc th, .trainjobc.trainjobc td {text-align: left; vertical-align: top; padding: 2px 10px 2px 0;
 border-bottom: 1px solid rgba(128, 128, 128, .35); white-space: pre-wrap; font-size: inherit;
 color: inherit; background: transparent}
.trainjobc td code {white-space: nowrap}
.trainjobc.trainjobc td.number, .trainjobc.trainjobc th.number {text-align: right}
.trainjobc code, .trainjobc pre {font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 12px;
 background: transparent; color: inherit; margin: 2px 0}
.trainjobc summary {cursor: pointer; font-weight: 600}
.trainjobc .muted {opacity: .65}
.trainjobc .error {color: #e0405a; font-weight: 600}
.trainjobc .warning {color: #b8860b; font-weight: 600}
.trainjobc .info {color: #3b82f6; font-weight: 600}
.trainjobc .origin {border-bottom: 1px dotted rgba(128, 128, 128, .7); cursor: help}
</style>"""


def _page(*parts: str) -> str:
    return f'{STYLE}<div class="trainjobc">{"".join(parts)}</div>'


def _table(head: list[tuple[str, bool]], rows: Iterable[list[str]]) -> str:
    """``head`` has the columns' titles and whether they hold numbers; the cells are HTML."""
    numbers = [' class="number"' if is_number else "" for _, is_number in head]
    titles = "".join(f"<th{number}>{title}</th>" for (title, _), number in zip(head, numbers))
    lines = ("".join(f"<td{number}>{cell}</td>" for cell, number in zip(row, numbers)) for row in rows)
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{''.join(f'<tr>{line}</tr>' for line in lines)}</tbody></table>"


def _folded(title: str, body: str, is_open: bool) -> str:
    return f"<details{' open' if is_open else ''}><summary>{title}</summary>{body}</details>"


def _finding_table(found: Iterable[Finding]) -> str:
    rows = [
        [
            f'<span class="{escape(one.severity)}">{escape(one.severity)}</span>',
            f"<code>{escape(str(one.place) or one.field)}</code>",
            escape(one.message) + (f'\n<span class="muted">{escape(one.hint)}</span>' if one.hint else ""),
            f"<code>{escape(one.rule)}</code>",
        ]
        for one in found
    ]
    if not rows:
        return '<p class="muted">no findings</p>'
    return _table([("", False), ("where", False), ("what", False), ("rule", False)], rows)


def _source(origin: FieldOrigin) -> str:
    """jobs/llama.yaml:8:15 spec.trainer.numNodes torch/PET_NNODES"""
    place: Place = origin.place
    where = f"{place} " if place.file else ""
    earlier = "".join(f", replaces {one.value!r} of {one.step}" for one in reversed(origin.earlier))
    return f"{where}{place.path or ''} {origin.rule or ''}".strip() + earlier


def _yaml(text: str, origins: dict[int | None, str] | None = None) -> str:
    lines = []
    for number, line in enumerate(text.splitlines(), 1):
        source = (origins or {}).get(number)
        content = escape(line)
        if source:
            indent = len(line) - len(line.lstrip())
            title = escape(source, quote=True)
            content = f'{line[:indent]}<span class="origin" title="{title}">{escape(line[indent:])}</span>'
        lines.append(content)
    return f"<pre>{chr(10).join(lines)}</pre>"


def _explained(one: ExplainedObject) -> str:
    by_line = groupby(one.fields, key=lambda field: field.line)
    origins = {line: "; ".join(filter(None, map(_source, fields))) for line, fields in by_line}
    return _folded(escape(one.id), _yaml(one.yaml, origins), one.yaml.count("\n") <= FOLDED_LINES)


def _plan_table(plan: Plan) -> str:
    resources = sorted({name for job in plan.jobs for name in job.requests})
    head = [("job", False), ("runtime", False), ("nodes", True), ("pods", True), ("processes", True)]
    has_verdict = any(job.verdict for job in plan.jobs)
    rows = (
        [
            escape(f"{job.namespace}/{job.name}"),
            escape(job.runtime),
            str(job.nodes),
            str(job.pods),
            "?" if job.processes is None else str(job.processes),
            *(escape(job.requests.get(name, "")) for name in resources),
            *([escape(job.verdict or "")] if has_verdict else []),
        ]
        for job in plan.jobs
    )
    return _table([*head, *((escape(name), True) for name in resources), *([("Kueue", False)] if has_verdict else [])], rows)


def findings(found: Iterable[Finding]) -> str:
    return _page(_finding_table(found))


def rendering(made: Rendering) -> str:
    objects = (
        _folded(
            escape(f"{one.kind} {one.namespace + '/' if one.namespace else ''}{one.name}"),
            '<p class="muted">not shown</p>' if one.kind == "Secret" else _yaml(one.yaml),
            one.yaml.count("\n") <= FOLDED_LINES,
        )
        for one in made.manifests
    )
    return _page(*([_finding_table(made.findings)] if made.findings else []), *objects)


def explanation(made: Explanation) -> str:
    found = [_finding_table(made.findings)] if made.findings else []
    return _page(*found, *(_explained(one) for one in made.objects))


def plan(made: Plan) -> str:
    return _page(*([_finding_table(made.findings)] if made.findings else []), _plan_table(made))


def preview(made: Preview) -> str:
    objects = (_explained(one) for one in made.explanation.objects)
    table = [_plan_table(made.plan)] if made.plan.jobs else []
    return _page(_finding_table(made.findings), *table, *objects)
