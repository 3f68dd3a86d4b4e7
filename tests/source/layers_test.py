#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each layer includes only itself and the layers above it in ARCHITECTURE.md's table, the public headers in include/
include only each other and the standard library, a namespace has one type of a name (two would be one to the linker,
whichever file they are in), the folders of src/features include only those that they share, what a plugin generates is named in src/policy/plugins alone, and nothing below the
command line writes to a stream."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LAYERS = ["base", "rules", "yaml", "secret", "k8s", "schema", "cel", "model", "policy", "launch", "platform", "compile", "inputs", "lint", "features", "webhook", "cli"]
# Who may include a third-party library.
OWNERS = {"yaml.h": {"yaml"}, "yaml-cpp/": {"yaml"}, "CLI/": {"cli"}, "nlohmann/": {"cli", "features", "webhook"}, "openssl/": {"policy", "base", "inputs", "webhook"}, "event2/": {"webhook"}, "re2/": {"cel"}}
# The folders of src/features that all others may include, and those that build on another command.
SHARED_FEATURES = {"cluster": {"kubectl", "objects"}, "kubectl": set(), "objects": set()}
FEATURES = {"compose": {"plan"}, "graph": {"plan"}, "library": {"compose", "diff", "explain", "migrate", "plan"}, "lsp": {"create", "explain", "json_schema", "migrate", "plan"}}
PUBLIC = ROOT / "include"
IMPLEMENTS_PUBLIC = ROOT / "src" / "features" / "library"


def includes(path):
    """(line number, what follows #include) of a file."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if found := re.match(r'\s*#\s*include\s*([<"][^>"]+[>"])', line):
            yield number, found.group(1)


def types(path):
    """The types that a file defines outside the unnamed namespace, as (namespace, name)."""
    space = ""
    unnamed = False
    for line in path.read_text().splitlines():
        if found := re.match(r"namespace (trainjobc\S*) \{", line):
            space = found.group(1)
        unnamed = (unnamed or line == "namespace {") and line != "}  // namespace"
        found = re.match(r"(?:struct|class|enum class) (\w+)(?!\w*::)[^;]*\{", line)
        if found and not unnamed:
            yield space, found.group(1)


# Writing to a stream of the process: messages are values, which the command line prints.
STREAM = re.compile(r"\bstd::(cout|cerr|clog)\b|\b(f?printf|f?puts|putchar|fwrite|perror)\(|\bwrite_all\(STD")

problems = []
files = 0
homes = {}
for layer in LAYERS:
    for path in sorted((ROOT / "src" / layer).rglob("*")):
        if path.suffix not in (".h", ".cpp"):
            continue
        files += 1
        for key in types(path):
            first = homes.setdefault(key, path)
            if first != path:
                problems.append(f"{path.relative_to(ROOT)}: {'::'.join(key)} is also in {first.relative_to(ROOT)}")
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if layer != LAYERS[-1] and STREAM.search(line.split("//")[0]):
                problems.append(f"{path.relative_to(ROOT)}:{number}: {layer} must not write to a stream")
        for number, included in includes(path):
            target = included[1:-1]
            where = f"{path.relative_to(ROOT)}:{number}"
            top = target.split("/")[0]
            if top in LAYERS and LAYERS.index(top) > LAYERS.index(layer):
                problems.append(f"{where}: {layer} must not include {target}")
            if layer == "features" and top == "features":
                folder, used = path.relative_to(ROOT / "src" / "features").parts[0], target.split("/")[1]
                allowed = SHARED_FEATURES.get(folder, SHARED_FEATURES.keys() | FEATURES.get(folder, set()))
                if used != folder and used not in allowed:
                    problems.append(f"{where}: features/{folder} must not include {target}")
            if top == "trainjobc" and path.parent != IMPLEMENTS_PUBLIC:
                problems.append(f"{where}: only {IMPLEMENTS_PUBLIC.relative_to(ROOT)} may include the public API {target}")
            for prefix, owners in OWNERS.items():
                if target.startswith(prefix) and layer not in owners:
                    problems.append(f"{where}: only {', '.join(sorted(owners))} may include {target}")

# No folder of src/features depends on itself: what another one builds on builds on shared folders only. The library, on which
# none builds, is above them all.
ABOVE = "library"
for folder, used in FEATURES.items():
    for other in sorted(used & ({ABOVE} if folder == ABOVE else FEATURES.keys())):
        problems.append(f"{pathlib.Path(__file__).name}: features/{folder} must not build on features/{other}, which builds on another")

public = sorted(PUBLIC.rglob("*.h"))
if not public:
    problems.append("no public header found")
for path in public:
    for number, included in includes(path):
        # The standard library's headers are words without a dot or slash.
        if not re.fullmatch(r"<\w+>", included) and not (PUBLIC / included[1:-1]).is_file():
            problems.append(f"{path.relative_to(ROOT)}:{number}: a public header must not include {included}")

# What a plugin generates is called by name in its own file only; the rest of the program reads its descriptor.
PLUGINS = ROOT / "src" / "policy" / "plugins"
RULES = ROOT / "src" / "rules"
plugins = "".join(path.read_text() for path in sorted(PLUGINS.iterdir()))
variables = set(re.findall(r'"([A-Z][A-Z0-9]*_[A-Za-z0-9_]+)"', plugins))
suffixes = set(re.findall(r'\{"(?:ConfigMap|Secret)", "(-[^"]+)"', plugins))
families = set(re.findall(r'\.env_family = "([^"]+)"', plugins))
if not variables or not suffixes or not families:
    problems.append(f"{PLUGINS.relative_to(ROOT)}: no variable, family of variables or suffix of an object's name found")
for path in sorted((ROOT / "src").rglob("*")):
    if path.suffix not in (".h", ".cpp") or path.is_relative_to(PLUGINS):
        continue
    for number, line in enumerate(path.read_text().splitlines(), 1):
        for literal in re.findall(r'"((?:[^"\\]|\\.)*)"', line.split("//")[0]):
            # A rule's text names them by a placeholder.
            is_named = path.is_relative_to(RULES) and any(name in literal for name in variables | families)
            if literal in variables or is_named or any(literal.endswith(suffix) for suffix in suffixes):
                problems.append(f'{path.relative_to(ROOT)}:{number}: "{literal}" is a plugin\'s; read it from its descriptor')

table = re.findall(r"^\| `(\w+)` \|", (ROOT / "ARCHITECTURE.md").read_text(), re.M)
if table != LAYERS:
    problems.append(f"ARCHITECTURE.md lists the layers as {table}, this test as {LAYERS}")
if files == 0:
    problems.append("no source file found")
print("\n".join(problems) or f"{files} files, all includes point upward, {len(homes)} types, each name once")
sys.exit(1 if problems else 0)
