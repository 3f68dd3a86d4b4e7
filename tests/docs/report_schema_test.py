#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The reports of `trainjobc lint` are what their readers take: SARIF 2.1.0 against its schema's rules (and against
the schema itself where TRAINJOBC_SARIF_SCHEMA names it and jsonschema is installed), JUnit XML, GitLab's Code
Quality JSON, GitHub's workflow commands. All formats report the same findings."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]

JOB = """apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: {name}
spec:
  runtimeRef:
    name: {runtime}
  trainer:
    command: [torchrun, train.py]
    numNodes: {nodes}
"""
FILES = {
    "jobs/clean.yaml": JOB.format(name="clean", runtime="torch-distributed", nodes=2),
    "jobs/empty.yaml": "# nothing\n",
    "jobs/deploy.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: other\n",
    "jobs/typo.yaml": JOB.format(name="typo", runtime="torch-distributed", nodes=1) + "    numNode: 1\n    imag: x\n",
    "jobs/many.yaml": "---\n".join(JOB.format(name=f"job-{i}", runtime="none", nodes='"x"') for i in range(12)),
    "jobs/twice.yaml": "---\n".join([JOB.format(name="twice", runtime="nowhere", nodes=1)] * 3),
    "jobs/sp ace, 100%: é𝄞.yaml": JOB.format(name="é𝄞", runtime="torch-distributed", nodes=1),
    "jobs/broken.yaml": "a: b: c\n",
    "jobs/keys.yaml": "a: 1\na: 1\nb: \"<&>\\e\"\n",
    "jobs/latin1.yaml": "a: caf\udce9\n",
    "jobs/crlf.yaml": (JOB.format(name="UPPER", runtime="torch-distributed", nodes=-1)).replace("\n", "\r\n"),
}

# The part of SARIF's schema that a linter uses. "!" marks what is required; no object has other properties.
# ["x"] is a list of x, at least one unless the key ends with "*"; {"*": x} a map; a set lists the allowed words.
TEXT, COUNT, ONE_UP, URI = "text", "count", "one up", "uri"
MESSAGE = {"text!": TEXT, "markdown": TEXT}
LEVEL = {"none", "note", "warning", "error"}
REGION = {"startLine!": ONE_UP, "startColumn!": ONE_UP, "endLine!": ONE_UP, "endColumn!": ONE_UP}
ARTIFACT = {"uri!": URI, "uriBaseId": TEXT}
PHYSICAL = {"artifactLocation!": ARTIFACT, "region!": REGION}
RULE = {
    "id!": TEXT, "shortDescription!": MESSAGE, "fullDescription!": MESSAGE, "help!": MESSAGE, "helpUri!": TEXT,
    "defaultConfiguration!": {"level!": LEVEL},
}  # fmt: skip
CHANGE = {"artifactLocation!": ARTIFACT, "replacements!": [{"deletedRegion!": REGION, "insertedContent": {"text!": TEXT}}]}
RESULT = {
    "ruleId!": TEXT, "ruleIndex!": COUNT, "level!": LEVEL, "message!": {"text!": TEXT},
    "locations!": [{"physicalLocation!": PHYSICAL}],
    "relatedLocations": [{"physicalLocation": PHYSICAL, "message!": {"text!": TEXT}}],
    "partialFingerprints!": {"*": TEXT},
    "fixes": [{"description": {"text!": TEXT}, "artifactChanges!": [CHANGE]}],
    "properties": {"*": TEXT},
}  # fmt: skip
DRIVER = {"name!": TEXT, "semanticVersion!": TEXT, "rules!": [RULE]}
RUN = {"tool!": {"driver!": DRIVER}, "columnKind": {"utf16CodeUnits", "unicodeCodePoints"}, "results*!": [RESULT]}
LOG = {"$schema!": URI, "version!": {"2.1.0"}, "runs!": [RUN]}


