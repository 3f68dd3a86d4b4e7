# SPDX-License-Identifier: Apache-2.0
"""Finds places in a C++ source where a small mistake can be made, and writes the source with all mistakes at once: each is made when
the program runs with its number."""
import dataclasses
import re

CALL = "mutation::on({})"
# Of the same length, so that places in the masked text are those of the source.
MASKED = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)
SWAPS = {"==": "!=", "!=": "==", "<=": "<", ">=": ">", "<": "<=", ">": ">=", "&&": "||", "||": "&&", "+": "-", "-": "+"}
# With blanks around them, as clang-format writes them: no template has those.
OPERATOR = re.compile(r" (==|!=|<=|>=|<|>|&&|\|\||\+|-)(?= |\n)")
NUMBER = re.compile(r"(?<=[<>=(+,-] )\d+\b(?!\.)|(?<=\()\d+(?=\))|(?<=[<>=] )k[A-Z]\w*\b(?!\()")
CONDITION = re.compile(r"\b(?:if|while) \(")
RETURN = re.compile(r"(?<=[{};)\n]) *\breturn (?=[^;])|(?<=else )return (?=[^;])")
VALUE = re.compile(r"\bconst (?:bool|size_t|int|int32_t|int64_t|unsigned) \w+ = ")
STATEMENT = re.compile(r"(?<=[;{}\n])( +)((?:[\w:]+(?:\.|->))*[\w:]+(?:\(|(?:\.|->)[\w.]+\(| (?:=|\+=|-=|\|=) ))")
TRUTH = re.compile(r"true|false")


@dataclasses.dataclass
class Mutant:
    path: str
    line: int        # in the source
    what: str        # "a == b -> a != b"
    begin: int       # of the text that it replaces
    end: int
    text: str        # what replaces it
    form: str        # "value": an expression; "statement"
    number: int = 0


def masked(text):
    return MASKED.sub(lambda found: re.sub(r"[^\n]", "_" if found[0][0] in "\"'R" else " ", found[0]), text)


def closing(text, at):
    """The place of the bracket that closes the one at `at`; -1 if there is none."""
    depth = 0
    for place in range(at, len(text)):
        if text[place] in "([{":
            depth += 1
        elif text[place] in ")]}":
            depth -= 1
            if depth == 0:
                return place
    return -1


def end_of_statement(text, at):
    """The place of its semicolon; -1 if it contains a block."""
    depth = 0
    for place in range(at, len(text)):
        if text[place] in "([":
            depth += 1
        elif text[place] in ")]":
            depth -= 1
        elif text[place] in "{}":
            return -1
        elif text[place] == ";":
            return place if depth == 0 else -1
        if depth < 0:
            return -1
    return -1


def at_compile_time(text):
    """The ranges of functions that the compiler may run."""
    return [(found.start(), found.end()) for found in re.finditer(r"^(?:constexpr|consteval|inline constexpr|static_assert).*?^\}", text, re.M | re.S)]


class Finder:
    def __init__(self, path, source):
        self.path, self.source, self.text = path, source, masked(source)
        self.skipped = at_compile_time(self.text)
        self.found = []

    def add(self, begin, end, replaced, form):
        if any(first <= begin < last for first, last in self.skipped):
            return
        line = self.source.count("\n", 0, begin) + 1
        old = " ".join(self.source[begin:end].split())
        self.found.append(Mutant(self.path, line, f"{old[:90]} -> {' '.join(replaced.split())[:90]}", begin, end, replaced, form))

    def change(self, begin, end, place, stop, text):
        self.add(begin, end, self.source[begin:place] + text + self.source[stop:end], "value")

    def expression(self, begin, end):
        """Each operator and number in it."""
        if "{" in self.text[begin:end] or "[" in self.text[begin:end] and "](" in self.text[begin:end] or "<<" in self.text[begin:end] or "co_" in self.text[begin:end]:
            return
        for found in OPERATOR.finditer(self.text, begin, end):
            self.change(begin, end, found.start(1), found.end(1), SWAPS[found[1]])
        for found in NUMBER.finditer(self.text, begin, end):
            self.change(begin, end, found.start(), found.end(), f"({found[0]} + 1)")

    def conditions(self):
        for found in CONDITION.finditer(self.text):
            opening = found.end() - 1
            end = closing(self.text, opening)
            begin = opening + 1
            inside = self.text[begin:end]
            if ";" in inside:  # if (declaration; condition)
                begin += inside.rindex(";") + 1
                begin += len(self.text[begin:end]) - len(self.text[begin:end].lstrip())
                inside = self.text[begin:end]
            if end < 0 or re.search(r"(?<![=!<>])=(?!=)", inside) or "{" in inside or "](" in inside:
                continue
            self.add(begin, end, f"!({self.source[begin:end]})", "condition")
            self.expression(begin, end)

    def values(self):
        for pattern in (RETURN, VALUE):
            for found in pattern.finditer(self.text):
                begin = found.end()
                end = end_of_statement(self.text, begin)
                if end < 0:
                    continue
                self.expression(begin, end)
                if TRUTH.fullmatch(self.text[begin:end]):
                    self.add(begin, end, "false" if self.text[begin:end] == "true" else "true", "value")

    def statements(self):
        for found in STATEMENT.finditer(self.text):
            begin = found.start(2)
            end = end_of_statement(self.text, begin)
            before = self.text[:found.start()].rstrip()
            if end < 0 or before[-1:] not in ";{}" or re.match(r"(return|throw|case|using|static_assert|delete|new|if|while|for|switch)\b", self.text[begin:]):
                continue
            self.add(begin, end + 1, "{}", "statement")

    def all(self):
        self.conditions()
        self.values()
        self.statements()
        return self.found


def find(path, source):
    return Finder(path, source).all()


def written(source, mutants):
    """The source in which each of them is chosen when it runs; those of one place are nested. None crosses another."""
    by_place = {}
    for mutant in mutants:
        by_place.setdefault((mutant.begin, mutant.end), []).append(mutant)
    for (begin, end), here in sorted(by_place.items(), reverse=True):
        original = source[begin:end]
        if here[0].form == "statement":
            text = f"if (!{CALL.format(here[0].number)}) {{ {original} }}"
        else:
            text = f"({original})"
            for mutant in here:
                text = f"({CALL.format(mutant.number)} ? ({mutant.text}) : {text})"
        # Lines stay where they are: compilers name them.
        source = source[:begin] + text.replace("\n", " ") + "\n" * original.count("\n") + source[end:]
    return source
