#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions of render and lint by pass, with callgrind, and prints a table.

usage: profile.py TRAINJOBC [JOBS]     (300)

TRAINJOBC needs its symbols. Instructions are counted on one thread, so neither the machine nor its load changes the table.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
# What stands for a pass; the functions of a pass don't call each other.
PASSES = {
    "start: load and link the program": [],
    "read: events": [r"yaml_parser_parse$", r"trainjobc::yaml::read_simple\("],
    "read: trees, places, types": [r"trainjobc::compile::read_objects\("],
    "admit the TrainJob": [r"trainjobc::compile::admit_job\("],
    "merge the runtime": [r"trainjobc::compile::merge_runtime\("],
    "build the JobSet": [r"trainjobc::compile::build_job_set\("],
    "default the JobSet": [r"trainjobc::compile::admit_job_set\("],
    "check the JobSet": [r"trainjobc::compile::validate_job_set\("],
    "check its Jobs and pods": [r"trainjobc::k8s::job::validate_jobs\("],
    "advice": [r"trainjobc::compile::advise_job\("],
    "hide secrets in findings": [r"SecretGuard::~SecretGuard\("],
    "policies, snapshots, empty fields": [r"trainjobc::compile::render_job\("],
    "print": [r"trainjobc::cli::PrintingSink::take\(", r"trainjobc::lint::write_report\("],
}
# Passes that run within the function of another one.
INSIDE = {
    "read: trees, places, types": ["read: events"],
    "policies, snapshots, empty fields": ["merge the runtime", "build the JobSet", "default the JobSet", "check the JobSet",
                                          "check its Jobs and pods", "advice", "hide secrets in findings"],
}


def count(trainjobc, command, path, folder):
    """Instructions by function, those of the functions that it calls included."""
    out = pathlib.Path(folder, "callgrind.out")
    subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", trainjobc, command, "--threads", "1", path],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    text = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", out], capture_output=True, text=True,
                          check=True).stdout
    rows = re.findall(r"^ *([\d,]+) \([^)]*\)  [^:\n]*:(.*?)(?: \[.*)?$", text, re.M)
    total = int(re.search(r"([\d,]+) \(100.0%\)  PROGRAM TOTALS", text).group(1).replace(",", ""))
    return total, [(name, int(number.replace(",", ""))) for number, name in rows]


def by_pass(total, functions):
    """Instructions by pass; what is in none of them is the rest."""
    whole = {name: sum(max([number for function, number in functions if re.search(pattern, function)], default=0)
                       for pattern in patterns) for name, patterns in PASSES.items()}
    whole["start: load and link the program"] = total - max(number for function, number in functions if function == "main")
    own = {name: number - sum(whole[part] for part in INSIDE.get(name, [])) for name, number in whole.items()}
    own["rest"] = total - sum(own.values())
    return own


def main():
    trainjobc = sys.argv[1]
    jobs = sys.argv[2] if len(sys.argv) > 2 else "300"
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "jobs.yaml")
        with path.open("w") as file:
            subprocess.run([sys.executable, HERE / "make_jobs.py", jobs], stdout=file, check=True)
        totals, tables = zip(*(((result := count(trainjobc, command, path, folder))[0], by_pass(*result))
                               for command in ("render", "lint")), strict=True)
    print("| pass | render | lint |\n|---|---:|---:|")
    for name in tables[0]:
        print(f"| {name} | " + " | ".join(f"{100 * table[name] / total:.1f} %" for table, total in zip(tables, totals)) + " |")
    print("| instructions of a job, in thousands | " + " | ".join(f"{total / int(jobs) / 1000:,.0f}" for total in totals) + " |")


main()
