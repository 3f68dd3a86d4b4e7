#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the pages of the documentation's site: those of docs/, with their marks (<!-- keys -->) filled in, and the pages of
commands and rules, from what the binary prints, the examples of rules, the settings' schema and the C++ header.

usage: generate.py TRAINJOBC FOLDER
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

import examples
import playground_examples
import python_api
import rule_runs

ROOT = pathlib.Path(__file__).resolve().parents[2]
STAGES = {
    "yaml": "The file is not the YAML that Kubernetes reads",
    "input": "The API server or Trainer's webhooks would refuse the TrainJob or the runtime",
    "jobset": "JobSet's webhooks would refuse what the controller makes",
    "job": "The API server would refuse the Jobs and pods of the JobSet",
    "advice": "The cluster accepts it, but it is probably a mistake",
}
LINK = re.compile(r"(?<!\!)(\[(?:!\[[^\]\n]*\]\([^)\s]+\)|[^\]\n])*\])\(([^)\s]+)\)")
HAS_PLAYGROUND = (ROOT / "build-playground/site/index.html").exists()


def said_by(binary, *arguments):
    done = subprocess.run([binary, *arguments], capture_output=True, text=True, check=True, env={"PATH": "/usr/bin:/bin"})
    return done.stdout


def home_page():
    return re.search(r'HOMEPAGE_URL "([^"]+)"', (ROOT / "CMakeLists.txt").read_text()).group(1)


def playground_page():
    return re.search(r"^site_url: (.*)$", (ROOT / "mkdocs.yml").read_text(), re.M).group(1) + "playground/"


def copy_pages(folder):
    """The written pages. A link to a file outside docs/ leads to the repository, one to the playground to that of this site."""
    docs = ROOT / "docs"
    for path in sorted(docs.rglob("*")):
        target = folder / path.relative_to(docs)
        if path.is_dir() or "superpowers" in path.parts:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix != ".md":
            shutil.copy(path, target)
            continue

        def moved(found, page=path):
            text, link = found.groups()
            if HAS_PLAYGROUND and link.startswith(playground_page()):
                up = "../" * (len(page.relative_to(docs).parts) - (page.stem == "index"))
                return f'<a href="{up}playground/{link.removeprefix(playground_page())}">{text[1:-1]}</a>'
            if re.match(r"[a-z]+:|#", link):
                return found.group(0)
            name, _, anchor = link.partition("#")
            to = (page.parent / name).resolve()
            if to.is_relative_to(docs) or not to.exists():
                return found.group(0)
            return f"{text}({home_page()}/blob/main/{to.relative_to(ROOT)}{'#' + anchor if anchor else ''})"

        target.write_text(filled(LINK.sub(moved, path.read_text())))


def filled(text):
    """The page, with its marks replaced."""
    return re.sub(r"<!-- (\w+) -->", lambda found: MARKS[found.group(1)](), text)


def figures():
    """Those of tests/conformance/figures.json, as a table."""
    known = json.loads((ROOT / "tests/conformance/figures.json").read_text())
    versions = sorted({name.split("/")[0] for name in known if "/" in name})
    kinds = {
        "verdict": "accepted or refused, as the cluster",
        "fields": "refused for the same fields",
        "render": "rendered as the controller",
        "admitted": "the JobSet as admission stores it",
        "jobs": "Jobs and pods accepted or refused",
        "diff": "changes found in live objects",
    }
    table = "| compared | " + " | ".join(version.replace("v", "Trainer ") for version in versions) + " | all |\n"
    table += "|---|" + "---:|" * (len(versions) + 1) + "\n"
    for kind, words in kinds.items():
        cells = []
        for version in versions:
            counts = [row[kind] for name, row in known.items() if name.startswith(version + "/") and kind in row]
            cells.append(f"{sum(one[0] for one in counts):,} of {sum(one[1] for one in counts):,}" if counts else "–")
        good, wanted = known["all"][kind]
        table += f"| {words} | " + " | ".join(cells) + f" | {good:,} of {wanted:,} |\n"
    return table


def commands_of(binary, prefix=()):
    """The words of each command and of its own commands."""
    text = said_by(binary, *prefix, "--help")
    listed = text.partition("\nCommands:\n")[2].split("\n\n")[0]
    for name in re.findall(r"^  ([a-z]+) ", listed, re.M):
        yield (*prefix, name)
        yield from commands_of(binary, (*prefix, name))


