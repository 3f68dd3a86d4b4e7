# SPDX-License-Identifier: Apache-2.0

"""JAX from the rendered env alone: each process adds its number + 1 to a sum.

JAX reads the coordinator's address from the env, the two numbers only from clusters that it knows (0.10.2)."""

import json
import os
import socket

import jax
from jax.experimental import multihost_utils

jax.config.update("jax_cpu_collectives_implementation", "gloo")
numbers = {"num_processes": int(os.environ["JAX_NUM_PROCESSES"]), "process_id": int(os.environ["JAX_PROCESS_ID"])}
jax.distributed.initialize(**numbers)
values = multihost_utils.process_allgather(jax.numpy.array([jax.process_index() + 1]))
seen = {
    "rank": jax.process_index(),
    "world": jax.process_count(),
    "host": socket.gethostname(),
    "sum": int(values.sum()),
}
print(json.dumps(seen), flush=True)
jax.distributed.shutdown()
