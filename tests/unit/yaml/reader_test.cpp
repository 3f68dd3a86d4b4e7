// SPDX-License-Identifier: Apache-2.0

// What is expected here is what sigs.k8s.io/yaml v1.6.0 makes of the same text.
#include "yaml/read/reader.h"

#include <doctest/doctest.h>

#include "support/reading.h"

namespace trainjobc::yaml::reader_test {

using test::read_all;
using test::Reading;

TEST_CASE("an ordinary manifest") {
  CHECK(
      read_all(R"(# a job
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob   # of team a
metadata:
  name: llama
spec:
  trainer:
    numNodes: 2
    command: [python, "-m", 'torch.distributed.run']
    args:
    - --lr=3e-4
    - >-
      one
      two

      three
    env:
      - name: SCRIPT
        value: |
          set -e
            cd /x
      - {name: EMPTY, value: }
)") ==
      R"({"apiVersion":"trainer.kubeflow.org/v1alpha1","kind":"TrainJob","metadata":{"name":"llama"},"spec":{"trainer":{"numNodes":2,"command":["python","-m","torch.distributed.run"],"args":["--lr=3e-4","one two\nthree"],"env":[{"name":"SCRIPT","value":"set -e\n  cd /x\n"},{"name":"EMPTY","value":null}]}}}
)");
}

TEST_CASE("empty documents are left out") {
  CHECK(read_all("") == "");
  CHECK(read_all("# nothing\n---\nnull\n---\n~\n---\na: 1\n") == "{\"a\":1}\n");
  CHECK(Reading("---\n\n---\na: 1\n").documents().front().first_line == 4);
}

TEST_CASE("quoted strings: folding and escapes") {
  CHECK(read_all(R"(a: "x\_\N\L\P\e\0\x41\u00e9\U0001F600\"\\\
  y"
b: "one
  two

  three  \
  four"
c: 'it''s
  "here"'
)") == "{\"a\":\"x\xC2\xA0\\u0085\\u2028\\u2029\\u001b\\u0000Aé😀\\\"\\\\y\",\"b\":\"one "
       "two\\nthree  four\",\"c\":\"it's \\\"here\\\"\"}\n");
}

TEST_CASE("block scalars: chomping, indentation, folding") {
  CHECK(read_all("a: |\n  x\n\nb: |-\n  x\n\nc: |+\n  x\n\nd: |2\n    x\n   y\ne: >\n  x\n  y\n\n  z\n   w\n "
                 " v\n") == R"({"a":"x\n","b":"x","c":"x\n\n","d":"  x\n y\n","e":"x y\nz\n w\nv\n"})"
                            "\n");
  CHECK(read_all("a: |") == "{\"a\":\"\"}\n");
  CHECK(read_all("a: |\n  x") == "{\"a\":\"x\\n\"}\n");
  CHECK(read_all("a: |+\n  x\n  ") == "{\"a\":\"x\\n\\n\"}\n");
  CHECK(read_all("a: >-\n\n\n  x\n") == "{\"a\":\"\\n\\nx\"}\n");
  CHECK(read_all("a:\n|\n x\nb: 1\n") == "{\"a\":\"x\\n\",\"b\":1}\n");
}

TEST_CASE("plain scalars of several lines") {
  CHECK(read_all("a: one\n  two\n\n  three # not this\nb:\n  four\n   five\n") ==
        R"({"a":"one two\nthree","b":"four five"})"
        "\n");
  CHECK(read_all("[one\ntwo, {a: three\n\nfour}]\n") == R"(["one two",{"a":"three\nfour"}])"
                                                        "\n");
}

TEST_CASE("every line break of YAML 1.1") {
  CHECK(read_all("a: 1\rb: 2\r\nc: 3\n") == R"({"a":1,"b":2,"c":3})"
                                            "\n");
  CHECK(read_all("a: 1\xC2\x85"
                 "b: \"x\xE2\x80\xA8 y\"\n") == "{\"a\":1,\"b\":\"x\\u2028y\"}\n");
}

TEST_CASE("flow style") {
  CHECK(
      read_all("a: &k [b, {c: d, \"e\":f}, [], {}, [x: w, ? z], ]\ng: {h, i: , 'j' : *k }\n") ==
      R"({"a":["b",{"c":"d","e":"f"},[],{},[{"x":"w"},{"z":null}]],"g":{"h":null,"i":null,"j":["b",{"c":"d","e":"f"},[],{},[{"x":"w"},{"z":null}]]}})"
      "\n");
  CHECK(read_all("a: [http://x:80/y, b:c, a:b:c]\n") == R"({"a":["http://x:80/y","b:c","a:b:c"]})"
                                                        "\n");
}

TEST_CASE("keys of other types become strings") {
  CHECK(read_all("1: a\nyes: b\n1.50: c\n1e6: d\n.inf: e\n? x\n: f\n") ==
        R"({"1":"a","true":"b","1.5":"c","1e+06":"d",".inf":"e","x":"f"})"
        "\n");
}

TEST_CASE("anchors, aliases and tags") {
  CHECK(read_all("a: &x [1]\nb: *x\nc: &x 2\nd: *x\n*x : e\n") == R"({"a":[1],"b":[1],"c":2,"d":2,"2":"e"})"
                                                                  "\n");
  CHECK(read_all("- &a |\n  text\n- &b !!str 5\n- *a\n- *b\n- &c x\n  y\n- *c\n") ==
        R"(["text\n","5","text\n","5","x y","x y"])"
        "\n");
  CHECK(read_all("a: !!str 5\nb: !!int '5'\nc: !!binary aGk=\nd: !local 5\ne: ! 5\nf: !!float 5\ng: "
                 "!!str\nh: !<tag:yaml.org,2002:bool> 'no'\n") ==
        R"({"a":"5","b":5,"c":"hi","d":"5","e":"5","f":5,"g":"","h":false})"
        "\n");
  CHECK(read_all("&n {a: &n [b], c: *n}\n") == R"({"a":["b"],"c":["b"]})"
                                               "\n");
}

TEST_CASE("merge keys") {
  CHECK(
      read_all("a: &a {x: 1, v: 2}\nb: &b {v: 3, z: 4}\nc:\n  <<: *a\n  v: 5\nd:\n  v: 5\n  <<: *a\ne:\n  "
               "<<: [*a, *b]\nf: {<<: {q: 1}}\n") ==
      R"({"a":{"x":1,"v":2},"b":{"v":3,"z":4},"c":{"x":1,"v":5},"d":{"v":2,"x":1},"e":{"v":2,"z":4,"x":1},"f":{"q":1}})"
      "\n");
  CHECK(read_all("\"<<\": 1\n") == R"({"<<":1})"
                                   "\n");
  CHECK(read_all("a: &a [{x: 1}]\nb:\n  <<: *a\n  <<: 5\n") ==
        R"(job.yaml:3:7: error: the value of a merge key "<<" must be a map or a list of maps [yaml/merge]
    3 |   <<: *a
      |       ^~
job.yaml:4:7: error: the value of a merge key "<<" must be a map or a list of maps [yaml/merge]
    4 |   <<: 5
      |       ^
)");
}

TEST_CASE("duplicate keys") {
  CHECK(read_all("a:\n  b: 1\n  c: 2\n  b: 3\n1: x\n\"1\": y\n") ==
        R"(job.yaml:4:3: error: key "b" is set twice in this map [yaml/duplicate-key]
    4 |   b: 3
      |   ^ remove one of the two
  note: first set here at job.yaml:2:3
job.yaml:6:1: error: key "1" is set twice in this map [yaml/duplicate-key]
    6 | "1": y
      | ^~~ remove one of the two
  note: first set here at job.yaml:5:1
)");
  CHECK(read_all("a: &a {x: 1}\nb: {x: 2, <<: *a, x: 3}\n") ==
        R"(job.yaml:2:19: error: key "x" is set twice in this map [yaml/duplicate-key]
    2 | b: {x: 2, <<: *a, x: 3}
      |                   ^ remove one of the two
  note: first set here at job.yaml:1:8
)");
}

TEST_CASE("duplicate keys in a large map") {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "k" + std::to_string(i) + ": " + std::to_string(i) + "\n";
  CHECK(Reading(text).root().size() == 1000);
  CHECK(read_all(text + "k500: x\n") ==
        R"(job.yaml:1001:1: error: key "k500" is set twice in this map [yaml/duplicate-key]
 1001 | k500: x
      | ^~~~ remove one of the two
  note: first set here at job.yaml:501:1
)");
}

TEST_CASE("values that can't be keys") {
  CHECK(read_all("~: a\n[b]: c\n18446744073709551615: d\n") ==
        R"(job.yaml:1:1: error: a key must be a string, this one is null [yaml/key]
    1 | ~: a
      | ^ quote it
job.yaml:2:1: error: a key must be a string, this one is a collection [yaml/key]
    2 | [b]: c
      | ^ quote the value if you mean a string
job.yaml:3:1: error: a key must be a string, this one is an integer of more than 63 bits [yaml/key]
    3 | 18446744073709551615: d
      | ^~~~~~~~~~~~~~~~~~~~ quote it
)");
}

TEST_CASE("values that JSON or their tag can't hold") {
  CHECK(read_all("a: .inf\nb: !!int x\n") ==
        R"(job.yaml:1:4: error: .inf is a number that JSON, and so Kubernetes, can't represent [yaml/scalar]
    1 | a: .inf
      |    ^~~~ quote it if you mean a string
job.yaml:2:10: error: "x" can't be read as !!int [yaml/scalar]
    2 | b: !!int x
      |          ^
)");
}

TEST_CASE("JSON: escapes of its own, several values in a row, duplicate keys") {
  CHECK(read_all(R"({"a": "\ud83d\ude00\/\u00e9\b", "b": [1, 1.50, -0, 1e3, true, null, {}], "c": "\ud83d"}
{"d": {"e": []}}
)") == "{\"a\":\"😀/"
       "é\\u0008\",\"b\":[1,1.5,0,1000,true,null,{}],\"c\":\"\xEF\xBF\xBD\"}\n{\"d\":{\"e\":[]}}\n");
  CHECK(read_all("{\"a\": {\"b\": 1,\n \"b\": 2}}") ==
        R"(job.yaml:2:2: error: key "b" is set twice in this map [yaml/duplicate-key]
    2 |  "b": 2}}
      |  ^~~ remove one of the two
  note: first set here at job.yaml:1:8
)");
  CHECK(Reading("{}\n\n{\"a\": 1}").documents()[1].first_line == 3);
}

TEST_CASE("only the beginning of a file is tried as JSON, as kubectl does") {
  CHECK(read_all("a: 1\n---\n{\"b\": \"\\/\"}\n") == R"({"a":1}
job.yaml:3:8: error: Kubernetes' YAML parser does not support this escape [yaml/syntax]
    3 | {"b": "\/"}
      |        ^~~ double the backslash, or use single quotes
)");
}

TEST_CASE("text that begins like JSON but isn't is YAML") {
  CHECK(read_all("{\"a\": \"\\_\", b: [1,], }\n") == "{\"a\":\"\xC2\xA0\",\"b\":[1]}\n");
  CHECK(read_all("{\"a\": 01}") == "{\"a\":1}\n");
  CHECK(read_all("{\"a\": \"\\ud83d\\ude00\", b: 1}") ==
        R"(job.yaml:1:8: error: this escape is not a Unicode character [yaml/syntax]
    1 | {"a": "\ud83d\ude00", b: 1}
      |        ^~~~~~~~~~~~~~~~ write the character itself
)");
}

TEST_CASE("a tab can't indent") {
  CHECK(read_all("spec:\n  trainer:\n\tnumNodes: 2\n") ==
        R"(job.yaml:3:1: error: YAML can't be indented with tabs [yaml/syntax]
    3 |  numNodes: 2
      | ^~~~~~~~~ indent with spaces
)");
  CHECK(read_all("a:\n- b\n\t\n- c\n") ==
        R"(job.yaml:3:1: error: YAML can't be indented with tabs [yaml/syntax]
    3 |  
      | ^ indent with spaces
)");
  CHECK(read_all("a: |\n\tb\n") == R"(job.yaml:2:1: error: YAML can't be indented with tabs [yaml/syntax]
    2 |  b
      | ^~ indent with spaces
)");
  CHECK(read_all("a:\tb\t# c\nd: [\n\te]\n") == R"({"a":"b","d":["e"]})"
                                                "\n");
}

TEST_CASE("errors are reported at their cause") {
  CHECK(read_all("a: b: c\n") ==
        R"(job.yaml:1:5: error: a ": " is not allowed here: the line is already a value [yaml/syntax]
    1 | a: b: c
      |     ^ quote the value
)");
  CHECK(read_all("a:\n  b: 1\n c: 2\n") ==
        R"(job.yaml:3:2: error: this line matches no indentation level above it [yaml/syntax]
    3 |  c: 2
      |  ^ indent it like its siblings, or quote the value before it
)");
  CHECK(read_all("a: [b,\n  {c: d}\n") ==
        R"(job.yaml:1:4: error: this bracket is not closed before the end of the document [yaml/syntax]
    1 | a: [b,
      |    ^ close it
)");
  CHECK(read_all("b: \"x\n") ==
        R"(job.yaml:1:4: error: this quote is not closed before the end of the document [yaml/syntax]
    1 | b: "x
      |    ^~ close it
)");
  CHECK(read_all("a: \"\\z\"\n") ==
        R"(job.yaml:1:5: error: Kubernetes' YAML parser does not support this escape [yaml/syntax]
    1 | a: "\z"
      |     ^~~ double the backslash, or use single quotes
)");
  CHECK(
      read_all("a: *.py\n") ==
      R"(job.yaml:1:4: error: a value that begins with "*" is an alias, and this is not the name of an anchor [yaml/syntax]
    1 | a: *.py
      |    ^~~~ quote it if you mean a string
)");
  CHECK(read_all("a: %x\n") == R"(job.yaml:1:4: error: no value can begin with this character [yaml/syntax]
    1 | a: %x
      |    ^~ quote it
)");
  CHECK(read_all("a: [b, , c]\n") == R"(job.yaml:1:8: error: "," is not allowed here [yaml/syntax]
    1 | a: [b, , c]
      |        ^
)");
  CHECK(read_all("%YAML 1.1\n---\na: 1\n") == R"({"a":1}
job.yaml:1:1: error: a directive never reaches its document: Kubernetes splits files at the "---" below it [yaml/syntax]
    1 | %YAML 1.1
      | ^~~~~~~~~ remove it
)");
}

TEST_CASE("too many or too few characters in a value") {
  CHECK(
      read_all("a: [b,\n  {c: d}\ne: f\n") ==
      R"(job.yaml:3:1: error: the bracket on line 1 is not closed before this, and there is no comma before it [yaml/syntax]
    3 | e: f
      | ^
)");
  CHECK(read_all("a: 'it's'\n") == R"(job.yaml:1:8: error: this can't follow the value before it [yaml/syntax]
    1 | a: 'it's'
      |        ^~ put the whole value in quotes
)");
}

TEST_CASE("the message names the line that is wrong") {
  CHECK(
      read_all("spec:\n  a: 1\n   b: 2\n  c: 3\n") ==
      R"(job.yaml:3:4: error: this line is read as part of the value above it: it is indented deeper than its siblings [yaml/syntax]
    3 |    b: 2
      |    ^ indent it like its siblings, or quote the value above
)");
  CHECK(read_all("a:\n  image:docker\n  b: 1\n") ==
        R"(job.yaml:2:3: error: this key has no value: a ": " must follow on its line [yaml/syntax]
    2 |   image:docker
      |   ^~~~~~~~~~~~ put a space after the colon
)");
  CHECK(read_all("a:\n  b: 1\n  image:docker\n") ==
        R"(job.yaml:3:3: error: this key has no value: a ": " must follow on its line [yaml/syntax]
    3 |   image:docker
      |   ^~~~~~~~~~~~ put a space after the colon
)");
  CHECK(
      read_all("a: \"one\nb: two\nc: \"three\"\n") ==
      R"(job.yaml:1:4: error: this string ends only at a quote further down, and more text follows that quote [yaml/syntax]
    1 | a: "one
      |    ^~~~ close the quote where the string ends
)");
  CHECK(read_all("command:\n- a\n-python\n- b\n") ==
        R"(job.yaml:3:1: error: this is not a list item: list items begin with "- " [yaml/syntax]
    3 | -python
      | ^~~~~~~ put a space after the dash
)");
  CHECK(read_all("apiVersion: v1\nkind: A\nmetadata: {}\napiVersion: v1\nkind: B\nmetadata: {}\n") ==
        R"(job.yaml:4:1: error: key "apiVersion" is set twice in this map [yaml/duplicate-key]
    4 | apiVersion: v1
      | ^~~~~~~~~~ put a line "---" between two objects, or remove one of the two
  note: first set here at job.yaml:1:1
)");
}

TEST_CASE("text that libyaml reads differently from Kubernetes") {
  CHECK(read_all("a: \"it\\'s\"\nb: [\"\\'\\\\\", \"é\\'\"]\n") == R"({"a":"it's","b":["'\\","é'"]})"
                                                                   "\n");
  CHECK(read_all("a: \"b\r\r\n c\"\r\r\nd: e\r\n") == "{\"a\":\"b c\",\"d\":\"e\"}\n");
  CHECK(read_all("#\xC2\x85---\nb\n") ==
        "job.yaml:1:4: error: a document marker is not allowed here [yaml/syntax]\n"
        "    1 | #\xEF\xBF\xBD---\n      |   ^~~\n");
  CHECK(read_all("a: [b?c]\n") == R"(job.yaml:1:6: error: "?" is not allowed here [yaml/syntax]
    1 | a: [b?c]
      |      ^~ put the whole value in quotes
)");
  CHECK(read_all("a: 1\n\xEF\xBB\xBF"
                 "b: 2\n") ==
        "job.yaml:2:1: error: a byte order mark is not allowed here [yaml/character]\n"
        "    2 | \xEF\xBF\xBD"
        "b: 2\n      | ^ remove it\n");
}

TEST_CASE("a text is trusted only if yaml-cpp reads the same values") {
  const auto same = [](std::string_view text) {
    const base::SourceFile file("job.yaml", std::string(text));
    base::Arena arena;
    base::Diagnostics ignored;
    return reads_the_same(file, read(file, arena, ignored));
  };
  CHECK(same("a: &x {b: [1, 'two', ~, yes], c: |\n    text\n  }\n") == false);  // no block scalar in brackets
  CHECK(same("a: &x {b: [1, 'two', ~, yes]}\nc: *x\nd: |\n  text\n---\n<<: {e: 0x1f}\nf: >-\n  g\n  h\n"));
  CHECK(same("a: ! 5\nb: !!int '5'\nc: [d: e]\n"));
  CHECK_FALSE(same("- &a b: c\n- &d\n  e\n- *d\n- [f, g?]\n"));
  CHECK_FALSE(same("a: {? b, c: }\n? d\n  e\n: f {}\nf: {}\ng\n"));
  CHECK_FALSE(same("{a: b, c\n  d}\n"));  // a key that is not a string
}

TEST_CASE("aliases without an anchor, or inside their own") {
  CHECK(read_all("a: *b\n---\nb: &b [*b]\n") ==
        R"(job.yaml:1:4: error: this alias has no anchor above it in the same document [yaml/alias]
    1 | a: *b
      |    ^~ an anchor is valid only in its own document
job.yaml:3:8: error: an alias refers to the value that contains it [yaml/alias]
    3 | b: &b [*b]
      |        ^~
)");
}

TEST_CASE("text that Kubernetes never reads is warned about") {
  CHECK(read_all("  apiVersion: v1\nkind: ConfigMap\n") == R"({"apiVersion":"v1"}
job.yaml:2:1: warning: the document's value ends above: Kubernetes ignores everything from here on [yaml/after-document-end]
    2 | kind: ConfigMap
      | ^~~~ indent it like its siblings, or put a line "---" before it
)");
}

TEST_CASE("a bad document doesn't hide the others") {
  CHECK(read_all("a: [\n---\nb: 1\n---\nc: }\n---\nd: 2\n") == R"({"b":1}
{"d":2}
job.yaml:1:4: error: this bracket is not closed before the end of the document [yaml/syntax]
    1 | a: [
      |    ^ close it
job.yaml:5:4: error: this bracket has no opening bracket [yaml/syntax]
    5 | c: }
      |    ^
)");
}

TEST_CASE("nesting is limited") {
  CHECK(read_all("[[[[]]]]", {.max_depth = 3}) ==
        R"(job.yaml:1:4: error: the document is nested more than 3 levels deep [yaml/too-deep]
    1 | [[[[]]]]
      |    ^
)");
  CHECK(read_all("- - - - a", {.max_depth = 3}) ==
        R"(job.yaml:1:7: error: the document is nested more than 3 levels deep [yaml/too-deep]
    1 | - - - - a
      |       ^
)");
  CHECK(read_all("{\"a\":{\"b\":{\"c\":{}}}}", {.max_depth = 3}) ==
        R"(job.yaml:1:16: error: the document is nested more than 3 levels deep [yaml/too-deep]
    1 | {"a":{"b":{"c":{}}}}
      |                ^
)");
  for (const std::string open : {"[", "{a: ", "- ", "? ", "{\"a\":["}) {
    std::string text;
    for (int i = 0; i < 100'000; ++i) text += open;
    CAPTURE(open);
    CHECK(read_all(text).find("nested more than 400 levels deep [yaml/too-deep]") != std::string::npos);
  }
}

TEST_CASE("aliases that expand too much are refused, as by Kubernetes") {
  std::string text = "a: &a [x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c < 'k'; ++c) {
    const std::string before = "*" + std::string(1, static_cast<char>(c - 1));
    text += std::string(1, c) + ": &" + c + " [" + before;
    for (int i = 0; i < 8; ++i) text += ", " + before;
    text += "]\n";
  }
  CHECK(
      read_all(text) ==
      R"(job.yaml:4:20: error: too much of this document comes from aliases: Kubernetes refuses it [yaml/aliases]
    4 | d: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c]
      |                    ^~
)");
}

TEST_CASE("size is limited") {
  CHECK(read_all("[1, 2, 3]\n", {.max_values = 4}) ==
        R"(job.yaml:1:8: error: the document expands to more than 4 values [yaml/too-large]
    1 | [1, 2, 3]
      |        ^
)");
  CHECK(read_all(std::string(3 << 20U, '#'), {.max_bytes = 2 << 20U}) ==
        "job.yaml: error: the file is larger than 2 MiB [yaml/too-large]\n");
}

TEST_CASE("expansion by aliases is limited, in the whole file") {
  std::string text = "a: &a " + std::string(200'000, 'x') + "\nb: &b {c: *a}\n";
  for (int i = 0; i < 5; ++i) text += "d" + std::to_string(i) + ": *b\n";
  CHECK(read_all(text, {.max_repeated_bytes = 1 << 20U}).starts_with("{\"a\":\"xxx"));
  text += "---\na: &a " + std::string(100'000, 'x') + "\n";
  for (int i = 0; i < 40; ++i) text += "d" + std::to_string(i) + ": *a\n";
  const std::string all = read_all(text, {.max_repeated_bytes = 1 << 20U});
  CHECK(all.substr(all.find('\n') + 1) ==
        R"(job.yaml:20:6: error: aliases repeat more than 979 KiB of text in this document [yaml/too-large]
   20 | d10: *a
      |      ^~ write the text once, in a ConfigMap or in the image
)");
}

}  // namespace trainjobc::yaml::reader_test
