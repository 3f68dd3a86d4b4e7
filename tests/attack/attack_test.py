#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every command over repositories from a grammar: none crashes or hangs, each ends with a status of its own, prints what its
format says, shows no secret, agrees with the others and keeps its promises.

usage: attack_test.py DRIVER [--seed SEED] [--cases N] [--first N] [--seconds S] [--jobs N] [--kind KIND] [--commands N] [--only CHECK] [--keep DIR]

A case is a repository and a sample of the commands; it depends on SEED and its number alone. A failure is shrunk, and written to DIR
with the command that shows it. `--first N --cases 1` runs one case again.
"""
import argparse
import collections
import multiprocessing
import os
import pathlib
import sys
import time

import checks
import repositories
from driver import Driver
from shrink import shrink

SHRUNK = 3  # failures of one check and command that are shrunk; of others only the seed is printed


def run_case(driver, options, index):
    repository = repositories.repository(options.seed, index, options.kind)
    return checks.check_repository(driver, repository, f"{options.seed}/{index}", most=options.commands)


def run_share(options, first, step, queue):
    """Every step-th case."""
    driver = Driver(options.driver)
    end, parent = time.monotonic() + options.seconds, os.getppid()
    done = 0
    for index in range(first, options.first + options.cases, step):
        if time.monotonic() > end or os.getppid() != parent:
            break
        failures = run_case(driver, options, index)
        done += 1
        for failure in failures:
            if not options.only or failure.check in options.only:
                queue.put((index, failure))
    if driver.process:
        last = driver.end()
        if last:
            queue.put((-1, checks.Failure("crash", "the driver's end", last)))
    queue.put((done, driver.runs))


def shrunk(options, index, failure):
    driver = Driver(options.driver)
    repository = repositories.repository(options.seed, index, options.kind)

    def fails(less):
        try:
            return any(each.key == failure.key for each in checks.check_repository(driver, less, f"{options.seed}/{index}", failure, options.commands))
        except (KeyError, IndexError, AttributeError, StopIteration):  # nothing is left to check
            return False

    less = shrink(repository, fails, options.shrink)
    last = [each for each in checks.check_repository(driver, less, f"{options.seed}/{index}", failure, options.commands) if each.key == failure.key]
    return less, (last or [failure])[0]


def write(options, index, failure, repository):
    folder = pathlib.Path(options.keep, f"{options.seed}-{index}-{'-'.join(failure.key[0].split())}")
    for path, text in repository.files.items():
        target = folder / path.replace("\n", "?")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", errors="surrogatepass", newline="")
    return folder


def summary(failures):
    """How many of each, and the first cases."""
    cases = collections.defaultdict(list)
    for index, failure in failures:
        cases[failure.key].append(index)
    for key, indices in sorted(cases.items(), key=lambda each: -len(each[1])):
        print(f"{len(indices):6} {key[0]}: {key[1]}  (cases {', '.join(map(str, indices[:5]))})")
    sys.stdout.flush()


def report(options, failures):
    seen, kinds = collections.Counter(), collections.Counter()
    for index, failure in failures:
        seen[failure.key] += 1
        kinds[failure.kind] += 1
        again = f"--seed {options.seed} --first {index} --cases 1" + (f" --kind {options.kind}" if options.kind else "")
        print(f"\n{failure.check}: trainjobc {failure.command}  [{again}]")
        if index < 0 or kinds[failure.kind] > options.shrunk:
            print("  " + failure.text[:300].replace("\n", "\n  "))
            continue
        repository, failure = shrunk(options, index, failure)
        print("  " + failure.text[:3000].replace("\n", "\n  "))
        print(f"  files: {write(options, index, failure, repository)}")
        for path, text in repository.files.items():
            print(f"  ----- {path}\n" + "\n".join("  " + line for line in text[:3000].splitlines()))
        sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("driver", type=os.path.abspath)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seconds", type=int, default=10**6)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--kind", choices=[name for name, _ in repositories.KINDS])
    parser.add_argument("--commands", type=int, default=4, help="for each repository, besides those that are compared with each other")
    parser.add_argument("--shrink", type=int, default=30, help="seconds for each failure")
    parser.add_argument("--shrunk", type=int, default=SHRUNK)
    parser.add_argument("--only", action="append", help="report failures of this check only, such as crash")
    parser.add_argument("--keep", default="attack-failures")
    options = parser.parse_args()
    start = time.monotonic()
    queue = multiprocessing.Queue()
    shares = [multiprocessing.Process(target=run_share, args=(options, options.first + number, options.jobs, queue)) for number in range(options.jobs)]
    for share in shares:
        share.start()
    failures, done, runs, ended = [], 0, 0, 0
    while ended < len(shares):
        try:
            got = queue.get(timeout=5)
        except Exception:  # queue.Empty
            if all(not share.is_alive() for share in shares) and queue.empty():
                sys.exit("the generator or a check failed itself")
            continue
        if isinstance(got[1], int):
            done, runs, ended = done + got[0], runs + got[1], ended + 1
        else:
            failures.append(got)
    failures.sort(key=lambda each: each[0])
    summary(failures)
    report(options, failures)
    print(f"{runs} runs over {done} repositories of seed {options.seed} in {time.monotonic() - start:.0f} s: {len(failures)} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
