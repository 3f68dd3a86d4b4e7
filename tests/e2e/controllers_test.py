#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs TrainJobs through a control plane with the real controllers, and compares what they make of them with what
trainjobc says: objects, verdicts, Jobs and pods, diff.

usage: controllers_test.py TRAINJOBC FOLDER_OF_PROGRAMS [--trainer-version 2.3] [--kubernetes 1.36] [--kueue [0.15|FOLDER]]
       [--random N] [--namespaces N] [--seed N] [--skip N] [--minutes N] [--conformance [--recordings FOLDER]] [--only SUBSTRING]
       [--keep FOLDER] [--serve] [--tests NAME] [FILE...]

First the tests of suites/ that need the controllers, then the examples, the runtimes of the catalogue and N random
jobs; with --conformance the recorded inputs, too. FILE...: only these, each a case; --tests: only those tests whose
names hold NAME. Exit status 77 if the programs can't be built; TRAINJOBC_E2E=required makes that a failure.
"""

import argparse
import itertools
import os
import random
import signal
import sys
import tempfile
import time
import unittest

import control_plane
from api import Api
from cases import case as inputs
from cases import generator, namespaces, samples
from comparison.live_round import Round
from comparison.round_trip import Program, Report, RoundTrip
from programs import KUBERNETES, KUEUE, Missing
from support import EndToEnd

SKIPPED = 77
ROUND_SIZE = 40  # cases
TEST_MODULES = (
    "unchanged_tests",
    "exported_tests",
    "flux_tests",
    "kustomize_tests",
    "following_tests",
    "guard_tests",
    "webhook_tests",
    "webhook_install_tests",
)
KUEUE_MODULES = ("kueue_tests", "quota_tests", "queues_tests")


def kueue_release(text):
    if not text or text in KUEUE:
        return text
    if os.path.isfile(os.path.join(text, "go.mod")):
        return os.path.abspath(text)
    raise argparse.ArgumentTypeError(f"{text} is neither {' nor '.join(KUEUE)} nor a folder with a go.mod")


def parse(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("programs", help="folder in which they are built")
    parser.add_argument("files", nargs="*")
    defaults = control_plane.Releases()
    parser.add_argument("--trainer-version", default=defaults.trainer, choices=control_plane.TRAINER_VERSIONS)
    parser.add_argument("--kubernetes", default=defaults.kubernetes, choices=KUBERNETES)
    parser.add_argument("--random", type=int, default=12, help="random jobs")
    parser.add_argument("--namespaces", type=int, default=0, help="random namespaces, each with what refuses pods and a job")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--skip", type=int, default=0, help="random cases, to go on where a run ended")
    parser.add_argument("--minutes", type=float, default=0, help="begin no round after this time")
    parser.add_argument("--conformance", action="store_true")
    parser.add_argument("--recordings", default=inputs.CONFORMANCE)
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", help="folder for the inputs and logs")
    kueue = f"with Kueue, and its tests: {', '.join(KUEUE)} or the folder of a checkout of another release"
    parser.add_argument("--kueue", nargs="?", default="", const=next(iter(KUEUE)), type=kueue_release, help=kueue)
    parser.add_argument("--tests", help="only these tests, no cases")
    parser.add_argument("--serve", action="store_true", help="only start the control plane, for a person to use")
    return parser.parse_args(arguments)


def all_cases(options, plane, program, folder):
    if options.files:
        yield from (inputs.read(plane.kubectl, os.path.basename(path), os.path.abspath(path)) for path in options.files)
        return
    yield from samples.examples(plane.kubectl, program, plane.version, folder)
    yield from samples.catalogue(plane.kubectl, program, plane.version, folder)
    seed = random.SystemRandom().randrange(10**6) if options.seed is None else options.seed
    print(f"random jobs: --random {options.random} --seed {seed}", flush=True)
    for name, items in itertools.islice(generator.cases(seed, options.random, plane.version), options.skip, None):
        yield inputs.write(folder, name, items)
    for name, items in namespaces.cases(seed, options.namespaces):
        yield inputs.write(folder, name, items)
    if options.conformance:
        yield from inputs.recorded(plane.kubectl, options.recordings, plane.version)


def rounds(cases):
    """Cases side by side that have no name in common: each goes to the first round that it fits into."""
    open_rounds = []  # (names, cases)
    for case in cases:
        # What a TrainJob makes begins with its name.
        names = {inputs.identity(item) for item in case.objects}
        fitting = next((one for one in open_rounds if not names & one[0]), None)
        if fitting is None:
            fitting = (set(), [])
            open_rounds.append(fitting)
        fitting[0].update(names)
        fitting[1].append(case)
        if len(fitting[1]) == ROUND_SIZE:
            open_rounds = [one for one in open_rounds if one is not fitting]
            yield fitting[1]
    yield from (batch for _, batch in open_rounds)


def run_round(trip, live_round, batch, folder, index):
    """How many cases differ."""
    live_round.run()
    different = 0
    for case in batch:
        before = len(trip.report.differences)
        if case.unreadable:
            trip.unreadable(case)
        else:
            trip.compare(live_round, case)
        different += len(trip.report.differences) > before
    for flags in ([], ["--server-side"]) if live_round.live else []:
        trip.diff(folder, f"round-{index}", live_round, *flags)
    live_round.clean_up()
    return different


def run(options, plane, folder):
    program = os.path.abspath(options.program)
    report = Report()
    trip = RoundTrip(Program(program, plane.environment(), plane.version, options.kubernetes), report)
    api = Api(plane.port, "admin-token")
    began = time.monotonic()
    count = printed = 0
    cases = (case for case in all_cases(options, plane, program, folder) if options.only in case.name)
    for index, batch in enumerate(rounds(cases)):
        if options.minutes and time.monotonic() - began > options.minutes * 60:
            print(f"the time is up after {count} cases")
            break
        live_round = Round(plane, api, [case for case in batch if not case.unreadable])
        different = run_round(trip, live_round, batch, folder, index)
        count += len(batch)
        for difference in report.differences[printed:]:
            print(difference, flush=True)
        printed = len(report.differences)
        print(f"{count} cases, {different} different in this round, {time.monotonic() - began:.0f} s", flush=True)
        died = plane.processes.dead()
        if died:
            raise RuntimeError(f"{died[0]} ended:\n{plane.processes.log(died[0])[-4000:]}")
    print(report.table())
    print(f"{count} cases, {len(report.differences)} differences, {time.monotonic() - began:.0f} s")
    return bool(report.differences or not count)


def run_tests(options, plane):
    """Did one fail?"""
    EndToEnd.cluster = plane
    EndToEnd.program = os.path.abspath(options.program)
    EndToEnd.trainer_version = plane.version
    EndToEnd.runs_all_recorded = options.conformance
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f"*{options.tests}*"] if options.tests else None
    modules = (*TEST_MODULES, *KUEUE_MODULES) if options.kueue else TEST_MODULES
    suite = unittest.TestSuite(loader.loadTestsFromName(f"suites.{module}") for module in modules)
    return not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful()


def run_all(options, plane, folder):
    chosen = options.files or options.only
    failed = not chosen and run_tests(options, plane)
    return failed if options.tests else run(options, plane, folder) or failed


def serve(plane):
    print(f"export KUBECONFIG={plane.kubeconfig}\nlogs: {plane.processes.log_folder}\nCtrl-C ends it", flush=True)
    try:
        signal.pause()
    except KeyboardInterrupt:
        pass
    return False


def main(arguments):
    options = parse(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    releases = control_plane.Releases(options.trainer_version, options.kubernetes, options.kueue)
    try:
        programs = control_plane.build_all(options.programs, releases)
    except Missing as missing:
        print(f"skipped: {missing}; the control plane is built from Go modules")
        return 1 if os.environ.get("TRAINJOBC_E2E") == "required" else SKIPPED
    with tempfile.TemporaryDirectory(prefix="trainjobc-live-") as temporary:
        folder = os.path.abspath(options.keep) if options.keep else temporary
        plane = control_plane.start(programs, releases)
        try:
            failed = serve(plane) if options.serve else run_all(options, plane, folder)
        finally:
            if options.keep:
                plane.keep_logs(os.path.join(folder, "logs"))
            plane.stop()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
