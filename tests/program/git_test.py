#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""diff --base and lint --changed-since in real repositories: scopes, renames, errors, odd names, submodules, worktrees,
shallow and partial clones, and repositories whose configuration names programs.

usage: git_test.py BINARY. Without git it is skipped.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

BINARY = pathlib.Path(sys.argv[1]).resolve()
RUNTIME = """apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: mine, labels: {trainer.kubeflow.org/framework: torch}}
spec:
  mlPolicy: {torch: {}}
  template:
    spec:
      replicatedJobs:
        - name: node
          template:
            metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
            spec: {template: {spec: {containers: [{name: node, image: "r.io/a:1"}]}}}
"""
problems = []


def job(name, nodes=2, runtime="torch-distributed", extra=""):
    return f"""apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {{name: {name}, namespace: team-a}}
spec:
  runtimeRef: {{name: {runtime}}}
  trainer:
    image: r.io/train:1
    command: [torchrun, train.py]
    numNodes: {nodes}
{extra}"""


def check(got, wanted, what):
    if got != wanted:
        problems.append(f"{what}:\n--- got\n{got}\n--- wanted\n{wanted}")


class Repository:
    """A working tree. Commits have fixed dates, so that their ids are known."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "TRAINJOBC_"))},
            "HOME": str(self.folder.parent), "GIT_CONFIG_NOSYSTEM": "1", "XDG_CONFIG_HOME": "/nonexistent",
            "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
            "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": "a",
            "GIT_COMMITTER_EMAIL": "a@example.org"}

    def begin(self, files):
        self.folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")
        self.write(files)
        self.commit("first")
        return self

    def git(self, *words):
        done = subprocess.run(["git", "-c", "protocol.file.allow=always", *words], cwd=self.folder,
                              env=self.environment, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"git {' '.join(words)}: {done.stderr}")
        return done.stdout

    def write(self, files):
        for name, text in files.items():
            path = self.folder / name
            if text is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def commit(self, message, files=None):
        self.write(files or {})
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    def run(self, *words, folder=".", environment=None):
        done = subprocess.run([str(BINARY), *words], cwd=self.folder / folder, capture_output=True, text=True,
                              env=environment or self.environment, timeout=120)
        return done.returncode, done.stdout, done.stderr


def update(*jobs):
    """What diff says of jobs whose spec.trainer changes."""
    return (f"update: Trainer 2.3 refuses to change spec.trainer of a TrainJob that exists: delete {' and '.join(jobs)} and create "
            f"{'it' if len(jobs) == 1 else 'them'} again (submit --replace)")


def short(repository, revision="HEAD"):
    return repository.git("rev-parse", revision).strip()[:12]


def compare(temporary):
    r = Repository(temporary / "compare").begin({
        "clusters/prod/.trainjobc.yaml": "trainerVersion: '2.3'\n", "clusters/prod/bert.yaml": job("bert", 4),
        "clusters/staging/.trainjobc.yaml": "trainerVersion: '2.2'\n", "clusters/staging/bert.yaml": job("bert", 1)})
    r.git("checkout", "-q", "-b", "feature")
    r.commit("more nodes", {"clusters/prod/bert.yaml": job("bert", 6)})
    r.git("checkout", "-q", "main")
    r.commit("other", {"clusters/prod/gpt.yaml": job("gpt", 8)})
    r.git("checkout", "-q", "feature")
    base = short(r, "main~1")
    reaches = """:9  spec.trainer.numNodes   changes 1 object
  spec.replicatedJobs[node]…containers[node].env[PET_NNODES].value   "4" → "6"
  spec.replicatedJobs[node].template.spec.parallelism   4 → 6
  spec.replicatedJobs[node].template.spec.completions   4 → 6
  in JobSet team-a/bert"""
    check(r.run("diff", "--base", "main"),
          (1, f"clusters/prod/bert.yaml{reaches} in clusters/prod\n\n1 of 2 jobs changes\n"
              f"cost: +2 pods in team-a of clusters/prod\n{update('team-a/bert in clusters/prod')}\n",
           f"note: comparing the working tree with {base} (where HEAD left main)\n"), "diff --base")
    check(r.run("diff", "--base", "main", "--head", "feature", "."),
          (1, f"feature:clusters/prod/bert.yaml{reaches} in clusters/prod\n\n1 of 2 jobs changes\n"
              f"cost: +2 pods in team-a of clusters/prod\n{update('team-a/bert in clusters/prod')}\n",
           f"note: comparing feature with {base} (where feature left main)\n"), "diff --base --head")
    check(r.run("diff", "--base", "main", "--no-merge-base", "clusters/prod"),
          (1, f"clusters/prod/bert.yaml{reaches}\n\nJobSet team-a/gpt   removed\n\n"
              f"1 of 1 job changes, 1 object removed\ncost: -6 pods in team-a\n{update('team-a/bert')}\n",
           "note: comparing the working tree with main\n"), "diff --no-merge-base")
    check(r.run("diff", "--base", "main", folder="clusters/prod")[:2],
          (1, f"bert.yaml{reaches}\n\n1 of 1 job changes\ncost: +2 pods in team-a\n{update('team-a/bert')}\n"), "diff in a folder")
    check(r.run("diff", "--base", "HEAD", str(r.folder / "clusters"))[:2], (0, "no difference in 2 jobs\n"),
          "an absolute path")
    link = temporary / "link"
    link.symlink_to(r.folder)
    check(r.run("diff", "--base", "HEAD", str(link / "clusters"))[:2], (0, "no difference in 2 jobs\n"),
          "a path through a link")
    # Renames of files and of a scope's folder change nothing; an untracked job is one that was added.
    r.git("mv", "clusters/staging", "clusters/stage")
    r.git("mv", "clusters/prod/bert.yaml", "clusters/prod/nlp.yaml")
    check(r.run("diff", "--base", "HEAD"), (0, "no difference in 2 jobs\n",
                                            "note: comparing the working tree with HEAD\n"), "renames")
    check(r.run("lint", "--changed-since", "HEAD"),
          (0, "", "note: what changed since HEAD affects no job and no runtime\n"), "lint: renames")
    r.write({"clusters/stage/new.yaml": job("new", 1)})
    check(r.run("diff", "--base", "HEAD")[:2],
          (1, "JobSet team-a/new in clusters/stage   added\n\n0 of 3 jobs change, 1 job added\n"
              "cost: +1 pod in team-a of clusters/stage\n"), "an untracked file")
    # Settings for a folder that had none: its jobs were in the scope above.
    r.write({"clusters/prod/.trainjobc.yaml": None})
    r.git("add", "-A")
    r.git("commit", "-q", "-m", "moved")
    r.write({"clusters/prod/.trainjobc.yaml": "trainerVersion: '2.3'\n"})
    check(r.run("diff", "--base", "HEAD")[:2], (0, "no difference in 3 jobs\n"), "a new scope")


def broken(temporary):
    r = Repository(temporary / "broken").begin({"a.yaml": job("a", 1), "b.yaml": job("b", 1), "c.yaml": job("c", 1)})
    r.write({"a.yaml": job("a", 1, extra="    numNode: 1\n"), "b.yaml": job("b", 3)})
    broken_a = """TrainJob team-a/a   no longer accepted
