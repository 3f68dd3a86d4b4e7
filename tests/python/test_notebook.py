# SPDX-License-Identifier: Apache-2.0
"""What notebooks show: results as HTML, and the example, executed."""

import copy
import html.parser
import json
import re
import subprocess
import sys

import pytest
from conftest import ROOT

import trainjobc

NOTEBOOK = ROOT / "examples/notebooks/preview.ipynb"


class Balance(html.parser.HTMLParser):
    """Fails where an element is not closed, and where something is loaded or run."""

    def __init__(self):
        super().__init__()
        self.open = []
        self.titles = []

    def handle_starttag(self, tag, attrs):
        assert tag in {"style", "div", "table", "thead", "tbody", "tr", "th", "td", "span", "code", "pre", "p", "details", "summary"}
        assert {name for name, _ in attrs} <= {"class", "title", "open"}
        self.open.append(tag)
        self.titles += [value for name, value in attrs if name == "title"]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def shown(result):
    text = result._repr_html_()
    page = Balance()
    page.feed(text)
    assert page.open == [] and "url(" not in text and "@import" not in text
    return text, page.titles


def test_the_origin_of_each_line_is_on_hover(job):
    text, titles = shown(trainjobc.explain(job))
    assert shown(trainjobc.render(job))[0] == text
    assert "spec.trainer.numNodes trainer/pod-count" in titles
    assert "spec.trainer.image, replaces" in " ".join(titles)
    (job_set,) = trainjobc.explain(job).objects
    body = re.search(r"<pre>(.*)</pre>", text, re.S).group(1)
    assert html.unescape(re.sub(r"<[^>]+>", "", body)) + "\n" == job_set.yaml


def test_findings_have_their_place(job):
    job["spec"]["trainer"]["numNode"] = 1
    text, _ = shown(trainjobc.lint(job))
    assert '<span class="error">error</span>' in text and "<code>spec.trainer.numNode</code>" in text
    with pytest.raises(trainjobc.Rejected) as caught:
        trainjobc.render(job)
    assert caught.value._repr_html_() == text
    shown(trainjobc.lint(job).findings[0])
    assert "no findings" in shown(trainjobc.lint([]))[0]


def test_markup_in_names_stays_text(job):
    job["metadata"]["name"] = "<script>alert(1)</script>"
    text, _ = shown(trainjobc.lint(job))
    assert "<script>" not in text and "&lt;script&gt;" in text


def test_a_plan_is_a_table_and_keys_are_not_shown(job):
    text, _ = shown(trainjobc.plan(job))
    assert "<td>team-a/bert</td>" in text
    job["spec"] = {"runtimeRef": {"name": "deepspeed-distributed"}}
    rendering = trainjobc.render(job)
    text, _ = shown(rendering)
    assert "BEGIN" not in text and "***" in text
    assert shown(trainjobc.explain(job))[0] == text
    text, _ = shown(copy.copy(rendering))
    assert "BEGIN" not in text and "not shown" in text


def test_long_objects_are_folded(job):
    job["spec"]["trainer"]["env"] = [{"name": f"NAME_{number}", "value": "x"} for number in range(50)]
    assert "<details><summary>JobSet" in shown(trainjobc.render(job))[0]
    del job["spec"]["trainer"]["env"]
    assert "<details open><summary>JobSet" in shown(trainjobc.render(job))[0]


def test_the_example_notebook(tmp_path):
    for package in ("nbconvert", "ipykernel", "kubeflow"):
        pytest.importorskip(package, reason=f"{package} is not installed")
    command = [sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--output-dir", str(tmp_path), str(NOTEBOOK)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    cells = json.loads((tmp_path / NOTEBOOK.name).read_text())["cells"]
    outputs = ["".join(one["data"]["text/html"]) for cell in cells for one in cell.get("outputs", []) if "data" in one]
    assert len(outputs) == 4
    assert "JobSet/default/bert" in outputs[0] and "no findings" in outputs[0]
    assert '<span class="error">error</span>' in outputs[1]
