#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which small mistakes in the rules the tests find: each mutant is one, and is killed if some unit test fails.

usage: mutate.py [--folder FOLDER]... [--count N] [--seed SEED] [--seconds S] [--build DIR] [--report FILE] [--list]

All mutants are compiled into one program, which makes the one that TRAINJOBC_MUTANT names; so one build serves them all. First each
test case says which it reaches; then a random sample runs, each with the test cases that reach it.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import time

import mutants

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FOLDERS = ["src/k8s", "src/policy", "src/compile/advice", "src/secret"]
ERROR = re.compile(r"(src/[\w/.]+\.cpp):(\d+):\d+: (?:fatal )?error:")
ROUNDS = 12        # of builds, each without the mutants that the last one refused
FEW = 12           # test cases that run first: those that reach the fewest mutants
TIME_LIMIT = 300   # seconds of a run; one that takes longer is killed, too
MEMORY = 4 << 30


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace", check=False, **options)


def find_all(folders):
    """All mutants, by path."""
    found = {}
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.cpp")):
            name = str(path.relative_to(ROOT))
            found[name] = mutants.find(name, path.read_text())
    for number, mutant in enumerate((each for path in sorted(found) for each in found[path]), 1):
        mutant.number = number
    return found


def copy_tree(tree):
    """The files of the working tree, with the runtime of mutants."""
    listed = run("git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard").stdout.splitlines()
    for name in listed:
        source, target = ROOT / name, tree / name
        if not source.is_file() or (target.exists() and target.stat().st_mtime >= source.stat().st_mtime and not name.startswith("src/")):
            continue
        if not target.exists() or target.read_bytes() != source.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
    for source, target in (("runtime.h", "src/base/mutation_runtime.h"), ("runtime.cpp", "src/base/mutation_runtime.cpp"),
                           ("listener.cpp", "tests/unit/mutation_listener.cpp")):
        if not (tree / target).exists():
            shutil.copy2(HERE / source, tree / target)


def write_sources(tree, found):
    for path, of_path in found.items():
        source = (ROOT / path).read_text()
        if of_path:
            first = source.index("#include")
            # On the first line, so that all other lines stay where they are.
            source = mutants.written(source, of_path)
            source = source[:first] + '#include "base/mutation_runtime.h"\n#line ' + str(source.count("\n", 0, first) + 1) + "\n" + source[first:]
        target = tree / path
        if target.read_text() != source:
            target.write_text(source)


def build(tree, found, more):
    """Drops what doesn't compile."""
    flags = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-Og", "-DTRAINJOBC_WERROR=OFF", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=8", *more]
    for _ in range(ROUNDS):
        write_sources(tree, found)
        configured = run("cmake", "-S", tree, "-B", tree / "build", *flags)
        if configured.returncode:
            sys.exit(configured.stdout + configured.stderr)
        built = run("ninja", "-C", tree / "build", "-j", len(os.sched_getaffinity(0)), "-k", "0", "unit_tests")
        if built.returncode == 0:
            return
        places = {(path, int(line)) for path, line in ERROR.findall(built.stdout)}
        before = sum(map(len, found.values()))
        for path in found:
            found[path] = [each for each in found[path] if not any(where == path and each.line <= line <= each.line + each.text.count("\n") for where, line in places)]
        if sum(map(len, found.values())) == before:
            sys.exit(built.stdout[-6000:])
    sys.exit("the sources with mutants don't compile")


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (TIME_LIMIT, TIME_LIMIT))


def test(tree, number, cases=()):
    """Whether the unit tests pass with a mutant: all of them, or some."""
    # "," separates patterns, "*" and "?" are wildcards.
    words = ["-tc=" + ",".join(re.sub(r"[,*\\\"]", "?", name) for name in cases)] if cases else []
    done = run(tree / "build/tests/unit_tests", "--abort-after=1", "--minimal", *words, cwd=tree, preexec_fn=limit,
               env={**os.environ, "TRAINJOBC_MUTANT": str(number)})
    return done.returncode == 0


def reached_by(tree):
    """The test cases of each mutant, the most special ones first."""
    path = tree / "build/reached"
    done = run(tree / "build/tests/unit_tests", cwd=tree, env={**os.environ, "TRAINJOBC_REACHED": str(path)})
    if done.returncode:
        sys.exit("the tests fail without a mutant:\n" + done.stdout[-3000:])
    lines = path.read_text().splitlines()
    cases = collections.defaultdict(list)
    counted = []
    for name, numbers in zip(lines[::2], lines[1::2]):
        counted.append((name, [int(number) for number in numbers.split()]))
    for name, numbers in sorted(counted, key=lambda each: len(each[1])):
        for number in numbers:
            cases[number].append(name)
    return cases


def verdict(tree, mutant, cases):
    if not cases:
        return "not reached"
    if not test(tree, mutant.number, cases[:FEW]):
        return "killed"
    return "survived" if len(cases) <= FEW or test(tree, mutant.number, cases[FEW:]) else "killed"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", action="append", help=f"whose sources are changed; default: {' '.join(FOLDERS)}")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=10**6)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build-mutation")
    parser.add_argument("--cmake", action="append", default=[], help="a flag for cmake")
    parser.add_argument("--report", type=pathlib.Path, help="also write the verdicts to this file, as JSON")
    parser.add_argument("--list", action="store_true", help="list all mutants, run none")
    options = parser.parse_args()
    found = find_all(options.folder or FOLDERS)
    if options.list:
        for each in (each for path in sorted(found) for each in found[path]):
            print(f"{each.path}:{each.line}: {each.what}")
        return
    tree = options.build.resolve()
    copy_tree(tree)
    build(tree, found, options.cmake)
    cases = reached_by(tree)
    everything = [each for path in sorted(found) for each in found[path]]
    sample = random.Random(options.seed).sample(everything, min(options.count, len(everything)))
    start, counts, verdicts = time.monotonic(), collections.Counter(), []
    for mutant in sample:
        if time.monotonic() - start > options.seconds:
            break
        said = verdict(tree, mutant, cases.get(mutant.number, []))
        counts[said] += 1
        verdicts.append({"path": mutant.path, "line": mutant.line, "what": mutant.what, "verdict": said})
        if said != "killed":
            print(f"{mutant.path}:{mutant.line}: {said}: {mutant.what}", flush=True)
    if options.report:
        options.report.write_text(json.dumps(verdicts, indent=1) + "\n")
    total = sum(counts.values())
    print(f"{counts['killed']} of {total} mutants killed ({100 * counts['killed'] / max(total, 1):.1f} %), {counts['survived']} survived, "
          f"{counts['not reached']} not reached; sampled from {len(everything)} with seed {options.seed}")


if __name__ == "__main__":
    main()
