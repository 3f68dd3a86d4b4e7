#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the screenshots of docs/images: what commands print on a terminal, with its colours, as SVG.

usage: terminal.py TRAINJOBC [--check]. With --check it compares instead, and fails if a picture is out of date.
"""
import fcntl
import html
import os
import pathlib
import pty
import re
import struct
import sys
import tempfile
import termios

ROOT = pathlib.Path(__file__).resolve().parents[2]
IMAGES = ROOT / "docs/images"
COLUMNS = 116
# Picture: folder, command as a reader would type it, lines to show (all if 0).
PICTURES = {
    "lint": ("golden/readme-lint", "lint llama.yaml", 0),
    "explain": ("examples", "explain jobs/ml-research/bert-pretrain.yaml --field '..containers'", 16),
    "diff": ("golden/diff-cost", "diff --from old.yaml input.yaml", 0),
    "plan": ("golden/plan-quota", "plan --quota quota.yaml input.yaml --no-catalogue", 0),
}
# Of the terminal: its background, text, and SGR's colours 0 to 7 with their bright forms.
BACKGROUND, TEXT, DIM = "#1e1e2e", "#cdd6f4", "#7f849c"
COLOURS = ["#45475a", "#f38ba8", "#a6e3a1", "#f9e2af", "#89b4fa", "#f5c2e7", "#94e2d5", "#bac2de"]
SGR = re.compile(r"\x1b\[([\d;]*)m")
OTHER = re.compile(r"\x1b\[[\d;?]*[A-Za-ln-z]|\r")
WIDTH, HEIGHT, MARGIN, BAR = 8.4, 19, 16, 34


def on_terminal(binary, folder, command):
    """What it prints, with its escape sequences."""
    with tempfile.TemporaryDirectory() as name:
        pathlib.Path(name, "trainjobc").symlink_to(binary)
        child, terminal = pty.fork()
        if child == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
            os.chdir(folder)
            path = f"{name}:/usr/bin:/bin"
            environment = {"PATH": path, "TERM": "xterm-256color", "PAGER": "cat", "LANG": "C.UTF-8", "HOME": name}
            os.execve("/bin/sh", ["sh", "-c", f"trainjobc {command}"], environment)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
        said = b""
        while True:
            try:
                block = os.read(terminal, 65536)
            except OSError:  # the terminal's end
                break
            if not block:
                break
            said += block
        os.waitpid(child, 0)
        os.close(terminal)
    return OTHER.sub("", said.decode())


class Style:
    def __init__(self):
        self.reset()

    def reset(self):
        self.colour, self.bold, self.dim = None, False, False

    def apply(self, codes):
        for code in [int(one or 0) for one in codes.split(";")]:
            if code == 0:
                self.reset()
            elif code == 1:
                self.bold = True
            elif code == 2:
                self.dim = True
            elif code == 22:
                self.bold = self.dim = False
            elif code == 39:
                self.colour = None
            elif 30 <= code <= 37 or 90 <= code <= 97:
                self.colour = COLOURS[code % 10]

    def attributes(self):
        colour = DIM if self.dim and not self.colour else self.colour
        return (f' fill="{colour}"' if colour else "") + (' font-weight="bold"' if self.bold else "")


def spans(line, style):
    """The line as tspans; the style goes on in the next line."""
    out = ""
    parts = SGR.split(line)
    for at, part in enumerate(parts):
        if at % 2:
            style.apply(part)
        elif part:
            attributes = style.attributes()
            text = html.escape(part, quote=False)
            out += f"<tspan{attributes}>{text}</tspan>" if attributes else text
    return out


def picture(command, said, shown):
    lines = said.rstrip("\n").split("\n")
    if shown and len(lines) > shown:
        lines = [*lines[:shown], "…"]
    lines.insert(0, f"\x1b[32m$\x1b[0m \x1b[1mtrainjobc {command}\x1b[0m")
    columns = max(len(SGR.sub("", line)) for line in lines)
    width = round(2 * MARGIN + columns * WIDTH)
    height = BAR + 2 * MARGIN + len(lines) * HEIGHT - MARGIN // 2
    dots = "".join(f'<circle cx="{20 + 18 * at}" cy="17" r="6" fill="{colour}"/>' for at, colour in enumerate((COLOURS[1], COLOURS[3], COLOURS[2])))
    text = ""
    style = Style()
    for at, line in enumerate(lines):
        text += f'<text x="{MARGIN}" y="{BAR + MARGIN + at * HEIGHT}" xml:space="preserve">{spans(line, style)}</text>\n'
    title = html.escape(f"trainjobc {command}", quote=False)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">\n'
            f"<title>{title}</title>\n"
            f'<rect width="{width}" height="{height}" rx="8" fill="{BACKGROUND}"/>{dots}\n'
            f'<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="14" fill="{TEXT}">\n'
            f"{text}</g>\n</svg>\n")


def main():
    binary = pathlib.Path(sys.argv[1]).resolve()
    old = []
    IMAGES.mkdir(parents=True, exist_ok=True)
    for name, (folder, command, shown) in PICTURES.items():
        made = picture(command, on_terminal(binary, ROOT / folder, command), shown)
        path = IMAGES / f"{name}.svg"
        if "--check" not in sys.argv:
            path.write_text(made)
        elif not path.exists() or path.read_text() != made:
            old.append(path.relative_to(ROOT).as_posix())
    if old:
        sys.exit(f"{', '.join(old)}: not what trainjobc prints now; `make golden` renews them")


main()
