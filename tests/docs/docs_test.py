#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The documentation: the reference pages can be made, the site's table of contents names each page, no link is dead, and
the screenshots are what trainjobc prints. (readme_test.py runs the examples, rule_examples_test.py those of rules.)

usage: docs_test.py TRAINJOBC. TRAINJOBC_UPDATE_GOLDEN=1 makes new screenshots.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(sys.argv[1]).resolve()
HOME = re.search(r'HOMEPAGE_URL "([^"]+)"', (ROOT / "CMakeLists.txt").read_text()).group(1)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^( *)```.*?^\1```", re.M | re.S)
problems = []


def prose(path):
    """Without code, whose brackets are no links."""
    return re.sub(r"`[^`\n]*`", "``", FENCE.sub("", path.read_text()))


def anchors(path):
    text = FENCE.sub("", path.read_text())
    named = set(re.findall(r"\{ *#([\w-]+) *\}", text))
    for heading in re.findall(r"^#+ +(.*?)(?: *\{.*\})? *$", text, re.M):
        words = re.sub(r"[^\w\s-]", "", re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading)).strip().lower()
        named |= {re.sub(r"[-\s]+", "-", words), re.sub(r"\s", "-", words)}
    return named


def check_link(page, name, link):
    where = f"{name}: {link}"
    to = page
    path, _, anchor = link.partition("#")
    if re.match(r"[a-z]+:", link):
        found = re.match(re.escape(HOME) + r"/(?:blob|tree)/main/([^#]*)", link)
        if not found:
            return  # of another site
        to = ROOT / found.group(1)
    elif path:
        to = page.parent / path
    if not to.exists():
        problems.append(f"{where}: there is no such file")
    elif anchor and to.suffix == ".md" and anchor not in anchors(to):
        problems.append(f"{where}: the page has no such place")


def check_links(pages, root):
    count = 0
    for page in pages:
        for link in LINK.findall(prose(page)):
            check_link(page, page.relative_to(root).as_posix(), link)
            count += 1
    return count


def nav_pages(entries):
    for entry in entries:
        for to in entry.values() if isinstance(entry, dict) else [entry]:
            if isinstance(to, str):
                yield to
            else:
                yield from nav_pages(to)


class Loader(yaml.SafeLoader):
    """Of mkdocs.yml, which has a tag of its own."""


Loader.add_constructor("!ENV", lambda loader, node: loader.construct_sequence(node)[-1])


def check_contents(folder):
    listed = list(nav_pages(yaml.load((ROOT / "mkdocs.yml").read_text(), Loader)["nav"]))
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*.md")}
    problems.extend(f"mkdocs.yml: there is no page {name}" for name in listed if name not in there)
    problems.extend(f"mkdocs.yml: its table of contents lacks {name}" for name in sorted(there - set(listed)))


def check_pages_of_rules(folder):
    """The pages that reports and the language server name."""
    site = yaml.load((ROOT / "mkdocs.yml").read_text(), Loader)["site_url"]
    with tempfile.TemporaryDirectory() as name:
        done = subprocess.run([BINARY, "lint", "--allow-empty", "--format", "sarif", name], capture_output=True, text=True, check=True)
    rules = json.loads(done.stdout)["runs"][0]["tool"]["driver"]["rules"]
    known = {}
    for rule in rules:
        found = re.fullmatch(re.escape(site) + r"(.*)/#(.*)", rule["helpUri"])
        page = found and folder / f"{found.group(1)}.md"
        if page and page not in known:
            known[page] = anchors(page) if page.exists() else set()
        if not page or found.group(2) not in known[page]:
            problems.append(f"{rule['id']}: there is no {rule['helpUri']}")
    return len(rules)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        made = subprocess.run([sys.executable, ROOT / "tools/docs/generate.py", BINARY, folder], capture_output=True, text=True)
        if made.returncode != 0:
            sys.exit(made.stdout + made.stderr)
        check_contents(folder)
        count = check_pages_of_rules(folder)
        count += check_links(sorted(folder.rglob("*.md")), folder)
    # Those of docs/ were checked with the pages that are made.
    written = [path for path in ROOT.rglob("*.md")
               if not re.match(r"(build|docs|golden|\.git/|venv|.*node_modules/)", path.relative_to(ROOT).as_posix())]
    count += check_links(sorted(written), ROOT)
    update = [] if os.environ.get("TRAINJOBC_UPDATE_GOLDEN") else ["--check"]
    pictures = subprocess.run([sys.executable, ROOT / "tools/docs/terminal.py", BINARY, *update], capture_output=True, text=True)
    if pictures.returncode != 0:
        problems.append(pictures.stdout + pictures.stderr)
    print("\n".join(problems) or f"{count} links, and the screenshots")
    return 1 if problems else 0


sys.exit(main())
