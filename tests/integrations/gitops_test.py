#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""action.yml, the Argo CD plugin, and the example repository's CI and pre-commit hook, run as their services run them:
the steps' shell with the inputs put in, the plugin's commands, the hook by pre-commit.

usage: gitops_test.py BINARY. Without curl or pre-commit their parts are skipped, with a word.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(sys.argv[1]).resolve()
WITH_BINARY = {**os.environ, "PATH": f"{BINARY.parent}:{os.environ['PATH']}"}
BAD = """apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: bert
spec:
  runtimeRef:
    name: torch-distributed
  trainer:
    numNode: 2
"""
GOOD = BAD.replace("numNode:", "numNodes:")
problems = []


def check(condition, message):
    if not condition:
        problems.append(message)


def run(command, cwd, environment):
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)


def without_trainjobc():
    folders = [folder for folder in os.environ["PATH"].split(":") if not pathlib.Path(folder, "trainjobc").exists()]
    return {**os.environ, "PATH": ":".join(folders)}


class Job:
    """A job of GitHub Actions on this machine."""

    def __init__(self, folder, environment, context):
        self.folder = folder
        self.context = context
        self.files = {name: folder.parent / name for name in ("GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STEP_SUMMARY")}
        for file in self.files.values():
            file.write_text("")
        self.environment = {**environment, "RUNNER_TEMP": str(folder.parent), "GITHUB_ACTION_PATH": str(ROOT),
                            **{name: str(path) for name, path in self.files.items()}}

    def value(self, text):
        return re.sub(r"\$\{\{ *([\w.]+) *\}\}", lambda match: self.context[match.group(1)], str(text))

    def step(self, step):
        added = self.files["GITHUB_PATH"].read_text().splitlines()
        environment = {**self.environment, **{key: self.value(text) for key, text in step.get("env", {}).items()}}
        environment["PATH"] = ":".join(added + [environment["PATH"]])
        shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", self.value(step["run"])]
        return run(shell, self.folder, environment)

    def action(self, inputs):
        """The action's steps until one fails; all their results."""
        action = yaml.safe_load((ROOT / "action.yml").read_text())
        unknown = inputs.keys() - action["inputs"].keys()
        check(not unknown, f"action.yml has no inputs {unknown}")
        values = {**{name: self.value(row["default"]) for name, row in action["inputs"].items()}, **inputs}
        self.context.update({f"inputs.{name}": text for name, text in values.items()})
        results = []
        for step in action["runs"]["steps"]:
            if "uses" in step:  # only GitHub has the cache
                check(re.fullmatch(r"actions/cache@[0-9a-f]{40}", step["uses"]) and "hashFiles" in step["if"], f"action.yml: {step}")
                continue
            results.append(self.step(step))
            if results[-1].returncode:
                break
        return results


GITHUB = {"github.server_url": "https://example.com", "github.action_repository": "trainjobc/trainjobc", "github.token": "a-token",
          "github.base_ref": "main"}


def test_action(folder):
    work = folder / "work"
    (work / "jobs").mkdir(parents=True)
    (work / ".git").mkdir()
    (work / "jobs/bert.yaml").write_text(BAD)
    results = Job(work, WITH_BINARY, {**GITHUB}).action({"sarif": "out.sarif", "args": "--fail-on warning"})
    out = results[-1].stdout
    check(results[-1].returncode == 1 and "::error file=jobs/bert.yaml,line=9," in out, f"the action on a bad job: {results}")
    check((folder / "GITHUB_OUTPUT").read_text() == "findings=true\n", "the action's output is not findings=true")
    sarif = json.loads((work / "out.sarif").read_text())
    uris = [place["physicalLocation"]["artifactLocation"]["uri"] for result in sarif["runs"][0]["results"] for place in result["locations"]]
    check(set(uris) == {"jobs/bert.yaml"}, f"SARIF of the action: {uris}")
    (work / "jobs/bert.yaml").write_text(GOOD)
    results = Job(work, WITH_BINARY, {**GITHUB}).action({})
    check(results[-1].returncode == 0 and (folder / "GITHUB_OUTPUT").read_text() == "findings=false\n",
          f"the action on a good job: {results}")
    results = Job(work, WITH_BINARY, {**GITHUB}).action({"paths": "missing"})
    check(results[-1].returncode == 2, f"the action on a folder that isn't there: {results}")


