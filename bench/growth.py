#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows how the time and the memory of each command grow with the number of jobs, and prints a table.

usage: growth.py TRAINJOBC [COUNT...]     (100 1000 10000)

Times are CPU times, user and system together: other load on the machine moves them little. Ends with 1 if a command
takes more memory than it may with 10,000 jobs, or grows faster than 1.2 times linear between the two largest counts, or
one of the commands that run in bounded memory faster than 1.05 times. GROWTH_ONLY=TEXT takes only rows with that text.
Above 10,000 jobs, only the commands that have a bound for 100,000 are measured.
"""
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
LIMIT = 1.2
# Commands that hold no more of a job than its text or its findings.
BOUNDED = ("render", "lint")
# The commands that are measured with 100,000 jobs, and the MB that they may take then.
MEMORY_OF_100000 = {"render": 500, "lint": 300, "diff OLD NEW": 840}
BOUNDED_LIMIT = 1.05
# The MB that a command may take with 10,000 jobs; those that read a file or 10,000 runtimes as a whole take more.
MEMORY = 100
LARGER = {"diff OLD NEW": 105, "migrate": 130, "lint, wrong runtime references": 140, "diff (kubectl finds all": 125,
          "submit (kubectl finds all)": 130, "submit (kubectl finds all, others changed)": 200}
TIMEOUT = 600


def memory_of(name):
    return max([most for row, most in LARGER.items() if name.startswith(row)], default=MEMORY)



def jobs(count, shape="plain"):
    command = [sys.executable, HERE / "make_jobs.py", str(count), shape]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


# Stands in for kubectl: finds what is in the folder $CLUSTER, if that is set, and applies what it is given.
KUBECTL = """#!/bin/sh
for word; do
  case "$word" in --namespace=*) ns=${word#--namespace=};; esac
done
if [ "$1" = get ] && [ -n "$CLUSTER" ]; then
  kind=JobSet
  case "$2" in -f) kind=$(sed -n '2{s/.*"kind": "\\([A-Za-z]*\\)".*/\\1/;p}'; cat > /dev/null);; esac
  exec cat "$CLUSTER/$kind-$ns.json"
elif [ "$1" = get ]; then
  cat > /dev/null
  echo '{"apiVersion": "v1", "kind": "List", "items": []}'
else
  sed -n '/^metadata:/{n;s|^  name: |jobset.jobset.x-k8s.io/|;s|$| serverside-applied|;p}'
