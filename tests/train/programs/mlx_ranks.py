# SPDX-License-Identifier: Apache-2.0

"""A program with MLX: each rank adds its number + 1 to a sum over MPI, and says what it saw."""

import json
import os
import socket

import mlx.core as mx

world = mx.distributed.init(strict=True, backend="mpi")
total = mx.distributed.all_sum(mx.array(float(world.rank() + 1)), stream=mx.cpu)
seen = {"rank": world.rank(), "world": world.size(), "host": socket.gethostname(), "sum": int(total.item())}
os.write(1, (json.dumps(seen) + "\n").encode())  # in one piece: mpirun merges what the ranks print
