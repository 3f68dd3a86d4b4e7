#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mlx 0.32.4, seen in November 2026: mlx.launch writes a warning for each process that fails, and ends with status 0, even
# if all of them failed. One would expect a launcher's status to be that of what it started, as that of mpirun and
# torchrun is. As the command of a Job it makes a training that never began a success: no retry, no failed Job, and
# what waits for the model goes on without it. (It does not start Python for a script either: "train.py" alone is looked for
# as a program.)
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check 'mlx[cpu]==0.32.4'

cat > "$work/train.py" <<'PYTHON'
import sys

sys.exit(3)
PYTHON

cd "$work"
{
  "$work/venv/bin/python" -c 'from importlib.metadata import version; print("mlx", version("mlx"))'
  status=0
  "$work/venv/bin/mlx.launch" -n 2 -- "$work/venv/bin/python" train.py 2> warnings || status=$?
  # It stops the others when one fails.
  grep -o 'exited with code 3' warnings | sort -u
  echo "mlx.launch ended with $status"
} > seen
cat seen
diff - seen <<'SEEN'
mlx 0.32.4
exited with code 3
mlx.launch ended with 0
SEEN
echo "as in November 2026"
