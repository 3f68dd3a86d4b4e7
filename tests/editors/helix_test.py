#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`trainjobc lsp` in a real Helix with the configuration of editors/helix, in a terminal of tmux: keys are typed, and what is
then on the screen is compared.

usage: helix_test.py BINARY [TEST…]; ends with 77 without hx and tmux.
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BINARY = pathlib.Path(sys.argv[1]).resolve()
SECONDS = 60  # how long Helix may take to show what is expected
AGAIN = 4  # after so many seconds keys are typed again: the server may not have been there


class Helix:
    """Helix in a copy of the workspace, in a terminal with room for whole messages."""

    def __init__(self, folder, path):
        self.socket = str(folder / "tmux")
        work = folder / "work"
        shutil.copytree(HERE / "workspace", work)
        (work / ".git").mkdir()
        shutil.copytree(ROOT / "editors/helix", folder / "config/helix")
        (folder / "bin").mkdir()
        (folder / "bin/trainjobc").symlink_to(BINARY)
        environment = {**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}", "HOME": str(folder), "TERM": "xterm-256color",
                       "XDG_CONFIG_HOME": str(folder / "config"), "XDG_CACHE_HOME": str(folder / "cache")}
        subprocess.run(["tmux", "-S", self.socket, "-f", "/dev/null", "new-session", "-d", "-x", "260", "-y", "50", "-c", work,
                        shlex.join(["hx", path])], env=environment, check=True)

        end = time.time() + SECONDS
        while not buffer(self.screen()) and time.time() < end:
            time.sleep(0.05)

    def tmux(self, *arguments):
        return subprocess.run(["tmux", "-S", self.socket, *arguments], capture_output=True, text=True, check=True).stdout

    def keys(self, *keys):
        for key in keys:
            self.tmux("send-keys", "-t", "0", key)
            time.sleep(0.5 if key == "Escape" else 0.05)  # an Escape right before a key is read as Alt

    def screen(self):
        return [line.rstrip() for line in self.tmux("capture-pane", "-p", "-t", "0").splitlines()]

    def expect(self, what, wanted, *keys):
        """Types the keys until `what` of the screen is as wanted."""
        end = time.time() + SECONDS
        got = None
        while got != wanted and time.time() < end:
            self.keys(*keys)
            again = time.time() + AGAIN
            while got != wanted and time.time() < again:
                time.sleep(0.05)
                got = what(self.screen())
        if got != wanted:
            raise AssertionError("wanted:\n{}\ngot:\n{}\nthe screen:\n{}".format(*("\n".join(lines) for lines in (wanted, got, self.screen()))))

    def close(self):
        self.tmux("kill-server")


# ----- what is on the screen -----

def buffer(screen):
    """The lines of the text."""
    found = [re.match(r"..? *\d+ {1,2}(.*)", line) for line in screen]
    return [match.group(1) for match in found if match]


def picked(screen):
    """The rows of a picker without a preview."""
    rows = [line.split("│")[1].strip() for line in screen if line.count("│") == 2]
    return [" ".join(row.lstrip("> ").split()) for row in rows if not re.match(r"$|─|\d+/\d+$|severity ", row)]


def file_shown(screen):
    """The file and place of the status line."""
    found = [re.match(r" NOR +(\S+).* (\d+:\d+)$", line) for line in screen]
    return [" ".join(match.groups()) for match in found if match]


def said(*words):
    """Those of the words that are somewhere on the screen."""
    return lambda screen: [word for word in words if any(word in line for line in screen)]


# ----- tests -----

GPU_LIMIT = ("ERROR job/gpu-limit nvidia.com/gpu is requested without a limit; extended resources need an equal limit; add limits: "
             "{nvidia.com/gpu: 8}")
IMAGE = 'ERROR job/image container "trainer" has no image; add it to the runtime, with an image: a patch has no field for one'
TARGET = ('WARN advice/patch-target the patch names container "trainer", which runtime "torch-pool" does not have; a new one without '
          'an image would be added; did you mean "node"?')
