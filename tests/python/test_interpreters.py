# SPDX-License-Identifier: Apache-2.0
"""Sub-interpreters are refused, and without a GIL, threads compile at the same time."""

import concurrent.futures
import subprocess
import sys
import sysconfig

import pytest

import trainjobc

REFUSED = """\
import sys

try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
in_one = '''
try:
    import trainjobc
except ImportError as error:
    assert str(error) == "trainjobc can't be imported in a sub-interpreter", error
else:
    raise AssertionError("it was imported")
'''
if sys.argv[1] == "imported":
    import trainjobc
kinds = [("isolated",), ("legacy",)] if sys.version_info >= (3, 13) else [(), ()]
for number, kind in enumerate(kinds):
    made = interpreters.create(*kind, **({} if kind else {"isolated": bool(number)}))
    wrong = interpreters.run_string(made, in_one)
    assert wrong is None, wrong
    interpreters.destroy(made)
import trainjobc

assert {len(trainjobc.lint(["a: b"]).findings) for _ in range(100)} == {0}
"""


@pytest.mark.parametrize("before", ["imported", "not-imported"])
def test_sub_interpreters_are_refused(before):
    done = subprocess.run([sys.executable, "-c", REFUSED, before], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_gil_stays_off():
    if not sysconfig.get_config_var("Py_GIL_DISABLED"):
        pytest.skip("this Python has a GIL")
    program = "import sys; before = sys._is_gil_enabled(); import trainjobc; assert sys._is_gil_enabled() == before"
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_threads_get_the_same(job):
    expected = trainjobc.render(job), trainjobc.lint(job), trainjobc.explain(job), trainjobc.plan(job)
    shared = [job]

    def compile_all(_):
        return trainjobc.render(shared), trainjobc.lint(shared), trainjobc.explain(shared), trainjobc.plan(shared)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(made == expected for made in pool.map(compile_all, range(400)))
