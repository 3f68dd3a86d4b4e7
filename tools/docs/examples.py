# SPDX-License-Identifier: Apache-2.0
"""The pages of rules, rules/STAGE/NAME.md: rules/README.md describes them. An example is a mistake and its mend as one diff."""
import pathlib
import re

RULES = pathlib.Path(__file__).resolve().parents[2] / "rules"
WHERE = {  # the heading of a section of an example; lines without one are a whole file
    "config": ".trainjobc.yaml",
    "job": "a TrainJob",
    "mlPolicy": "spec.mlPolicy of a runtime",
    "template": "spec.template of a runtime",
    "jobset": "spec.template.spec of a runtime",
    "replicated": "a replicatedJob of a runtime",
    "jobspec": "the Job of a replicatedJob",
    "podtemplate": "the pod template of a replicatedJob",
    "pod": "the pod of a replicatedJob",
    "container": "a container of a runtime",
}
RUNTIME = [  # indentation, section or line
    (0, "apiVersion: trainer.kubeflow.org/v1alpha1"), (0, "kind: ClusterTrainingRuntime"),
    (0, "metadata:"), (2, "name: team-torch"), (2, "labels: {trainer.kubeflow.org/framework: torch}"),
    (0, "spec:"), (2, "mlPolicy:"), (4, "@mlPolicy"),
    (2, "template:"), (4, "@template"), (4, "spec:"), (6, "@jobset"), (6, "replicatedJobs:"), (6, "- name: node"),
    (8, "@replicated"), (8, "template:"), (10, "metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}"),
    (10, "spec:"), (12, "@jobspec"), (12, "template:"), (14, "@podtemplate"), (14, "spec:"), (16, "@pod"),
    (16, "containers:"), (16, "- name: node"), (18, "@container"),
]
OTHERWISE = {
    "mlPolicy": ["numNodes: 1", "torch: {}"],
    "container": ["image: ghcr.io/team-a/train:1.4.0", "command: [torchrun, train.py]"],
}
JOB = {"metadata": {"name": "name: llama"}, "spec": {"runtimeRef": "runtimeRef: {name: %s}", "trainer": "trainer: {command: [torchrun, train.py]}"}}


class Page:
    """A rule's page: what its head says, and its example."""

    def __init__(self, path):
        self.path = path
        self.rule = f"{path.parent.name}/{path.stem}"
        head, body = re.fullmatch(r"---\n(.*?)^---\n(.*)", path.read_text(), re.M | re.S).groups()
        self.facts = {key: re.sub(r"  #.*", "", value).strip('"') for key, value in re.findall(r"^([\w-]+): (.*)$", head, re.M)}
        before, fence, example = body.partition("\n## Example\n")[2].partition("\n```diff\n")
        self.note = before.strip()
        self.sections = {}  # name: lines with their sign
        self.read_sections(example.rpartition("\n```")[0].split("\n") if fence else [])

    def read_sections(self, lines):
        sections = {f"# {words}": name for name, words in WHERE.items()}
        section = "file"
        for line in lines:
            if line in sections:
                section = sections[line]
            elif line[:2] in ("  ", "- ", "+ ") or line in ("", "+", "-"):
                self.sections.setdefault(section, []).append(line)
            else:
                raise ValueError(f"{self.path}: {line!r} is not the place or a line of an example")

    def also(self):
        """Other rules that report the mistake or its mend."""
        return set(self.facts.get("also", "").split(", ")) - {""}

    def command(self, without):
        """The arguments of the command that reports the rule."""
        command = self.facts.get("command", "lint")
        return (self.facts.get("mend-command", command) if without == "-" else command).split()

    def lines(self, section, without):
        """Of the mistake (without "+") or the mend (without "-")."""
        return [line[2:] for line in self.sections.get(section, []) if line[:1] != without]

    def is_changed(self):
        """Or what makes it a mistake is not in the text."""
        return bool(self.facts.keys() & {"encoding", "mend-command"}) or any(
            line[:1] in "+-" for lines in self.sections.values() for line in lines if line)

    def manifest(self, without):
        """The text of the file, with the mistake (without "+") or the mend (without "-")."""
        if "file" in self.sections:
            text = "\n".join(self.lines("file", without)) + "\n"
        else:
            in_runtime = set(self.sections) - {"job", "config"}
            parts = [job_text(self.lines("job", without), "team-torch" if in_runtime else "torch-distributed")]
            if in_runtime:
                parts.insert(0, self.runtime_text(without))
            text = "---\n".join(parts)
        return re.sub(r"@\{(.*?)\*(\d+)\}", lambda found: unescaped(found.group(1)) * int(found.group(2)), text)

    def runtime_text(self, without):
        text = ""
        for indent, line in RUNTIME:
            if not line.startswith("@"):
                text += " " * indent + line + "\n"
                continue
            own = self.lines(line[1:], without)
            keys = {one.split(":")[0] for one in own}
            added = [one for one in OTHERWISE.get(line[1:], []) if one.split(":")[0] not in keys]
            # An ML policy of the example replaces all of the usual one.
            if line == "@mlPolicy" and own:
                added = []
            text += "".join(" " * indent + one + "\n" for one in own + added)
        return text

    def config(self, without):
        return "".join(line + "\n" for line in self.lines("config", without))

    def shown(self):
        """The diff as readers see it."""
        text = ""
        for name, lines in self.sections.items():
            if name in WHERE:
                text += f"# {WHERE[name]}\n"
            for line in lines:
                line = re.sub(r"@\{(.*?)\*(\d+)\}", lambda found: f"{found.group(1)}… ({int(found.group(2)):,} times)"
                              if int(found.group(2)) > 1 else "…", line)
                text += line + "\n"
        return text


def unescaped(text):
    return text.encode().decode("unicode_escape")


def job_text(own, runtime):
    """A TrainJob with these lines, and what is missing of name, runtime and trainer."""
    text = "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\n"
    top = [line for line in own if line and not line.startswith(" ")]
    for part, needed in JOB.items():
        (given,) = [line for line in top if line.split(":")[0] == part] or [f"{part}:"]
        if given != f"{part}:":  # in one line: {…}
            missing = [entry % runtime if "%" in entry else entry for key, entry in needed.items() if not re.search(rf"[{{ ]{key}:", given)]
            text += given.replace("{", "{" + "".join(f"{entry}, " for entry in missing), 1) + "\n"
            continue
        at = own.index(given) + 1 if given in own else len(own)
        body = []
        while at < len(own) and (own[at].startswith(" ") or not own[at]):
            body.append(own[at])
            at += 1
        keys = {line.strip().split(":")[0] for line in body if len(line) - len(line.lstrip()) == 2}
        text += given + "\n"
        text += "".join("  " + (entry % runtime if "%" in entry else entry) + "\n" for key, entry in needed.items() if key not in keys)
        text += "".join(line + "\n" for line in with_command(body))
    return text


def with_command(spec):
    """The lines of a TrainJob's spec; a trainer without anything to run gets a command."""
    if any(re.search(r"\bcommand:", line) for line in spec):
        return spec
    added = []
    for line in spec:
        if line == "  trainer: {}" or not line.startswith("  trainer: {"):
            added.append(line.replace("{}", "{command: [torchrun, train.py]}") if line == "  trainer: {}" else line)
        else:
            added.append(line.replace("{", "{command: [torchrun, train.py], ", 1))
        if line == "  trainer:":
            added.append("    command: [torchrun, train.py]")
    return added


def read_pages():
    """By rule, in the order of the files."""
    pages = [Page(path) for path in sorted(RULES.glob("*/*.md"))]
    return {page.rule: page for page in pages}
