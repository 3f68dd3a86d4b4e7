#!/usr/bin/env python3
"""Each layer includes only itself and the layers above it in ARCHITECTURE.md's table."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LAYERS = ["base", "yaml", "schema", "model", "policy", "compile", "tools", "cli"]
# Who may include a third-party library.
OWNERS = {"yaml.h": {"yaml"}, "yaml-cpp/": {"yaml"}, "CLI/": {"cli"}, "nlohmann/": {"cli", "tools"}, "openssl/": {"policy", "base"}}

problems = []
files = 0
for layer in LAYERS:
    for path in sorted((ROOT / "src" / layer).rglob("*")):
        if path.suffix not in (".h", ".cpp"):
            continue
        files += 1
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = re.match(r'\s*#include\s*[<"]([^>"]+)[>"]', line)
            if not found:
                continue
            target = found.group(1)
            where = f"{path.relative_to(ROOT)}:{number}"
            top = target.split("/")[0]
            if top in LAYERS and LAYERS.index(top) > LAYERS.index(layer):
                problems.append(f"{where}: {layer} must not include {target}")
            if top == "trainjobc" and LAYERS.index(layer) < LAYERS.index("compile"):
                problems.append(f"{where}: {layer} must not include the public API {target}")
            for prefix, owners in OWNERS.items():
                if target.startswith(prefix) and layer not in owners:
                    problems.append(f"{where}: only {', '.join(sorted(owners))} may include {target}")

table = re.findall(r"^\| `(\w+)` \|", (ROOT / "ARCHITECTURE.md").read_text(), re.M)
if table != LAYERS:
    problems.append(f"ARCHITECTURE.md lists the layers as {table}, this test as {LAYERS}")
if files == 0:
    problems.append("no source file found")
print("\n".join(problems) or f"{files} files, all includes point upward")
sys.exit(1 if problems else 0)
