#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CMake's project() holds name, version, description and home page; whatever else says them says the same. No file
has a placeholder for something that a project must know about itself.

usage: identity_test.py. Without a git checkout: exit status 77.
"""
import pathlib
import re
import subprocess
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Words that stand for something that nobody filled in, but what the language server leaves for its user to fill in.
PLACEHOLDER = re.compile(r"\b(?:TODO(?!: the reason)|FIXME|XXX|CHANGEME|OWNER/REPO|your-org|your-name|YOUR_[A-Z]+|lorem ipsum)\b|\.invalid\b|<OWNER>")
# In what describes the project itself, a domain for examples is a placeholder, too; manifests use it for registries.
EXAMPLE = re.compile(r"example\.(?:com|org|net)")
ABOUT = re.compile(r"^(?:[^/]*\.(?:yml|toml|txt)|LICENSE|NOTICE|CHANGELOG\.md|SECURITY\.md|CONTRIBUTING\.md|Containerfile|Makefile"
                   r"|cmake/.*|plugin/.*|\.github/.*|\.pre-commit-hooks\.yaml|tools/[^/]*)$")
# Data: expected output, recorded input, and what tests of programs compare with.
DATA = ("golden/", "tests/", "schema/", "LICENSE", "LICENSES/", "docs/images/")
problems = []


def project():
    """name, version, description, home page."""
    text = (ROOT / "CMakeLists.txt").read_text()
    found = re.search(r'^project\((\S+) VERSION (\S+)\s+DESCRIPTION "([^"]+)"\s+HOMEPAGE_URL "([^"]+)"', text, re.M)
    return found.groups()


NAME, VERSION, DESCRIPTION, HOME = project()
REPOSITORY = HOME.removeprefix("https://github.com/")
# What says who we are: the pattern, and what its group must be.
SAYINGS = [
    (re.compile(r"github\.com/([\w.-]+/" + NAME + r")\b(?!-)"), REPOSITORY),
    (re.compile(r"ghcr\.io/([\w.-]+/" + NAME + r")\b(?!-)"), REPOSITORY),
    (re.compile(r"ghcr\.io/[\w.-]+/" + NAME + r":v?([\w.]+)"), VERSION),
    (re.compile(r"https://([\w-]+\.github\.io/" + NAME + r")\b"), "{}.github.io/{}".format(*REPOSITORY.split("/"))),
    (re.compile(r"uses: ([\w.-]+/" + NAME + r")@"), REPOSITORY),
    (re.compile(r"uses: [\w.-]+/" + NAME + r"@v([\w.]+)"), VERSION),
    (re.compile(r"--repo ([\w.-]+/" + NAME + r")\b"), REPOSITORY),
    (re.compile(r"\b" + NAME + r"-(\d+\.\d+\.\d+)\b"), VERSION),
    (re.compile(r"\b" + NAME + r" (\d+\.\d+\.\d+)\b"), VERSION),
    (re.compile(r"\b" + NAME + r"==(\d+\.\d+\.\d+)\b"), VERSION),
    (re.compile(r"releases/(?:tag|download)/v(\d+\.\d+\.\d+)\b"), VERSION),
    (re.compile(r"^ *rev: v(\S+)", re.M), VERSION),
]


def check(condition, message):
    if not condition:
        problems.append(message)


def files():
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            capture_output=True, text=True, check=False)
    if listed.returncode != 0:
        print("skipped: not a git checkout")
        sys.exit(77)
    return [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def line_of(text, at):
    return text.count("\n", 0, at) + 1


def check_sayings(name, text):
    for pattern, wanted in SAYINGS:
        for found in pattern.finditer(text):
            # Of the changelog only the newest release must be this one.
            if found.group(1) != wanted and name != "CHANGELOG.md":
                problems.append(f"{name}:{line_of(text, found.start())}: {found.group(0).strip()}: CMake's project() says {wanted}")


def check_placeholders(name, text):
    for found in PLACEHOLDER.finditer(text):
        problems.append(f"{name}:{line_of(text, found.start())}: {found.group(0)} is a placeholder")
    if ABOUT.match(name):
        for found in EXAMPLE.finditer(text):
            problems.append(f"{name}:{line_of(text, found.start())}: {found.group(0)} is a placeholder")


def value_of(text, key, name):
    found = re.search(rf'^{key} = "([^"]*)"', text, re.M)
    check(found, f"{name} has no {key}")
    return found.group(1) if found else None


def check_packages():
    package = (ROOT / "pyproject.toml").read_text()
    for key, wanted in {"name": NAME, "description": DESCRIPTION, "Homepage": HOME, "license": "Apache-2.0"}.items():
        said = value_of(package, key, "pyproject.toml")
        check(said == wanted, f"pyproject.toml: {key} is {said}, CMake's project() says {wanted}")
    version = re.search(r"^regex = '(.*)'", package, re.M).group(1)
    read = re.search(version, (ROOT / "CMakeLists.txt").read_text())
    check(read and read.group("value") == VERSION, "pyproject.toml does not find the version in CMakeLists.txt")
    reuse = (ROOT / "REUSE.toml").read_text()
    check(value_of(reuse, "SPDX-PackageName", "REUSE.toml") == NAME, "REUSE.toml has another name")
    check(value_of(reuse, "SPDX-PackageDownloadLocation", "REUSE.toml") == HOME, "REUSE.toml has another home page")
    for name in ("cmake/package.cmake", "cmake/sbom.cdx.json.in", "cmake/debian_copyright.in"):
        text = (ROOT / name).read_text()
        check(HOME not in text and VERSION not in text, f"{name} says the home page or version itself")


def check_action():
    said = yaml.safe_load((ROOT / "action.yml").read_text())["inputs"]["version"]["default"]
    check(said == VERSION, f"action.yml installs {said}, CMake's project() says {VERSION}")


def check_changelog():
    releases = re.findall(r"^## \[([\d.]+)\] - \d{4}-\d\d-\d\d$", (ROOT / "CHANGELOG.md").read_text(), re.M)
    check(releases and releases[0] == VERSION, f"CHANGELOG.md ends with {releases[:1]}, CMake's project() says {VERSION}")


def main():
    names = files()
    checked = 0
    for name in names:
        if name.startswith(DATA):
            continue
        text = (ROOT / name).read_bytes().decode(errors="replace")
        check_sayings(name, text)
        check_placeholders(name, text)
        checked += 1
    check_packages()
    check_action()
    check_changelog()
    print("\n".join(problems) or f"{NAME} {VERSION}, {HOME}: {checked} files agree")
    return 1 if problems else 0


sys.exit(main())
