#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks `trainjobc webhook` over TLS for reviews at a steady rate, and prints how long answers take, and what it needs.

usage: webhook.py TRAINJOBC [--rate 1000] [--minutes 10] [--runtimes 500] [--connections 10] [--cpu N] [--kubeconfig FILE]

Needs vegeta (go install github.com/tsenart/vegeta/v12@latest), which asks at even distances, and openssl. --cpu: the webhook
runs on this CPU alone. --kubeconfig: the runtimes are created in this cluster, and the webhook watches them; make live
LIVE=--serve starts one.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
TICKS = os.sysconf("SC_CLK_TCK")


def runtimes(folder, count):
    text = (HERE.parent / "templates/v2.3/torch-distributed.yaml").read_text()
    for i in range(count):
        (folder / f"{i}.yaml").write_text(text.replace("name: torch-distributed", f"name: torch-{i}", 1))


def review(runtime):
    job = {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", "metadata": {"name": "bert", "namespace": "team-a"},
           "spec": {"runtimeRef": {"name": runtime}, "trainer": {
               "numNodes": 4, "image": "registry.example.com/team/train:1.4", "command": ["python", "train.py"],
               "env": [{"name": f"OPTION_{i}", "value": str(i)} for i in range(10)],
               "resourcesPerNode": {"limits": {"cpu": "16", "memory": "64Gi", "nvidia.com/gpu": 8}}}}}
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
        "uid": "0b4a1b6e-6c9d-4f43-9b8d-0d1c2c1f7a11", "operation": "CREATE", "namespace": "team-a", "name": "bert",
        "kind": {"group": "trainer.kubeflow.org", "version": "v1alpha1", "kind": "TrainJob"}, "object": job}}


def certificate(folder):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1",
                    "-subj", "/CN=localhost", "-keyout", folder / "tls.key", "-out", folder / "tls.crt"],
                   check=True, capture_output=True)


def status(process):
    text = pathlib.Path(f"/proc/{process}/status").read_text()
    return {key: int(re.search(rf"{key}:\s+(\d+)", text)[1]) / 1024 for key in ("VmRSS", "VmHWM")}


def cpu_seconds(process):
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def kubectl(kubeconfig, *words):
    return subprocess.run(["kubectl", "--kubeconfig", kubeconfig, *words], check=True, capture_output=True, text=True).stdout


def cluster_flags(kubeconfig, folder):
    """After the runtimes were created there."""
    kubectl(kubeconfig, "apply", "--server-side", "-f", str(folder / "runtimes"))
    config = json.loads(kubectl(kubeconfig, "config", "view", "--raw", "--minify", "-o", "json"))
    cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
    (folder / "token").write_text(user["token"])
    return ["--api-server", cluster["server"], "--ca-file", cluster["certificate-authority"], "--token-file", folder / "token"]


def status_page(port, path):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=10) as answer:
        return answer.read().decode()


def is_ready(port):
    try:
        return status_page(port, "readyz") == "ok\n"
    except urllib.error.HTTPError:
        return False


def metric(port, name):
    return int(re.search(rf"^trainjobc_webhook_{name} (\d+)$", status_page(port, "metrics"), re.M)[1])


def start(trainjobc, folder, cpu, runtimes):
    words = [trainjobc, "webhook", "--listen=127.0.0.1:0", "--status-listen=127.0.0.1:0", "--tls-cert", folder / "tls.crt",
             "--tls-key", folder / "tls.key", *runtimes]
    log = open(folder / "log", "w")
    process = subprocess.Popen(list(map(str, words)), stderr=log)
    if cpu is not None:
        os.sched_setaffinity(process.pid, {cpu})
    while process.poll() is None:
        if found := re.search(r'"ports":\[(\d+),(\d+)\]', (folder / "log").read_text()):
            if metric(found[2], "runtimes") and is_ready(found[2]):
                return process, found[1], found[2]
        time.sleep(0.1)
    raise RuntimeError((folder / "log").read_text())


def ask(folder, port, rate, seconds, connections):
    """What vegeta reports."""
    (folder / "target").write_text(f"POST https://localhost:{port}/validate\nContent-Type: application/json\n@{folder}/body\n")
    attack = ["vegeta", "attack", "-insecure", f"-rate={rate}", f"-duration={seconds:.0f}s", f"-max-connections={connections}",
              "-max-body=0", f"-targets={folder}/target", f"-output={folder}/results"]
    subprocess.run(attack, check=True)
    return json.loads(subprocess.run(["vegeta", "report", "-type=json", folder / "results"], capture_output=True, check=True).stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("trainjobc", type=pathlib.Path)
    parser.add_argument("--rate", type=int, default=1000)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--runtimes", type=int, default=500)
    parser.add_argument("--connections", type=int, default=10)
    parser.add_argument("--cpu", type=int)
    parser.add_argument("--kubeconfig")
    arguments = parser.parse_args()
    if not shutil.which("vegeta"):
        sys.exit("vegeta is missing: go install github.com/tsenart/vegeta/v12@latest")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "runtimes").mkdir()
        runtimes(folder / "runtimes", arguments.runtimes)
        (folder / "body").write_text(json.dumps(review(f"torch-{arguments.runtimes // 2}")))
        certificate(folder)
        source = ["--runtimes", folder / "runtimes"]
        if arguments.kubeconfig:
            source = cluster_flags(arguments.kubeconfig, folder)
        process, port, status_port = start(arguments.trainjobc.resolve(), folder, arguments.cpu, source)
        try:
            before = cpu_seconds(process.pid)
            begin = time.monotonic()
            said = ask(folder, port, arguments.rate, arguments.minutes * 60, arguments.connections)
            seconds = time.monotonic() - begin
            used = cpu_seconds(process.pid) - before
            memory = status(process.pid)
            unconfirmed = metric(status_port, "unconfirmed_total")
        finally:
            process.terminate()
            ended = process.wait()
            log = (folder / "log").read_text()
    answered = said["status_codes"].get("200", 0)
    times = ", ".join(f"p{p} {said['latencies'][f'{p}th'] / 1e6:.1f} ms" for p in ("50", "95", "99"))
    print(f"{answered:,} answers in {seconds:.0f} s ({answered / seconds:,.0f}/s), {arguments.runtimes} runtimes: {times}; "
          f"{used / seconds * 100:.0f} % of a core, {used / max(answered, 1) * 1e6:.0f} us of CPU each; "
          f"RSS {memory['VmRSS']:.0f} MiB, at most {memory['VmHWM']:.0f} MiB")
    if unconfirmed:
        print(f"{unconfirmed} findings were not told, because the runtime could not be read again in time")
    if said["errors"] or answered != said["requests"]:
        print(said["status_codes"], *said["errors"], sep="\n")
        return 1
    if ended:  # as a sanitizer does
        print(f"the webhook ended with status {ended}:\n{log[-4000:]}")
        return 1
    return 0


sys.exit(main())
