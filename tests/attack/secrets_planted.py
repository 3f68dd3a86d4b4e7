# SPDX-License-Identifier: Apache-2.0
"""Secrets in all the forms in which people write them, each with a mark by which it is found again."""

STEM = "q7w8e9r0t1y2u3i4o5p"
HIDDEN_NAMES = ("PGPASSWORD", "MYSQL_PWD", "KAGGLE_KEY", "PRIVATE_KEY", "PASSPHRASE", "DB_PASS", "AZURE_STORAGE_KEY", "ENCRYPTION_KEY", "GITHUB_PAT",
                "JWT", "HF_TOKEN", "WANDB_API_KEY", "AWS_SECRET_ACCESS_KEY", "DB_PASSWORD", "api_key", "CLIENT_SECRET")
FLAGS = ("--token", "--password", "--wandb-api-key", "--db-password", "--api-key", "--hf_token", "--secret-key")
# Names are shown by design, and no valid one holds a secret.
SHOWN = {"apiVersion", "kind", "name", "namespace", "generateName", "key", "claimName", "secretName", "manager", "uid", "resourceVersion"}


def marks(number):
    """What is secret in the forms of that number."""
    return f"{STEM}{number:02d}X"


def token(number):
    return f"hf_aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA{number:02d}"


def known_tokens(number):
    """(mark, text): texts that are secret wherever they stand."""
    secret = token(number)
    return ((secret, secret), (secret, f"--x={secret}"), (secret, f"export A={secret} && run"))


def in_words(rng, number):
    """(mark, words): words of a command with a secret that what stands before it names."""
    mark = marks(number)
    hexadecimal = f"0123456789abcdef0123456789abcdef0123{number:04d}"
    name, flag = rng.choice(HIDDEN_NAMES), rng.choice(FLAGS)
    return rng.choice((
        (mark, [flag, mark]), (mark, [f"{flag}={mark}"]), (mark, [f"{flag} {mark}"]),
        (mark, ["bash", "-c", f"export {name}={mark}\ntorchrun t.py"]), (mark, ["sh", "-c", f"{name}={mark} torchrun t.py"]),
        (mark, ["bash", "-c", f"curl -H 'Authorization: Bearer {mark}' http://x\ntorchrun t.py"]), (mark, ["bash", "-c", f"curl -u me:{mark} http://x"]),
        (mark, ["bash", "-c", f"aws configure set aws_secret_access_key {mark}"]), (mark, ["sshpass", "-p", mark, "ssh", "a"]),
        (hexadecimal, ["bash", "-c", f"wandb login {hexadecimal}\ntorchrun t.py"]),
        (mark, ["python", "-c", f"import os\nos.environ['{name}'] = '{mark}'\n"]),
        (mark, [f"DefaultEndpointsProtocol=https;AccountName=a;AccountKey={mark}{mark}=="])))


def containers(value):
    """What has a command: the containers and trainers in it."""
    if isinstance(value, dict):
        if "image" in value or "command" in value or "args" in value:
            yield value
        for key, inner in value.items():
            if key == "trainer" and isinstance(inner, dict):
                yield inner
            yield from containers(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from containers(inner)


def strings(value, key=""):
    """Each (holder, key) of a string that is no name."""
    for at, inner in list(value.items()) if isinstance(value, dict) else list(enumerate(value)):
        name = at if isinstance(at, str) else key
        if isinstance(inner, (dict, list)):
            yield from strings(inner, name)
        elif isinstance(inner, str) and name not in SHOWN:
            yield value, at


def plant(rng, items):
    """Puts some into the items; returns what no output may show."""
    planted = []
    used = []  # words, of which each names the secret beside it
    for number in range(rng.choice((1, 1, 2, 3))):
        item = rng.choice(items)
        form = rng.choice(("any", "words", "words", "env"))
        holders = list(containers(item))
        if form == "any" or not holders:
            places = [(holder, key) for holder, key in strings(item) if not any(holder is words for words in used)]
            if not places:
                continue
            holder, key = rng.choice(places)
            mark, holder[key] = rng.choice(known_tokens(number))
        elif form == "words":
            mark, words = in_words(rng, number)
            holder = rng.choice(holders)
            if words[0] in ("bash", "sh", "python", "sshpass"):
                holder["command"] = words
            else:
                before = holder.get("args")
                words = holder["args"] = (before if isinstance(before, list) else []) + words
            used.append(words)
        else:
            mark = marks(number)
            env = rng.choice(holders).setdefault("env", [])
            if not isinstance(env, list):
                continue
            env.append({"name": rng.choice(HIDDEN_NAMES), "value": mark})
        planted.append(mark)
    return planted
