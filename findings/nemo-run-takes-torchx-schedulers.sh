#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# torchx 0.7.0 and nemo_run 0.11.1 (NeMo Run), seen in November 2026: torchx uses the schedulers of other packages instead
# of its own as soon as one package offers any, and nemo_run does. After `pip install nemo_run`, `torchx run` knows
# neither local_cwd nor kubernetes nor slurm: the command that worked before is refused as an invalid choice, and the one
# without a scheduler uses another one. One would expect a plugin to add its schedulers. An image that gets NeMo Run for
# one experiment no longer starts the others.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check torchx==0.7.0 setuptools==80.9.0

cat > "$work/list.py" <<'PYTHON'
from importlib.metadata import version

from torchx.schedulers import get_scheduler_factories

names = sorted(get_scheduler_factories())
own = {"local_cwd", "kubernetes", "slurm"}
print("torchx", version("torchx"), "of its own:", sorted(own & set(names)), "of NeMo Run:", "skypilot" in names)
PYTHON

{
  "$work/venv/bin/python" "$work/list.py"
  "$work/venv/bin/torchx" run -s local_cwd utils.echo --msg hello 2> /dev/null | grep -c "^local_cwd://"
  "$work/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps nemo_run==0.11.1
  "$work/venv/bin/python" "$work/list.py"
  ("$work/venv/bin/torchx" run -s local_cwd utils.echo --msg hello 2>&1 || true) | grep -o "invalid choice: 'local_cwd'"
} > "$work/seen"
cat "$work/seen"
diff - "$work/seen" <<'SEEN'
torchx 0.7.0 of its own: ['kubernetes', 'local_cwd', 'slurm'] of NeMo Run: False
1
torchx 0.7.0 of its own: [] of NeMo Run: True
invalid choice: 'local_cwd'
SEEN
echo "as in November 2026"
