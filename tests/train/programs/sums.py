# SPDX-License-Identifier: Apache-2.0

"""A stand-in for a training program: the ranks meet as their framework's would, and add up their numbers + 1.

It reads what the framework itself reads from the environment, and says what it saw.
"""

import json
import os
import socket
import sys
import time

SECONDS = int(os.environ.get("SUMS_SECONDS", "120"))


def place():
    """Rank, number of ranks, host and port where rank 0 is."""
    env = os.environ
    if "JAX_COORDINATOR_ADDRESS" in env:
        host, port = env["JAX_COORDINATOR_ADDRESS"].split(":")
        return int(env["JAX_PROCESS_ID"]), int(env["JAX_NUM_PROCESSES"]), host, int(port)
    if "DMLC_TRACKER_URI" in env:
        port = int(env["DMLC_TRACKER_PORT"])
        return int(env["DMLC_TASK_ID"]), int(env["DMLC_NUM_WORKER"]), env["DMLC_TRACKER_URI"], port
    # torchrun itself has the port.
    return int(env["RANK"]), int(env["WORLD_SIZE"]), env["MASTER_ADDR"], int(env["MASTER_PORT"]) + 1


def lead(world, port):
    with socket.create_server(("", port), backlog=world) as server:
        server.settimeout(SECONDS)
        others = [server.accept()[0] for _ in range(world - 1)]
    files = [other.makefile("rw") for other in others]
    total = 1 + sum(int(file.readline()) for file in files)
    for file in files:
        print(total, file=file, flush=True)
    return total


def follow(rank, host, port):
    deadline = time.monotonic() + SECONDS
    while True:
        try:
            with socket.create_connection((host, port), timeout=SECONDS) as leader:
                file = leader.makefile("rw")
                print(rank + 1, file=file, flush=True)
                return int(file.readline())
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


rank, world, host, port = place()
total = lead(world, port) if rank == 0 else follow(rank, host, port)
seen = {"rank": rank, "world": world, "host": socket.gethostname(), "sum": total, "args": sys.argv[1:]}
sys.stdout.write(json.dumps(seen) + "\n")  # one write: ranks share a terminal
sys.stdout.flush()
