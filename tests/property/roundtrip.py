#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes random trees as YAML and reads them back with parsers that are not ours.

usage: roundtrip.py BINARY [TREES [SEED]]

BINARY is yaml_roundtrip, which checks our own reader on the way. PyYAML's SafeLoader reads every tree as YAML 1.1,
its C loader too where it is built, and sigs.k8s.io/yaml where there is a Go toolchain that has it at hand.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

try:
    import yaml
except ImportError:
    print("skipped: PyYAML is not installed")
    sys.exit(77)

BATCH = 2000

WORDS = """yes no on off y n Y N true True false null Null ~ 1 -1 +1 0 -0 0x1f 0X1F -0x_ 0o17 017 08 0b101 1_000 _1 1e3
1E3 1e400 -1e-400 1.5 .5 5. . .. ... --- -- .inf -.Inf .nan 12:30 12:30:45 -1:2 1:20:30.5 2001-01-01 2001-1-1
2001-12-14t21:59:43.10-05:00 9223372036854775808 18446744073709551616 = << - ? : # % @ ` ! & * | > [ ] { } , ' "
-x --flag=1 -- ?x :x a: a:b a#b http://x:80/y @x `x %x &x *x !x |x >x [x {x x] x} ,x 'x "x x' x" it's name spec
apiVersion kind metadata nvidia.com/gpu 100m 1Gi 1.2.3 v1.30""".split()

PIECES = ["a", "b c", " ", "  ", "\n", "\n\n", "\n  ", "\t", "\r", "\r\n", ": ", " #", "- ", "? ", "'", '"', "\\", "\\n",
          "\\x41", "#", "%", "@", "`", "!", "&", "*", "|", ">", "[", "]", "{", "}", ",", "=", "<<", "---", "...", "\0",
          "\x07", "\x1b", "\x7f", "\x80", "\x85", "\x9f", "\xa0", "é", "日本", "\u200b", "\u2028", "\u2029", "\ufeff",
          "\ufffd", "\ufffe", "\uffff", "\U0001f600", "\U0010ffff", "text", "key: value", "- item", "$(x)", "{{ x }}"]

LINES = ["set -e", "  indented", "\ttab", "trailing ", "# comment", "- dash", "key: value", "", "", " ", "'q'", '"q"', "é日😀",
         "---", "...", "%x", "x" * 200]

NUMBERS = ["0", "-1", "5", "8080", "9223372036854775807", "-9223372036854775808", "18446744073709551615", "1.5", "-0.25",
           "1e21", "1.5e-7", "1e-7", "-2.5e+30", "0.000001", "1.7976931348623157e308", "5e-324", "123456789.125", "1e20"]


class Number(float):
    """A number that keeps its spelling in JSON."""

    def __new__(cls, text):
        number = super().__new__(cls, text)
        number.text = text
        return number

    def __repr__(self):
        return self.text


def random_string(r):
    kind = r.random()
    if kind < 0.35:
        return r.choice(WORDS)
    if kind < 0.40:
        return ""
    if kind < 0.70:
        return "".join(r.choice(PIECES) for _ in range(r.randint(1, 6)))
    if kind < 0.85:
        return "\n".join(r.choice(LINES) for _ in range(r.randint(1, 6))) + r.choice(["", "\n", "\n\n"])
    if kind < 0.87:
        return "".join(r.choice(PIECES) for _ in range(r.randint(200, 3000)))
    if kind < 0.93:
        return r.choice([" ", "\t", "\n", "-", "#", ""]) + r.choice(WORDS) + r.choice([" ", "\t", "\n", ":", " #", ""])
    return r.choice(WORDS) + r.choice([" ", ": ", ":", " #", ", ", "\n"]) + r.choice(WORDS)


def random_tree(r, depth):
    kind = r.random()
    if depth <= 0 or kind < 0.45:
        leaf = r.random()
        if leaf < 0.70:
            return random_string(r)
        if leaf < 0.90:
            return Number(r.choice(NUMBERS))
        return r.choice([True, False, None])
    if kind < 0.75:
        return {random_string(r): random_tree(r, depth - 1) for _ in range(r.choice([0, 1, 2, 3, 5]))}
    return [random_tree(r, depth - 1) for _ in range(r.choice([0, 1, 2, 3, 5]))]


def spell(tree):
    """JSON, numbers in their own spelling."""
    if isinstance(tree, dict):
        return "{" + ",".join(json.dumps(key) + ":" + spell(value) for key, value in tree.items()) + "}"
    if isinstance(tree, list):
        return "[" + ",".join(map(spell, tree)) + "]"
    if isinstance(tree, Number):
        return tree.text
    return json.dumps(tree)


