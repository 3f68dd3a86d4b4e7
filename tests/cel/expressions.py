#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random well-typed expressions of CEL over random objects, one JSON line each: expressions.py COUNT SEED."""

import json
import random
import sys

# What makes a value of a type: {int} is an expression of that type, {x} and {y} are new names.
FORMS = {
    "bool": [
        "true", "false", "{bool} && {bool}", "{bool} || {bool}", "!{bool}", "{bool} ? {bool} : {bool}", "{int} == {int}",
        "{int} < {int}", "{int} >= {double}", "{uint} > {int}", "{double} <= {double}", "{string} < {string}", "{string} == {string}",
        "{string} != {string}", "{bytes} == {bytes}", "{dyn} == {dyn}", "{dyn} != {dyn}", "{string} in {texts}", "{int} in {ints}",
        "{string} in {map}", "{dyn} in [1, 2]", "{string}.contains({string})", "{string}.startsWith({string})",
        "{string}.endsWith({string})", "{string}.matches({pattern})", "{ints}.all({x}, {x} > {int})", "{ints}.exists({x}, {x} == {int})",
        "{ints}.exists_one({x}, {x} % 2 == 0)", "{texts}.all({x}, {x}.size() > {int} && {bool})", "{map}.all({x}, {x} != {string})",
        "{map}.exists({x}, {y}, {x} == {string} || {y} > {int})", "{texts}.all({x}, {y}, {x} < {int} || {y} == {string})",
        "{duration} < {duration}", "{timestamp} > {timestamp}", "{timestamp} == {timestamp}", "has(object.{field})",
        "has(object.spec.{field})", "has({map}.{field})", "object.{field}", "object.spec.{field} == {dyn}", "flag", "{ints}.isSorted()",
        "{texts}.isSorted()", "isQuantity({amount})", "{quantity} == {quantity}", "{quantity}.isGreaterThan({quantity})",
        "{quantity}.isLessThan({quantity})", "{quantity}.isInteger()", "isIP({address})", "isCIDR({address})",
        "ip({address}).isLoopback()", "ip({address}).isGlobalUnicast()", "ip({address}).isUnspecified()",
        "ip({address}).isLinkLocalUnicast()", "ip({address}).isLinkLocalMulticast()", "ip.isCanonical({address})",
        "cidr({network}).containsIP({address})", "cidr({network}).containsIP(ip({address}))", "cidr({network}).containsCIDR({network})",
        "ip({address}) == ip({address})", "cidr({network}).masked() == cidr({network})", "isURL({url})", "url({url}) == url({url})",
        "isSemver({version})", "isSemver({version}, {bool})", "semver({version}).isLessThan(semver({version}))",
        "semver({version}, true) == semver({version}, true)", "sets.contains({ints}, {ints})", "sets.intersects({texts}, {texts})",
        "sets.equivalent({ints}, {ints})", "{optional}.hasValue()", "{optional} == {optional}", "format.{format}().validate({name}).hasValue()",
        "format.named('{format}').hasValue()", "type({dyn}) == type({dyn})", "type({dyn}) == int", "bool({string})", "{ints} == {ints}",
        "{map} == {map}", "{texts} != {texts}", "unknown", "unknown && {bool}", "{bool} || unknown", "u.{field} == {int}", "has(u.{field})",
        "{dyn} > {dyn}", "dyn({ints})[0] == {dyn}",
    ],
    "int": [
        "0", "1", "-1", "2", "7", "9223372036854775807", "{int} + {int}", "{int} - {int}", "{int} * {int}", "{int} / {int}",
        "{int} % {int}", "-{int}", "{bool} ? {int} : {int}", "size({string})", "{texts}.size()", "size({map})", "{string}.size()",
        "{ints}[{int}]", "{map}[{string}]", "int({double})", "int({uint})", "int({string})", "{string}.indexOf({string})",
        "{string}.indexOf({string}, {int})", "{string}.lastIndexOf({string})", "{string}.lastIndexOf({string}, {int})",
        "{ints}.indexOf({int})", "{texts}.lastIndexOf({string})", "{ints}.sum()", "{ints}.max()", "{ints}.min()", "object.spec.replicas",
        "object.spec.{field}", "object.items[{int}]", "int({duration})", "int({timestamp})", "{duration}.getSeconds()",
        "{duration}.getMilliseconds()", "{timestamp}.getHours()", "{timestamp}.getDayOfWeek()", "{timestamp}.getDate('-03:30')",
        "{timestamp}.getFullYear('UTC')", "{timestamp}.getDayOfYear()", "{timestamp}.getMonth()", "{quantity}.asInteger()",
        "sign({quantity})", "{quantity}.compareTo({quantity})", "ip({address}).family()", "cidr({network}).prefixLength()",
        "semver({version}).major()", "semver({version}, true).patch()", "semver({version}).compareTo(semver({version}))",
        "{optional}.orValue({int})", "{optional}.value()", "object.?spec.?replicas.orValue({int})", "u.spec.replicas", "size({bytes})",
        "{map}[?{string}].orValue({int})", "{ints}.first().orValue({int})", "{ints}.last().value()", "object.map.{field}",
    ],
    "uint": ["0u", "1u", "42u", "{uint} + {uint}", "{uint} - {uint}", "{uint} * {uint}", "{uint} / {uint}", "{uint} % {uint}", "uint({int})",
             "uint({double})", "uint({string})"],
    "double": ["0.0", "1.5", "-2.25", "1e30", "{double} + {double}", "{double} - {double}", "{double} * {double}", "{double} / {double}",
               "-{double}", "double({int})", "double({uint})", "double({string})", "object.ratio", "{quantity}.asApproximateFloat()",
               "[{double}, {double}].max()", "[{double}, {double}].sum()"],
    "string": [
        "''", "'a'", "'abc'", "'Hello World'", "'\\u00e9\\u4e16'", "'12'", "'true'", "'1.5'", "{string} + {string}",
        "{bool} ? {string} : {string}", "string({int})", "string({double})", "string({bool})", "string({uint})", "string({duration})",
        "string({timestamp})", "string({bytes})", "{texts}[{int}]", "{string}.charAt({int})", "{string}.lowerAscii()",
        "{string}.upperAscii()", "{string}.replace({string}, {string})", "{string}.replace({string}, {string}, {int})",
        "{string}.substring({int})", "{string}.substring({int}, {int})", "{string}.trim()", "{texts}.join()", "{texts}.join({string})",
        "{string}.find({pattern})", "strings.quote({string})", "'%s-%d'.format([{string}, {int}])", "'%.2f %s'.format([{double}, {dyn}])",
        "'%x %b'.format([{int}, {uint}])", "'%s %s'.format([{ints}, {map}])", "'%e'.format([{double}])", "object.name", "object.spec.name",
        "object.labels[{string}]", "{texts}.max()", "url({url}).getHost()", "url({url}).getHostname()", "url({url}).getPort()",
        "url({url}).getScheme()", "url({url}).getEscapedPath()", "string(ip({address}))", "string(cidr({network}).masked())",
        "string(cidr({network}).ip())", "object.{field}", "'\\t b '", "u.name",
    ],
    "bytes": ["b''", "b'abc'", "b'\\xff\\x00'", "bytes({string})", "{bytes} + {bytes}"],
    "ints": [
        "[]", "[1, 2, 3]", "[{int}, {int}]", "{ints} + {ints}", "{ints}.map({x}, {x} + {int})", "{ints}.filter({x}, {x} > {int})",
        "{ints}.map({x}, {x} > 1, {x} * {int})", "{texts}.map({x}, {x}.size())", "object.items", "{ints}.transformList({x}, {y}, {x} + {y})",
        "{ints}.transformList({x}, {y}, {y} > {int}, {x} * {y})", "{map}.transformList({x}, {y}, {y}).sort()", "lists.range({int} % 8)",
        "{ints}.reverse()", "{ints}.distinct()", "{ints}.sort()", "{ints}.slice({int}, {int})", "[{ints}, {ints}].flatten()",
        "{ints}.sortBy({x}, -{x})", "[?{optional}, {int}]", "optional.unwrap([{optional}, {optional}])", "{bool} ? {ints} : {ints}",
    ],
    "texts": [
        "['a', 'b']", "[{string}, {string}]", "{string}.split({string})", "{string}.split('a', {int})", "{string}.findAll({pattern})",
        "{string}.findAll({pattern}, {int})", "{texts} + {texts}", "{texts}.map({x}, {x} + {string})", "{texts}.filter({x}, {x}.size() < {int})",
        "object.names", "{texts}.sort()", "{texts}.reverse()", "{texts}.distinct()", "{texts}.sortBy({x}, {x}.size())",
        "{map}.map({x}, {x}).sort()",
    ],
    "map": [
        "{{'a': 1, 'b': 2}}", "{{{string}: {int}, 'z': {int}}}", "object.map", "{map}.transformMap({x}, {y}, {y} + {int})",
        "{map}.transformMap({x}, {y}, {y} > {int}, {y})", "{map}.transformMapEntry({x}, {y}, {{{x} + {string}: {y}}})",
        "{{'a': 1, ?'b': {optional}}}", "{bool} ? {map} : {map}",
    ],
    "optional": ["optional.of({int})", "optional.none()", "optional.ofNonZeroValue({int})", "{map}[?{string}]", "{ints}[?{int}]", "object.map.?{field}",
                 "{optional}.or({optional})", "{optional}.optMap({x}, {x} + {int})", "{optional}.optFlatMap({x}, optional.of({x} * {int}))",
                 "{ints}.first()"],
    "duration": ["duration('1h30m')", "duration('-2.5s')", "duration('100ms')", "{duration} + {duration}", "{duration} - {duration}",
                 "{timestamp} - {timestamp}", "duration({string})"],
    "timestamp": ["timestamp('2024-02-29T12:30:45.5Z')", "timestamp('1999-12-31T23:59:59+02:00')", "{timestamp} + {duration}",
                  "{timestamp} - {duration}", "timestamp({int})", "timestamp({string})"],
    "quantity": ["quantity({amount})", "{quantity}.add({quantity})", "{quantity}.sub({quantity})", "{quantity}.add({int})",
                 "{quantity}.sub({int})", "quantity({string})"],
    "dyn": ["dyn({int})", "dyn({string})", "dyn({double})", "dyn({uint})", "dyn({bool})", "dyn(null)", "dyn({ints})", "object.{field}",
            "object.spec", "object.spec.{field}", "object", "dyn({map})", "dyn([1, dyn('a')])", "object.ratio", "dyn({bytes})"],
    "amount": ["'1'", "'1Gi'", "'500m'", "'1.5'", "'2k'", "'1e3'", "'-3'", "'0'", "'1000m'", "'x'", "'1024Mi'", "'0.1n'", "{string}"],
    "address": ["'127.0.0.1'", "'10.1.2.3'", "'::1'", "'2001:db8::1'", "'fe80::1'", "'0.0.0.0'", "'224.0.0.1'", "'256.1.1.1'", "'ff02::1'",
                "'2001:DB8::1'", "'::ffff:1.2.3.4'", "'1.2.3.4/8'", "'::'", "'169.254.0.9'", "'1:2::3:0:0:4'", "{string}"],
    "network": ["'10.0.0.0/8'", "'10.1.0.0/16'", "'::/0'", "'2001:db8::/32'", "'192.168.1.7/24'", "'10.0.0.0/33'", "'10.0.0.0'", "'fe80::/10'"],
    "url": ["'https://example.com/a/b?x=1#f'", "'http://u:p@host:8080/%41%20b'", "'mailto:a@b'", "'/path'", "'host/path'", "'http://[::1]:80/'",
            "'https://exa mple.com'", "'https://h/?a=1&a=2&b'", "'ftp://h:port/'", "''", "'HTTP://h/%zz'", "{string}"],
    "version": ["'1.2.3'", "'1.2.3-rc.1+b.5'", "'v1.2'", "'01.2.3'", "'1.2'", "'2.0.0-alpha.10'", "'1.0.0-2'", "{string}"],
    "name": ["'abc'", "'a-b'", "'A'", "'a.b'", "'-a'", "'example.com/a'", "'2024-01-02'", "'2024-01-02T03:04:05Z'", "'aGk='", "'a_b'",
             "'123e4567-e89b-12d3-a456-426614174000'", "'https://h/'", "''", "{string}"],
    "pattern": ["'^a'", "'[a-z]+'", "'o'", "'(l+)o?'", "'\\\\d+$'", "'[A-Z]'", "''", "'('", "'\\\\bW'", "{string}"],
}
FIELDS = ["name", "spec", "replicas", "missing", "a", "b", "items", "flag"]
FORMATS = ["dns1123Label", "dns1123Subdomain", "dns1035Label", "qualifiedName", "dns1123LabelPrefix", "dns1123SubdomainPrefix",
           "dns1035LabelPrefix", "labelValue", "uri", "uuid", "byte", "date", "datetime"]
