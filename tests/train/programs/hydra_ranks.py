# SPDX-License-Identifier: Apache-2.0

"""A program that MPICH's launcher starts, but which does not use MPI; it exits with the status that it is given."""

import json
import os
import socket
import sys

seen = {"rank": int(os.environ["PMI_RANK"]), "world": int(os.environ["PMI_SIZE"]), "host": socket.gethostname()}
print(json.dumps(seen), flush=True)
sys.exit(int(sys.argv[1]))
