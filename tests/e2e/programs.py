#!/usr/bin/env python3
"""Builds what the end-to-end tests run against: kube-apiserver with etcd, and kubectl, as one Go program.

Run as a program: says why they can't be had, or nothing.
"""

import os
import re
import shutil
import subprocess
import time

MODULE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cluster")
OLDEST_GO = (1, 21)  # older ones can't fetch the toolchain that go.mod asks for


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


def kubernetes_version():
    with open(os.path.join(MODULE, "go.mod"), encoding="utf-8") as file:
        return re.search(r"k8s\.io/kubernetes (v\S+)", file.read()).group(1)


def build(folder):
    """The paths of the API server and of kubectl, in `folder`. Takes minutes where Go's cache is empty."""
    go = find_go()
    folder = os.path.abspath(folder)  # go build runs elsewhere
    os.makedirs(os.path.join(folder, "bin"), exist_ok=True)
    server = os.path.join(folder, "bin", "cluster")
    # kubectl refuses to talk to a server whose version it can't read.
    version = " ".join(
        f"-X {package}.gitVersion={kubernetes_version()}"
        for package in ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")
    )
    began = time.monotonic()
    build_flags = ["-trimpath", "-buildvcs=false", "-ldflags", f"-s -w {version}", "-o", server]
    done = subprocess.run(
        ["nice", go, "build", *build_flags, "."], cwd=MODULE, stderr=subprocess.PIPE, text=True, check=False
    )
    if any(mark in done.stderr for mark in ("dial tcp", "no such host", "proxyconnect", "GOPROXY=off")):
        raise Missing("Go's modules can't be downloaded")
    if done.returncode != 0:
        raise RuntimeError(f"go build: {done.stderr}")
    print(f"kube-apiserver, etcd and kubectl built in {time.monotonic() - began:.0f} s", flush=True)
    kubectl = os.path.join(folder, "bin", "kubectl")
    if not os.path.islink(kubectl):
        os.symlink("cluster", kubectl)
    return server, kubectl


if __name__ == "__main__":
    try:
        find_go()
    except Missing as missing:
        print(f"note: the end-to-end tests were skipped: {missing}")
