# SPDX-License-Identifier: Apache-2.0

"""Inputs of the round trip: files of TrainJobs and runtimes."""

import concurrent.futures
import dataclasses
import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]
CONFORMANCE = ROOT / "tests" / "conformance"
RUNTIMES = ("ClusterTrainingRuntime", "TrainingRuntime")
KINDS = (*RUNTIMES, "TrainJob")
SURROUNDINGS = ("Namespace", "ResourceQuota", "LimitRange")
NAMESPACE = "default"  # of what names none


@dataclasses.dataclass
class Case:
    name: str
    path: str
    objects: list = dataclasses.field(default_factory=list)
    unreadable: str = ""  # what kubectl says of it

    def runtimes(self):
        return [item for item in self.objects if item["kind"] in RUNTIMES]

    def jobs(self):
        return [item for item in self.objects if item["kind"] == "TrainJob"]

    def surroundings(self):
        return [item for item in self.objects if item["kind"] in SURROUNDINGS]


def identity(item):
    """Kind/namespace/name, as trainjobc's reports have it."""
    metadata = item["metadata"]
    cluster_wide = item["kind"] == "ClusterTrainingRuntime"
    namespace = "" if cluster_wide else metadata.get("namespace") or NAMESPACE
    return f"{item['kind']}/{namespace}/{metadata['name']}"


def runtime_name(item):
    """What a TrainJob refers to, if it says it well."""
    spec = item.get("spec")
    reference = spec.get("runtimeRef") if isinstance(spec, dict) else None
    return reference.get("name") if isinstance(reference, dict) else None


def read(kubectl, name, *paths):
    """Files as kubectl reads them."""
    files = [word for path in paths for word in ("-f", path)]
    try:
        text = kubectl("create", "--dry-run=client", "--validate=ignore", "--output=json", *files)
    except RuntimeError as error:
        return Case(name, paths[0], unreadable=str(error))
    return Case(name, paths[0], [item for item in documents(text) if item["kind"] in KINDS])


def read_all(kubectl, *paths):
    """The objects of our own files."""
    case = read(kubectl, "", *paths)
    if case.unreadable:
        raise RuntimeError(case.unreadable)
    return case.objects


def documents(text):
    """Of JSON texts one after the other."""
    decoder = json.JSONDecoder()
    text = text.strip()
    while text:
        item, end = decoder.raw_decode(text)
        yield from item["items"] if item["kind"] == "List" else [item]
        text = text[end:].strip()


def write(folder, name, items):
    """A case of these objects."""
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name + ".json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"apiVersion": "v1", "kind": "List", "items": items}, file, indent=1)
    return Case(name, path, items)


def catalogue(program, version, folder):
    """The files of the runtimes that trainjobc knows."""
    os.makedirs(folder, exist_ok=True)
    words = (program, "runtimes", f"--trainer-version={version}")
    for row in json.loads(output(folder, *words, "-o", "json"))["runtimes"]:
        path = os.path.join(folder, row["name"] + ".yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(output(folder, *words, "--show", row["name"]))
        yield path


def output(folder, *command):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


def recorded(kubectl, folder, version):
    """The inputs of recordings."""
    paths = sorted(pathlib.Path(folder).glob(f"v{version}/*/*/input.yaml"))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for case in pool.map(lambda path: read(kubectl, "/".join(path.parts[-3:-1]), str(path)), paths):
            if all(item["metadata"].get("name") for item in case.objects):  # not generateName
                yield case
