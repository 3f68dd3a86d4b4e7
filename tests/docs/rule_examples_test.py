#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every rule has an example in tools/docs/rules, for its page of the documentation: the mistake is reported by the rule,
the mend by no rule that ends lint.

usage: rule_examples_test.py TRAINJOBC
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/docs"))
import examples  # noqa: E402
import rule_runs  # noqa: E402


def problems_of(binary, example):
    if not example.is_changed():
        return ["its example has no line with - or +"]
    mistake = rule_runs.findings(binary, example, "+")
    mend = rule_runs.findings(binary, example, "-")
    problems = []
    if example.rule not in mistake:
        problems.append(f"its mistake is reported by {sorted(mistake) or 'no rule'}, not by it:\n{example.manifest('+')[:3000]}")
    left = {rule for rule, severity in mend.items() if rule == example.rule or severity == "error"}
    if left:
        problems.append(f"its mend is still reported by {sorted(left)}:\n{example.manifest('-')[:3000]}")
    return problems


def main():
    binary = pathlib.Path(sys.argv[1]).resolve()
    known = rule_runs.rules(binary)
    found = examples.read_examples()
    problems = [f"{rule}: there is no such rule" for rule in found if rule not in known]
    problems += [f"{rule} has no example in tools/docs/rules" for rule in known if rule not in found and rule not in rule_runs.NOT_REACHED | rule_runs.HIDDEN_BY.keys()]
    for rule, example in found.items():
        problems += [f"{rule}: {problem}" for problem in problems_of(binary, example)]
    print("\n".join(problems) or f"{len(found)} rules have an example of the mistake and its mend")
    return 1 if problems else 0


sys.exit(main())
