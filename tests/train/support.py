# SPDX-License-Identifier: Apache-2.0

"""What the tests share: runs of trainjobc, manifests changed to be wrong, runs of JobSets."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import unittest

import cluster
from cluster import reports
from images import PATH, Image

SECONDS = int(os.environ.get("TRAIN_SECONDS", "180"))  # for what takes ten on a machine that does nothing else


def secret(name, **data):
    encoded = {key.replace("_", "-"): base64.b64encode(text.encode()).decode() for key, text in data.items()}
    return {"kind": "Secret", "metadata": {"name": name}, "data": encoded}


def containers_of(objects):
    """All containers of the JobSet, with the name of their replicatedJob."""
    job_set = next(item for item in objects if item["kind"] == "JobSet")
    for replicated in job_set["spec"]["replicatedJobs"]:
        pod = replicated["template"]["spec"]["template"]["spec"]
        for container in pod.get("initContainers", []) + pod["containers"]:
            yield replicated["name"], container


def with_env(objects, name, value):
    """The same with another value of a variable. It is an error if nothing sets the variable."""
    changed = json.loads(json.dumps(objects))
    found = [item for _, box in containers_of(changed) for item in box.get("env", []) if item["name"] == name]
    if not found:
        raise LookupError(f"no container sets {name}")
    for item in found:
        item.pop("valueFrom", None)
        item["value"] = value
    return changed


def without_env(objects, *names):
    changed = json.loads(json.dumps(objects))
    for _, box in containers_of(changed):
        if not {item["name"] for item in box.get("env", [])}.issuperset(names):
            raise LookupError(f"a container does not set all of {names}")
        box["env"] = [item for item in box["env"] if item["name"] not in names]
    return changed


def with_words(objects, old, new):
    """The same with a part of a word of command or args replaced."""
    changed = json.loads(json.dumps(objects))
    count = 0
    for _, box in containers_of(changed):
        for key in {"command", "args"} & box.keys():
            count += sum(old in word for word in box[key])
            box[key] = [word.replace(old, new) for word in box[key]]
    if not count:
        raise LookupError(f"no command has {old}")
    return changed


def with_hostfile(objects, old, new):
    changed = json.loads(json.dumps(objects))
    hostfile = next(item for item in changed if item["kind"] == "ConfigMap")["data"]
    if old not in hostfile["hostfile"]:
        raise LookupError(f"the hostfile has no {old}")
    hostfile["hostfile"] = hostfile["hostfile"].replace(old, new)
    return changed


def with_other_key(objects, others):
    """The objects, with the public key of another render: each half of the pair is good."""
    changed = json.loads(json.dumps(objects))
    mine, other = (next(item for item in items if item["kind"] == "Secret")["data"] for items in (changed, others))
    if mine["ssh-publickey"] == other["ssh-publickey"]:
        raise LookupError("both have the same key")
    mine["ssh-publickey"] = other["ssh-publickey"]
    return changed


class TrainTest(unittest.TestCase):
    """`program` is trainjobc; `needs` are programs that a machine may lack."""

    program = ""
    venvs = ""  # the folder of venv.sh
    maxDiff = None
    needs = ()
    needs_venv = ""  # "small" or "torch"
    images = {}

    @classmethod
    def setUpClass(cls):
        missing = [name for name in cls.needs if not shutil.which(name, path="/usr/sbin:/usr/bin:/sbin:/bin")]
        if missing:
            raise unittest.SkipTest("needs " + ", ".join(missing))
        if cls.needs_venv and not os.path.exists(venv(cls.needs_venv, "packages")):
            raise unittest.SkipTest("needs Python packages that `make train` installs")

    def render(self, text, *flags):
        """The objects that trainjobc makes of the manifests."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "input.yaml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            return self.render_files([path], *flags)

    def migrate(self, text, *flags):
        """What trainjobc makes of a v1 job."""
        command = [self.program, "migrate", *flags, "-"]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def render_files(self, paths, *flags):
        command = [self.program, "render", "-o", "json", *flags, *paths]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["items"]

    def cluster(self, images=None, machines=None):
        made = cluster.Cluster(images or self.images, machines)
        self.addCleanup(made.stop)
        return made

    def start(self, objects, images=None, machines=None):
        return self.cluster(images, machines).apply(objects)

    def run_job(self, objects, seconds=SECONDS, images=None):
        """Runs the JobSet to its end, which must be good; what its programs reported."""
        return self.end_of(self.start(objects, images), seconds)

    def end_of(self, job_set, seconds=SECONDS):
        job_set.cluster.wait(lambda: job_set.state in ("Completed", "Failed"), seconds)
        self.assertEqual(job_set.state, "Completed", self.story(job_set))
        return sorted(reports(job_set), key=lambda report: (report.get("rank", 0), report.get("host", "")))

    def assert_fails(self, objects, saying="", seconds=SECONDS, images=None):
        """The JobSet fails, or, if it would wait for long, one of its pods says why."""
        job_set = self.start(objects, images)

        def is_over():
            return job_set.state in ("Completed", "Failed") or (saying and saying in logs_of(job_set))

        over = job_set.cluster.wait(is_over, seconds)
        self.assertNotEqual(job_set.state, "Completed", self.story(job_set))
        self.assertTrue(over, "it neither failed nor said why:\n" + self.story(job_set))
        self.assertIn(saying, logs_of(job_set))
        job_set.stop()

    def story(self, job_set):
        lines = [f"JobSet {job_set.name}: {job_set.state} {job_set.reason}, {job_set.restarts} restarts"]
        for pod in job_set.pods:
            lines.append(f"--- {pod.name}: {pod.phase}, ready {pod.ready}, exit code {pod.exit_code}")
            if pod.phase != "Pending":
                lines.append(pod.log()[-3000:])
        return "\n".join(lines)


def venv(name, *parts):
    """A path in a virtual environment of venv.sh."""
    return os.path.join(TrainTest.venvs, name, *parts)


def venv_image(name, programs, **other):
    """An image with that virtual environment, first on the PATH."""
    env = {"PATH": f"{venv(name, 'bin')}:{PATH}"} | other.pop("env", {})
    folder = venv(name)
    return Image(programs=programs, env=env, binds={folder: folder}, folder="/workspace", **other)


def logs_of(job_set):
    return "\n".join(pod.log() for pod in job_set.pods if pod.phase != "Pending")