fi
"""


def fields_of(value):
    """What managedFields says of a value that one manager has applied."""
    if isinstance(value, dict):
        return {f"f:{key}": fields_of(part) for key, part in value.items()}
    if isinstance(value, list) and value and all(isinstance(item, dict) and "name" in item for item in value):
        return {json.dumps({"name": item["name"]}).join(("k:", "")): {".": {}, **fields_of(item)} for item in value}
    return {}


def as_stored(number, root):
    """The object as the API server answers with it."""
    time = "2026-11-28T12:00:00Z"
    applied = {"f:metadata": {"f:labels": fields_of(root["metadata"].get("labels", {}))}, "f:spec": fields_of(root["spec"])}
    root["metadata"] |= {"uid": f"00000000-0000-4000-8000-{number:012d}", "resourceVersion": str(number), "generation": 1,
                         "creationTimestamp": time, "managedFields": [
                             {"manager": "trainer_controller", "operation": "Apply", "apiVersion": root["apiVersion"], "time": time,
                              "fieldsType": "FieldsV1", "fieldsV1": applied}]}
    return root | {"status": {"restarts": 0, "conditions": [
        {"type": "StartupPolicyCompleted", "status": "True", "reason": "Done", "message": "done", "lastTransitionTime": time}]}}


class Inputs:
    """One folder for each shape of input; a command that writes gets a copy."""

    def __init__(self, folder, count):
        self.folder = pathlib.Path(folder, str(count))
        self.count = count

    def path(self, name):
        return self.folder / name

    def file(self, shape):
        path = self.folder / f"{shape}.yaml"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(jobs(self.count, shape))
        return str(path)

    def split(self, shape):
        """A file for each object."""
        folder = self.folder / f"{shape}-files"
        if not folder.exists():
            folder.mkdir(parents=True)
            for i, document in enumerate(pathlib.Path(self.file(shape)).read_text().split("---\n")):
                (folder / f"{i:05d}.yaml").write_text(document)
        return str(folder)

    def copy(self, shape, name="copy.yaml"):
        path = self.folder / name
        shutil.copyfile(self.file(shape), path)
        return str(path)

    def rendered(self, trainjobc, shape):
        path = self.folder / f"{shape}-rendered.yaml"
        if not path.exists():
            with open(path, "w") as out:
                subprocess.run([trainjobc, "render", self.file(shape)], stdout=out, stderr=subprocess.DEVNULL,
                               check=True)
        return str(path)

    def cluster(self, trainjobc, shape):
        """A folder with what a cluster answers that has the JobSets of these jobs."""
        folder = self.folder / f"{shape}-cluster"
        if not folder.exists():
            folder.mkdir(parents=True)
            text = subprocess.run([trainjobc, "render", "--with-defaults", "-o", "json", self.file(shape)], capture_output=True,
                                  text=True, check=True).stdout
            namespaces = {}
            for number, root in enumerate(json.loads(text)["items"]):
                namespaces.setdefault(root["metadata"]["namespace"], []).append(as_stored(number, root))
            for ns, items in namespaces.items():
                for kind, found in (("JobSet", items), ("TrainJob", [])):
                    (folder / f"{kind}-{ns}.json").write_text(
                        json.dumps({"apiVersion": "v1", "items": found, "kind": "List", "metadata": {"resourceVersion": ""}}, indent=4))
        return str(folder)

    def resource_list(self):
        path = self.folder / "resource-list.yaml"
        if not path.exists():
            documents = pathlib.Path(self.file("plain")).read_text().split("---\n")
            items = "".join("  - " + document.replace("\n", "\n    ").rstrip() + "\n" for document in documents)
            path.write_text("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n" + items)
        return path

    def suppressions(self, per_job):
        """A configuration with a suppression for each file, or with globs of many stars for all of them."""
        path = self.folder / ("suppressions.yaml" if per_job else "globs.yaml")
        rows = [f'  - rule: advice/queue\n    paths: ["plain-files/{i:05d}.yaml"]\n    reason: known\n'
                for i in range(self.count)]
        if not per_job:
            rows = ['  - rule: advice/queue\n    paths: ["*p*l*a*i*n*/*0*0*0*0*x"]\n    reason: known\n'
                    for i in range(20)]
        path.write_text("suppress:\n" + "".join(rows))
        return str(path)


def rows(trainjobc, inputs):
    """Each a name, a function from Inputs to the command's arguments, and what it reads from standard input."""
    plain = inputs.file("plain")
    old = inputs.file("old")
    changed = inputs.file("changed")
    upgrade = ["diff", "--from-version", "2.1", "--to-version", "2.3", old]
    files = ["diff", "--from", plain, changed]
    return {
        "render": lambda: ["render", plain],
        "render, a file for each object": lambda: ["render", inputs.split("plain")],
        "render --output-dir": lambda: ["render", plain, "--output-dir", inputs.path("out"), "--prune-output"],
        "lint": lambda: ["lint", plain],
        "lint, a file for each object": lambda: ["lint", inputs.split("plain")],
        "lint --format json": lambda: ["lint", plain, "--format", "json"],
        "lint --format sarif": lambda: ["lint", plain, "--format", "sarif"],
        "lint --format junit": lambda: ["lint", plain, "--format", "junit"],
        "lint --format gitlab": lambda: ["lint", plain, "--format", "gitlab"],
        "lint --fix --diff": lambda: ["lint", inputs.file("unknown"), "--fix", "--diff"],
        "explain": lambda: ["explain", plain],
        "explain -o json": lambda: ["explain", plain, "-o", "json"],
        "explain --field image": lambda: ["explain", plain, "--field", "image"],
        "diff OLD NEW": lambda: files,
        "diff OLD NEW --format unified": lambda: files + ["--format", "unified"],
        "diff OLD NEW --format json": lambda: files + ["--format", "json"],
        "diff OLD NEW --format markdown": lambda: files + ["--format", "markdown"],
        "diff --live": lambda: ["diff", "--live", inputs.rendered(trainjobc, "plain"), changed],
        "diff (kubectl finds nothing)": lambda: ["diff", plain],
        "diff (kubectl finds all)": lambda: ["diff", plain],
        "diff (kubectl finds all, others changed)": lambda: ["diff", changed],
        "submit": lambda: ["submit", plain],
        "submit (kubectl finds all)": lambda: ["submit", plain],
        "submit (kubectl finds all, others changed)": lambda: ["submit", changed],
        "diff --from-version": lambda: upgrade,
        "diff --from-version --format json": lambda: upgrade + ["--format", "json"],
        "diff --from-version --format markdown": lambda: upgrade + ["--format", "markdown"],
        "diff --from-version --format unified": lambda: upgrade + ["--format", "unified"],
        "migrate --write": lambda: ["migrate", "--write", inputs.copy("old")],
        "migrate": lambda: ["migrate", old],
        "migrate, a file for each object": lambda: ["migrate", inputs.split("old")],
        "function": lambda: ["function"],
        "lint, unknown keys under auto": lambda: ["lint", inputs.file("unknown")],
        "lint, a job with many unknown keys": lambda: ["lint", inputs.file("keys")],
        "lint, wrong runtime references": lambda: ["lint", inputs.file("lost")],
        "lint, a suppression for each file": lambda: ["lint", "--config", inputs.suppressions(True),
                                                      inputs.split("plain")],
        "lint, suppressions with many stars": lambda: ["lint", "--config", inputs.suppressions(False),
                                                       inputs.split("plain")],
        "lint, a comment in each job": lambda: ["lint", inputs.file("comments")],
        "lint, aliases of large texts": lambda: ["lint", inputs.file("aliases")],
        "render, MPI": lambda: ["render", inputs.file("mpi"), "--ssh-key", "omit"],
    }


