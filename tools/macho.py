#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that a file is a program for arm64 macOS that needs nothing but the system, and is signed (ad hoc): what can be
said of it without a Mac. Prints what it is.

usage: macho.py FILE
"""
import pathlib
import struct
import sys

MAGIC, ARM64, EXECUTE = 0xFEEDFACF, 0x0100000C, 2
LOAD_DYLIB, LOAD_WEAK_DYLIB, REEXPORT_DYLIB, CODE_SIGNATURE, BUILD_VERSION = 0xC, 0x80000018, 0x8000001F, 0x1D, 0x32
PIE = 0x200000


def commands(data):
    count, = struct.unpack_from("<I", data, 16)
    at = 32
    for _ in range(count):
        command, size = struct.unpack_from("<II", data, at)
        yield command, data[at:at + size]
        at += size


def text_at(body, offset):
    return body[offset:].split(b"\0", 1)[0].decode()


def main():
    path = pathlib.Path(sys.argv[1])
    data = path.read_bytes()
    magic, processor, _, kind, _, _, flags = struct.unpack_from("<IIIIIII", data)
    if (magic, processor, kind) != (MAGIC, ARM64, EXECUTE):
        sys.exit(f"{path} is not a program for arm64 macOS")
    libraries, signed, oldest = [], False, "?"
    for command, body in commands(data):
        if command in (LOAD_DYLIB, LOAD_WEAK_DYLIB, REEXPORT_DYLIB):
            libraries.append(text_at(body, struct.unpack_from("<I", body, 8)[0]))
        elif command == CODE_SIGNATURE:
            signed = True
        elif command == BUILD_VERSION:
            version, = struct.unpack_from("<I", body, 12)
            oldest = f"{version >> 16}.{version >> 8 & 255}"
    foreign = [name for name in libraries if not name.startswith(("/usr/lib/", "/System/"))]
    if foreign:
        sys.exit(f"{path} needs {foreign}, which a Mac does not have")
    if not signed:
        sys.exit(f"{path} is not signed: arm64 macOS does not start it")
    if not flags & PIE:
        sys.exit(f"{path} is not position-independent")
    print(f"{path.name}: arm64 macOS {oldest} and newer, {len(data) >> 20} MiB, signed, needs {', '.join(libraries)}")


main()