def test_action_takes_lines(folder):
    work = folder / "work"
    (work / "my jobs").mkdir(parents=True)
    (work / "my runtimes").mkdir()
    (work / "more").mkdir()
    (work / "stub").mkdir()
    (work / "stub/trainjobc").write_text('#!/bin/sh\nfor word; do printf "<%s>" "$word"; done\n')
    (work / "stub/trainjobc").chmod(0o755)
    (work / "my jobs/a b.yaml").write_text(BAD)
    (work / "more/c.yaml").write_text(BAD)
    (work / "more/d.yaml").write_text(BAD)
    lines = {"paths": "my jobs/a b.yaml\n  more  \r\n\n", "args": "--runtimes my runtimes\n--no-config\n--fail-on\nwarning\n"}
    results = Job(work, WITH_BINARY, {**GITHUB}).action(lines)
    found = re.findall(r"::error file=([^,]*),", results[-1].stdout)
    check(results[-1].returncode == 1 and found == ["more/c.yaml", "more/d.yaml", "my jobs/a b.yaml"], f"paths on lines: {results}")
    stub = {**WITH_BINARY, "PATH": f"{work}/stub:{WITH_BINARY['PATH']}"}
    cases = [
        ({"paths": "a b", "args": "-x  y"}, "<-x><y><--><a><b>"),
        ({"paths": "a b\nc d", "args": "--x y z\n--u=v w"}, "<--x><y z><--u=v w><--><a b><c d>"),
        ({"paths": "$(id) *\n", "args": "--x 1 --y 2\n-z"}, "<--x><1><--y><2><-z><--><$(id) *>"),
        ({"paths": "\n", "args": "\n"}, "<-->"),
        ({"paths": "", "args": ""}, "<-->"),
    ]
    for inputs, expected in cases:
        out = Job(work, stub, {**GITHUB}).action(inputs)[-1].stdout
        check(out == f"<lint><--format><github>{expected}", f"the action's arguments for {inputs}: {out}")


NO_GH = ("::notice title=trainjobc::The checksum is right; who built the file is not verified, because gh is not installed "
         "or has no 'attestation verify'")
LOG = 'echo "$GH_TOKEN $*" >> "$GH_LOG"'
# What gh does, and the input: whether the action installs, and the first line that it prints.
ATTESTATIONS = {
    ("exit 1", "true"): (True, NO_GH),
    ("case $* in *--help) ;; *) echo no attestation >&2; exit 1 ;; esac", "true"):
        (False, f"::error title=trainjobc::trainjobc-9.9.9-linux-{os.uname().machine}.tar.gz has no attestation of "
                "trainjobc/trainjobc's release workflow: it is not installed"),
    ("exit 1", "false"): (True, "trainjobc: the checksum is right; the attestation was not asked for"),
    (LOG, "true"): (True, "trainjobc: the checksum is right, and trainjobc/trainjobc's release workflow built the file"),
}