def limit_cpu():
    resource.setrlimit(resource.RLIMIT_CPU, (TIMEOUT, TIMEOUT))


def measure(command, stdin):
    """CPU seconds and MB, or None if it took too long. A command that can't run ends the benchmark."""
    with open(stdin or os.devnull, "rb") as source:
        process = subprocess.Popen([str(word) for word in command], stdin=source, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, preexec_fn=limit_cpu)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        if process.returncode < 0:
            return None
        sys.exit(f"{' '.join(map(str, command))} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    trainjobc = os.path.abspath(sys.argv[1])
    counts = [int(word) for word in sys.argv[2:]] or [100, 1000, 10000]
    only = os.environ.get("GROWTH_ONLY", "")
    print("| command | " + " | ".join(f"{count:,} jobs" for count in counts) + " | growth | memory |")
    print("|---|" + "---:|" * (len(counts) + 2))
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        kubectl = pathlib.Path(folder, "bin/kubectl")
        kubectl.parent.mkdir()
        kubectl.write_text(KUBECTL)
        kubectl.chmod(0o755)
        os.environ["PATH"] = f"{kubectl.parent}{os.pathsep}{os.environ['PATH']}"
        inputs = [Inputs(folder, count) for count in counts]
        tables = [rows(trainjobc, each) for each in inputs]
        for name in tables[0]:
            if only not in name or (max(counts) > 10000 and name not in MEMORY_OF_100000):
                continue
            measured = []
            for each, table in zip(inputs, tables):
                stdin = each.resource_list() if name == "function" else None
                os.environ["CLUSTER"] = each.cluster(trainjobc, "plain") if "finds all" in name else ""
                best = None
                for _ in range(3 if each.count <= 10_000 else 1):
                    best = min(filter(None, (best, measure([trainjobc, *table[name]()], stdin))), default=None)
                measured.append(best)
                if best is None:
                    break
            cells = [f"{m[0]:.2f} s" if m else f"> {TIMEOUT} s" for m in measured]
            cells += [""] * (len(counts) - len(cells))
            growth = None
            if len(measured) > 1 and measured[-1]:
                growth = measured[-1][0] / measured[-2][0] / (counts[-1] / counts[-2])
            memory = f"{measured[-1][1]:.0f} MB" if measured[-1] else ""
            limit = BOUNDED_LIMIT if max(counts) > 10000 and name in BOUNDED else LIMIT
            failed = failed or growth is None or growth > limit
            failed = failed or (counts[-1] == 10000 and measured[-1] is not None and measured[-1][1] > memory_of(name))
            failed = failed or (counts[-1] == 100000 and measured[-1] is not None and measured[-1][1] > MEMORY_OF_100000[name])
            print(f"| {name} | " + " | ".join(cells) + f" | {growth:.2f} | {memory} |" if growth is not None
                  else f"| {name} | " + " | ".join(cells) + " | | |", flush=True)
    sys.exit(1 if failed else 0)


main()
