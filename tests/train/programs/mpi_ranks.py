# SPDX-License-Identifier: Apache-2.0

"""A program over MPI: each rank adds its number + 1 to a sum, and says what it saw."""

import json
import os
import socket
import sys

from mpi4py import MPI

world = MPI.COMM_WORLD
total = world.allreduce(world.rank + 1)
seen = {
    "rank": world.rank,
    "world": world.size,
    "host": socket.gethostname(),
    "sum": total,
    "user": os.getuid(),
    "library": MPI.Get_library_version().split()[0],
}
for report in world.gather(json.dumps(seen)) or []:
    print(report)
sys.stdout.flush()
