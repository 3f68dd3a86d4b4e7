# SPDX-License-Identifier: Apache-2.0

"""A task of Flux: which one it is, of how many, and where."""

import json
import os
import socket
import sys

seen = {"rank": int(os.environ["FLUX_TASK_RANK"]), "world": int(os.environ["FLUX_JOB_SIZE"])}
sys.stdout.write(json.dumps(seen | {"host": socket.gethostname(), "args": sys.argv[1:]}) + "\n")
