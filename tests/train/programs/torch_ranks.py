# SPDX-License-Identifier: Apache-2.0

"""A program that trains nothing: each rank adds its number + 1 to a sum, and says what it saw."""

import json
import os
import socket

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
total = torch.tensor([rank + 1.0])
dist.all_reduce(total)
print(
    json.dumps(
        {
            "rank": rank,
            "world": dist.get_world_size(),
            "local_rank": int(os.environ["LOCAL_RANK"]),
            "node": int(os.environ["GROUP_RANK"]),
            "host": socket.gethostname(),
            "sum": int(total.item()),
            "store": f"{os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}",
        }
    ),
    flush=True,
)
dist.barrier()
dist.destroy_process_group()