a.yaml:10:5: error: unknown field "numNode" in spec.trainer [input/unknown-field]
   10 |     numNode: 1
      |     ^~~~~~~ did you mean "numNodes"?
"""
    more = """
b.yaml:9  spec.trainer.numNodes   changes 1 object
  spec.replicatedJobs[node]…containers[node].env[PET_NNODES].value   "1" → "3"
  spec.replicatedJobs[node].template.spec.parallelism   1 → 3
  spec.replicatedJobs[node].template.spec.completions   1 → 3
  in JobSet team-a/b

"""
    check(r.run("diff", "--base", "HEAD")[:2],
          (2, f"{broken_a}{more}1 of 3 jobs changes, 1 no longer accepted\ncost: +2 pods in team-a\n{update('team-a/b')}\n"),
          "one broken job")
    r.commit("broken")
    check(r.run("diff", "--base", "HEAD")[:2],
          (2, broken_a.replace("no longer", "not") + "\nno difference in 3 jobs, 1 not accepted\n"),
          "a job that is still broken")
    r.write({"a.yaml": job("a", 1)})
    check(r.run("diff", "--base", "HEAD")[:2],
          (1, broken_a.replace("no longer", "newly").replace("a.yaml", "HEAD:a.yaml") +
           "\nno difference in 3 jobs, 1 newly accepted\n"), "a job that is mended")
    r.write({"a.yaml": job("a", 1) + "---\na: [\n", "c.yaml": None})
    check(r.run("diff", "--base", "HEAD~1"),
          (2, f"""a.yaml   no longer accepted
