#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes small mistakes in the sources, one at a time, and looks whether a test fails.

usage: mutate.py [--count N] [--seed SEED] [--build DIR] [--report FILE] [--again FILE] [--only PATH]... [--jobs N]

The mistakes, the mutants, are chosen at random from src/k8s, policy, launch, compile/advice and secret. DIR gets a copy of the tree
with all of them, each behind a condition; an environment variable says which one is there, so they are compiled once. A mutant that
doesn't compile is not counted. The unit tests that reach a mutant run until one fails, the quickest first; what none of them kills
is listed, and OTHER_TESTS run. `--again` tries only what an earlier report says no test killed, with the tests as they are now.
`equivalent.json` has mutants that no test can tell from the source, with the reason.
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

import mutants

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FOLDERS = ["src/k8s", "src/policy", "src/launch", "src/compile/advice", "src/secret"]
SPARE = 1.1  # how many are compiled for each that is wanted: some don't compile
# Python tests that ask the program, for what no unit test kills.
OTHER_TESTS = ["conformance/conformance_cases_test.py", "docs/rule_examples_test.py", "kueue/kueue_verdicts_test.py"]
OTHER_SECONDS = 300
LONGEST = 1.5  # seconds of a test case; those that take longer try sizes, not rules, and are left out
MOST_ARGUMENTS = 60_000  # bytes of test names
POSITION = re.compile(r"(\S+?):(\d+):(\d+): +(error|required)\b")


@dataclasses.dataclass
class Result:
    killed: str = ""  # the test that failed; "" if none did
    seconds: float = 0.0
    tests: int = 0  # how many test cases reach it


def main():
    options = arguments()
    build = Build(pathlib.Path(options.build).resolve())
    build.copy()
    kept = build.compile(choose(options))
    kept = dict(list(kept.items())[:options.count])
    known = earlier(options.again) if options.again else {}
    reach, seconds = build.reach()
    runner = Runner(build, reach, seconds)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = dict(zip(kept, pool.map(lambda number: known.get(kept[number].text()) or runner.run(number, kept[number]), kept)))
        left = [number for number in kept if not results[number].killed and kept[number].text() not in equivalents()]
        for number, killed in zip(left, pool.map(runner.other_tests, left)):
            results[number].killed = killed
    report(options, kept, results)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--build", default=str(ROOT / "build-mutation"))
    parser.add_argument("--report", default="", help="report.json in DIR")
    parser.add_argument("--again", default="")
    parser.add_argument("--only", action="append", default=[], help="sources whose path contains this")
    parser.add_argument("--jobs", type=int, default=2)
    return parser.parse_args()


# ---- Which mutants ----


def all_mutants():
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.cpp")):  # in headers are few, and all that include them would be compiled
            yield from mutants.find(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))


def choose(options):
    found = [mutant for mutant in all_mutants() if not options.only or any(part in mutant.file for part in options.only)]
    random.Random(options.seed).shuffle(found)
    return dict(enumerate(found[:int(options.count * SPARE)]))


def earlier(path):
    """The results of the mutants that the report says a test killed."""
    entries = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))["mutants"]
    return {text_of(entry): Result(entry["killed"], entry["seconds"], entry["tests"]) for entry in entries if entry["killed"]}


def equivalents():
    """The reasons, by the mutants' texts."""
    return {text_of(entry): entry["reason"] for entry in json.loads((HERE / "equivalent.json").read_text(encoding="utf-8"))}


def text_of(entry):
    """Mutant.text() of an entry of a report or of equivalent.json."""
    return tuple(entry[key] for key in ("file", "code", "place", "original", "mutated"))


# ---- The build ----


