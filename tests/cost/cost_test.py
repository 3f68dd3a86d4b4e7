#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a command costs grows with its input, and no faster: counts the instructions for n items and for 4n, of each list
and map of the schemas, of the settings, of Kueue's objects, of v1 jobs, of the language server's messages and of scripts.

usage: cost_test.py TRAINJOBC [--all] [--only TEXT] [--table FILE] [--jobs N] [--screen]

Without --all, a sample. What no items cost is subtracted; 4n items that cost more than 4.8 times as much as n fail.
With --screen, the processor's time is measured; where that grows suspiciously, that of four times as many items; and instructions
are counted only where it grows so again.
"""
import argparse
import concurrent.futures
import functools
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

import cases
import measure

LIMIT = 4.8
# Instructions that n items cost at least, so that what does not depend on them is no part of the ratio.
FEW = 200_000
SKIPPED = 77
ENDLESS = 10**15  # that did not end in the time
SUSPICIOUS = 4.3  # times the time, and FEW_NANOSECONDS like FEW
FEW_NANOSECONDS = 1_000_000


def run(trainjobc, case, n, measured=measure.instructions):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in case.files(n).items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        for name, script in (case.programs or {}).items():
            path = pathlib.Path(folder, ".bin", name)
            path.parent.mkdir(exist_ok=True)
            path.write_text(script)
            path.chmod(0o755)
        stdin = case.stdin(n) if case.stdin else b""
        words = [trainjobc, *case.words]
        if case.command not in ("lsp", "new"):
            words += ["--color", "never"]
            if "--threads" not in words:
                words += ["--threads", "1"]
        return measured(words, folder, stdin, {"HOME": folder, "PATH": f"{folder}/.bin:{os.environ['PATH']}"}, case.statuses)


class Runner:
    def __init__(self, trainjobc, screens):
        self.trainjobc = trainjobc
        self.screens = screens
        self.lock = threading.Lock()
        self.nothing = {}  # what no items cost, by the files and the command

    def of_nothing(self, case, measured=measure.instructions):
        key = (measured, tuple(case.words), tuple(sorted(case.files(0).items())), case.stdin(0) if case.stdin else b"")
        with self.lock:
            if key not in self.nothing:
                self.nothing[key] = functools.lru_cache(lambda: run(self.trainjobc, case, 0, measured)[0])
        return self.nothing[key]()

    def screened(self, case):
        """The row by time; None if it grows faster than it should, or may. What is dear in the number of items is dearer the
        more there are, and what only looks so, because other programs run, doesn't twice."""
        base = self.of_nothing(case, measure.nanoseconds)
        for runs in (2, 8):  # other programs only add to the time: the least of more runs is nearer to it
            timed = functools.partial(measure.nanoseconds, runs=runs)
            few, status = run(self.trainjobc, case, case.count, timed)
            for n in (4 * case.count, 16 * case.count):
                many, status = run(self.trainjobc, case, n, timed)
                least = max(few - base, FEW_NANOSECONDS)
                if many - base <= SUSPICIOUS * least:
                    return case, base, base + least, max(many, base + least), status, "ns"
                few = many
        return None

    def measure(self, case):
        try:
            return self.measured(case)
        except RuntimeError as error:  # it ended in another way than the case says
            return case, 0, 0, str(error), None, ""

    def measured(self, case):
        if self.screens and (row := self.screened(case)):
            return row
        base = self.of_nothing(case)
        count = case.count
        few, status = run(self.trainjobc, case, count)
        try:
            many, _ = run(self.trainjobc, case, 4 * count)
        except subprocess.TimeoutExpired:
            many = ENDLESS
        return case, base, few, many, status, "instructions"


HEAD = "| items | command | n | of n | of 4n | ratio | counted | status |\n|---|---|---:|---:|---:|---:|---|---:|\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("trainjobc")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--table", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--screen", action="store_true")
    arguments = parser.parse_args()
    if not measure.is_available():
        print("skipped: neither perf nor valgrind counts instructions here")
        return SKIPPED
    wanted = [case for case in cases.all_cases()
              if (arguments.all or arguments.only or case.is_sample) and arguments.only in case.title]
    runner = Runner(os.path.abspath(arguments.trainjobc), arguments.screen)
    rows = 0
    failed = 0
    if arguments.table:
        arguments.table.write_text(HEAD)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for case, base, few, many, status, unit in pool.map(runner.measure, wanted):
            if status is None:
                failed += 1
                print(f"{case.title}: {many}", flush=True)
                continue
            n, four = few - base, many - base
            least = FEW if unit == "instructions" else FEW_NANOSECONDS
            ratio = four / n if n >= least else four / least if four > LIMIT * least else 0.0
            is_bad = ratio > LIMIT
            failed += is_bad
            rows += 1
            if arguments.table:
                with arguments.table.open("a") as table:
                    table.write(f"| {case.name} | {case.command} | {case.count:,} | {n:,} | {four:,} | "
                                f"{f'{ratio:.2f}' if ratio else 'constant'} | {unit} | {status} |\n")
            if is_bad:
                print(f"{case.title}: {case.count:,} items cost {n:,} instructions, {4 * case.count:,} cost {four:,}: "
                      f"{ratio:.2f} times as much", flush=True)
    print(f"{rows} measured, {failed} failed or grow faster than their input")
    return 1 if failed else 0


sys.exit(main())
