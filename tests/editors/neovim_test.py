#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`trainjobc lsp` in a real Neovim with its built-in client and the configuration of editors/neovim: keys are typed,
and what Neovim then shows is compared as a whole.

usage: neovim_test.py BINARY [TEST…]; ends with 77 without Neovim 0.7 or newer.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BINARY = pathlib.Path(sys.argv[1]).resolve()
SECONDS = 60  # how long Neovim may take to show what is expected


class Neovim:
    """A headless Neovim that runs in a copy of the workspace; keys are sent to it, expressions evaluated in it."""

    def __init__(self, folder):
        self.folder = folder
        self.socket = str(folder / "nvim.sock")
        self.work = folder / "work"
        shutil.copytree(HERE / "workspace", self.work)
        setup = f"require('trainjobc').setup({{ cmd = {{ '{BINARY}', 'lsp' }} }})"
        self.environment = {**os.environ, "HOME": str(folder), "TERM": "dumb", "NVIM_LOG_FILE": str(folder / "log"),
                            **{f"XDG_{name}_HOME": str(folder / name.lower()) for name in ("CONFIG", "DATA", "STATE", "CACHE")}}
        self.process = subprocess.Popen(
            ["nvim", "--headless", "--clean", "--listen", self.socket, "--cmd", f"set rtp+={ROOT / 'editors/neovim'}",
             "-c", "set noswapfile", "-c", f"lua {setup}", "-c", f"luafile {HERE / 'neovim_steps.lua'}"],
            cwd=self.work, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.time() + SECONDS
        while not os.path.exists(self.socket) and time.time() < end:
            time.sleep(0.02)
        self.expect("Steps ~= nil", True)  # it has read its arguments

    def remote(self, flag, text):
        run = subprocess.run(["nvim", "--clean", "--headless", "--server", self.socket, flag, text], env=self.environment,
                             capture_output=True, text=True, timeout=SECONDS)
        assert run.returncode == 0, run.stderr
        return run.stdout + run.stderr

    def ask(self, lua):
        """The value of a Lua expression."""
        answer = self.remote("--remote-expr", "json_encode(luaeval('%s'))" % lua.replace("'", "''"))
        return json.loads(answer)

    def keys(self, keys):
        self.remote("--remote-send", keys)

    def command(self, text):
        self.keys(f"<C-\\><C-n>:{text}<CR>")

    def open(self, path):
        self.command(f"edit {path}")

    def put_cursor(self, pattern):
        """On the beginning of the first match of Vim's pattern in the buffer."""
        self.command("call cursor(1, 1)")
        self.command(f"call search('{pattern}', 'c')")

    def expect(self, lua, wanted):
        """Waits until Neovim shows what is wanted."""
        end = time.time() + SECONDS
        got = self.ask(lua)
        while got != wanted and time.time() < end:
            time.sleep(0.05)
            got = self.ask(lua)
        if got != wanted:
            raise AssertionError(f"{lua}\nwanted:\n{text_of(wanted)}\ngot:\n{text_of(got)}\n"
                                 f"messages: {self.ask('(Steps or {}).messages')}")

    def close(self):
        try:
            self.process.poll() is None and self.command("qall!")
        except AssertionError:
            pass  # it ended before it answered
        try:
            self.process.wait(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def text_of(value):
    return "\n".join(value) if isinstance(value, list) and all(isinstance(line, str) for line in value) else json.dumps(value)


GPU_LIMIT = ("16:9-16:23 error [job/gpu-limit] nvidia.com/gpu is requested without a limit; extended resources need an "
             "equal limit; add limits: {nvidia.com/gpu: 8}")
IMAGE = '29:23-29:27 error [job/image] container "trainer" has no image; add it to the runtime, with an image: a patch has no field for one'
TARGET = ('29:29-29:36 warning [advice/patch-target] the patch names container "trainer", which runtime "torch-pool" does not '
          'have; a new one without an image would be added; did you mean "node"?')
MISTAKES = [GPU_LIMIT, IMAGE, TARGET]


def one_line_lower(found):
    """The same finding after a new line above it."""
    return re.sub(r"\d+(?=:\d+[- ])", lambda line: str(int(line[0]) + 1), found, count=2)


def test_diagnostics_follow_what_is_typed(nvim):
    nvim.open("jobs/llama.yaml")
    nvim.expect("Steps.diagnostics()", MISTAKES)
    nvim.put_cursor("name: trainer")
    nvim.keys("wwcwnode<Esc>")
    nvim.expect("Steps.diagnostics()", [
        '16:9-16:23 error [job/gpu-limit] nvidia.com/gpu is requested without a limit; extended resources need an equal limit; add limits: {nvidia.com/gpu: 8}',
        '31:23-31:24 error [input/patch-env] spec.runtimePatches can\'t set env of container "node"; use spec.trainer.env'])
    nvim.keys("u")
    nvim.expect("Steps.diagnostics()", MISTAKES)
    nvim.command("%d")
    nvim.expect("Steps.diagnostics()", [])


def test_half_typed_text_keeps_the_last_findings(nvim):
    nvim.open("jobs/llama.yaml")
    nvim.expect("Steps.diagnostics()", MISTAKES)
    nvim.put_cursor("command")
    nvim.keys("Oimage: [<Esc>")
    nvim.expect("Steps.diagnostics()", [
        "15:5-15:21 error [yaml/syntax] the bracket on line 13 is not closed before this, and there is no comma before it",
        *(one_line_lower(found) for found in MISTAKES)])


def test_an_edited_runtime_checks_its_jobs(nvim):
    nvim.open("jobs/bert.yaml")
    nvim.expect("Steps.is_served()", True)
    nvim.command("split runtimes/torch-pool.yaml")
    nvim.put_cursor("torch-pool")
    nvim.keys("As<Esc>")  # not saved
    nvim.command("wincmd p")
    nvim.expect("Steps.diagnostics()", [
        '9:11-9:21 error [input/missing-runtime] there is no TrainingRuntime "torch-pool" in namespace "assistants"; did you mean '
        '"torch-pools"? Or add it to the inputs, or pass its file or folder with --runtimes'])
    nvim.command("wincmd p")
    nvim.keys("u")
    nvim.command("wincmd p")
    nvim.expect("Steps.diagnostics()", [])


def test_hover(nvim):
    nvim.open("jobs/bert.yaml")
    nvim.expect("Steps.is_served()", True)
    nvim.put_cursor("numNodes")
    nvim.command("lua vim.lsp.buf.hover()")
    nvim.expect("Steps.float()", [
        "**spec.trainer.numNodes** · integer",
        "",
        "Number of nodes: pods that train.",
        "",
        "Becomes `PET_NNODES=2`, `parallelism: 2`, `completions: 2`; from `spec.trainer.numNodes`.",
    ])


def test_completion(nvim):
    nvim.open("jobs/bert.yaml")
    nvim.expect("Steps.is_served()", True)
    nvim.put_cursor("numNodes")
    nvim.keys("yyP^Cnum<C-x><C-o>")
    nvim.expect("Steps.menu()", ["numProcPerNode:  (Field)"])
    nvim.keys("8<Esc>")
    nvim.expect("vim.api.nvim_get_current_line()", "    numProcPerNode: 8")


def test_a_fix_is_applied(nvim):
    nvim.open("jobs/llama.yaml")
    nvim.expect("Steps.diagnostics()", MISTAKES)
    before = nvim.ask("Steps.lines()")
    nvim.put_cursor("nvidia.com")
    fix = "Fix: extended resources need an equal limit; add limits: {nvidia.com/gpu: 8}"
    nvim.command(f"lua Steps.wanted = '{fix}' vim.lsp.buf.code_action()")
    nvim.expect("Steps.titles", [fix, "Ignore job/gpu-limit here, with a reason", "Fix all that trainjobc can (1)"])
    nvim.expect("Steps.diagnostics()", [one_line_lower(IMAGE), one_line_lower(TARGET)])
    nvim.expect("Steps.lines()", [*before[:14], "      limits: {nvidia.com/gpu: 8}", *before[14:]])


def test_a_rule_is_ignored(nvim):
    nvim.open("jobs/llama.yaml")
    nvim.expect("Steps.diagnostics()", MISTAKES)
    before = nvim.ask("Steps.lines()")
    nvim.put_cursor("nvidia.com")
    nvim.command("lua Steps.wanted = 'Ignore job/gpu-limit here, with a reason' vim.lsp.buf.code_action()")
    nvim.expect("Steps.lines()", [*before[:15], "        # trainjobc:ignore job/gpu-limit -- TODO: the reason", *before[15:]])
    nvim.expect("Steps.diagnostics()", [one_line_lower(IMAGE), one_line_lower(TARGET)])


def test_jumps(nvim):
    nvim.open("jobs/bert.yaml")
    nvim.expect("Steps.is_served()", True)
    nvim.put_cursor("torch-pool")
    nvim.command("lua vim.lsp.buf.definition()")
    nvim.expect("Steps.place()", "runtimes/torch-pool.yaml:5:9")
    nvim.expect("Steps.is_served()", True)
    nvim.command("lua vim.lsp.buf.references()")
    nvim.expect("Steps.found()", [
        "jobs/bert.yaml:9:11     name: torch-pool",
        "jobs/llama.yaml:10:11     name: torch-pool",
        "runtimes/torch-pool.yaml:5:9   name: torch-pool",
    ])


def test_a_definition_in_the_catalogue(nvim):
    nvim.open("jobs/bert.yaml")
    nvim.expect("Steps.is_served()", True)
    nvim.put_cursor("torch-pool")
    nvim.keys("ccname: torch-distributed<Esc>")
    nvim.command("g/kind: TrainingRuntime/d")
    nvim.put_cursor("torch-distributed")
    nvim.command("lua vim.lsp.buf.definition()")
    nvim.expect("Steps.place()", "trainjobc-runtime://catalogue/v2.3/torch-distributed.yaml:5:9")
    shown = subprocess.run([BINARY, "runtimes", "--show", "torch-distributed"], capture_output=True, text=True, check=True).stdout
    nvim.expect("vim.tbl_contains(Steps.lines(), 'kind: ClusterTrainingRuntime')", "kind: ClusterTrainingRuntime" in shown)
    nvim.expect("vim.bo.modifiable", False)


def test_rename(nvim):
    nvim.open("jobs/bert.yaml")
    nvim.expect("Steps.is_served()", True)
    nvim.put_cursor("torch-pool")
    nvim.command("lua vim.lsp.buf.rename('torch-h100')")
    nvim.expect("vim.api.nvim_get_current_line()", "    name: torch-h100")
    nvim.open("runtimes/torch-pool.yaml")
    nvim.put_cursor("name: torch-")
    nvim.expect("vim.api.nvim_get_current_line()", "  name: torch-h100")


def test_outline(nvim):
    nvim.open("jobs/bert.yaml")
    nvim.expect("Steps.is_served()", True)
    nvim.command("lua vim.lsp.buf.document_symbol()")
    nvim.expect("Steps.found()", ["jobs/bert.yaml:4:9 [Event] bert"])


def test_the_jobset_beside_the_job(nvim):
    nvim.open("jobs/bert.yaml")
    nvim.expect("Steps.lenses()", ["1 2 nodes × 8 GPUs = 16 GPUs, 16 processes · show JobSet"])
    nvim.command("TrainjobcJobSet")
    rendered = subprocess.run([BINARY, "render", "jobs/bert.yaml"], cwd=nvim.work, capture_output=True, text=True, check=True).stdout
    nvim.expect("vim.fn.bufname()", "trainjobc-jobset:/assistants/bert.yaml")
    nvim.expect("Steps.lines()", rendered.splitlines())


TESTS = [function for name, function in list(globals().items()) if name.startswith("test_")]


def main():
    version = shutil.which("nvim") and subprocess.run(["nvim", "--version"], capture_output=True, text=True).stdout
    found = re.match(r"NVIM v(\d+)\.(\d+)", version or "")
    if not found or (int(found[1]), int(found[2])) < (0, 7):
        print("skipped: Neovim 0.7 or newer is not installed")
        return 77
    failed = 0
    tests = [test for test in TESTS if test.__name__ in sys.argv[2:] or len(sys.argv) == 2]
    for test in tests:
        with tempfile.TemporaryDirectory() as name:
            nvim = Neovim(pathlib.Path(name))
            try:
                test(nvim)
            except Exception as error:  # pylint: disable=broad-except
                failed += 1
                print(f"{test.__name__}: {error}")
            finally:
                nvim.close()
    print(f"{len(tests) - failed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
