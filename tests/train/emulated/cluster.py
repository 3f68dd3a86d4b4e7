# SPDX-License-Identifier: Apache-2.0

"""A cluster for one test: its network, claims and images; the JobSets run in it."""

import copy
import itertools
import json
import os
import tempfile
import time

import environment
import network
from jobsets import JobSet
from mounting import mount

MEMORY = "/dev/shm"
_numbers = itertools.count()
_shared = {}


def _prepare():
    """Once per program: the bridge, the resolver, and a folder in memory."""
    if not _shared:
        network.create_bridge()
        mount("tmpfs", MEMORY, "tmpfs")  # nothing on disk, and gone with the program
        _shared["resolver"] = network.Resolver()
    return _shared["resolver"]


class Cluster:
    """`images` maps the start of an image's name to an Image; `machines` is how many pods have room (None: all)."""

    def __init__(self, images, machines=None):
        self.resolver = _prepare()
        self.images = images
        self.machines = machines
        self.namespace = "default"
        self.folder = tempfile.mkdtemp(prefix="train-", dir=MEMORY)
        os.chmod(self.folder, 0o755)
        self.claims = os.path.join(self.folder, "claims")
        self.job_sets = []

    def next_number(self):
        return next(_numbers)

    def image(self, name):
        image = next((image for start, image in self.images.items() if name.startswith(start)), None)
        if image is None:
            raise LookupError(f"no image {name}")
        image = copy.copy(image)
        image.layer = os.path.join(self.folder, "image-" + name.replace("/", "_").replace(":", "_"))
        if not os.path.exists(image.layer):
            image.build(image.layer)
        return image

    def has_room(self):
        if self.machines is None:
            return True
        running = sum(pod.phase == "Running" for job_set in self.job_sets for pod in job_set.pods)
        return running < self.machines

    def apply(self, objects):
        """Starts the one JobSet among the objects."""
        manifest = next(item for item in objects if item["kind"] == "JobSet")
        self.namespace = manifest["metadata"].get("namespace", "default")
        job_set = JobSet(self, manifest, environment.config_of(objects))
        self.job_sets.append(job_set)
        return job_set

    def wait(self, until, seconds):
        """Runs the controllers until it holds, or the time is over; whether it holds."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            for job_set in self.job_sets:
                job_set.poll()
            if until():
                return True
            time.sleep(0.03)
        return False

    def stop(self):
        for job_set in self.job_sets:
            job_set.stop()


def reports(job_set):
    """What the programs printed: their objects of JSON, each with the host that printed it."""
    return [
        report | {"printed_by": pod.host_name}
        for pod in job_set.pods
        if pod.phase != "Pending"
        for line in pod.log().splitlines()
        for report in objects_of(line)
    ]


def objects_of(line):
    """The objects of JSON on a line: launchers print something before them, and two processes may share a line."""
    found = []
    end = 0
    while (start := line.find('{"', end)) >= 0 and line.rstrip().endswith("}"):
        report, end = json.JSONDecoder().raw_decode(line, start)
        found.append(report)
    return found