VARIABLES = {"flag": "bool", "unknown": "bool", "u": "dyn", "object": "dyn"}


class Generator:
    def __init__(self, rng):
        self.rng = rng
        self.names = 0

    def expression(self, kind, depth):
        forms = FORMS[kind]
        if depth <= 0:
            forms = [form for form in forms if "{" not in form.replace("{{", "").replace("{field}", "")] or forms[:1]
        form = self.rng.choice(forms)
        self.names += 2
        x, y = f"x{self.names}", f"x{self.names + 1}"
        out, rest = "", form
        while rest:
            if rest.startswith(("{{", "}}")):
                out, rest = out + rest[0], rest[2:]
            elif rest[0] == "{":
                end = rest.index("}")
                out, rest = out + self.part(rest[1:end], depth, x, y), rest[end + 1 :]
            else:
                out, rest = out + rest[0], rest[1:]
        return out

    def part(self, name, depth, x, y):
        if name in ("x", "y"):
            return x if name == "x" else y
        if name == "field":
            return self.rng.choice(FIELDS)
        if name == "format":
            return self.rng.choice(FORMATS)
        inner = self.expression(name, depth - 1)
        return inner if inner.isalnum() else f"({inner})"

    def value(self, depth):
        choices = [None, True, 3, -7, 0, 1.5, "abc", "", "Hello", [1, 2, 2], ["b", "a"], []]
        if depth > 0 and self.rng.random() < 0.3:
            return {self.rng.choice(FIELDS): self.value(depth - 1) for _ in range(self.rng.randrange(4))}
        return self.rng.choice(choices)

    def document(self):
        fields = {
            "name": self.rng.choice(["abc", "", "node-1", 5]), "items": self.rng.choice([[1, 2, 3], [], [5, "a"], [-1, 4]]),
            "names": self.rng.choice([["x", "y"], [], ["abc"]]), "map": self.rng.choice([{"a": 1, "b": 5}, {}, {"a": "x"}]),
            "ratio": self.rng.choice([0.5, 2, "x"]), "flag": self.rng.choice([True, False]), "labels": {"a": "b"},
            "spec": {"replicas": self.rng.choice([0, 3, 8, "x"]), "name": "n", "b": self.value(2)}, "a": self.value(2),
        }
        return {key: value for key, value in fields.items() if self.rng.random() < 0.85}


def lines(count, seed):
    rng = random.Random(seed)
    kinds = ["bool"] * 6 + ["int", "string", "double", "ints", "texts", "map", "optional", "quantity", "timestamp", "duration", "uint", "bytes"]
    for _ in range(count):
        generator = Generator(rng)
        expr = generator.expression(rng.choice(kinds), rng.choice([1, 2, 2, 3, 3, 4]))
        variables = {name: {"type": kind} for name, kind in VARIABLES.items()}
        variables["object"]["json"] = generator.document()
        variables["flag"]["expr"] = rng.choice(["true", "false"])
        yield json.dumps({"expr": expr, "variables": variables})


if __name__ == "__main__":
    for line in lines(int(sys.argv[1]), int(sys.argv[2])):
        print(line)