def same(a, b):
    if isinstance(a, bool) or isinstance(b, bool) or a is None or b is None:
        return a is b
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return a == b or float(a) == float(b)
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(value, b[key]) for key, value in a.items())
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


GO_PROGRAM = """package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"
)

func main() {
	in := bufio.NewReader(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for {
		line, err := in.ReadString('\\n')
		if err != nil {
			return
		}
		n, _ := strconv.Atoi(strings.TrimSpace(line))
		text := make([]byte, n)
		if _, err := io.ReadFull(in, text); err != nil {
			panic(err)
		}
		j, err := yaml.YAMLToJSONStrict(text)
		if err != nil {
			j = []byte(strconv.Quote("error: " + err.Error()))
		}
		fmt.Fprintf(out, "%s\\n", j)
	}
}
"""


def build_go_reader(folder):
    """The path of a program around sigs.k8s.io/yaml, or why there is none. Asks no network."""
    with open(os.path.join(folder, "main.go"), "w", encoding="utf-8") as file:
        file.write(GO_PROGRAM)
    with open(os.path.join(folder, "go.mod"), "w", encoding="utf-8") as file:
        file.write("module roundtrip\n\ngo 1.22\n\nrequire sigs.k8s.io/yaml v1.6.0\n\nrequire go.yaml.in/yaml/v2 v2.4.2\n")
    environment = dict(os.environ, GOPROXY="off", GOSUMDB="off", GOFLAGS="-mod=mod", GOTOOLCHAIN="local")
    path = os.path.join(folder, "reader")
    try:
        built = subprocess.run(["go", "build", "-o", path, "."], cwd=folder, env=environment, capture_output=True, text=True)
    except FileNotFoundError:
        return None, "there is no Go"
    if built.returncode != 0:
        return None, "Go can't build it offline: " + built.stderr.strip().splitlines()[-1]
    return path, ""


def split_answers(data, count):
    texts = []
    at = 0
    for _ in range(count):
        end = data.index(b"\n", at)
        size = int(data[at:end])
        texts.append(data[end + 1:end + 1 + size])
        at = end + 1 + size
    if at != len(data):
        sys.exit("the binary answered more than it was asked")
    return texts


def check(reader, tree, text, load):
    try:
        got = load(text)
    except Exception as error:  # whatever a parser throws is a finding
        got = f"{type(error).__name__}: {error}"
    if same(tree, got):
        return True
    print(f"{reader} reads {text.decode()!r}\n  as   {got!r}\n  not  {tree!r}"[:3000])
    return False


def check_go(program, trees, texts):
    data = b"".join(b"%d\n%s" % (len(text), text) for text in texts)
    run = subprocess.run([program], input=data, stdout=subprocess.PIPE, check=True)
    answers = run.stdout.decode().split("\n")[:-1]
    return sum(not check("sigs.k8s.io/yaml", trees[i // 2], text, lambda _, i=i: json.loads(answers[i]))
               for i, text in enumerate(texts))


def check_batch(binary, trees, go):
    lines = "".join(spell(tree) + "\n" for tree in trees)
    run = subprocess.run([binary], input=lines.encode(), stdout=subprocess.PIPE)
    if run.returncode != 0:
        sys.exit(f"{binary} ended with {run.returncode}")
    texts = split_answers(run.stdout, 2 * len(trees))
    loaders = [("PyYAML", yaml.SafeLoader)]
    if hasattr(yaml, "CSafeLoader"):
        loaders.append(("libyaml", yaml.CSafeLoader))
    wrong = 0
    for i, text in enumerate(texts):
        for name, loader in loaders:
            wrong += not check(name, trees[i // 2], text, lambda t, loader=loader: yaml.load(t, Loader=loader))
    return wrong + (check_go(go, trees, texts) if go else 0)


def main():
    binary = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    seed = sys.argv[3] if len(sys.argv) > 3 else "1"
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        go, why = build_go_reader(folder)
        for start in range(0, count, BATCH):
            r = random.Random(f"{seed}/{start}")
            trees = [random_tree(r, r.randint(0, 5)) for _ in range(min(BATCH, count - start))]
            wrong += check_batch(binary, trees, go)
            if wrong > 20:
                break
    readers = ["PyYAML"] + ["libyaml"] * hasattr(yaml, "CSafeLoader") + ["sigs.k8s.io/yaml"] * bool(go)
    print(f"{count} trees in two key orders, read back by our reader, {', '.join(readers)}: {wrong} differences")
    if not go:
        print(f"sigs.k8s.io/yaml was left out: {why}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