class Build:
    def __init__(self, folder):
        self.folder = folder
        self.binaries = folder / "build-dev"
        self.ranges = {}  # of the mutants, in the sources that are compiled
        self.lines = {}

    def copy(self):
        """A copy of the tree; what has not changed keeps its time."""
        listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"], cwd=ROOT, check=True,
                                capture_output=True, text=True).stdout.split("\0")
        for name in filter(None, listed):
            source, target = ROOT / name, self.folder / name
            if name.startswith(tuple(f"{folder}/" for folder in FOLDERS)) or not source.exists():
                continue
            if source.is_symlink():
                target.parent.mkdir(parents=True, exist_ok=True)
                target.unlink(missing_ok=True)
                target.symlink_to(os.readlink(source))
            else:
                write(target, source.read_bytes(), source.stat().st_mode)
        write(self.folder / "src/mutation.h", (HERE / "mutation.h").read_bytes())
        # The last one, so that the others are compiled together as they are elsewhere, and ccache has them.
        write(self.folder / "tests/unit/zz_mutation_listener.cpp", (HERE / "listener.cpp").read_bytes())

    def compile(self, chosen):
        """Compiles all mutants, and returns those that can be."""
        path = self.folder / "uncompilable.json"
        known = {tuple(entry) for entry in json.loads(path.read_text(encoding="utf-8"))} if path.exists() else set()
        chosen = {number: mutant for number, mutant in chosen.items() if mutant.key() not in known}
        self.configure(chosen)
        while True:
            self.write_sources(chosen)
            done = subprocess.run(["ninja", "-C", self.binaries, "-j2", "-k0", "--quiet", "trainjobc", "unit_tests"], capture_output=True,
                                  text=True, errors="replace", check=False)
            if done.returncode == 0:
                return chosen
            log = done.stdout + done.stderr
            (self.folder / "build.log").write_text(log, encoding="utf-8")
            wrong = self.wrong_mutants(log)
            if not wrong:
                sys.exit(f"the copy doesn't compile:\n{log[-8000:]}")
            print(f"{len(wrong)} mutants don't compile", flush=True)
            known |= {chosen.pop(number).key() for number in wrong}
            path.write_text(json.dumps(sorted(known)), encoding="utf-8")

    def configure(self, chosen):
        self.write_sources(chosen)
        subprocess.run(["cmake", "-S", self.folder, "-B", self.binaries, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
                        "-DCMAKE_CXX_FLAGS_DEBUG=-Og", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=8"], stdout=subprocess.DEVNULL, check=True)

    def write_sources(self, chosen):
        by_file = collections.defaultdict(list)
        for number, mutant in chosen.items():
            by_file[mutant.file].append((number, mutant))
        self.ranges = {}
        for folder in FOLDERS:
            for path in (ROOT / folder).rglob("*"):
                if not path.is_file():
                    continue
                file = path.relative_to(ROOT).as_posix()
                data = path.read_bytes()
                if file in by_file:
                    data = self.mutated(file, data.decode(), by_file[file]).encode()
                write(self.folder / file, data)

    def mutated(self, file, text, numbered):
        """The include is on the first line, so that all lines keep their numbers."""
        new, ranges = mutants.with_mutants(text, numbered)
        first, rest = new.split("\n", 1)
        if not first.startswith("//"):
            sys.exit(f"{file} doesn't begin with a comment")
        include = '#include "mutation.h"'
        shift = len(include) - len(first)
        new = f"{include}\n{rest}"
        self.lines[file] = [0, *(place.end() for place in re.finditer("\n", new)), len(new)]
        for number, (start, end) in ranges.items():
            self.ranges[number] = (file, start + shift, end + shift)
        return new

    def wrong_mutants(self, log):
        """The mutants that the compiler complains of."""
        wrong = set()
        uses = []  # of the template that the next error is in
        for found in filter(None, map(POSITION.match, log.splitlines())):
            here = self.mutants_at(*found.group(1, 2, 3))
            if found[4] == "required":
                uses += here
            else:
                wrong |= set(here or uses)
                uses = []
        return wrong

    def mutants_at(self, path, line, column):
        """The innermost mutant at the position; if none is there, those of the line."""
        file = os.path.relpath(os.path.normpath(self.binaries / path), self.folder)
        if file not in self.lines:
            return []
        begin, end = self.lines[file][int(line) - 1:int(line) + 1]
        position = begin + int(column) - 1
        ranges = [(stop - start, number, start, stop) for number, (its, start, stop) in self.ranges.items() if its == file]
        around = [number for _, number, start, stop in sorted(ranges) if start <= position < stop]
        return around[:1] or [number for _, number, start, stop in ranges if start < end and stop > begin]

    def reach(self):
        """Runs all unit tests without a mutant: which of them reach each mutant, and how long they take."""
        path, program = self.folder / "reached.jsonl", self.binaries / "tests/unit_tests"
        if not path.exists() or path.stat().st_mtime < program.stat().st_mtime:
            done = run([program, "--minimal"], 3600, {"TRAINJOBC_REACHED": str(path)})
            if done.failed:
                path.unlink(missing_ok=True)
                sys.exit(f"without a mutant, the unit tests fail:\n{done.output[-4000:]}")
        reached, seconds = collections.defaultdict(list), {}
        for line in path.read_text(encoding="utf-8").splitlines():
            test = json.loads(line)
            if test["test"]:
                seconds[test["test"]] = test["seconds"]
            for number in test["reached"]:
                reached[number].append(test["test"])
        return reached, seconds


def write(path, data, mode=None):
    if path.exists() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    if mode:
        path.chmod(mode)


# ---- Running the tests ----


@dataclasses.dataclass
class Done:
    failed: str  # how, or ""
    output: str


def run(command, seconds, environment):
    """Runs a command in a process group and a temporary folder of its own."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as output:
        process = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                   start_new_session=True, env={**os.environ, "TMPDIR": folder, **environment})
        failed = ""
        try:
            status = process.wait(seconds)
            if status < 0:
                failed = f"signal {-status}"
            elif status not in (0, 77):
                failed = f"status {status}"
        except subprocess.TimeoutExpired:
            failed = "time"
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        output.seek(0)
        return Done(failed, output.read(2_000_000).decode(errors="replace"))


class Runner:
    def __init__(self, build, reach, seconds):
        self.build = build
        self.seconds = {test: spent for test, spent in seconds.items() if spent < LONGEST}
        self.reach = {number: set(tests) & {"", *self.seconds} for number, tests in reach.items()}
        self.equivalents = equivalents()
        self.lock = threading.Lock()
        self.done = 0

    def run(self, number, mutant):
        begin = time.monotonic()
        result = Result(tests=len(self.reach.get(number, ())))
        result.killed = self.unit_tests(number)
        result.seconds = round(time.monotonic() - begin, 2)
        with self.lock:
            self.done += 1
            if not result.killed and mutant.text() not in self.equivalents:
                print(f"{mutant.file}:{mutant.line}: {mutant.original}  ->  {mutant.mutated or 'nothing'}", flush=True)
            if self.done % 50 == 0:
                print(f"{self.done} done", flush=True)
        return result

    def unit_tests(self, number):
        """The tests that reach the mutant, the quickest first, in groups that take ever longer. If only one does, it may have made
        a table that others read."""
        tests = sorted(self.reach.get(number, set()) - {""}, key=self.seconds.get)
        limit, group = 0.5, []
        while tests or group:
            while tests and sum(map(self.seconds.get, group)) < limit and sum(map(len, group)) < MOST_ARGUMENTS:
                group.append(tests.pop(0))
            killed = self.group(number, group)
            if killed:
                return killed
            limit, group = limit * 4, []
        return self.group(number, list(self.seconds)) if len(self.reach.get(number, ())) == 1 else ""

    def group(self, number, tests):
        names = ",".join(test.replace("\\", "\\\\").replace(",", "\\,") for test in tests)
        spent = sum(map(self.seconds.get, tests))
        done = run([self.build.binaries / "tests/unit_tests", "--minimal", "-aa=1", f"-tc={names}"], 10 + 10 * spent,
                   {"TRAINJOBC_MUTANT": str(number)})
        return failure(done)

    def other_tests(self, number):
        """For what no unit test kills."""
        for test in OTHER_TESTS:
            done = run([sys.executable, self.build.folder / "tests" / test, self.build.binaries / "trainjobc"], OTHER_SECONDS,
                       {"TRAINJOBC_MUTANT": str(number)})
            if done.failed:
                return f"{test}: {done.failed}"
        return ""


def failure(done):
    """Which test failed and how, or ""."""
    if not done.failed:
        return ""
    named = re.search(r"^TEST CASE:\s+(.*)$", done.output, re.M)
    return f"{named[1] if named else 'unit tests'}: {done.failed}"


# ---- The report ----


def report(options, kept, results):
    reasons = equivalents()
    entries = []
    for number, mutant in kept.items():
        entry = {"file": mutant.file, "line": mutant.line, "column": mutant.column, "code": mutant.code, "place": mutant.place, "original": mutant.original,
                 "mutated": mutant.mutated, **vars(results[number])}
        if mutant.text() in reasons and not entry["killed"]:
            entry["equivalent"] = reasons[mutant.text()]
        entries.append(entry)
    path = pathlib.Path(options.report or f"{options.build}/report.json")
    path.write_text(json.dumps({"seed": options.seed, "mutants": entries}, indent=1) + "\n", encoding="utf-8")
    same = sum("equivalent" in entry for entry in entries)
    print(f"{sum(bool(entry['killed']) for entry in entries)} of {len(entries) - same} killed" + (f"; {same} change nothing" if same else ""))


if __name__ == "__main__":
    main()
