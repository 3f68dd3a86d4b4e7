# SPDX-License-Identifier: Apache-2.0
"""The places of a C++ source where a small mistake could be, and the mistakes: a comparison at its bound or turned around, && for
||, + for -, another number, text or bool, a condition negated, a result turned around or missing, a call left out, break for
continue, min for max.

Only bodies of functions are looked at, without what is constexpr, a template's argument, a label of a case or an assertion."""
import dataclasses

from tokens import Source

ID = "@id@"  # where `before` has the mutant's number
# How tightly the binary operators bind.
BINDS = {"*": 10, "/": 10, "%": 10, "+": 9, "-": 9, "<<": 8, ">>": 8, "<=>": 7, "<": 6, ">": 6, "<=": 6, ">=": 6, "==": 5, "!=": 5,
         "&": 4, "^": 3, "|": 2, "&&": 1, "||": 0}
OPERATORS = {"==": ["!="], "!=": ["=="], "<": ["<=", ">="], ">": [">=", "<="], "<=": ["<", ">"], ">=": [">", "<"],
             "&&": ["||"], "||": ["&&"], "+": ["-"], "-": ["+"]}
COMPARISONS = {"==", "!=", "<", ">", "<=", ">="}
FUNCTIONS = {"min": "max", "max": "min", "any_of": "all_of", "all_of": "any_of", "none_of": "any_of"}
TEXT_FUNCTIONS = {"starts_with", "ends_with"}
# A lambda doesn't say what it returns; a call of one of these is a bool.
BOOL_FUNCTIONS = {"contains", "starts_with", "ends_with", "empty", "has_value", "any_of", "all_of", "none_of"}
# What ends an expression on either side.
BOUNDS = {",", ";", "?", ":", "=", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "return", "co_return", "{", "}", "(", ")", "[", "]",
          "case", "else", "do", "throw"}
BEFORE_OPERAND = BOUNDS - {")", "]", "}"} | set(BINDS) | {"!", "~"}


@dataclasses.dataclass(frozen=True)
class Mutant:
    """`before` and `after` are what the source gets around the text from `start` to `end`."""
    file: str
    line: int
    column: int
    code: str  # the line, without the spaces before it
    place: int  # in the line
    start: int
    end: int
    original: str
    mutated: str
    before: str
    after: str

    def text(self):
        """What stays the same if lines are added to the file."""
        return self.file, self.code, self.place, self.original, self.mutated

    def key(self):
        return self.file, self.line, self.column, self.original, self.mutated


