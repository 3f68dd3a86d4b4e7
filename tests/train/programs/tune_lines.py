# SPDX-License-Identifier: Apache-2.0

"""The real `tune` reads command lines and runs none: for each line of stdin, with words and env, what it would run.

Or why it refuses: its parser, its registry of recipes and configurations, or `tune validate`, which binds the settings to
the functions that the configuration names.
"""

import contextlib
import io
import json
import os
import sys
import types

from torchtune import config
from torchtune._cli.run import Run
from torchtune._cli.tune import main
from torchtune.config._parse import TuneRecipeArgumentParser
from torchtune.config._utils import _merge_yaml_and_cli_args

# Trainer's image has it; on CPUs only its names matter: the optimizers of configurations for one device.
bitsandbytes = types.ModuleType("bitsandbytes")
bitsandbytes.optim = types.ModuleType("bitsandbytes.optim")
for name in ("PagedAdamW", "PagedAdamW8bit"):
    setattr(bitsandbytes.optim, name, lambda params, lr=1e-3, **settings: None)
sys.modules |= {"bitsandbytes": bitsandbytes, "bitsandbytes.optim": bitsandbytes.optim}

seen = {}


def read(args):
    settings = _merge_yaml_and_cli_args(*TuneRecipeArgumentParser().parse_known_args(args.recipe_args))
    config.validate(settings)
    path = args.recipe_args[args.recipe_args.index("--config") + 1]
    seen["recipe"] = os.path.basename(args.recipe).removesuffix(".py")
    seen["config"] = path.split("/configs/")[-1].removesuffix(".yaml")
    for name in ("lora_rank", "quantize_base", "use_dora"):
        seen[name] = settings.model.get(name)


def run_distributed(self, args, is_builtin):
    read(args)
    seen.update(nodes=args.nnodes, processes=args.nproc_per_node, endpoint=args.rdzv_endpoint)


def run_single_device(self, args, is_builtin):
    read(args)
    if seen["recipe"].endswith("_distributed"):
        raise RuntimeError("not started by torchrun")  # as seen in test_a_recipe_for_several_processes_alone


Run._run_distributed = run_distributed
Run._run_single_device = run_single_device
for line in sys.stdin:
    given = json.loads(line)
    sys.argv = given["words"]
    os.environ.update(given["env"])
    seen.clear()
    errors = io.StringIO()
    try:
        with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()):
            main()
    except SystemExit:
        seen["refused"] = errors.getvalue()
    except Exception as error:  # pylint: disable=broad-except
        seen["refused"] = f"{type(error).__name__}: {error}"
    print(json.dumps(seen), flush=True)
