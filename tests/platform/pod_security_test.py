#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pods that pass and fail each check of Pod Security, for each level and version: those of the Go module
k8s.io/pod-security-admission, package test, which go downloads.

usage: pod_security_test.py POD_SECURITY_PROGRAM
"""
import json
import pathlib
import shutil
import subprocess
import sys

MODULE = "k8s.io/pod-security-admission@v0.36.0"

if not shutil.which("go"):
    print("go is not installed")
    sys.exit(77)
download = subprocess.run(["go", "mod", "download", "-json", MODULE], capture_output=True, text=True, check=False, cwd="/")
if download.returncode:
    print(f"{MODULE} can't be downloaded: {download.stdout}{download.stderr}")
    sys.exit(77)
pods = sorted((pathlib.Path(json.loads(download.stdout)["Dir"]) / "test/testdata").glob("*/*/*/*.yaml"))
asked = "".join(f"{pod.parts[-4]} {pod.parts[-3]} {pod}\n" for pod in pods)
said = subprocess.run([sys.argv[1]], input=asked, capture_output=True, text=True, check=True).stdout.splitlines()
problems = [] if len(said) == len(pods) > 4000 else [f"{len(said)} answers for {len(pods)} pods"]
for pod, checks in zip(pods, said):
    if bool(checks.strip()) != (pod.parts[-2] == "fail"):
        problems.append(f"{'/'.join(pod.parts[-4:])}: refused by {checks.strip() or 'nothing'}")
print("\n".join(problems[:50]) or f"{len(pods)} pods, the same verdict for each")
sys.exit(1 if problems else 0)
