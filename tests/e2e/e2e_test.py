#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs trainjobc against a real kube-apiserver and etcd on loopback.

usage: e2e_test.py TRAINJOBC FACTS.json FOLDER_OF_PROGRAMS [NAME_OF_TEST...]

Exit status 77 where the programs can't be built: no Go, no network. TRAINJOBC_E2E=required makes that a failure.
"""

import os
import sys
import unittest

import programs
from cluster import Cluster
from support import EndToEnd

SKIPPED = 77
MODULES = ("submit_tests", "live_tests", "diff_tests", "reading_tests")


def main(arguments):
    program, facts, folder, *names = arguments
    try:
        server, kubectl = programs.build(folder)
    except programs.Missing as missing:
        print(f"skipped: {missing}; kube-apiserver is built from its Go module")
        return 1 if os.environ.get("TRAINJOBC_E2E") == "required" else SKIPPED
    cluster = Cluster(server, kubectl, facts)
    try:
        EndToEnd.cluster = cluster
        EndToEnd.program = os.path.abspath(program)
        loader = unittest.TestLoader()
        loader.testNamePatterns = [f"*{name}*" for name in names] or None
        suite = unittest.TestSuite(loader.loadTestsFromName(f"suites.{module}") for module in MODULES)
        return 0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() else 1
    finally:
        cluster.stop()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
