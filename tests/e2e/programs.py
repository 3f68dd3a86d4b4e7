#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds what the end-to-end tests run against, from Go modules: Kubernetes' own programs with etcd as one program,
and the controllers. A module's folder here names its versions.

Run as a program: says why they can't be had, or nothing. With a folder, it builds what CI needs there.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
OLDEST_GO = (1, 21)  # older ones can't fetch the toolchain that go.mod asks for
# The modules by release of their project, of which the first is CI's.
KUBERNETES = {"1.36": "cluster", "1.37": "cluster-1.37"}
KUEUE = {"0.15": "kueue", "0.16": "kueue-0.16"}  # others, of which Go's proxy has no module, from a checkout
# What the program of a module of Kubernetes is called by.
NAMES = ("kubectl", "kube-controller-manager", "kube-scheduler")
# Of the other programs that CI runs.
MODULES_OF_CI = ("jobset-2.3", "trainer-2.3", "kwok", "kustomize", "helm-3", "helm-4")
# Without debug information, which nobody reads here, programs compile faster; Go keeps what has the same flags.
FLAGS = ("-trimpath", "-buildvcs=false", "-gcflags=all=-dwarf=false")
OFFLINE = ("dial tcp", "no such host", "proxyconnect", "GOPROXY=off")


class Missing(Exception):
    """Why the programs can't be had on this machine."""


def find_go():
    go = shutil.which("go") or shutil.which("go", path="/usr/local/go/bin")
    if not go:
        raise Missing("there is no Go")
    said = subprocess.run([go, "env", "GOVERSION"], capture_output=True, text=True, cwd="/", check=False).stdout
    version = re.match(r"go(\d+)\.(\d+)", said)
    if not version or tuple(map(int, version.groups())) < OLDEST_GO:
        raise Missing(f"Go {OLDEST_GO[0]}.{OLDEST_GO[1]} or newer is needed, not {said.strip() or go}")
    return go


def run_go(module, command, *words):
    """What go prints, run in the folder of one of our modules: its name here, or its path."""
    folder = os.path.join(HERE, module)
    if module in KUBERNETES.values():  # one program, whose other releases' folders hold no more than go.mod and go.sum
        words = (f"-modfile={folder}/go.mod", *words)
        folder = os.path.join(HERE, "cluster")
    # Collecting garbage less often saves compile time.
    environment = {"GOGC": "400", **os.environ}
    done = subprocess.run(
        ["nice", find_go(), command, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if any(mark in done.stderr for mark in OFFLINE):
        raise Missing("Go's modules can't be downloaded")
    if done.returncode != 0:
        raise RuntimeError(f"go {command} in {module}: {done.stderr}")
    return done.stdout


def go_mod(module):
    with open(os.path.join(HERE, module, "go.mod"), encoding="utf-8") as file:
        return file.read()


def source_folder(module, path):
    """Where Go keeps the sources of the module `path` that our module requires."""
    return run_go(module, "list", "-m", "-f", "{{.Dir}}", path).strip()


def compile_module(module, package, folder, ldflags=""):
    """The path of the program in `folder`. Takes minutes where Go's cache is empty."""
    program = os.path.join(os.path.abspath(folder), "bin", os.path.basename(module))  # go build runs elsewhere
    os.makedirs(os.path.dirname(program), exist_ok=True)
    began = time.monotonic()
    run_go(module, "build", *FLAGS, "-ldflags", f"-s -w {ldflags}", "-o", program, package)
    print(f"{module} built in {time.monotonic() - began:.0f} s", flush=True)
    return program


def build(folder, release=next(iter(KUBERNETES))):
    """The paths of the API server and of kubectl, in `folder`."""
    module = KUBERNETES[release]
    version = re.search(r"k8s\.io/kubernetes (v\S+)", go_mod(module)).group(1)
    # kubectl refuses to talk to a server whose version it can't read.
    variables = " ".join(
        f"-X {package}.gitVersion={version}"
        for package in ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")
    )
    own_folder = folder if module == "cluster" else os.path.join(folder, module)  # their links have the same names
    server = compile_module(module, ".", own_folder, variables)
    for name in NAMES:
        path = os.path.join(os.path.dirname(server), name)
        if not os.path.islink(path):
            os.symlink(module, path)
    return server, os.path.join(os.path.dirname(server), "kubectl")


def build_tool(module, folder):
    """The path of the program of other people's that the module's go.mod names as its tool; of a project's own checkout,
    the program that is called like it."""
    tool = re.search(r"^tool (\S+)$", go_mod(module), re.MULTILINE)
    own = re.search(r"^module \S*/(\S+)$", go_mod(module), re.MULTILINE).group(1)
    return compile_module(module, tool.group(1) if tool else f"./cmd/{own}", folder)


def kueue_version(module):
    """Of the Kueue that our module requires, or of a project's own checkout."""
    pinned = re.search(r"sigs\.k8s\.io/kueue v(\S+)", go_mod(module))
    if pinned:
        return pinned.group(1)
    with open(os.path.join(module, "charts", "kueue", "Chart.yaml"), encoding="utf-8") as file:
        return re.search(r'^appVersion: "v(\S+)"', file.read(), re.MULTILINE).group(1)


def answers(program, questions):
    """What the program answers to each: JSON on a line, as the questions are."""
    asked = "".join(json.dumps(question) + "\n" for question in questions)
    said = subprocess.run([program], input=asked, capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in said.splitlines()]


def main():
    find_go()
    if len(sys.argv) > 1:
        build(sys.argv[1])
        for module in MODULES_OF_CI:
            build_tool(module, sys.argv[1])


if __name__ == "__main__":
    try:
        main()
    except Missing as missing:
        print(f"note: the end-to-end tests were skipped: {missing}")
