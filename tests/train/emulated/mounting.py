# SPDX-License-Identifier: Apache-2.0

"""mount(2)."""

import ctypes
import os

RDONLY, REMOUNT, BIND, REC, PRIVATE = 1, 32, 4096, 16384, 1 << 18
_libc = ctypes.CDLL(None, use_errno=True)


def mount(source, target, kind=None, flags=0, data=None):
    """None for what the call does not need."""
    words = [word.encode() if word is not None else None for word in (source, target, kind)]
    if _libc.mount(*words, ctypes.c_ulong(flags), data.encode() if data is not None else None) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"mount {source} on {target}: {os.strerror(number)}")
