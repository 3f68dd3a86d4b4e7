#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The example of each rule's page, rules/STAGE/NAME.md: the mistake is reported by this rule and no other, the mend by none, apart
from the rules that the page names after "also". Under a Trainer older than "since" the rule does not report the mistake. Fixes
make the mend of the mistake if the page says "fix", and change nothing if it does not.

usage: rule_examples_test.py TRAINJOBC
"""
import concurrent.futures
import difflib
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/docs"))
import examples  # noqa: E402
import rule_runs  # noqa: E402

VERSIONS = sorted((path.stem.removeprefix("v") for path in (ROOT / "schema").glob("v*.json")), key=lambda version: [int(part) for part in re.findall(r"\d+", version)])


def problems_without_example(page, pages):
    """Such a page says why: another rule reports the mistake first, or no manifest can contain it."""
    if "unreachable" in page.facts:
        return [] if page.note else ["its page does not say why it has no example"]
    first = re.search(r"\]\(\.\./(\w+/[\w-]+)\.md\)", page.note)
    if not first:
        return ["its page has no example, and names no rule that reports the mistake first"]
    return [] if first.group(1) in pages else [f"its page names {first.group(1)}, which is no rule"]


def problems_of_since(binary, page):
    problems = []
    since = page.facts["since"]
    for version in VERSIONS[: VERSIONS.index(since)]:
        if page.rule in rule_runs.findings(binary, page, "+", version):
            problems.append(f"Trainer {version} has it too, not only {since}")
    if page.rule not in rule_runs.findings(binary, page, "+", since):
        problems.append(f"Trainer {since} does not have it")
    return problems


def problems_of_fixes(binary, page):
    """--fix applies safe fixes, --fix=all suggested ones too."""
    if page.command("+")[0] != "lint" or page.facts.keys() & {"encoding"}:
        return []
    mistake, mend = page.manifest("+").encode(), page.manifest("-").encode()
    safe, both = (rule_runs.fixed(binary, page, flag) for flag in ("--fix", "--fix=all"))
    fix = "" if both == mistake else "suggested" if safe == mistake else "safe"
    if fix != page.facts.get("fix", ""):
        return [f"its fix is {fix or 'none'}, the page says {page.facts.get('fix', 'none')}"]
    if not fix or both == mend:
        return []
    lines = difflib.unified_diff(mend.decode().split("\n"), both.decode().split("\n"), "mend", "fixed", n=0, lineterm="")
    return ["--fix=all does not make its mend:\n" + "\n".join(lines)]


def problems_of(binary, page, pages):
    if not page.sections:
        return problems_without_example(page, pages)
    if not page.is_changed():
        return ["its example has no line with - or +"]
    mistake = set(rule_runs.findings(binary, page, "+"))
    mend = set(rule_runs.findings(binary, page, "-"))
    also = page.also()
    problems = []
    if mistake - also != {page.rule}:
        problems.append(f"its mistake is reported by {sorted(mistake) or 'no rule'}:\n{page.manifest('+')[:3000]}")
    if mend - also:
        problems.append(f"its mend is still reported by {sorted(mend)}:\n{page.manifest('-')[:3000]}")
    if also - mistake - mend:
        problems.append(f"{sorted(also - mistake - mend)} are in \"also\" and report nothing")
    problems += problems_of_fixes(binary, page)
    return problems + (problems_of_since(binary, page) if "since" in page.facts else [])


def main():
    binary = pathlib.Path(sys.argv[1]).resolve()
    pages = examples.read_pages()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        checked = pool.map(lambda page: [f"{page.rule}: {problem}" for problem in problems_of(binary, page, pages)], pages.values())
        problems = [problem for one in checked for problem in one]
    if pages.keys() != rule_runs.rules(binary).keys():
        problems.append(f"the binary has other rules than rules/: {sorted(pages.keys() ^ rule_runs.rules(binary).keys())}")
    with_example = sum(bool(page.sections) for page in pages.values())
    with_fix = sum("fix" in page.facts for page in pages.values())
    print("\n".join(problems) or f"{len(pages)} rules; the mistake of {with_example} is reported by exactly this rule, their mend by none; "
          f"{with_fix} have a fix, which makes the mend of the mistake")
    return 1 if problems else 0


sys.exit(main())
