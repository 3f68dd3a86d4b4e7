"""Builds what the end-to-end tests run against: kube-apiserver with etcd, and kubectl, as one Go program."""

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
    os.makedirs(os.path.join(folder, "bin"), exist_ok=True)
    server = os.path.join(folder, "bin", "cluster")
    # kubectl refuses to talk to a server whose version it can't read.
    version = " ".join(
        f"-X {package}.gitVersion={kubernetes_version()}"
        for package in ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")
    )
    began = time.monotonic()
    subprocess.run(
        ["nice", go, "build", "-trimpath", "-buildvcs=false", "-ldflags", f"-s -w {version}", "-o", server, "."],
        cwd=MODULE,
        check=True,
    )
    print(f"kube-apiserver, etcd and kubectl built in {time.monotonic() - began:.0f} s", flush=True)
    kubectl = os.path.join(folder, "bin", "kubectl")
    if not os.path.islink(kubectl):
        os.symlink("cluster", kubectl)
    return server, kubectl
