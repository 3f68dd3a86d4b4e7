#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a wheel of the same files for another platform tag, with the bytes settled by SOURCE_DATE_EPOCH.

usage: retag_wheel.py WHEEL PLATFORM DIRECTORY
"""
import base64
import hashlib
import os
import pathlib
import re
import sys
import time
import zipfile


def record_line(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def main():
    source, platform, folder = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    distribution, version, python, abi, _ = source.stem.split("-")
    when = time.gmtime(max(int(os.environ["SOURCE_DATE_EPOCH"]), 315532800))[:6]  # zip begins in 1980
    info = f"{distribution}-{version}.dist-info"
    with zipfile.ZipFile(source) as wheel:
        files = {entry.filename: (wheel.read(entry), entry.external_attr) for entry in wheel.infolist()}
    text, attributes = files[f"{info}/WHEEL"]
    tags = "".join(f"Tag: {python}-{abi}-{one}\n" for one in platform.split("."))
    files[f"{info}/WHEEL"] = (re.sub(r"(Tag: .*\n)+", tags, text.decode()).encode(), attributes)
    record = f"{info}/RECORD"
    _, attributes = files.pop(record)
    lines = [record_line(name, data) for name, (data, _) in sorted(files.items())] + [f"{record},,\n"]
    files[record] = ("".join(lines).encode(), attributes)
    target = folder / f"{distribution}-{version}-{python}-{abi}-{platform}.whl"
    with zipfile.ZipFile(target, "w") as wheel:
        for name in sorted(files, key=lambda name: (name.startswith(info), name)):
            data, attributes = files[name]
            entry = zipfile.ZipInfo(name, when)
            entry.external_attr = attributes
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)


main()
