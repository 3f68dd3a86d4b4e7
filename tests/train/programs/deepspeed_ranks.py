# SPDX-License-Identifier: Apache-2.0

"""One step of a DeepSpeed engine over MPI's ranks: each has a gradient of its number + 1, the step takes their mean."""

import json
import os
import socket

import deepspeed
import torch

# Otherwise DeepSpeed compiles a kernel when it starts, for a sum in shared memory that training does not use. On GPUs it
# has no such kernel.
deepspeed.ops.__compatible_ops__["deepspeed_shm_comm"] = False
deepspeed.init_distributed()  # without torchrun's variables it asks MPI for the ranks
rank, world = deepspeed.comm.get_rank(), deepspeed.comm.get_world_size()
total = torch.tensor([rank + 1.0])
deepspeed.comm.all_reduce(total)

model = torch.nn.Linear(1, 1, bias=False)
torch.nn.init.zeros_(model.weight)
settings = {
    "train_micro_batch_size_per_gpu": 1,
    "gradient_clipping": 0.0,
    "zero_allow_untested_optimizer": True,
    "zero_optimization": {"stage": 1},
}
engine, *_ = deepspeed.initialize(model=model, optimizer=torch.optim.SGD(model.parameters(), lr=1.0), config=settings)
engine.backward(engine(torch.tensor([[rank + 1.0]])).sum())
engine.step()

seen = {
    "rank": rank,
    "world": world,
    "local_rank": int(os.environ["LOCAL_RANK"]),
    "host": socket.gethostname(),
    "sum": int(total.item()),
    "weight": round(-model.weight.item(), 3),
}
os.write(1, (json.dumps(seen) + "\n").encode())  # in one piece: mpirun merges what the ranks print
deepspeed.comm.barrier()