class Finder:
    def __init__(self, file, text):
        self.file = file
        self.source = Source(text)
        self.tokens = self.source.tokens
        self.found = []

    def mutants(self):
        self._scope(0, len(self.tokens))
        return self.found

    # ---- Where functions are ----

    def _scope(self, first, end):
        """A namespace or class: looks for the bodies of its functions."""
        at = start = first
        while at < end:
            if self.source.is_at(at, ";"):
                start = at + 1
            elif self.source.is_at(at, "template") and self.source.is_at(at + 1, "<"):
                at = self.source.match[at + 1]
                start = at + 1
            elif self.source.is_at(at, "(", "["):
                at = self.source.match[at]
            elif self.source.is_at(at, "{"):
                close = self.source.match[at]
                head = [token.text for token in self.tokens[start:at]]
                if self._is_scope(head):
                    self._scope(at + 1, close)
                    start = close + 1
                elif self._is_function(head):
                    if not {"constexpr", "consteval"} & set(head):
                        self._body(at, close, result_of(head))
                    start = close + 1
                at = close
            at += 1

    @staticmethod
    def _is_scope(head):
        return bool({"namespace", "class", "struct", "union"} & set(head)) and "(" not in head and "enum" not in head and "=" not in head

    @staticmethod
    def _is_function(head):
        return "(" in head and "=" not in head[:head.index("(")] and "enum" not in head

    # ---- Inside a function ----

    def _body(self, first, end, result):
        """From the { of a function or lambda at `first` to its } at `end`."""
        at = first + 1
        while at < end:
            skipped = self._skipped(at)
            if skipped:
                at = skipped
                continue
            if self._is_lambda(at):
                at = self._lambda(at)
                continue
            self._token(at, result)
            at += 1

    def _skipped(self, at):
        """The index after what isn't looked at and begins here; 0 if nothing does."""
        if self.source.is_at(at, "<") and at in self.source.match:
            return self.source.match[at] + 1
        if self.source.is_at(at, "static_assert", "decltype", "sizeof", "alignas") and self.source.is_at(at + 1, "("):
            return self.source.match[at + 1] + 1
        if self.source.is_at(at, "constexpr"):
            if self.source.is_at(at - 1, "if"):
                return self.source.match[at + 1] + 1
            return self._next(at, ";") + 1
        if self.source.is_at(at, "case"):
            return self._next(at, ":") + 1
        if self.source.is_at(at, "enum", "using"):
            return self._next(at, ";") + 1
        return 0

    def _next(self, at, text):
        while not self.source.is_at(at, text):
            at = self.source.match[at] if self.source.is_at(at, "(", "[", "{") else at
            at += 1
        return at

    def _is_lambda(self, at):
        """Whether the [ of a lambda's captures is here."""
        if not self.source.is_at(at, "[") or self._is_operand_end(at - 1) or self.source.is_at(at - 1, "auto", "&", "&&") and \
                self.source.is_at(self.source.match[at] + 1, "=", ":"):
            return False
        return self.source.is_at(self.source.match[at] + 1, "(", "{", "mutable")

    def _lambda(self, at):
        """Goes through the lambda's body, and returns the index after it."""
        head = self.source.match[at] + 1
        start = head
        while not self.source.is_at(start, "{"):
            start = self.source.match[start] if start in self.source.match else start
            start += 1
        texts = [token.text for token in self.tokens[head:start]]
        result = result_of(texts[texts.index("->") + 1:] + ["("]) if "->" in texts else "auto"
        self._body(start, self.source.match[start], result)
        return self.source.match[start] + 1

    def _token(self, at, result):
        token = self.tokens[at]
        if token.kind == "number":
            self._number(at)
        elif token.kind == "string":
            self._string(at)
        elif token.text in ("true", "false"):
            self._value(at, at + 1, "false" if token.text == "true" else "true")
        elif token.text == "!" and not self.source.is_at(at - 1, "operator"):
            self._not(at)
        elif token.text in OPERATORS and token.kind == "sign" and self._is_binary(at):
            self._operator(at)
        elif token.text in ("if", "while") and self.source.is_at(at + 1, "("):
            self._condition(at + 2, self.source.match[at + 1])
        elif token.text == "?":
            self._negate(self._operand_start(at - 1, -1), at)
        elif token.text == "return":
            self._return(at, result)
        elif token.text in ("break", "continue") and self.source.is_at(at + 1, ";"):
            self._jump(at)
        elif token.text in FUNCTIONS and self.source.is_at(at - 1, "::") and self.source.is_at(at + 1, "("):
            self._function(at)
        if token.kind == "name":
            self._call(at)

    # ---- The mistakes ----

    def _add(self, first, end, mutated, before, after):
        original = self.source.plain(first, end)
        if "\n" in original or "\n" in before:
            return  # a raw string; lines must stay where they are
        start = self.tokens[first].start
        line = self.source.line(start)
        begin = self.source.lines[line - 1]
        code = self.source.text[begin:].split("\n", 1)[0]
        place = start - begin - (len(code) - len(code.lstrip()))
        self.found.append(Mutant(self.file, line, start - begin + 1, code.strip(), place, start, self.tokens[end - 1].end, original, mutated, before, after))

    def _value(self, first, end, mutated):
        """Another expression for the one from first to before end."""
        self._add(first, end, mutated, f"(mutation::on({ID}) ? ({mutated}) : (", "))")

    def _instead(self, first, end, mutated, statement):
        """Another statement for the one from first to before end, or nothing."""
        self._add(first, end, mutated, f"{{ if (mutation::on({ID})) {{ {statement} }} else ", " }")

    def _number(self, at):
        text = self.tokens[at].text
        digits = text.rstrip("uUlLzZ")
        if not digits.replace("'", "").isdigit():
            return
        value = int(digits.replace("'", ""))
        self._value(at, at + 1, f"{1 - value if value < 2 else value + 1}{text[len(digits):]}")

    def _string(self, at):
        """A text that something is compared with."""
        compared = any(self.source.is_at(side, "==", "!=") for side in (at - 1, at + 1))
        asked = self.source.is_at(at - 1, "(") and self.tokens[at - 2].text in TEXT_FUNCTIONS and self.source.is_at(at + 1, ")")
        if compared or asked:
            self._value(at, at + 1, '"mutant"' if self.tokens[at].text == '""' else self.tokens[at].text[:-1] + '~"')

    def _not(self, at):
        end = self._operand_end(at + 1, 11)
        self._value(at, end, f"static_cast<bool>({self.source.plain(at + 1, end)})")

    def _is_binary(self, at):
        token, after = self.tokens[at], self.tokens[at + 1]
        return token.spaced and after.spaced and self._is_operand_end(at - 1)

    def _is_operand_end(self, at):
        token = self.tokens[at]
        return token.kind in ("number", "string", "char", "raw") or token.text in (")", "]", "}") or \
            token.kind == "name" and token.text not in BEFORE_OPERAND or token.text in (">", ">>") and at in self.source.match

    def _operator(self, at):
        text = self.tokens[at].text
        if text in ("+", "-") and any(self.tokens[side].kind in ("string", "raw") for side in (at - 1, at + 1)):
            return  # it joins texts
        first, end = self._operand_start(at - 1, BINDS[text] - 1), self._operand_end(at + 1, BINDS[text])
        left, right = self.source.plain(first, at), self.source.plain(at + 1, end)
        if text == "||" and "||" in left:
            left = f"({left})"
        for other in OPERATORS[text]:
            self._value(first, end, f"{left} {other} {right}")

    def _operand_start(self, at, binds):
        """The index where the operand that ends at `at` begins; operators that bind tighter than `binds` belong to it."""
        while at >= 0:
            token = self.tokens[at]
            if at in self.source.match and self.source.match[at] < at:
                at = self.source.match[at] - 1
                continue
            if token.kind in ("sign", "name") and token.text in BOUNDS:
                break
            if token.kind == "sign" and token.text in BINDS and token.spaced and self.tokens[at + 1].spaced and BINDS[token.text] <= binds:
                break
            at -= 1
        return at + 1

    def _operand_end(self, at, binds):
        """The index after the operand that begins at `at`."""
        while at < len(self.tokens):
            token = self.tokens[at]
            if at in self.source.match and self.source.match[at] > at:
                at = self.source.match[at] + 1
                continue
            if token.kind in ("sign", "name") and token.text in BOUNDS:
                break
            if token.kind == "sign" and token.text in BINDS and token.spaced and self.tokens[at + 1].spaced and BINDS[token.text] <= binds:
                break
            at += 1
        return at

    def _condition(self, first, end):
        at = first
        while at < end:  # after what the statement declares
            if self.source.is_at(at, ";"):
                first = at + 1
            at = self.source.match[at] if self.source.is_at(at, "(", "[", "{") else at
            at += 1
        at = first
        while at < end:
            if self.source.is_at(at, "="):
                return  # the condition declares something
            at = self.source.match[at] if self.source.is_at(at, "(", "[", "{") else at
            at += 1
        self._negate(first, end)

    def _negate(self, first, end):
        if self._has_opposite(first, end):
            return
        mutated = f"!({self.source.plain(first, end)})"  # of a pointer or an optional, too
        self._add(first, end, mutated, f"(mutation::on({ID}) ? ({mutated}) : static_cast<bool>(", "))")

    def _has_opposite(self, first, end):
        """Whether there is a mutant with the opposite: a comparison turned around, or no `!`."""
        if self.source.is_at(first, "!") and self._operand_end(first + 1, 11) == end:
            return True
        return any(self.tokens[at].kind == "sign" and self.tokens[at].text in COMPARISONS and self._is_binary(at) and
                   self._operand_start(at - 1, BINDS[self.tokens[at].text] - 1) == first and
                   self._operand_end(at + 1, BINDS[self.tokens[at].text]) == end for at in range(first + 1, end - 1))

    def _return(self, at, result):
        end = self._next(at, ";")
        text = self.source.plain(at + 1, end)
        if end == at + 1 or text in ("true", "false", "std::nullopt", "nullptr", "{}", '""'):
            return
        if self._has_opposite(at + 1, end):
            return
        calls = {self.tokens[i].text for i in range(at, end) if self.source.is_at(i + 1, "(")}
        if result == "bool" or result == "auto" and calls & BOOL_FUNCTIONS and not set(OPERATORS) & {t.text for t in self.tokens[at:end]}:
            self._instead(at, end + 1, f"return !({text});", f"return !({text});")
        elif result in ("std::optional", "pointer"):
            nothing = "std::nullopt" if result == "std::optional" else "nullptr"
            self._instead(at, end + 1, f"return {nothing};", f"return {nothing};")
        elif result in ("std::string", "std::string_view", "std::vector"):
            self._instead(at, end + 1, "return {};", "return {};")

    def _jump(self, at):
        if self.tokens[at].text == "break" and self._is_in_switch(at):
            return
        other = "continue;" if self.tokens[at].text == "break" else "break;"
        self._instead(at, at + 2, other, other)

    def _is_in_switch(self, at):
        """Whether the innermost loop or switch around the token is a switch."""
        at -= 1
        while at >= 0:
            if at in self.source.match and self.source.match[at] < at:
                at = self.source.match[at]
            elif self.source.is_at(at, "{") and self.source.is_at(at - 1, ")"):
                before = self.source.match[at - 1] - 1
                if self.source.is_at(before, "switch"):
                    return True
                if self.source.is_at(before, "for", "while"):
                    return False
            elif self.source.is_at(at, "for", "while"):
                return False
            at -= 1
        return False

    def _function(self, at):
        first = at - 1
        while self.source.is_at(first, "::") and self.source.is_name(first - 1):
            first -= 2
        first += 1
        if not self.source.is_at(first, "std"):
            return
        end = self.source.match[at + 1] + 1
        self._value(first, end, f"{self.source.plain(first, at)}{FUNCTIONS[self.tokens[at].text]}{self.source.plain(at + 1, end)}")

    def _call(self, first):
        """A call whose result isn't used, as a statement that begins at `first`."""
        if not self._begins_statement(first) or self.tokens[first].text in ("return", "static_cast", "throw", "delete", "if", "while", "for",
                                                                            "switch", "else", "do"):
            return
        at = first
        while True:
            if self.source.is_name(at):
                at += 1
            else:
                return
            while at in self.source.match and self.source.match[at] > at and self.source.is_at(at, "(", "[", "<"):
                at = self.source.match[at] + 1
            if self.source.is_at(at, ".", "->", "::"):
                at += 1
                continue
            break
        if self.source.is_at(at, ";") and self.source.is_at(at - 1, ")"):
            self._instead(first, at + 1, "", "")

    def _begins_statement(self, at):
        if self.source.is_at(at - 1, ";"):
            return not self._is_in_head(at)
        if self.source.is_at(at - 1, ")"):
            return self.source.is_at(self.source.match[at - 1] - 1, "if", "while", "for", "constexpr")
        if self.source.is_at(at - 1, ":"):
            return self._is_label(at - 1)
        return self.source.is_at(at - 1, "{", "}", "else", "do")

    def _is_label(self, at):
        while at >= 0 and not self.source.is_at(at, ";", "{", "}", "?", "("):
            if self.source.is_at(at, "case", "default"):
                return True
            at -= 1
        return False

    def _is_in_head(self, at):
        """Whether the token is in the head of a `for`."""
        at -= 1
        while at >= 0:
            if at in self.source.match and self.source.match[at] < at:
                at = self.source.match[at]
            elif self.source.is_at(at, "("):
                return True
            elif self.source.is_at(at, "{"):
                return False
            at -= 1
        return False


