#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0

"""A stand-in for flux, which no package of Debian has: `R encode`, `start` and `run`, by the broker's own settings.

The first broker of bootstrap.hosts binds where default_bind says, the others call it where default_connect says and
show the certificate; `run` starts the tasks on as many of them as -N says, when they are there.
"""

import fcntl
import json
import os
import re
import socket
import struct
import subprocess
import sys
import threading
import time
import tomllib

SECONDS = 60


def hosts_of(text):
    """a-[0-1] → a-0, a-1"""
    found = re.fullmatch(r"(.*)\[(\d+)(?:-(\d+))?\]", text)
    first, last = int(found[2]), int(found[3] or found[2])
    return [f"{found[1]}{number}" for number in range(first, last + 1)]


def address_of(device):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("256s", device.encode())
        return socket.inet_ntoa(fcntl.ioctl(any_socket, 0x8915, request)[20:24])  # SIOCGIFADDR


class Settings:
    def __init__(self, folder):
        with open(folder + "/broker.toml", "rb") as file:
            self.all = tomllib.load(file)
        bootstrap = self.all["bootstrap"]
        self.hosts = [host for one in bootstrap["hosts"] for host in hosts_of(one["host"])]
        self.rank = self.hosts.index(socket.gethostname())
        port = str(bootstrap["default_port"])
        connect = bootstrap["default_connect"].replace("%h", self.hosts[0]).replace("%p", port)
        bind = bootstrap["default_bind"].replace("%p", port)
        self.connect = re.fullmatch(r"tcp://(.*):(\d+)", connect).groups()
        self.bind = re.fullmatch(r"tcp://(.*):(\d+)", bind).groups()
        if os.stat(bootstrap["curve_cert"]).st_mode & 0o077:
            sys.exit("flux: others can read the certificate")
        with open(bootstrap["curve_cert"], encoding="utf-8") as file:
            self.certificate = file.read()
        with open(self.all["resource"]["path"], encoding="utf-8") as file:
            self.resources = json.load(file)
        if self.resources["hosts"] != self.hosts:
            sys.exit("flux: R has other hosts than the broker")


def start_tasks(order, rank, say):
    """Those of this broker; the highest status."""
    tasks = []
    for task in range(rank * order["per_node"], (rank + 1) * order["per_node"]):
        env = os.environ | {"FLUX_TASK_RANK": str(task), "FLUX_JOB_SIZE": str(order["size"])}
        tasks.append(subprocess.Popen(order["command"], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True))
    for task in tasks:
        for line in task.stdout:
            say(line)
    return max(task.wait() for task in tasks)


class Channel:
    """Lines of JSON."""

    def __init__(self, connection):
        self.file = connection.makefile("rw")

    def send(self, **message):
        print(json.dumps(message), file=self.file, flush=True)

    def receive(self):
        line = self.file.readline()
        return json.loads(line) if line else None


class Leader:
    """The first broker: the others and `flux run` call it."""

    def __init__(self, settings):
        self.settings = settings
        self.followers = {}
        device, port = settings.bind
        self.server = socket.create_server((address_of(device), int(port)))
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            channel = Channel(self.server.accept()[0])
            hello = channel.receive()
            if hello["certificate"] != self.settings.certificate:
                continue
            if "order" in hello:
                threading.Thread(target=self.run, args=(channel, hello["order"]), daemon=True).start()
            else:
                self.followers[hello["rank"]] = channel

    def run(self, client, order):
        deadline = time.monotonic() + SECONDS
        while len(self.followers) + 1 < order["nodes"] and time.monotonic() < deadline:
            time.sleep(0.1)
        if len(self.followers) + 1 < order["nodes"]:
            client.send(line=f"flux: {len(self.followers) + 1} of {order['nodes']} nodes\n")
            client.send(status=1)
            return
        statuses = {}

        def ask(rank):
            self.followers[rank].send(**order)
            while "status" not in (said := self.followers[rank].receive()):
                client.send(**said)
            statuses[rank] = said["status"]

        threads = [threading.Thread(target=ask, args=(rank,)) for rank in range(1, order["nodes"])]
        for thread in threads:
            thread.start()
        statuses[0] = start_tasks(order, 0, lambda line: client.send(line=line))
        for thread in threads:
            thread.join()
        client.send(status=max(statuses.values()))


def follow(settings):
    host, port = settings.connect
    channel = Channel(socket.create_connection((host, int(port)), timeout=SECONDS))
    channel.send(certificate=settings.certificate, rank=settings.rank)
    while order := channel.receive():
        channel.send(status=start_tasks(order, settings.rank, lambda line: channel.send(line=line)))


def start(words):
    folder = words[words.index("--config") + 1]
    command = words[words.index("--config") + 2 :]
    while command and command[0].startswith("-S"):
        command.pop(0)
    settings = Settings(folder)
    if settings.rank > 0:
        return follow(settings)
    Leader(settings)
    return subprocess.call(command, env=os.environ | {"FLUX_CONFIG": folder})


def run(words):
    """Of `flux run -N NODES -n TASKS [-g GPUS] COMMAND…`."""
    flags = {}
    while words[0] in ("-N", "-n", "-g"):
        flags[words[0]] = int(words[1])
        words = words[2:]
    settings = Settings(os.environ["FLUX_CONFIG"])
    device, port = settings.bind
    channel = Channel(socket.create_connection((address_of(device), int(port))))
    order = {"nodes": flags["-N"], "size": flags["-n"], "per_node": flags["-n"] // flags["-N"], "command": words}
    channel.send(certificate=settings.certificate, order=order)
    while "status" not in (said := channel.receive()):
        sys.stdout.write(said["line"])
        sys.stdout.flush()
    return said["status"]


def main():
    words = sys.argv[1:]
    if words[:2] == ["R", "encode"]:
        hosts = next(word for word in words if word.startswith("--hosts=")).partition("=")[2]
        print(json.dumps({"hosts": hosts_of(hosts), "flags": words[2:]}))
        return 0
    return {"start": start, "run": run}[words[0]](words[1:])


sys.exit(main())
