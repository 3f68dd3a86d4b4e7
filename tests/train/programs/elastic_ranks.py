# SPDX-License-Identifier: Apache-2.0

"""Trains until a file says stop, and says when the number of ranks has changed, as elastic programs must bear."""

import json
import os
import socket
import sys
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
total = torch.tensor([rank + 1.0])
dist.all_reduce(total)
seen = {
    "rank": rank,
    "world": world,
    "host": socket.gethostname(),
    "sum": int(total.item()),
    "round": int(os.environ["TORCHELASTIC_RESTART_COUNT"]),
}
print(json.dumps(seen), flush=True)
while True:
    stop = torch.tensor([float(rank == 0 and os.path.exists(sys.argv[1]))])
    dist.all_reduce(stop)
    if stop.item() > 0:
        break
    time.sleep(0.1)
dist.destroy_process_group()
print(json.dumps({**seen, "stopped": True}), flush=True)
