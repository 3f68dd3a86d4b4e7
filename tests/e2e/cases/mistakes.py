# SPDX-License-Identifier: Apache-2.0

"""What goes wrong in manifests: a random place gets a value that doesn't belong there, or a rule is broken."""

VALUES = (None, "", -1, 0, 3, "text", True, [], {}, "UPPER_case", "1.5.0", "a" * 64, 2**31, "-1Gi", "10 Gi", [None])
TYPOS = ("s", "Name", "_")
STRANGERS = ("replicas", "env", "image", "numNodes", "labels", "hostname", "subdomain")


def places(node, path=()):
    """Paths of all values below spec."""
    if isinstance(node, dict):
        for name, value in node.items():
            yield (*path, name)
            yield from places(value, (*path, name))
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield (*path, index)
            yield from places(value, (*path, index))


def parent_of(item, path):
    node = item
    for step in path[:-1]:
        node = node[step]
    return node


def replace_value(rng, item, path):
    parent_of(item, path)[path[-1]] = rng.choice(VALUES)


def remove(rng, item, path):
    del parent_of(item, path)[path[-1]]


def misspell(rng, item, path):
    parent = parent_of(item, path)
    if isinstance(parent, dict):
        parent[str(path[-1]) + rng.choice(TYPOS)] = parent.pop(path[-1])
    else:
        parent.append(parent[path[-1]])  # twice in a list


def add_a_stranger(rng, item, path):
    parent = parent_of(item, path)
    if isinstance(parent, dict):
        parent[rng.choice(STRANGERS)] = rng.choice(VALUES)
    else:
        parent.append(rng.choice(VALUES))


def make_one(rng, item):
    paths = [("spec", *path) for path in places(item["spec"])]
    paths += [("metadata", *path) for path in places(item["metadata"]) if path[0] in ("labels", "annotations")]
    change = rng.choice((replace_value, replace_value, replace_value, remove, misspell, add_a_stranger))
    change(rng, item, rng.choice(paths))