def test_action_installs(folder):
    if not shutil.which("curl"):
        print("curl is not installed: the action's installation was not tried")
        return
    (folder / "work").mkdir()
    (folder / "work/bert.yaml").write_text(BAD)
    release = folder / "releases/v9.9.9"
    release.mkdir(parents=True)
    name = f"trainjobc-9.9.9-linux-{os.uname().machine}"
    with tarfile.open(release / f"{name}.tar.gz", "w:gz") as archive:
        archive.add(BINARY, f"{name}/bin/trainjobc")
    sums = run(["sha256sum", f"{name}.tar.gz"], release, os.environ).stdout
    (release / "SHA256SUMS").write_text(sums)
    inputs = {"version": "9.9.9", "releases": f"file://{folder}/releases"}
    for (stub, attestation), (installed, said) in ATTESTATIONS.items():
        (folder / "gh").mkdir(exist_ok=True)
        (folder / "gh/gh").write_text(f"#!/bin/sh\n{stub}\n")
        (folder / "gh/gh").chmod(0o755)
        (folder / "GH_LOG").write_text("")
        environment = {**without_trainjobc(), "GH_LOG": f"{folder}/GH_LOG"}
        environment["PATH"] = f"{folder}/gh:{environment['PATH']}"
        results = Job(folder / "work", environment, {**GITHUB}).action({**inputs, "attestation": attestation})
        out = results[0].stdout.splitlines()
        check(out[:1] == [said] and (results[0].returncode == 0) == installed, f"installation with {stub}, {attestation}: {results}")
        check((len(results) == 2 and "::error file=bert.yaml" in results[-1].stdout) == installed, f"an installed action: {results}")
    words = f"a-token attestation verify {name}.tar.gz --repo trainjobc/trainjobc --signer-workflow trainjobc/trainjobc/.github/workflows/release.yml"
    results = Job(folder / "work", {**environment, "PATH": environment["PATH"]}, {**GITHUB}).action(inputs)
    check((folder / "GH_LOG").read_text().splitlines()[-1:] == [words], f"gh was asked: {(folder / 'GH_LOG').read_text()}")
    if not shutil.which("gh"):
        results = Job(folder / "work", without_trainjobc(), {**GITHUB}).action(inputs)
        check(len(results) == 2 and results[0].stdout.startswith(NO_GH), f"installation without gh: {results}")
    (release / "SHA256SUMS").write_text("0" * 64 + sums[64:])
    results = Job(folder / "work", without_trainjobc(), {**GITHUB}).action(inputs)
    check(len(results) == 1 and results[0].returncode != 0, f"the action took a tarball with a wrong checksum: {results}")


def commit(work, branch):
    """Commits everything in the folder, as the branch of its remote, too."""
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", branch], ["update-ref", f"refs/remotes/origin/{branch}", "HEAD"]):
        subprocess.run([*git, *words], cwd=work, check=True)


def test_example_workflow(folder):
    work = folder / "work"
    shutil.copytree(ROOT / "examples", work)
    if not shutil.which("git"):
        print("git is not installed: the example's workflow was not tried")
        return
    commit(work, "main")
    runtime = work / "runtimes/torch-h100.yaml"
    runtime.write_text(runtime.read_text().replace("maxRestarts: 3", "maxRestarts: 5"))
    commit(work, "feature")
    workflow = yaml.safe_load((work / ".github/workflows/trainjobs.yaml").read_text())
    for name, job in workflow["jobs"].items():
        runner = Job(work, WITH_BINARY, {**GITHUB})
        for step in job["steps"]:
            results = runner.action(step["with"]) if "trainjobc" in step.get("uses", "") else []
            results += [runner.step(step)] if "run" in step else []
            check(all(result.returncode == 0 for result in results), f"job {name} of the example's workflow: {results}")
    summary = (folder / "GITHUB_STEP_SUMMARY").read_text()
    check("bert-pretrain" in summary and "maxRestarts" in summary, f"the summary of a changed runtime: {summary}")


def test_example_hook(folder):
    if not shutil.which("pre-commit"):
        print("pre-commit is not installed: the example's hook was not tried")
        return
    work = folder / "work"
    shutil.copytree(ROOT / "examples", work)
    environment = {**WITH_BINARY, "PRE_COMMIT_HOME": f"{folder}/cache", "GIT_CONFIG_GLOBAL": "/dev/null"}
    for command in (["git", "init", "-q"], ["git", "add", "."]):
        run(command, work, environment)
    done = run(["pre-commit", "run", "--all-files"], work, environment)
    check(done.returncode == 0 and "Passed" in done.stdout, f"the example's hook: {done}")