def write_commands(binary, folder):
    pages = ["# Commands\n\nWhat `trainjobc COMMAND --help` prints. Exit status: 0 success, 1 findings, differences or rejected inputs, 2 usage or I/O error.\n"]
    pages.append(f"```text\n{said_by(binary, '--help').rstrip()}\n```\n")
    for words in commands_of(binary):
        name = " ".join(words)
        pages.append(f"## {name} {{ #{'-'.join(words)} }}\n\n```text\n{said_by(binary, *words, '--help').rstrip()}\n```\n")
    (folder / "commands.md").write_text("\n".join(pages))


def anchor(rule):
    return rule.split("/")[1]


def try_it(page, pages):
    """Links that open the example in the playground; of a rule that another one always precedes, the example of that."""
    if not page.sections:
        first = re.search(r"\]\(\.\./(\w+/[\w-]+)\.md\)", page.note)
        page = pages.get(first.group(1)) if first else None
    if not HAS_PLAYGROUND or not page or not playground_examples.can_be_tried(page):
        return ""
    links = {words: f"../../../playground/#example={urllib.parse.quote(f'rule:{page.rule}{suffix}', safe='')}"
             for words, suffix in (("the mistake", ""), ("the mend", " (mended)"))}
    # In HTML: mkdocs knows only pages of its own.
    return "\nTry it in the browser: " + ", ".join(f'<a href="{link}">{words}</a>' for words, link in links.items()) + "\n"


def rule_section(binary, page, pages, severity):
    title, _, rest = rule_runs.explanation(binary, page.rule)
    prose, _, snippet = rest.partition("\n\n")
    since = f", since Trainer {page.facts['since']}" if "since" in page.facts else ""
    text = (f"## {page.rule} {{ #{anchor(page.rule)} }}\n\n**{escaped(title)}** ({severity}{since})\n\n"
            + escaped(prose.replace("\n", " ")) + "\n")
    if snippet and not page.sections:
        text += "\n```yaml\n" + re.sub(r"^    ", "", snippet, flags=re.M) + "\n```\n"
    if page.note:
        text += "\n" + re.sub(r"\]\(\.\./(\w+)/([\w-]+)\.md\)", r"](\1.md#\2)", page.note) + "\n"
    if any(line[:1] in "+-" for lines in page.sections.values() for line in lines):
        text += f"\n```diff\n{page.shown()}```\n"
    finding = rule_runs.text(binary, page) if page.sections else ""
    if finding:
        text += f"\n```text\n$ trainjobc {' '.join(page.command('+'))} job.yaml\n{finding}\n```\n"
    return text + try_it(page, pages)


