#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# hydra-core 1.3.8, seen in November 2026: a value on the command line is not read as the same value in the
# configuration's file. In the file, YAML 1.1 holds: `amp: off` is false, `code: 010` is 8, `mask: 0x10` is 16. In an
# override, Hydra's own grammar holds, in which only true and false are truth values and numbers have no other bases:
# amp=off is the text "off", which Python takes for true. One would expect an override to do what the edited line does;
# `amp=off` turns mixed precision on, in every framework that reads its settings with Hydra. Nothing is refused, since an
# untyped setting takes any value.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check hydra-core==1.3.8

cat > "$work/settings.yaml" <<'YAML'
amp: off
code: 010
mask: 0x10
YAML
cat > "$work/train.py" <<'PYTHON'
import hydra


@hydra.main(version_base=None, config_path=".", config_name="settings")
def main(settings):
    print("mixed" if settings.amp else "full", "precision,", [settings.amp, settings.code, settings.mask])


main()
PYTHON

cd "$work"
{
  "$work/venv/bin/python" -c 'import hydra; print("hydra", hydra.__version__)'
  "$work/venv/bin/python" train.py
  "$work/venv/bin/python" train.py amp=off code=010 mask=0x10
  "$work/venv/bin/python" train.py amp=false code=8 mask=16
} > seen
cat seen
diff - seen <<'SEEN'
hydra 1.3.8
full precision, [False, 8, 16]
mixed precision, ['off', '010', '0x10']
full precision, [False, 8, 16]
SEEN
echo "as in November 2026"