PICK_DIAGNOSTICS = ("Escape", "Escape", " ", "d", "C-t")


def test_diagnostics_follow_what_is_typed(folder):
    helix = Helix(folder, "jobs/llama.yaml")
    yield helix
    helix.expect(picked, [GPU_LIMIT, IMAGE, TARGET], *PICK_DIAGNOSTICS)
    helix.keys("Escape", "/name: trainer", "Enter", "c", "name: node", "Escape")
    helix.expect(picked, ['ERROR input/patch-env spec.runtimePatches can\'t set env of container "node"; use spec.trainer.env'],
                 *PICK_DIAGNOSTICS)


def test_hover(folder):
    helix = Helix(folder, "jobs/bert.yaml")
    yield helix
    words = ("spec.trainer.numNodes · integer", "Number of nodes: pods that train.",
             "Becomes PET_NNODES=2, parallelism: 2, completions: 2; from spec.trainer.numNodes.")
    helix.expect(said(*words), list(words), "Escape", "/numNodes", "Enter", " ", "k")


def test_completion(folder):
    helix = Helix(folder, "jobs/llama.yaml")
    yield helix
    helix.expect(picked, [GPU_LIMIT, IMAGE, TARGET], *PICK_DIAGNOSTICS)  # the server is there
    helix.keys("Escape", "/numNodes", "Enter", "O", "num")
    helix.expect(said("numProcPerNode field"), ["numProcPerNode field"])
    helix.keys("C-n", "Enter", "8", "Escape")
    helix.expect(lambda screen: buffer(screen)[10:13], ["  trainer:", "    numProcPerNode: 8", "    numNodes: 4"])


def test_a_fix_is_applied(folder):
    helix = Helix(folder, "jobs/llama.yaml")
    yield helix
    helix.expect(picked, [GPU_LIMIT, IMAGE, TARGET], *PICK_DIAGNOSTICS)
    titles = ("Fix: extended resources need an equal limit; add limits: {nvidia.com/gpu: 8}", "Ignore job/gpu-limit here, with a reason",
              "Fix all that trainjobc can (1)")
    helix.expect(said(*titles), list(titles), "Escape", "/nvidia.com", "Enter", " ", "a")
    helix.keys("Enter")
    helix.expect(lambda screen: buffer(screen)[13:16],
                 ["    resourcesPerNode:", "      limits: {nvidia.com/gpu: 8}", "      requests:"])


def test_jumps(folder):
    helix = Helix(folder, "jobs/bert.yaml")
    yield helix
    helix.expect(file_shown, ["runtimes/torch-pool.yaml 5:9"], "Escape", "/torch-pool", "Enter", "g", "d")
    helix.expect(lambda screen: sorted(picked(screen)), ["jobs/bert.yaml:9", "jobs/llama.yaml:10", "runtimes/torch-pool.yaml:5"],
                 "Escape", "Escape", "g", "r", "C-t")


TESTS = [function for name, function in list(globals().items()) if name.startswith("test_")]


def run(test):
    """What went wrong; None if nothing did."""
    with tempfile.TemporaryDirectory() as name:
        steps = test(pathlib.Path(name).resolve())
        helix = next(steps)
        try:
            next(steps, None)
        except Exception as error:  # pylint: disable=broad-except
            return error
        finally:
            helix.close()
            time.sleep(0.2)
    return None


def main():
    if not shutil.which("hx") or not shutil.which("tmux"):
        print("skipped: Helix (hx) and tmux are not installed")
        return 77
    failed = 0
    tests = [test for test in TESTS if test.__name__ in sys.argv[2:] or len(sys.argv) == 2]
    for test in tests:
        error = run(test)
        if error:
            failed += 1
            print(f"{test.__name__}: {error}")
    print(f"{len(tests) - failed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
