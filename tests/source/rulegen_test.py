#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rulegen_test.py RULEGEN: the table is built from the pages of rules, and not from a page that says too little or too much."""
import pathlib
import subprocess
import sys
import tempfile

GOOD = """---
severity: error
stage: input
exception: warning  # of a job of another cluster
since: "2.1"
---
# The \\<job> has "no" name

One line,
and \\<another>.

    a: 1

      b: 2

## Example
"""
ROW = (r"""    {"render/no-name", Stage::Input, Severity::Error, "The <job> has \"no\" name",
     "One line, and <another>.\n\n    a: 1\n\n      b: 2", Severity::Warning},
""")
BAD = {
    "no head": (("---\nseverity", "severity"), "does not begin with ---"),
    "an unknown fact": (("since", "sinse"), 'unknown fact "sinse: "2.1""'),
    "no severity": (("severity: error\n", ""), "no valid severity"),
    "an unknown severity": (("severity: error", "severity: fatal"), "no valid severity"),
    "an unknown exception": (("exception: warning", "exception: ignored"), "no valid exception"),
    "a stage that is none": (("stage: input\n", ""), "no valid stage"),
    "no summary": (("# The", "The"), 'no line "# Summary" after the facts'),
    "two paragraphs": (("    a: 1", "a: 1"), "more than one paragraph, or an example without indentation"),
    "no example": (("## Example", ""), 'no section "## Example"'),
}


def generate(text):
    with tempfile.TemporaryDirectory() as name:
        page = pathlib.Path(name) / "render/no-name.md"
        page.parent.mkdir()
        page.write_text(text)
        out = pathlib.Path(name) / "table.cpp"
        run = subprocess.run([sys.argv[1], out, page], capture_output=True, text=True, check=False)
        return run.stderr.replace(str(page), "no-name.md"), out.read_text() if out.exists() else ""


def main():
    problems = []
    said, table = generate(GOOD)
    if said or ROW not in table:
        problems.append(f"as it should be: {said}{table}")
    for name, (change, wanted) in BAD.items():
        said, _ = generate(GOOD.replace(*change))
        if said != f"rulegen: no-name.md: {wanted}\n":
            problems.append(f"{name}: {said!r}")
    print("\n".join(problems) or f"{len(BAD)} bad pages are refused")
    return 1 if problems else 0


sys.exit(main())
