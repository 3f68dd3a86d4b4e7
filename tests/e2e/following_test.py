#!/usr/bin/env python3
"""Runs submit --wait against a control plane with the real controllers.

usage: following_test.py TRAINJOBC FOLDER_OF_PROGRAMS [NAME_OF_TEST...]

Exit status 77 if the programs can't be built; TRAINJOBC_E2E=required makes that a failure.
"""

import os
import sys
import unittest

import control_plane
from programs import Missing
from support import EndToEnd

SKIPPED = 77
VERSION = "2.3"


def main(arguments):
    program, folder, *names = arguments
    try:
        programs = control_plane.build_all(folder, VERSION)
    except Missing as missing:
        print(f"skipped: {missing}; the control plane is built from Go modules")
        return 1 if os.environ.get("TRAINJOBC_E2E") == "required" else SKIPPED
    plane = control_plane.start(programs, VERSION)
    try:
        EndToEnd.cluster = plane
        EndToEnd.program = os.path.abspath(program)
        loader = unittest.TestLoader()
        loader.testNamePatterns = [f"*{name}*" for name in names] or None
        suite = loader.loadTestsFromName("following_tests")
        return 0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() else 1
    finally:
        plane.stop()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