def escaped(text):
    """Markdown would read these signs as its own."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("|", "&#124;")
    return re.sub(r"([*_`])", r"\\\1", text)


def write_rules(binary, folder):
    rules = rule_runs.rules(binary)
    pages = examples.read_pages()
    by_page = {}
    for rule in rules:
        by_page.setdefault(rule.split("/")[0], []).append(rule)
    (folder / "rules").mkdir(parents=True, exist_ok=True)
    index = ["# Rules\n\n`trainjobc lint --explain RULE` explains a rule on the terminal. An id never changes its meaning. How to change a "
             "severity, or to suppress a finding: [Configuration](../configuration.md).\n"]
    for page, names in by_page.items():
        about = STAGES.get(page, "Of single commands")
        index.append(f"\n## {page}\n\n{about}.\n\n| rule | severity | |\n|---|---|---|")
        index += [f"| [{rule}]({page}.md#{anchor(rule)}) | {rules[rule][0]} | {escaped(rules[rule][1])} |" for rule in names]
        sections = [rule_section(binary, pages[rule], pages, rules[rule][0]) for rule in names]
        (folder / "rules" / f"{page}.md").write_text(
            f"# Rules: {page}\n\n{about}. Each example shows the mistake (-) and what to write instead (+).\n\n" + "\n".join(sections))
    (folder / "rules/index.md").write_text("\n".join(index) + "\n")


def plain(line):
    """Of a line of a manual page."""
    line = re.sub(r"\\f[BI](.*?)\\f[RP]", r"`\1`", line)
    return line.replace("\\-", "-").replace("\\(aq", "'").replace("\\(ti", "~").replace("\\&", "")


def marked(line):
    """The same, with the word of .B, .BR and .I as code; what follows it in .BR is not."""
    found = re.match(r"\.(B|BR|I) (\S+)(?: (.*))?$", line)
    if not found:
        return line
    macro, word, rest = found.groups()
    if macro == "BR":
        return f"`{word}`{(rest or '').replace(' ', '')}"
    return f"`{word} {rest}`" if rest else f"`{word}`"


def man_entries(name, section):
    """The entries (.TP) of a section of a manual page: (names, text)."""
    text = (ROOT / "man" / name).read_text()
    body = re.search(rf"^\.SH {section}\n(.*?)(?=^\.SH|\Z)", text, re.M | re.S).group(1)
    for part in body.split(".TP\n")[1:]:
        head, _, rest = part.partition("\n")
        names = re.sub(r"^\.(?:B|I|BR) ", "", head).replace('"', "").replace("\\-", "-")
        yield names, plain(" ".join(marked(line) for line in rest.split("\n"))).strip()


def table_of_keys():
    schema = json.loads((ROOT / "schema/trainjobc-config.json").read_text())
    text = "| key | |\n|---|---|\n"
    for names, words in man_entries("trainjobc.yaml.5", "KEYS"):
        if re.split(r"[[.]", names)[0] not in schema["properties"]:
            raise ValueError(f"the manual page names {names}, which the schema does not have")
        text += f"| `{names}` | {words} |\n"
    return text


def table_of_variables():
    """Of all commands, each with the commands that read it."""
    readers = {}
    for path in sorted((ROOT / "man").glob("trainjobc-*.1")):
        if "\n.SH ENVIRONMENT\n" not in path.read_text():
            continue
        command = path.stem.removeprefix("trainjobc-").replace("-", " ")
        for names, words in man_entries(path.name, "ENVIRONMENT"):
            readers.setdefault(names, (words, []))[1].append(command)
    text = "| variable | | read by |\n|---|---|---|\n"
    for names, (words, commands) in readers.items():
        variables = ", ".join(f"`{name.strip()}`" for name in names.split(","))
        text += f"| {variables} | {words} | {', '.join(f'`{command}`' for command in commands)} |\n"
    return text


def public_header():
    """The text at the top of the header, and its declarations."""
    header = (ROOT / "include/trainjobc/trainjobc.h").read_text()
    about, _, body = header.partition("#pragma once")
    return re.sub(r"^// ?(?:SPDX.*)?", "", about, flags=re.M).strip(), body


def about_api():
    about, _ = public_header()
    return "\n\n".join(" ".join(part.split()) for part in re.split(r"\n\s*\n", about) if not part.startswith("  "))


def declarations():
    _, body = public_header()
    body = body.partition("namespace trainjobc {")[2].rpartition("}  // namespace")[0].strip()
    text = ""
    for part in re.split(r"\n\n(?=\S)", body):
        comment = re.match(r"(?://[^\n]*\n)*", part).group(0)
        declaration = part[len(comment):]
        name = re.search(r"(?:struct|enum class) (\w+)", declaration) or re.search(r"(\w+)\(", declaration)
        text += f"\n## {name.group(1)}\n\n"
        if comment:
            text += " ".join(line.removeprefix("//").strip() for line in comment.splitlines()) + "\n\n"
        text += f"```cpp\n{declaration}\n```\n"
    return text.strip()


# What replaces <!-- NAME --> in a page.
MARKS = {"figures": figures, "keys": table_of_keys, "variables": table_of_variables, "about": about_api, "declarations": declarations, "python": python_api.reference}


def main():
    binary = pathlib.Path(sys.argv[1]).resolve()
    folder = pathlib.Path(sys.argv[2]).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    copy_pages(folder)
    write_commands(binary, folder / "reference")
    write_rules(binary, folder / "reference")
    changes = (ROOT / "CHANGELOG.md").read_text().replace("(docs/versions.md)", "(versions.md)")
    (folder / "changelog.md").write_text(changes)


main()
