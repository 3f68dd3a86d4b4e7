#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The binaries are hardened: see cmake/hardening.cmake. The static one is skipped where it can't be built.

usage: hardening_test.py BUILD
"""
import pathlib
import struct
import subprocess
import sys

BUILD = pathlib.Path(sys.argv[1]).resolve()
X86_64 = 62
DYNAMIC, INTERP, STACK, RELRO, LOAD = 2, 3, 0x6474E551, 0x6474E552, 1
EXECUTABLE, WRITABLE = 1, 2
BIND_NOW, NOW, PIE = 8, 1, 0x08000000
TEXTREL, FLAGS, FLAGS_1 = 22, 30, 0x6FFFFFFB
BRANCH_MARK = b"\xf3\x0f\x1e\xfa"  # endbr64
# What the compiler does with functions of the C library once it knows how large a buffer is.
CHECKED_CALLS = (b"__memcpy_chk", b"__read_chk", b"__realpath_chk", b"__memmove_chk", b"__memset_chk", b"__strcpy_chk",
                 b"__readlink_chk", b"__fdelt_chk", b"__poll_chk", b"__snprintf_chk", b"__vsnprintf_chk")
problems = []


class Elf:
    """What readelf -ld shows of a 64-bit little-endian file."""

    def __init__(self, path):
        self.name = path.relative_to(BUILD).as_posix()
        self.bytes = path.read_bytes()
        assert self.bytes[:6] == b"\x7fELF\x02\x01", f"{self.name} is not a 64-bit little-endian ELF file"
        self.type, self.machine = struct.unpack_from("<HH", self.bytes, 16)
        (at,) = struct.unpack_from("<Q", self.bytes, 32)
        size, count = struct.unpack_from("<HH", self.bytes, 54)
        # type, flags, offset, address, physical address, size in the file, size in memory, alignment
        self.segments = [struct.unpack_from("<IIQQQQQQ", self.bytes, at + i * size) for i in range(count)]

    def of_type(self, wanted):
        return [segment for segment in self.segments if segment[0] == wanted]

    def dynamic(self):
        entries = {}
        for _, _, offset, _, _, size, _, _ in self.of_type(DYNAMIC):
            for at in range(offset, offset + size, 16):
                tag, value = struct.unpack_from("<QQ", self.bytes, at)
                entries[tag] = value
        return entries

    def code(self):
        return b"".join(self.bytes[at:at + size] for _, flags, at, _, _, size, _, _ in self.of_type(LOAD) if flags & EXECUTABLE)


def check(elf, condition, message):
    if not condition:
        problems.append(f"{elf.name} {message}")


def check_linked(elf):
    dynamic = elf.dynamic()
    check(elf, elf.type == 3 and dynamic.get(FLAGS_1, 0) & PIE, "is not position-independent")
    check(elf, elf.of_type(RELRO), "has no RELRO segment")
    check(elf, dynamic.get(FLAGS, 0) & BIND_NOW or dynamic.get(FLAGS_1, 0) & NOW, "binds lazily: RELRO is partial")
    check(elf, TEXTREL not in dynamic, "relocates code")
    check(elf, [segment[1] & EXECUTABLE for segment in elf.of_type(STACK)] == [0], "has an executable stack")
    check(elf, not any(segment[1] & EXECUTABLE and segment[1] & WRITABLE for segment in elf.segments),
          "has memory that is writable and executable")


def check_compiled(elf):
    """By what the binary with shared libraries holds and asks for; the static one is made of the same objects."""
    check(elf, b"\0__stack_chk_fail\0" in elf.bytes, "has no stack protector")
    check(elf, any(b"\0" + name + b"\0" in elf.bytes for name in CHECKED_CALLS), "calls nothing of _FORTIFY_SOURCE")
    if elf.machine == X86_64:
        check(elf, elf.code().count(BRANCH_MARK) > 1000, "is compiled without -fcf-protection")


def is_marked(path):
    """Whether the file says that all of its code supports CET (IBT)."""
    notes = subprocess.run(["readelf", "-nW", path], capture_output=True, text=True, check=False).stdout
    return "x86 feature: IBT" in notes


def check_marks(elf):
    """The linker marks a binary if every object in it is marked; the C library of many systems is not."""
    if elf.machine != X86_64:
        return "CET does not exist on this machine"
    objects = sorted(BUILD.glob("CMakeFiles/trainjobc_yaml.dir/**/*.o"))
    unmarked = [path.name for path in objects if not is_marked(path)]
    check(elf, objects and not unmarked, f"is made of objects without the mark of CET: {unmarked[:3]}")
    return "marked for CET" if is_marked(BUILD / elf.name) else "not marked for CET: a library in it isn't"


def has_static_target():
    return "trainjobc-static" in subprocess.run(["cmake", "--build", BUILD, "--target", "help"], capture_output=True,
                                                text=True, check=True).stdout


def is_compiled_so():
    return "TRAINJOBC_HARDENED:BOOL=ON" in (BUILD / "CMakeCache.txt").read_text()


def main():
    compiled = is_compiled_so()
    shared = Elf(BUILD / "trainjobc")
    check_linked(shared)
    if compiled:
        check_compiled(shared)
        print(f"{shared.name}: {check_marks(shared)}")
    else:
        print("built without TRAINJOBC_HARDENED: what the compiler does was not looked at")
    if has_static_target():
        subprocess.run(["cmake", "--build", BUILD, "--target", "trainjobc-static"], check=True, stdout=subprocess.DEVNULL)
        static = Elf(BUILD / "static" / "trainjobc")
        check_linked(static)
        check(static, not static.of_type(INTERP), "needs a loader")
        if compiled:
            print(f"{static.name}: {check_marks(static)}")
    else:
        print("no static archives of the libraries: the static binary was not looked at")
    print("\n".join(problems) or "hardened")
    return 1 if problems else 0


sys.exit(main())
