# SPDX-License-Identifier: Apache-2.0

"""Says what a container sees: its host, names, variables, files. Arguments: names to look up; paths; NAME= variables."""

import json
import os
import socket
import stat
import sys


def address_of(name):
    try:
        return socket.gethostbyname(name)
    except OSError:
        return None


def file_of(path):
    about = os.stat(path)
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except PermissionError:
        text = None
    except IsADirectoryError:
        text = sorted(name for name in os.listdir(path) if not name.startswith("."))
    return [f"{stat.S_IMODE(about.st_mode):o}", about.st_uid, about.st_gid, text]


seen = {"host": socket.gethostname(), "full": socket.getfqdn(), "user": os.getuid(), "groups": os.getgroups()}
for word in sys.argv[1:]:
    if word.startswith("/"):
        seen[word] = file_of(word)
    elif word.endswith("="):
        seen[word[:-1]] = os.environ.get(word[:-1])
    else:
        seen[word] = address_of(word)
print(json.dumps(seen), flush=True)
