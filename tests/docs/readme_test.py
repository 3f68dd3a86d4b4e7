#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the README and the pages show is what the binary does.

Every `$ trainjobc …` of a ```console block prints what is below it (a line `…` matches any lines); its kubectl is
that of a cluster without objects, which takes all that it is sent, and its docker looks at its files only: what it prints
is compared by tests/compose, as root. Every
trainjobc command of ```sh and ```yaml blocks, and every example of --help, runs unchanged in a copy of examples/;
other programs are replaced by fakes, and what needs a cluster gets as far as asking kubectl. YAML parses, and
settings are settings. A TrainJob or a runtime, and a part of spec.trainer, compiles without a finding, as do the manifests
of examples/. Comments above a block, which readers don't see:

  <!-- file: llama.yaml -->             the console blocks of the page run in a folder with this file
  <!-- findings: job/gpu-limit, … -->   the block shows mistakes: those of these rules, and no others
  <!-- file: a.yaml; base: origin/main -->  the folder is a repository, and this the file in a branch of it
  <!-- processes: 32 -->                `plan` counts so many
  <!-- file: llama.yaml; findings: … -->

usage: readme_test.py BINARY [FILE…]
"""
import ast
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(sys.argv[1]).resolve()


def matches(want, got):
    if not want:
        return not got
    if want[0].strip() == "…":
        return any(matches(want[1:], got[i:]) for i in range(len(got) + 1))
    return bool(got) and want[0] == got[0] and matches(want[1:], got[1:])


# docker of the console.
DOCKER = """#!/usr/bin/env python3
import re, sys, yaml
if sys.argv[1] == "build":
    for name in re.findall(r"^COPY (\\S+) ", open("Dockerfile").read(), re.M):
        open(name)
elif not yaml.safe_load(open("compose.yaml"))["services"]:
    sys.exit("no services")
"""

# kubectl of the console: get finds nothing, apply and create take everything; there is no Trainer.
EMPTY_CLUSTER = """#!/usr/bin/env python3
import os, sys, yaml
if sys.argv[1] == "kustomize":
    words = ["build"] if KUSTOMIZE.endswith("kustomize") else ["kustomize"]
    os.execv(KUSTOMIZE, [KUSTOMIZE, *words, *sys.argv[2:]])
if sys.argv[1] == "get":
    if "-f" in sys.argv and '"kind": "TrainJob"' in sys.stdin.read():
        sys.exit('error: no matches for kind "TrainJob" in version "trainer.kubeflow.org/v1alpha1"')
    print('{"apiVersion": "v1", "kind": "List", "items": []}')
    sys.exit()
dry = " (server dry run)" if "--dry-run=server" in sys.argv else ""
done = "serverside-applied" if "--server-side" in sys.argv else "created"
files = [open(sys.argv[at + 1]) for at, word in enumerate(sys.argv) if word == "-f" and sys.argv[at + 1] != "-"]
for made in yaml.safe_load_all(files[0] if files else sys.stdin):
    group = made["apiVersion"].rpartition("/")[0]
    resource = made["kind"].lower() + (group and "." + group)
    print(f"{resource}/{made['metadata']['name']} {done}{dry}")
"""


# What builds the kustomizations of the pages; None: the blocks with -k are left out.
KUSTOMIZE = shutil.which("kustomize") or shutil.which("kubectl")


def with_stand_ins(folder):
    for name, text in (("kubectl", EMPTY_CLUSTER.replace("KUSTOMIZE", repr(KUSTOMIZE))), ("docker", DOCKER)):
        program = pathlib.Path(folder, name)
        program.write_text(text)
        program.chmod(0o755)
    # Debian's torch 1.13 needs these with Python 3.11; its lines then begin with a prefix.
    return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "PET_REDIRECTS": "1", "PET_TEE": "1", "OMP_NUM_THREADS": "1"}


PROGRAMS = ("trainjobc", "kubectl", "docker", "torchrun")


def run_console(words, environment, folder):
    """The status, and the lines that the terminal shows."""
    given = ""
    saved = None
    if "<" in words:
        given = (folder / words[-1]).read_text()
        words = words[:-2]
    if ">" in words:
        saved = folder / words[-1]
        words = words[:-2]
    program = BINARY if words[0] == "trainjobc" else words[0]
    run = subprocess.run([program, *words[1:]], cwd=folder, input=given, env=environment, capture_output=True, text=True)
    if saved:
        saved.write_text(run.stdout)
    shown = run.stderr if saved else run.stdout + run.stderr
    return run.returncode, re.sub(r"\[default\d+\]:", "", shown).rstrip("\n").split("\n")


def try_console(block, environment, folder, played):
    """A problem for each command that prints something else, None for one that is right. Of programs that are played, only
    the status counts."""
    for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
        command, *want = part.rstrip("\n").split("\n")
        words = shlex.split(command)
        if words[0] == "cd":
            folder = ROOT / words[1]
            continue
        if words[0] not in PROGRAMS:
            yield f"$ {command}\nis not run"
            continue
        status, got = run_console(words, environment, folder)
        right = status == 0 if words[0] in played else matches(want or [""], got)
        yield None if right else f"$ {command}\nprints now:\n" + "\n".join(got)


JOB = """apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: from-helm
spec:
  runtimeRef:
    name: torch-distributed
"""
FLUX = """apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: apps, namespace: flux-system}
spec: {path: ./examples, sourceRef: {kind: GitRepository, name: flux-system}, interval: 10m}
"""
# What other programs answer. kubectl says that it was asked; it knows nothing but an empty list.
PLAYED = {
    "helm": f"cat <<'END'\n{JOB}END\n",
    "kpt": "if [ \"$2\" = source ]; then echo '{apiVersion: config.kubernetes.io/v1, kind: ResourceList, items: []}'; fi\n",
    "kubectl": "echo kubectl >> \"$ASKED\"\n[ -t 0 ] || cat > /dev/null\n"
               "[ \"$3 $4\" = \"-A -o\" ] || { echo no cluster >&2; exit 1; }\necho '{apiVersion: v1, kind: List, items: []}'\n",
}


def commit(folder, branch):
    """Makes the folder a repository whose branch of a remote has what is in it."""
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-C", folder]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "base"], ["update-ref", f"refs/remotes/{branch}", "HEAD"]):
        subprocess.run([*git, *words], check=True)


def session():
    """What an editor sends to the language server at least."""
    messages = ({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}},
                {"jsonrpc": "2.0", "id": 2, "method": "shutdown"}, {"jsonrpc": "2.0", "method": "exit"})
    return "".join(f"Content-Length: {len(json.dumps(message))}\r\n\r\n{json.dumps(message)}" for message in messages)


def commands_of(text):
    """The lines that run trainjobc, as they are pasted."""
    for line in text.splitlines():
        found = re.match(r"\s*(?:- |- exec |entry: )?((?:trainjobc|source <\(trainjobc|\w+ [^|]*(?:\||&&) trainjobc) .*)", line)
        if found:
            # pre-commit appends the files to its entry.
            yield found.group(1).strip() + (" ." if line.lstrip().startswith("entry:") else "")


# A rule of a team's own.
OWNER = """policies:
- id: owner
  kinds: [TrainJob]
  expression: object.metadata.?labels[?'owner'].hasValue()
  message: every job names its owner
"""


def try_commands(commands):
    """Runs each in its own copy of examples/."""
    for command in commands:
        if command.startswith("trainjobc webhook "):
            command += " --help"  # a service: tests/program/webhook_test.py runs it
        if lacks_program(f"$ {command}"):
            print(f"skipped without {lacks_program(f'$ {command}')}: {command}")
            continue
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            shutil.copytree(ROOT / "examples", folder / "examples")
            if "--roots" in command:
                (folder / "examples/clusters").mkdir()
                (folder / "examples/clusters/apps.yaml").write_text(FLUX)
            if command.startswith("trainjobc policies"):
                shutil.copytree(ROOT / "tests/policies/owner", folder / "examples/policies/owner")
                with (folder / "examples/.trainjobc.yaml").open("a") as settings:
                    settings.write(OWNER)
            if re.search(r"--(base|changed-since)\b", command):
                commit(folder / "examples", "origin/main")
            (folder / "examples/train.py").write_text("import torch\n")
            for made in (".zsh/completions", ".config/fish/completions", "bin"):
                (folder / made).mkdir(parents=True)
            for program, text in PLAYED.items():
                (folder / "bin" / program).write_text("#!/bin/sh\n" + text)
                (folder / "bin" / program).chmod(0o755)
            (folder / "bin/trainjobc").symlink_to(BINARY)
            asked = folder / "asked"
            asked.write_text("")
            environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "HOME": name, "ASKED": str(asked)}
            run = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder / "examples", env=environment,
                                 input=session() if command.startswith("trainjobc lsp") else "", capture_output=True, text=True)
            differs = re.search(r"trainjobc diff", command) and run.returncode == 1
            good = run.returncode == 0 or differs or (asked.read_text() and "no cluster" in run.stderr)
            yield None if good else f"{command} ends with {run.returncode}:\n{run.stdout}{run.stderr}"


def try_settings(text):
    """A problem of a block that is a configuration, put into the place of the example's."""
    if not re.search(r"^trainerVersion:", text, re.M):
        return None
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name, "work")
        shutil.copytree(ROOT / "examples", work)
        (work / ".trainjobc.yaml").write_text(text)
        run = subprocess.run([BINARY, "lint", "--fail-on", "error", "."], cwd=work, capture_output=True, text=True)
        return None if run.returncode == 0 else f"these settings end lint with {run.returncode}:\n{run.stdout}{run.stderr}"


def help_examples():
    """Of every command's --help."""
    top = subprocess.run([BINARY, "--help"], capture_output=True, text=True, check=True).stdout
    commands = re.findall(r"^  ([a-z-]+) ", top.split("\nCommands:\n")[1].split("\n\n")[0], re.M)
    for words in ([], *([command] for command in commands)):
        text = subprocess.run([BINARY, *words, "--help"], capture_output=True, text=True, check=True).stdout
        yield from commands_of(re.sub(r" \\\n +", " ", text.partition("Examples:\n")[2]))  # wrapped for the terminal


KINDS = re.compile(r"^kind: (TrainJob|TrainingRuntime|ClusterTrainingRuntime)$", re.M)
# A job for a block that shows a part of spec.trainer: what the block doesn't set.
TRAINER = {
    "image": "registry.example.com/train:1.0.0",
    "command": "[torchrun, /workspace/train.py]",
    "resourcesPerNode": "{limits: {nvidia.com/gpu: 1}}",
}
TRAINER_FIELDS = {*TRAINER, "args", "env", "numNodes", "numProcPerNode"}


def manifest_of(block):
    """The TrainJob or runtime that a block shows, or whose spec.trainer it shows a part of; None for other blocks."""
    if KINDS.search(block):
        return block
    try:
        shown = yaml.safe_load(block)
    except yaml.YAMLError:
        return None
    if not isinstance(shown, dict) or not shown.keys() <= TRAINER_FIELDS:
        return None
    lines = [f"{name}: {value}" for name, value in TRAINER.items() if name not in shown] + block.splitlines()
    return JOB.replace("from-helm", "part") + "  trainer:\n" + "".join(f"    {line}\n" for line in lines)


def findings_in(folder):
    """Their rules."""
    run = subprocess.run([BINARY, "lint", "--format", "json", "."], cwd=folder, capture_output=True, text=True)
    if run.returncode == 2:
        return {run.stderr}
    return {found["rule"] for found in json.loads(run.stdout)["diagnostics"]}


def try_manifest(block, facts):
    """A problem of a block of which its facts are not true; None for one that is right, and for blocks of other programs."""
    text = manifest_of(block)
    if text is None:
        return f"{facts} of a block that is no manifest" if facts.keys() - {"file", "base"} else None
    wanted = set(facts.get("findings", "").split(", ")) - {""}
    with tempfile.TemporaryDirectory() as name:
        pathlib.Path(name, "shown.yaml").write_text(text)
        found = findings_in(name)
        if "processes" in facts:
            plan = subprocess.run([BINARY, "plan", "-o", "json", "."], cwd=name, capture_output=True, text=True)
            counted = sum(job["processes"] for job in json.loads(plan.stdout)["jobs"]) if plan.returncode == 0 else plan.stderr
            if str(counted) != facts["processes"]:
                return f"plan counts {counted} processes, not {facts['processes']}:\n{block}"
    COMPILED.append(text)
    return None if found == wanted else f"the findings are {sorted(found)}, not {sorted(wanted)}:\n{block}"


COMPILED = []  # what try_manifest has compiled


def blocks_of(text):
    """Of a page: the facts of the comment above it, the language, and the text of each block."""
    for comment, language, block in re.findall(r"^(?:<!-- ((?:file|findings|processes|base): [^\n]*) -->\n)?```(\w+)\n(.*?)^```", text, re.M | re.S):
        yield dict(fact.split(": ") for fact in comment.split("; ") if fact), language, block


def parses_as_python(block):
    try:
        ast.parse(block)
    except SyntaxError as error:
        return f"Python that does not parse: {error}"
    return None


def parses(text):
    try:
        list(yaml.safe_load_all(text))
    except yaml.YAMLError as error:
        return f"YAML that does not parse: {error}"
    return None


def uses(files, block):
    """Whether a command of the block names one of the page's files or folders, or reads them without a name."""
    named = {word.split("/")[0] for command in re.findall(r"^\$ (.*)", block, re.M) for word in command.split()}
    return not named.isdisjoint({*files, "docker"})


def lacks_program(block):
    """The program without which the block can't be tried, None if all are there."""
    if re.search(r"--(base|changed-since)\b", block) and not shutil.which("git"):
        return "git"
    if re.search(r"^\$ trainjobc .* -k ", block, re.M) and not KUSTOMIZE:
        return "kustomize"
    if re.search(r"^\$ trainjobc .* --helm ", block, re.M) and not shutil.which("helm"):
        return "helm"
    if re.search(r"^\$ torchrun ", block, re.M) and not shutil.which("torchrun"):
        return "torchrun"
    return None


def try_page(text, environment, played=("docker",)):
    """A problem of each block that is wrong, None for one that is right."""
    with tempfile.TemporaryDirectory() as name:
        for facts, language, block in blocks_of(text):
            if "file" in facts:
                file = pathlib.Path(name, facts["file"])
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(block)
            if "base" in facts and shutil.which("git"):
                commit(name, facts["base"])
            if language == "console" and lacks_program(block):
                print(f"skipped without {lacks_program(block)}: {block.splitlines()[0]}")
            elif language == "console":
                yield from try_console(block, environment, pathlib.Path(name) if uses(os.listdir(name), block) else ROOT, played)
            elif language in ("sh", "yaml"):
                yield from try_commands(commands_of(block))
            elif language == "python":
                yield parses_as_python(block)
            if language == "yaml":
                yield from (parses(block), try_settings(block), try_manifest(block, facts))


def main():
    examples = list(help_examples())
    results = [problem and f"--help: {problem}" for problem in try_commands(examples)]
    if len(examples) < 20:
        results.append(f"--help shows only {len(examples)} examples")
    console = tempfile.TemporaryDirectory()
    environment = with_stand_ins(console.name)
    pages = [ROOT / "README.md", *(page for folder in ("docs", "editors", "examples") for page in sorted((ROOT / folder).rglob("*.md")))]
    for name in sys.argv[2:] or [page for page in pages if "node_modules" not in page.parts]:
        results += [problem and f"{name}: {problem}" for problem in try_page(pathlib.Path(name).read_text(), environment)]
    if len(sys.argv) == 2:
        found = findings_in(ROOT / "examples")
        results.append(f"examples/ has findings: {sorted(found)}" if found else None)
        results.append(None if len(COMPILED) > 6 else f"only {len(COMPILED)} blocks of the pages are manifests")
    problems = [problem for problem in results if problem]
    print("\n".join(problems))
    print(f"{len(results) - len(problems)} passed, {len(problems)} failed" if results else "no example found")
    return 1 if problems or not results else 0


if __name__ == "__main__":
    sys.exit(main())
