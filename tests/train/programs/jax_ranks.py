"""JAX from the rendered env alone: each process adds its number + 1 to a sum."""

import json
import socket

import jax
from jax.experimental import multihost_utils

jax.config.update("jax_cpu_collectives_implementation", "gloo")
jax.distributed.initialize()
values = multihost_utils.process_allgather(jax.numpy.array([jax.process_index() + 1]))
seen = {
    "rank": jax.process_index(),
    "world": jax.process_count(),
    "host": socket.gethostname(),
    "sum": int(values.sum()),
}
print(json.dumps(seen), flush=True)
jax.distributed.shutdown()
