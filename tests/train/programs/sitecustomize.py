# SPDX-License-Identifier: Apache-2.0

"""What launchers find on a machine with GPUs, and code that a launcher's test leaves out. Python imports it first.

FAKE_GPUS is the number that torch counts. TRAINING_CODE has parts of the paths of scripts, and the names of
modules, in whose place /workspace/train.py runs: what a launcher starts. LEFT_OUT has the names of packages that a
launcher imports and does not need.
"""

import importlib.abc
import importlib.machinery
import os
import runpy
import sys
import traceback
from unittest import mock


class LeftOut(mock.MagicMock):
    __path__ = []
    __version__ = "99.0"
    __file__ = "/left/out"


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Before all others: packages to leave out, and torch, which it changes."""

    def __init__(self, left_out):
        self.left_out = left_out

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in self.left_out:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        if name != "torch.cuda" or "FAKE_GPUS" not in os.environ:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        load = spec.loader.exec_module

        def exec_module(module):
            load(module)
            count = int(os.environ["FAKE_GPUS"])
            module.device_count = lambda: count
            module.is_available = module.is_bf16_supported = lambda *_, **__: count > 0
            module.set_device = lambda _: None
            module.get_device_properties = lambda *_: mock.MagicMock(total_memory=1 << 34)

        spec.loader.exec_module = exec_module
        return spec

    def create_module(self, spec):
        module = LeftOut(name=spec.name)
        module.__spec__ = spec
        module.__name__ = spec.name
        return module

    def exec_module(self, module):
        pass


def script():
    """The script or module that this Python runs."""
    words = iter(sys.orig_argv[1:])
    for word in words:
        if word == "-m":
            return next(words, "")
        if word in ("-W", "-X"):
            next(words, "")
        elif not word.startswith("-"):
            return word
    return ""


def parts(name):
    return [part for part in os.environ.get(name, "").split(",") if part]


sys.meta_path.insert(0, Finder(parts("LEFT_OUT")))
if any(part in script() for part in parts("TRAINING_CODE")):
    try:
        runpy.run_path("/workspace/train.py", run_name="__main__")
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)
