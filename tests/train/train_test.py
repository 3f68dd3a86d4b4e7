# SPDX-License-Identifier: Apache-2.0

"""Runs rendered JobSets: `train_test.py TRAINJOBC GROUP…`; see README.md beside this file."""

import importlib
import os
import pathlib
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parent / "emulated"))
import sandbox  # noqa: E402
from support import TrainTest  # noqa: E402

# CI runs sandbox, runner, torch, openmpi and elastic, which need Debian packages only.
GROUPS = {
    "sandbox": ["sandbox_tests.Sandbox"],
    "runner": ["runner_tests.Runner", *(f"runner_policy_tests.{name}" for name in ("Order", "Restarts", "Kubelet"))],
    "torch": ["torch_tests.Torch"],
    "openmpi": ["mpi_tests.OpenMPI"],
    "mlx": ["mlx_tests.MLX"],
    "deepspeed": ["deepspeed_tests.DeepSpeed"],
    "ssh-key": ["mpi_tests.SshKey"],
    "mpich": ["mpi_more_tests.MPICH"],
    "intel": ["mpi_more_tests.Intel"],
    "jax": ["framework_tests.Jax"],
    "xgboost": ["framework_tests.XGBoost"],
    "torchtune": ["torchtune_tests.CommandLines", "torchtune_tests.Torchtune", "torchtune_tests.Refused"],
    "initializers": ["framework_tests.Initializers"],
    "elastic": ["elastic_tests.Elastic"],
    "elastic-changes": ["elastic_tests.ElasticChanges"],
    "torch-more": ["torch_tests.TorchMore"],
    "launchers": ["torch_tests.Launchers"],
    "launcher-rows": ["launchers_tests.Rows"],
    "frameworks": ["launchers_tests.Frameworks"],
    "catalogue": ["catalogue_tests.Catalogue"],
    "wrong": ["catalogue_tests.WrongRenders"],
    "examples": ["examples_tests.Examples"],
    "new": ["new_tests.New"],
}


def main():
    if len(sys.argv) < 3:
        sys.exit(f"usage: {sys.argv[0]} TRAINJOBC GROUP[.CLASS.TEST]…\ngroups: {' '.join(GROUPS)}")
    sandbox.enter()
    TrainTest.program = os.path.abspath(sys.argv[1])
    beside = os.path.join(os.path.dirname(TrainTest.program), "train")
    TrainTest.venvs = os.path.abspath(os.environ.get("TRAIN_VENVS", beside))
    words = list(GROUPS) if sys.argv[2:] == ["all"] else sys.argv[2:]
    names = [name for word in words for name in GROUPS.get(word, [word])]
    for name in names:
        importlib.import_module(name.split(".")[0])
    suite = unittest.defaultTestLoader.loadTestsFromNames(names)
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    if not result.wasSuccessful():
        sys.exit(1)
    # A class that is skipped as a whole does not count as a test that ran.
    if result.testsRun == sum(isinstance(test, unittest.TestCase) for test, _ in result.skipped):
        sandbox.skip("nothing of this runs here")


main()