def test_argo_plugin(folder):
    plugin = yaml.safe_load((ROOT / "plugin/argocd/plugin.yaml").read_text())["spec"]
    find = plugin["discover"]["find"]["command"] + plugin["discover"]["find"]["args"]
    generate = plugin["generate"]["command"] + plugin["generate"]["args"]
    app = {**WITH_BINARY, "ARGOCD_APP_NAMESPACE": "team-a"}
    cases = {"jobs": (GOOD, 0, "jobset.jobset.x-k8s.io/bert\n"), "others": ("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n", 0, ""),
             "bad": (BAD, 1, "")}
    for name, (text, status, out) in cases.items():
        (folder / name).mkdir()
        (folder / name / "a.yaml").write_text(text)
        found = run(find, folder / name, app)
        check((found.returncode, found.stdout) == (status, out), f"discover in {name}: {found}")
    work = folder / "app"
    shutil.copytree(ROOT / "examples/jobs/ml-research", work)
    (work / "extra.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: extra\n---\n" + GOOD)
    shutil.copy(ROOT / "examples/runtimes/torch-h100.yaml", work)
    (folder / "keys").mkdir()
    (folder / "keys/seed").write_text("a seed that is long enough to be one")
    (folder / "outside").write_text("a secret that is not for Applications")
    (folder / "keys/link").symlink_to(folder / "outside")
    app["ARGOCD_ENV_SSH_KEY"] = "seed:seed"
    closed = run(generate, work, app)
    check((closed.returncode, closed.stdout) == (2, ""), f"generate reads keys although no folder is set: {closed}")
    app["TRAINJOBC_SSH_KEY_DIR"] = f"{folder}/keys"
    for path in (f"{folder}/outside", "../outside", "link", "../keysx", ".", "", "a/../../outside"):
        for kind in ("seed", "file"):
            out = run(generate, work, {**app, "ARGOCD_ENV_SSH_KEY": f"{kind}:{path}"})
            check((out.returncode, out.stdout) == (2, "") and "not for Applications" not in out.stderr,
                  f"generate with {kind}:{path}: {out}")
    for name in ("extra2.yaml", ".trainjobc.yaml"):
        (work / name).symlink_to(folder / "keys/seed")
        out = run(generate, work, app)
        refusal = f"{name}: SSH key files are never read as input\n"
        check((out.returncode, out.stdout) == (2, "") and out.stderr.endswith(refusal), f"generate reads a seed as {name}: {out}")
        unset = {key: value for key, value in app.items() if key != "TRAINJOBC_SSH_KEY_DIR"}
        elsewhere = [word.replace("/var/run/trainjobc/ssh-keys", f"{folder}/keys") for word in find]
        for command, environment in ((find, app), (elsewhere, unset)):
            out = run(command, work, environment)
            check((out.returncode, out.stdout) == (2, "") and out.stderr.endswith(refusal), f"discover reads a seed as {name}: {out}")
        (work / name).unlink()
    made = run(generate, work, app)
    objects = [document for document in yaml.safe_load_all(made.stdout) if document]
    kinds = [one["kind"] for one in objects]
    check(made.returncode == 0 and kinds.count("JobSet") == 6 and kinds.count("Secret") == 1 and kinds[0] == "ConfigMap",
          f"generate: {made.returncode}, {kinds}, {made.stderr}")
    check("TrainJob" not in kinds, "generate passes TrainJobs through")
    (bert,) = [one for one in objects if one["kind"] == "JobSet" and one["metadata"]["name"] == "bert"]
    check(bert["metadata"]["namespace"] == "team-a", "generate leaves the application's namespace out")
    pods = bert["spec"]["replicatedJobs"][0]["template"]["spec"]
    check((pods["completionMode"], pods["template"]["spec"]["restartPolicy"]) == ("Indexed", "OnFailure"),
          f"generate leaves out what Argo CD's second apply needs: {pods}")
    check(made.stdout == run(generate, work, app).stdout, "generate gives another output each time")
    secrets = [value for one in objects if one["kind"] == "Secret" for value in one["data"].values()]
    check("PRIVATE" not in made.stderr and not any(value[:40] in made.stderr for value in secrets), "a key on stderr")
    del app["ARGOCD_ENV_SSH_KEY"]
    kinds = [one["kind"] for one in yaml.safe_load_all(run(generate, work, app).stdout)]
    check("Secret" not in kinds, "generate makes a Secret that was not requested")


def main():
    tests = [test_action, test_action_takes_lines, test_action_installs, test_example_workflow, test_example_hook, test_argo_plugin]
    passed = 0
    for test in tests:
        before = len(problems)
        with tempfile.TemporaryDirectory() as folder:
            test(pathlib.Path(folder))
        passed += len(problems) == before
    print("\n".join(problems))
    print(f"{passed} passed, {len(problems)} failed")
    return 1 if problems else 0


sys.exit(main())