def check_shape(value, shape, path="$", may_be_empty=False):
    if isinstance(shape, list):
        assert isinstance(value, list) and (value or may_be_empty), f"{path}: not a list with items"
        for index, item in enumerate(value):
            check_shape(item, shape[0], f"{path}[{index}]")
    elif isinstance(shape, dict):
        assert isinstance(value, dict), f"{path}: not an object"
        if "*" in shape:
            assert value, f"{path}: empty"
            for key, item in value.items():
                check_shape(item, shape["*"], f"{path}.{key}")
            return
        known = {key.strip("!*"): (key, inner) for key, inner in shape.items()}
        for key, item in value.items():
            assert key in known, f"{path}: unknown property {key}"
            check_shape(item, known[key][1], f"{path}.{key}", "*" in known[key][0])
        missing = [name for name, (key, _) in known.items() if "!" in key and name not in value]
        assert not missing, f"{path}: lacks {missing}"
    elif isinstance(shape, set):
        assert value in shape, f"{path}: {value!r} is none of {shape}"
    elif shape in (COUNT, ONE_UP):
        assert type(value) is int and value >= (1 if shape == ONE_UP else 0), f"{path}: {value!r}"
    else:
        assert isinstance(value, str) and value, f"{path}: an empty string or none"
        if shape == URI:
            assert re.fullmatch(r"[A-Za-z0-9\-._~!$&'()*+,;=:@/?#%]+", value), f"{path}: {value!r} is not a URI"
            assert not re.search(r"%(?![0-9A-F]{2})", value), f"{path}: {value!r}"


def utf16(text):
    return len(text.encode("utf-16-le", "surrogateescape")) // 2 if text else 0


def check_sarif(log, root):
    check_shape(log, LOG)
    (run,) = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == sorted(set(rules)), "rules are not unique and sorted"
    assert re.fullmatch(r"\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?", run["tool"]["driver"]["semanticVersion"])
    seen = set()
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"], result
        location = result["locations"][0]["physicalLocation"]
        uri, region = location["artifactLocation"]["uri"], location["region"]
        assert location["artifactLocation"]["uriBaseId"] == "%SRCROOT%", location
        assert not urllib.parse.urlsplit(uri).scheme and not uri.startswith(("/", "./", "../")), uri
        start = (region["startLine"], region["startColumn"])
        assert start <= (region["endLine"], region["endColumn"]), region
        path = root / urllib.parse.unquote(uri, errors="surrogateescape")
        assert path.is_file(), f"{uri} is not in the repository"
        lines = path.read_bytes().decode(errors="surrogateescape").split("\n")
        assert region["endLine"] <= len(lines), (uri, region)
        if "\udce9" not in lines[region["endLine"] - 1]:
            assert region["endColumn"] <= utf16(lines[region["endLine"] - 1]) + 1, (uri, region)
        fingerprint = (uri, result["partialFingerprints"]["primaryLocationLineHash"])
        assert re.fullmatch(r"[0-9a-f]{16}:\d+", fingerprint[1]) and fingerprint not in seen, fingerprint
        seen.add(fingerprint)
    return len(run["results"])


def check_published_schema(log):
    schema = os.environ.get("TRAINJOBC_SARIF_SCHEMA")
    if not schema:
        return
    import jsonschema  # only where asked for

    jsonschema.validate(log, json.loads(pathlib.Path(schema).read_text()))


def check_junit(text, files):
    root = ElementTree.fromstring(text)
    assert root.tag == "testsuites", root.tag
    suites = root.findall("testsuite")
    assert {suite.get("name") for suite in suites} >= files, "a file without a suite"
    assert len({suite.get("name") for suite in suites}) == len(suites), "two suites of a file"
    for node in [root, *suites]:
        cases = list(node.iter("testcase"))
        failed = [case for case in cases if case.find("failure") is not None]
        assert int(node.get("tests")) == len(cases), node.attrib
        assert int(node.get("failures")) == len(failed) == len(list(node.iter("failure"))), node.attrib
        assert node.get("errors") == node.get("skipped") == "0", node.attrib
    names = [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]
    assert all(file and name for file, name in names) and len(set(names)) == len(names), names
    for failure in root.iter("failure"):
        assert failure.get("message") and failure.get("type") and failure.text.strip(), failure.attrib


