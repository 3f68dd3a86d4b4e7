# SPDX-License-Identifier: Apache-2.0

"""XGBoost's collective from the rendered env: the first worker starts the tracker; each adds its number + 1 to a sum."""

import json
import os
import socket

import numpy
import xgboost
from xgboost import collective
from xgboost.tracker import RabitTracker

task, workers = int(os.environ["DMLC_TASK_ID"]), int(os.environ["DMLC_NUM_WORKER"])
address, port = os.environ["DMLC_TRACKER_URI"], int(os.environ["DMLC_TRACKER_PORT"])
if task == 0:
    tracker = RabitTracker(n_workers=workers, host_ip="0.0.0.0", port=port, sortby="task")
    tracker.start()
settings = {"dmlc_tracker_uri": address, "dmlc_tracker_port": port, "dmlc_task_id": str(task), "dmlc_retry": 60}
with collective.CommunicatorContext(**settings):
    total = collective.allreduce(numpy.array([collective.get_rank() + 1]), collective.Op.SUM)
    data = xgboost.DMatrix(numpy.arange(8.0).reshape(4, 2) + task, label=[0, 1, 0, 1])
    booster = xgboost.train({"max_depth": 2}, data, num_boost_round=2)
    seen = {
        "rank": collective.get_rank(),
        "world": collective.get_world_size(),
        "task": task,
        "host": socket.gethostname(),
        "sum": int(total[0]),
        "trees": len(booster.get_dump()),
    }
    print(json.dumps(seen), flush=True)
if task == 0:
    tracker.wait_for()
