# SPDX-License-Identifier: Apache-2.0
"""C++ as tokens, with their brackets matched. It relies on clang-format: a comparison has a space on either side, the bracket of
a template's arguments has none before it."""
import bisect
import dataclasses
import re

TOKEN = re.compile(r"""
    (?P<space>\s+|//[^\n]*|/\*.*?\*/)
  | (?P<directive>\#(?:[^\n\\]|\\\n|\\.)*)
  | (?P<raw>(?:u8|[uUL])?R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)")
  | (?P<string>(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*")
  | (?P<char>(?:u8|[uUL])?'(?:[^'\\\n]|\\.)+')
  | (?P<number>\.?[0-9](?:'?[0-9A-Za-z_.]|(?<=[eEpP])[+-])*)
  | (?P<name>[A-Za-z_][A-Za-z_0-9]*)
  | (?P<sign><=>|<<=|>>=|\.\.\.|->\*|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|::|\.\*|.)
""", re.X | re.S)
OPEN = {"(": ")", "[": "]", "{": "}"}


@dataclasses.dataclass(slots=True)
class Token:
    kind: str  # raw, string, char, number, name or sign
    text: str
    start: int
    end: int
    spaced: bool  # whether there is space before it


class Source:
    """The tokens of a text without comments and directives. `match` has the other bracket of each bracket."""

    def __init__(self, text):
        self.text = text
        self.tokens = []
        spaced = True
        for found in TOKEN.finditer(text):
            kind = found.lastgroup if found.lastgroup != "mark" else "raw"
            if kind in ("space", "directive"):
                spaced = True
                continue
            self.tokens.append(Token(kind, found[0], found.start(), found.end(), spaced))
            spaced = False
        self.lines = [0, *(place.end() for place in re.finditer("\n", text))]
        self.match = {}
        self._match_brackets()
        self._match_angles()

    def is_at(self, index, *texts):
        return 0 <= index < len(self.tokens) and self.tokens[index].text in texts and self.tokens[index].kind != "string"

    def is_name(self, index):
        return 0 <= index < len(self.tokens) and self.tokens[index].kind == "name"

    def line(self, offset):
        return bisect.bisect_right(self.lines, offset)

    def plain(self, first, end):
        """The tokens from first to before end in one line, without comments."""
        text = ""
        for token in self.tokens[first:end]:
            text += (" " if token.spaced and text else "") + token.text
        return text

    def _match_brackets(self):
        opened = []
        for index, token in enumerate(self.tokens):
            if token.kind != "sign":
                continue
            if token.text in OPEN:
                opened.append(index)
            elif token.text in OPEN.values():
                other = opened.pop()
                if OPEN[self.tokens[other].text] != token.text:
                    raise ValueError(f"line {self.line(token.start)}: unbalanced {token.text}")
                self.match[other], self.match[index] = index, other

    def _match_angles(self):
        for index, token in enumerate(self.tokens):
            if token.text == "<" and token.kind == "sign" and self.is_name(index - 1) and (
                    not token.spaced or self.is_at(index - 1, "template")):
                end = self._angle_end(index)
                if end is not None:
                    self.match[index], self.match[end] = end, index

    def _angle_end(self, index):
        depth, at = 0, index
        while at < len(self.tokens):
            token = self.tokens[at]
            if token.kind == "sign":
                if token.text in OPEN:
                    at = self.match[at]
                elif token.text in (";", ")", "]", "}"):
                    return None
                elif token.text == "<":
                    depth += 1
                elif token.text in (">", ">>"):
                    depth -= len(token.text)
                    if depth <= 0:
                        return at
            at += 1
        return None
