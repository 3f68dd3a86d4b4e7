#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs the library, builds tests/packaging/library against what was installed, and compares all that it prints.

usage: library_test.py BUILD. TRAINJOBC_UPDATE_GOLDEN=1 rewrites tests/packaging/library/stdout.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv[1]).resolve()
EXPECTED = ROOT / "tests/packaging/library" / "stdout"


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.stdout}{done.stderr}")
    return done.stdout


with tempfile.TemporaryDirectory() as folder:
    installed, build = pathlib.Path(folder, "installed"), pathlib.Path(folder, "build")
    run("cmake", "--install", BUILD, "--prefix", installed, "--component", "library")
    # Away from the sources, so that nothing but what is installed is found.
    for header in (installed / "include").rglob("*.h"):
        for included in re.findall(r'#include "([^"]+)"', header.read_text()):
            sys.exit(f"{header.name} includes {included}")
    run("cmake", "-S", ROOT / "tests/packaging/library", "-B", build, f"-DCMAKE_PREFIX_PATH={installed}", "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror")
    run("cmake", "--build", build)
    printed = run(build / "consumer")

if os.environ.get("TRAINJOBC_UPDATE_GOLDEN"):
    EXPECTED.write_text(printed)
if printed != EXPECTED.read_text():
    sys.exit(f"the program printed:\n{printed}")
print("installed, linked and run")