def result_of(head):
    """What a function with this head returns, as far as it matters: bool, pointer, a type of std, or another."""
    words = [word for word in head[:head.index("(")] if word not in ("static", "inline", "virtual", "const", "explicit", "[", "]", "nodiscard")]
    # A member of another class, A::name, is one word after its result.
    if len(words) > 1 and words[0] == "bool":
        return "bool"
    if "*" in words and "<" not in words:
        return "pointer"
    for name in ("optional", "string", "string_view", "vector"):
        if words[:3] == ["std", "::", name]:
            return f"std::{name}"
    return "other"


def find(file, text):
    return Finder(file, text).mutants()


def with_mutants(text, numbered):
    """The text with the mutants in it, a list of their numbers and themselves, and for each number where it is in the new text."""
    opened, closed = {}, {}
    around = []  # the ends of the mutants that the next one is in
    for number, mutant in sorted(numbered, key=lambda item: (item[1].start, -item[1].end)):
        while around and around[-1] <= mutant.start:
            around.pop()
        if around and around[-1] < mutant.end:
            raise ValueError(f"{mutant.file}:{mutant.line}: overlaps with another: {mutant.original}")
        around.append(mutant.end)
        opened.setdefault(mutant.start, []).append((number, mutant))
        closed.setdefault(mutant.end, []).insert(0, (number, mutant))
    parts, at, size, ranges = [], 0, 0, {}

    def write(piece):
        nonlocal size
        parts.append(piece)
        size += len(piece)

    # At one place what ends comes before what begins.
    for place in sorted({*opened, *closed}):
        write(text[at:place])
        at = place
        for number, mutant in closed.get(place, []):
            write(mutant.after)
            ranges[number] = (ranges[number], size)
        for number, mutant in opened.get(place, []):
            ranges[number] = size
            write(mutant.before.replace(ID, str(number)))
    write(text[at:])
    return "".join(parts), ranges
