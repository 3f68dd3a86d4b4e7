# SPDX-License-Identifier: Apache-2.0

"""A stand-in for the community's initializers: writes what it would have fetched, and for whom."""

import os
import sys
import time

time.sleep(2)
place = f"/workspace/{sys.argv[1]}"
os.makedirs(place, exist_ok=True)
with open(f"{place}/fetched", "w", encoding="utf-8") as file:
    file.write(os.environ["STORAGE_URI"])