a.yaml:11:4: error: this bracket is not closed before the end of the document [yaml/syntax]
   11 | a: [
      |    ^ close it
{more}1 of 2 jobs changes
cost: +2 pods in team-a
{update('team-a/b')}
""", "note: comparing the working tree with HEAD~1\nwarning: removed jobs are not listed: a.yaml can't be read\n"),
          "a file that can't be read")


def lint(temporary):
    wrong = "    resourcesPernode: {}\n"
    r = Repository(temporary / "lint").begin({
        "runtimes/mine.yaml": RUNTIME, "jobs/a.yaml": job("a", runtime="mine"),
        "jobs/many.yaml": job("b", extra=wrong) + "---\n" + job("c", extra=wrong), ".trainjobc.yaml": "runtimes: [runtimes]\n"})
    finding = """jobs/many.yaml:{0}:5: error: unknown field "resourcesPernode" in spec.trainer [input/unknown-field]
   {0} |     resourcesPernode: {{}}
      |     ^~~~~~~~~~~~~~~~ did you mean "resourcesPerNode"?

1 finding (1 error) in 1 of 1 file; 1 fixable with --fix=all
"""
    check(r.run("lint", "--changed-since", "HEAD", "jobs"),
          (0, "", "note: what changed since HEAD affects no job and no runtime\n"), "lint: no change")
    r.write({"jobs/many.yaml": job("b", extra=wrong) + "---\n" + job("c", 3, extra=wrong)})
    check(r.run("lint", "--changed-since", "HEAD", "jobs"),
          (1, finding.format(21), "note: what changed since HEAD affects 1 of 3 jobs and runtimes\n"),
          "lint: a changed document")
    check(r.run("lint", "--changed-since", "HEAD", "jobs", "--fix=all")[2],
          "note: what changed since HEAD affects 1 of 3 jobs and runtimes\n1 fixed\n1 job: no findings\n", "lint --fix")
    check((r.folder / "jobs/many.yaml").read_text().count("resourcesPernode"), 1, "lint --fix of what changed only")
    r.git("checkout", "-q", ".")
    r.write({"runtimes/mine.yaml": RUNTIME.replace("r.io/a:1", "r.io/a:2")})
    check(r.run("lint", "--changed-since", "HEAD", "jobs")[2],
          "note: what changed since HEAD affects 1 of 3 jobs and runtimes\n1 job: no findings\n",
          "lint: a changed runtime")
    r.git("checkout", "-q", ".")
    r.write({".trainjobc.yaml": "runtimes: [runtimes]\nfailOn: warning\n"})
    check(r.run("lint", "--changed-since", "HEAD", "jobs")[0::2],
          (1, "note: what changed since HEAD affects 3 of 3 jobs and runtimes\n"), "lint: changed settings")
    r.git("checkout", "-q", ".")
    # The name is already taken by a document that has not changed.
    r.write({"jobs/zz.yaml": job("a", runtime="mine")})
    check(r.run("lint", "--changed-since", "HEAD", "jobs")[:2],
          (1, """jobs/zz.yaml:3:18: error: TrainJob/team-a/a is defined twice [input/duplicate-object]
    3 | metadata: {name: a, namespace: team-a}
      |                  ^
  note: the first one at jobs/a.yaml:3:18

1 finding (1 error) in 1 of 1 file
"""), "lint: a duplicate")


def refusals(temporary):
    r = Repository(temporary / "refusals").begin({"a.yaml": job("a")})
    r.commit("second", {"b.yaml": job("b")})

    def error(*words, folder=".", environment=None, of=r):
        status, out, err = of.run(*words, folder=folder, environment=environment)
        check((status, out), (2, ""), " ".join(words))
        return err.removeprefix("trainjobc: ").rstrip("\n")

    check(error("diff", "--base", "nope"), '--base: the repository has no revision "nope": git fetch it first', "no revision")
    check(error("diff", "--base", "origin/nope"),
          '--base: the repository has no revision "origin/nope": fetch it first (git fetch origin nope)', "no branch")
    check(error("diff", "--base", "main..HEAD"),
          '--base: "main..HEAD" is a range: name one revision, such as main', "a range")
    check(error("diff", "--base=-x"), '--base: "-x" is not the name of a revision', "a dash")
    check(error("diff", "--base", "HEAD", "nope.yaml"),
          "--base: nope.yaml is neither in HEAD nor in the working tree", "no path")
    check(error("diff", "--base", "HEAD", "-"),
          "--base: standard input has no revisions: name files or directories", "standard input")
    check(error("diff", "--base", "HEAD", "--server-side", "."),
          "--base compares revisions of files: leave out --live, --from, --from-version, --context, --kubeconfig, "
          "--server-side", "flags of a cluster")
    outside = temporary / "outside"
    outside.mkdir()
    check(error("diff", "--base", "HEAD", str(outside)),
          f"--base: {outside} is not in a Git repository: run this in a clone, or compare two directories: trainjobc "
          "diff OLD NEW", "outside")
    check(error("diff", "--base", "HEAD", ".", str(outside)),
          f"--base: {outside} is not in the repository {r.folder}", "two places")
    check(error("lint", "--changed-since", "HEAD", environment={**r.environment, "PATH": "/nonexistent"}),
          "--changed-since: git is not on the PATH: install it to compare with a revision", "no git")
    unborn = Repository(temporary / "unborn")
    unborn.folder.mkdir()
    unborn.git("init", "-q")
    unborn.write({"a.yaml": job("a")})
    check(error("diff", "--base", "HEAD", of=unborn), "--base: the repository has no commit yet", "no commit")
    r.git("checkout", "-q", "--orphan", "other")
    r.commit("root")
    check(error("diff", "--base", "main"),
          "--base: main and HEAD have no common ancestor: --no-merge-base compares with the revision itself", "orphan")
    r.git("checkout", "-q", "main")
    shallow = Repository(temporary / "shallow")
    r.git("clone", "-q", "--depth", "1", f"file://{r.folder}", str(shallow.folder))
    check(error("diff", "--base", "HEAD~1", of=shallow),
          '--base: the repository has no revision "HEAD~1"; this is a shallow clone: fetch the history (git fetch '
          "--unshallow; fetch-depth: 0 of actions/checkout; GIT_DEPTH: 0 in GitLab)", "a shallow clone")
    check(shallow.run("diff", "--base", "origin/main")[:2], (0, "no difference in 2 jobs\n"), "a shallow clone's tip")
    partial = Repository(temporary / "partial")
    r.git("config", "uploadpack.allowFilter", "true")
    r.git("clone", "-q", "--filter=blob:none", f"file://{r.folder}", str(partial.folder))
    partial.write({"a.yaml": job("a", 3)})
    partial.git("rm", "-q", "--cached", "a.yaml")
    r.commit("third", {"a.yaml": job("a", 9)})
    partial.git("fetch", "-q")
    err = error("diff", "--base", "origin/main", "--no-merge-base", "a.yaml", of=partial)
    check(err.splitlines()[0].split("this clone")[0], "read origin/main:a.yaml: ", "a partial clone")


def odd_names(temporary):
    r = Repository(temporary / "odd").begin({"-x.yaml": job("a", 1), "new\nline.yaml": job("b", 1), "ä ö.yaml": job("c", 1),
                                             "dir/real.yaml": job("d", 1)})
    (r.folder / "linked.yaml").symlink_to("dir/real.yaml")
    (r.folder / "dangling.yaml").symlink_to("nowhere.yaml")
    r.git("add", "-A")
    r.git("commit", "-q", "-m", "links")
    (r.folder / "dangling.yaml").unlink()
    r.write({"-x.yaml": job("a", 2), "new\nline.yaml": job("b", 2), "ä ö.yaml": job("c", 2), "dir/real.yaml": job("d", 2)})
    status, out, err = r.run("diff", "--base", "HEAD", "-o", "unified", "--", "-x.yaml", "new\nline.yaml", "ä ö.yaml",
                             "linked.yaml")
    check((status, out.count("+    ") > 0, [line for line in out.splitlines() if line.startswith("+++ ")]),
          (1, True, [f"+++ NEW/jobset.x-k8s.io.v1alpha2.JobSet.team-a.{name}" for name in "abcd"]), "odd names")
    check(r.run("diff", "--base", "HEAD", "dir")[0], 1, "the target of a link")
    check(r.run("diff", "--base", "HEAD", ".")[2].splitlines()[0],
          "trainjobc: open HEAD:dangling.yaml: No such file or directory", "a dangling link")


def submodules(temporary):
    inner = Repository(temporary / "inner").begin({"job.yaml": job("inner", 1)})
    r = Repository(temporary / "outer").begin({"job.yaml": job("outer", 1)})
    r.git("submodule", "add", "-q", f"file://{inner.folder}", "jobs/sub")
    r.commit("submodule")
    inner.commit("changed", {"job.yaml": job("inner", 5)})
    sub = Repository(r.folder / "jobs/sub")
    sub.git("pull", "-q")
    expected = f"""jobs/sub/job.yaml:9  spec.trainer.numNodes   changes 1 object
  spec.replicatedJobs[node]…containers[node].env[PET_NNODES].value   "1" → "5"
  spec.replicatedJobs[node].template.spec.parallelism   1 → 5
  spec.replicatedJobs[node].template.spec.completions   1 → 5
  in JobSet team-a/inner

1 of 2 jobs changes
cost: +4 pods in team-a
{update('team-a/inner')}
"""
    check(r.run("diff", "--base", "HEAD")[:2], (1, expected), "a submodule that was updated")
    r.commit("update")
    check(r.run("diff", "--base", "HEAD~1")[:2], (1, expected), "two commits of a submodule")
    check(r.run("diff", "--base", "HEAD~1", "--head", "HEAD")[1].splitlines()[-3:],
          ["1 of 2 jobs changes", "cost: +4 pods in team-a", update("team-a/inner")], "submodules of two revisions")
    tree = temporary / "worktree"
    r.git("worktree", "add", "-q", str(tree), "HEAD~1")
    worktree = Repository(tree)
    worktree.write({"job.yaml": job("outer", 3)})
    check(worktree.run("diff", "--base", "main", "--no-merge-base")[1].splitlines()[-3:],
          ["1 of 1 job changes", "cost: +2 pods in team-a", update("team-a/outer")], "a worktree, without the repository of its submodule")
    check(sub.run("diff", "--base", "HEAD~1")[1].splitlines()[-3:],
          ["1 of 1 job changes", "cost: +4 pods in team-a", update("team-a/inner")], "in a submodule")
    plain = Repository(temporary / "plain")
    r.git("clone", "-q", f"file://{r.folder}", str(plain.folder))
    check(plain.run("diff", "--base", "HEAD~1")[:2], (0, "no difference in 1 job\n"), "a submodule without its repository")
    # The commit is not in the submodule's repository.
    r.git("update-index", "--add", "--cacheinfo", "160000," + "1" * 40 + ",jobs/sub")
    r.git("commit", "-q", "-m", "lost")
    check(r.run("diff", "--base", "HEAD")[2].splitlines()[0],
          f"trainjobc: open HEAD:jobs/sub: the submodule has no commit {'1' * 12}: git -C jobs/sub fetch", "a lost commit")


def hostile(temporary):
    """What a repository's configuration can make git run leaves a file behind."""
    ran = temporary / "ran"
    program = temporary / "program.sh"
    program.write_text(f"#!/bin/sh\necho \"$0 $*\" >> {ran}\ncat\n")
    program.chmod(0o755)
    r = Repository(temporary / "hostile").begin({"a.yaml": job("a", 1), ".gitattributes": "*.yaml filter=evil diff=evil\n"})
    r.git("checkout", "-q", "-b", "feature")
    for name in ("core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "core.askPass", "diff.external",
                 "diff.evil.command", "diff.evil.textconv", "filter.evil.clean", "filter.evil.smudge", "filter.evil.process",
                 "pager.diff", "gpg.program", "core.gitProxy", "core.alternateRefsCommand", "credential.helper",
                 "uploadpack.packObjectsHook"):
        r.git("config", name, str(program))
    r.git("config", "filter.evil.required", "true")
    hooks = r.folder / ".git/hooks"
    for hook in ("post-checkout", "post-index-change", "pre-commit", "reference-transaction"):
        shutil.copy(program, hooks / hook)
    # A partial clone whose missing objects a program would fetch.
    r.git("config", "core.repositoryformatversion", "1")
    r.git("config", "extensions.partialClone", "evil")
    r.git("config", "remote.evil.url", f"ext::{program}")
    r.git("config", "remote.evil.promisor", "true")
    r.git("config", "protocol.ext.allow", "always")
    (r.folder / "a.yaml").write_text(job("a", 3))
    ran.unlink(missing_ok=True)
    check(r.run("diff", "--base", "main")[1].splitlines()[-3:],
          ["1 of 1 job changes", "cost: +2 pods in team-a", update("team-a/a")], "hostile diff")
    check(r.run("lint", "--changed-since", "main")[0], 0, "hostile lint")
    # An object is missing.
    blob = subprocess.run(["git", "rev-parse", "main:a.yaml"], cwd=r.folder, capture_output=True, text=True).stdout.strip()
    stored = r.folder / ".git/objects" / blob[:2] / blob[2:]
    stored.chmod(0o644)
    stored.unlink()
    check(r.run("diff", "--base", "main")[0], 2, "a missing object")
    check(ran.read_text() if ran.exists() else "", "", "programs that git ran")


def states(temporary):
    """A detached HEAD, names that differ in case, other ends of lines, a merge that stopped, repositories of other people and
    below this one."""
    r = Repository(temporary / "states").begin({"a.yaml": job("one", 1), "b.yaml": job("two", 1)})
    r.commit("second", {"a.yaml": job("one", 2)})
    change = ["1 of 2 jobs changes", "cost: +1 pod in team-a", update("team-a/one")]
    r.git("checkout", "-q", "--detach")
    check(r.run("diff", "--base", "HEAD~1")[1].splitlines()[-3:], change, "a detached HEAD")
    r.git("checkout", "-q", "main")
    r.git("mv", "a.yaml", "A.yaml")
    check(r.run("diff", "--base", "HEAD")[:2], (0, "no difference in 2 jobs\n"), "a name in capitals")
    check(r.run("lint", "--changed-since", "HEAD")[2].splitlines()[0],
          "note: what changed since HEAD affects no job and no runtime", "a name in capitals, lint")
    r.git("mv", "A.yaml", "a.yaml")
    (r.folder / "b.yaml").write_bytes(job("two", 1).replace("\n", "\r\n").encode())
    check(r.run("diff", "--base", "HEAD")[:2], (0, "no difference in 2 jobs\n"), "CRLF")
    r.git("checkout", "-q", "b.yaml")
    r.git("tag", "-a", "-m", "v1", "v1", "HEAD~1")
    check(r.run("diff", "--base", "v1", "--head", "main")[1].splitlines()[-3:], change, "a tag")
    r.git("checkout", "-q", "-b", "other", "HEAD~1")
    r.commit("other", {"a.yaml": job("one", 9)})
    subprocess.run(["git", "merge", "-q", "main"], cwd=r.folder, env=r.environment, capture_output=True)
    status, out, err = r.run("diff", "--base", "main")
    check((status, out.splitlines()[0], out.splitlines()[-1]), (2, "a.yaml   no longer accepted", "no difference in 1 job"), "a conflict")
    r.git("merge", "--abort")
    r.git("checkout", "-q", "main")
    bare = Repository(temporary / "bare")
    r.git("clone", "-q", "--bare", str(r.folder), str(bare.folder))
    check(bare.run("diff", "--base", "HEAD~1"), (2, "", "trainjobc: --base: git: this operation must be run in a work tree\n"),
          "a bare repository")
    below = Repository(r.folder / "below").begin({"c.yaml": job("three", 1)})
    below.commit("second", {"c.yaml": job("three", 3)})
    change = ["1 of 1 job changes", "cost: +2 pods in team-a", update("team-a/three")]
    check(below.run("diff", "--base", "HEAD~1")[1].splitlines()[-3:], change, "a repository below")
    check(r.run("diff", "--base", "HEAD~1", "below")[1].splitlines()[-3:], change,
          "a repository below, from outside")
    if os.getuid() == 0:
        os.chown(r.folder, 65534, 65534)
        os.chown(r.folder / ".git", 65534, 65534)
        check(r.run("diff", "--base", "HEAD~1")[::2],
              (2, f"trainjobc: --base: git: detected dubious ownership in repository at '{r.folder}'\nTo add an exception for this "
                  f"directory, call:\n\n\tgit config --global --add safe.directory {r.folder}\n"), "a repository of someone else")


def stored_by_filters(temporary):
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
    r = Repository(temporary / "lfs").begin({"a.yaml": pointer, "b.yaml": job("b")})
    r.write({"a.yaml": job("a")})
    status, out, err = r.run("diff", "--base", "HEAD")
    check((status, err), (1, "note: HEAD:a.yaml is stored by a filter, such as Git LFS, which trainjobc does not run: what it "
                             "defines is not compared\nnote: comparing the working tree with HEAD\n"), "LFS")


def templates(temporary):
    """Charts in the repository don't keep diff from answering; a template that is named does."""
    chart = job("chart").replace("name: chart", "name: {{ .Release.Name }}")
    r = Repository(temporary / "templates").begin({"a.yaml": job("a"), "charts/b/templates/b.yaml": chart})
    r.write({"a.yaml": job("a", nodes=3)})
    check(r.run("diff", "--base", "HEAD"), (1, f"""a.yaml:9  spec.trainer.numNodes   changes 1 object
  spec.replicatedJobs[node]…containers[node].env[PET_NNODES].value   "2" → "3"
  spec.replicatedJobs[node].template.spec.parallelism   2 → 3
  spec.replicatedJobs[node].template.spec.completions   2 → 3
  in JobSet team-a/a

1 of 1 job changes
cost: +1 pod in team-a
{update("team-a/a")}
""", "note: comparing the working tree with HEAD\nnote: not compared: charts/b/templates/b.yaml, which must be rendered first\n"),
          "a template in the repository")
    check(r.run("diff", "--base", "HEAD", "charts/b/templates/b.yaml")[0], 2, "a template that is named")


def overlays(temporary):
    """What kustomizations are built to is compared, on each side; one that can't be built doesn't keep the others from it."""
    if not (shutil.which("kustomize") or shutil.which("kubectl")):
        print("neither kustomize nor kubectl is installed: no overlay was compared")
        return
    patch = "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: bert}\nspec: {trainer: {numNodes: %d}}\n"
    r = Repository(temporary / "overlays").begin({
        "base/job.yaml": job("bert").replace(", namespace: team-a", ""), "base/kustomization.yaml": "resources: [job.yaml]\n",
        "overlays/a/kustomization.yaml": "resources: [../../base]\nnamespace: team-a\npatches: [{path: nodes.yaml}]\n",
        "overlays/a/nodes.yaml": patch % 4,
        "overlays/b/kustomization.yaml": "resources: [../../base]\nnamespace: team-b\n"})
    r.write({"overlays/a/nodes.yaml": patch % 6,
             "base/job.yaml": job("bert").replace(", namespace: team-a", "").replace("train:1", "train:2")})
    nodes = """overlays/a/nodes.yaml:4  spec.trainer.numNodes   changes 1 object
  spec.replicatedJobs[node]…containers[node].env[PET_NNODES].value   "4" → "6"
  spec.replicatedJobs[node].template.spec.parallelism   4 → 6
  spec.replicatedJobs[node].template.spec.completions   4 → 6
  in JobSet team-a/bert in overlays/a

"""
    changed = """base/job.yaml:7  spec.trainer.image   changes 2 objects
  spec.replicatedJobs[node]…containers[node].image   "r.io/train:1" → "r.io/train:2"
  in JobSet team-a/bert in overlays/a, JobSet team-b/bert in overlays/b

""" + nodes + "2 of 2 jobs change\ncost: +2 pods in team-a of overlays/a\n" + update("team-a/bert in overlays/a",
                                                                                  "team-b/bert in overlays/b") + "\n"
    note = "note: comparing the working tree with HEAD\n"
    check(r.run("diff", "--base", "HEAD"), (1, changed, note), "overlays")
    check(r.run("diff", "--base", "HEAD", "-k", "overlays/a", "-k", "overlays/b"), (1, changed, note), "overlays that are named")
    check(r.run("lint", "--changed-since", "HEAD", "-k", "overlays/a", "-k", "overlays/b"),
          (0, "", "note: what changed since HEAD affects 2 of 2 jobs and runtimes\n2 jobs: no findings\n"), "lint of overlays")
    r.git("checkout", "-q", "base")
    check(r.run("lint", "--changed-since", "HEAD")[2].splitlines()[0], "note: what changed since HEAD affects 1 of 2 jobs and runtimes",
          "lint of a patch")
    r.write({"overlays/b/kustomization.yaml": "resources: [../../base, more.yaml]\n"})
    broken_b = """overlays/b/kustomization.yaml   not accepted
overlays/b/kustomization.yaml:1:25: error: there is no file or folder more.yaml [yaml/root]
    1 | resources: [../../base, more.yaml]
      |                         ^~~~~~~~~

"""
    summary = f"1 of 1 job changes\ncost: +2 pods in team-a of overlays/a\n{update('team-a/bert in overlays/a')}\n"
    for words in ((), ("-k", "overlays/a", "-k", "overlays/b")):
        check(r.run("diff", "--base", "HEAD", *words)[:2], (2, broken_b + nodes + summary), f"a broken overlay {words}")


def main():
    if not shutil.which("git"):
        print("skipped: no git")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        temporary = pathlib.Path(folder).resolve()
        for part in (compare, broken, templates, overlays, lint, refusals, odd_names, submodules, hostile, states,
                     stored_by_filters):
            (temporary / part.__name__).mkdir()
            try:
                part(temporary / part.__name__)
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                problems.append(f"{part.__name__}: {error}")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


sys.exit(main())
