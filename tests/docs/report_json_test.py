#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What each command prints as JSON fits the schema that `trainjobc schema --report` prints, and says its version.

usage: report_json_test.py BINARY
"""
import json
import pathlib
import subprocess
import sys
import tempfile

BINARY = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "golden"
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "null": type(None)}
V1 = """apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: mnist}
spec:
  pytorchReplicaSpecs:
    Worker: {replicas: 2, template: {spec: {containers: [{name: pytorch, image: "r.io/a:1", command: [torchrun, a.py]}]}}}
"""
# Of each report: arguments, and a part that has to be in it.
RUNS = {
    "lint": [(["lint", GOLDEN / "readme-lint"], "diagnostics")],
    "diff": [(["diff", "--no-config", "--from", GOLDEN / "diff-cost-json/old.yaml", GOLDEN / "diff-cost-json/input.yaml"], "cost"),
             (["diff", "--from-version", "2.1", "--to-version", "2.3", ROOT / "examples/jobs"], "acceptance")],
    "explain": [(["explain", "--no-config", "--no-catalogue", GOLDEN / "explain-chain-json/input.yaml"], "fields")],
    "plan": [(["plan", "--no-config", GOLDEN / "plan-unknown/jobs.yaml"], "jobs"),
             (["plan", "--no-config", "--no-catalogue", "--ranks", GOLDEN / "plan-json/input.yaml"], "jobs"),
             (["plan", "--no-config", "--quota", GOLDEN / "plan-together-json/quota.yaml", GOLDEN / "plan-together-json/input.yaml"], "jobs")],
    "runtimes": [(["runtimes"], "runtimes"),
                 (["runtimes", "--used-by", "torch-distributed", GOLDEN / "runtimes-used-by-json/input.yaml"], "runtimes")],
    "version": [(["version"], "compared")],
}
problems = []


def run(*words):
    return subprocess.run([BINARY, *words], capture_output=True, text=True)


def misfits(value, schema, path):
    """What of the value does not fit: enough of JSON Schema for these schemas."""
    if "anyOf" in schema:
        of_each = [list(misfits(value, one, path)) for one in schema["anyOf"]]
        if all(of_each):
            yield from min(of_each, key=len)
        return
    if "type" in schema and (not isinstance(value, TYPES[schema["type"]]) or schema["type"] == "integer" and value is True):
        yield f"{path} is {value!r}, not of type {schema['type']}"
        return
    if "const" in schema and value != schema["const"] or "enum" in schema and value not in schema["enum"]:
        yield f"{path} is {value!r}"
    if isinstance(value, dict):
        yield from (f"{path} has no {key}" for key in schema.get("required", []) if key not in value)
        others = schema.get("additionalProperties")
        for key, one in value.items():
            known = schema.get("properties", {}).get(key, others)
            if known is None and "properties" in schema:
                yield f"{path}.{key} is not in the schema"
            elif known is not None:
                yield from misfits(one, known, f"{path}.{key}")
    for i, one in enumerate(value if isinstance(value, list) else []):
        yield from misfits(one, schema.get("items", {}), f"{path}[{i}]")


def check(name, text, part):
    schema = json.loads(run("schema", "--report", name).stdout)
    try:
        report = json.loads(text)
    except ValueError as error:
        problems.append(f"{name}: {error}: {text[:200]}")
        return
    if not report.get(part):
        problems.append(f"{name}: {part} is empty")
    problems.extend(f"{name}: {one}" for one in list(misfits(report, schema, ""))[:5])
    if next(iter(report)) != "version":
        problems.append(f"{name}: the version is not first")


for name, runs in RUNS.items():
    for words, part in runs:
        check(name, run(*words, "-o", "json").stdout, part)
with tempfile.TemporaryDirectory() as folder:
    job = pathlib.Path(folder, "job.yaml")
    job.write_text(V1)
    run("migrate", "--report", f"{folder}/report.json", job)
    check("migrate", pathlib.Path(folder, "report.json").read_text(), "objects")
if set(RUNS) | {"migrate"} != {path.stem for path in (ROOT / "schema/reports").glob("*.json")}:
    problems.append("not every schema is tried")
print("\n".join(problems))
print(f"{len(problems)} problems")
sys.exit(1 if problems else 0)
