# SPDX-License-Identifier: Apache-2.0
"""The page "In Python": what its examples print is what it says."""

import doctest
import re
import subprocess
import sys

import pytest
from conftest import ROOT

PAGE = ROOT / "docs/tasks/python.md"


def test_the_examples_of_the_page():
    pytest.importorskip("kubeflow", reason="the kubeflow package is not installed")
    text = re.sub(r"^```.*$", "", PAGE.read_text(), flags=re.M)
    test = doctest.DocTestParser().get_doctest(text, {}, "python.md", str(PAGE), 0)
    said = []
    results = doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    assert results.failed == 0, "".join(said)
    assert results.attempted > 20


def test_the_tests_of_the_page_are_those_of_the_example():
    example = (ROOT / "examples/tests/test_repository.py").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), flags=re.M | re.S)
    (shown,) = [block for block in blocks if "def test_" in block]
    assert shown in example


def test_the_docstring_of_the_package():
    import trainjobc

    results = doctest.testmod(trainjobc)
    assert results.failed == 0 and results.attempted > 2


def test_the_reference_names_everything():
    import trainjobc

    program = "import sys; sys.path.insert(0, 'tools/docs'); import python_api; print(python_api.reference())"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    headings = set(re.findall(r"^### (\w+)$", done.stdout, flags=re.M))
    assert headings == {*trainjobc.__all__, "Preview", "guard", "preview", "assert_clean", "assert_plan", "assert_renders"}
    assert "None |" not in done.stdout.replace("None | None |", "")
