# SPDX-License-Identifier: Apache-2.0
"""The repository's tests: `pip install trainjobc pytest`, then `pytest`."""

from pathlib import Path

from trainjobc.testing import assert_clean, assert_plan, assert_renders

HERE = Path(__file__).parent
JOBS, RUNTIMES = HERE.parent / "jobs", HERE.parent / "runtimes"


def test_no_errors():
    assert_clean(JOBS, runtimes=RUNTIMES, level="error")


def test_bert_is_what_was_reviewed():
    assert_renders(JOBS / "ml-research", HERE / "ml-research.snapshot", runtimes=RUNTIMES)


def test_llama_stays_in_its_budget():
    assert_plan(JOBS / "assistants/llama-lora.yaml", runtimes=RUNTIMES, nodes=1, requests={"nvidia.com/gpu": "4"})