def check_gitlab(issues, root):
    fingerprints = {issue["fingerprint"] for issue in issues}
    assert len(fingerprints) == len(issues), "fingerprints are not unique"
    for issue in issues:
        assert issue.keys() == {"description", "check_name", "fingerprint", "severity", "location"}, issue
        assert issue["severity"] in {"info", "minor", "major", "critical", "blocker"}, issue
        assert issue["description"] and issue["check_name"] and issue["fingerprint"], issue
        assert issue["location"].keys() == {"path", "lines"}, issue
        assert not issue["location"]["path"].startswith(("/", ".")) and issue["location"]["lines"]["begin"] >= 1, issue
        assert (root / issue["location"]["path"]).is_file(), issue
    return len(issues)


def check_github(text, total):
    severities, order = {}, ["error", "warning", "notice"]
    lines = text.splitlines()
    more = 0
    if lines and lines[-1].startswith("::notice title=trainjobc::"):
        more = sum(int(number) for number in re.findall(r"(\d+) (?:error|warning|notice)", lines.pop()))
    last = 0
    for line in lines:
        found = re.fullmatch(r"::(error|warning|notice) ((?:[a-zA-Z]+=[^:,]*,)*title=[^:,]+)::(.+)", line)
        assert found, line
        properties = dict(part.split("=", 1) for part in found[2].split(","))
        assert {"file", "line", "endLine", "title"} <= properties.keys(), line
        assert ("col" in properties) == (properties["line"] == properties["endLine"]), line
        severities[found[1]] = severities.get(found[1], 0) + 1
        assert order.index(found[1]) >= last, f"{found[1]} too late"
        last = order.index(found[1])
    assert max(severities.values(), default=0) <= 10, severities
    assert len(lines) + more == total, f"{len(lines)} annotations and {more} more of {total}"


def check(binary, folder, arguments, files, status):
    def lint(form):
        command = [binary, "lint", *arguments, "--format", form]
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
        assert done.returncode == status, f"{command}: {done.returncode} {done.stderr.decode(errors='replace')}"
        return done.stdout.decode()  # strictly UTF-8

    total = len(json.loads(lint("json"))["diagnostics"])
    root = folder.parent if (folder.parent / ".git").exists() else folder
    sarif = json.loads(lint("sarif"))
    assert check_sarif(sarif, root) == total, "sarif has other findings than json"
    check_published_schema(sarif)
    check_junit(lint("junit"), files)
    assert check_gitlab(json.loads(lint("gitlab")), root) == total, "gitlab has other findings than json"
    check_github(lint("github"), total)
    text = lint("text")
    assert (text == "") == (total == 0), text
    assert total == 0 or text.splitlines()[-1].startswith(f"{total} finding"), text.splitlines()[-1]
    return total


def main():
    binary = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(scratch).resolve()
        (root / ".git").mkdir()
        for name, text in FILES.items():
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_bytes(text.encode(errors="surrogateescape"))
        clean = check(binary, root, ["jobs/clean.yaml"], {"jobs/clean.yaml"}, 0)
        assert clean == 0, f"{clean} findings in the clean file"
        found = check(binary, root, ["jobs"], set(FILES), 1)
        assert found >= 20, f"only {found} findings"
        # From a folder below, and by absolute paths, the reports name the same files.
        assert check(binary, root / "jobs", ["."], set(FILES), 1) == found
        assert check(binary, root / "jobs", [str(root / "jobs")], set(FILES), 1) == found
    print(f"{found} findings, the same in all formats")


if __name__ == "__main__":
    try:
        main()
    except AssertionError as error:
        sys.exit(f"report_schema_test: {error}")
