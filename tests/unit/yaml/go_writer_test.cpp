// SPDX-License-Identifier: Apache-2.0

#include "yaml/write/go_writer.h"

#include <doctest/doctest.h>

#include "yaml/read/reader.h"

namespace trainjobc::yaml_test {
namespace {

constexpr const char* kObject = R"({"words":["on","No","y","true","null","~","<<","=","yes!","plain"],
"numbers":["010","1_000","1e3",".5","0x1f","0o17","0b11","1:30","1:75","+1","-1","1.","2026-01-02","2026-1-2","2026-01-02T03:04:05Z","1.2.3","12345678901234567890"],
"marks":["a: b","a:b","a #b","a#b","it's","say \"x\"","\\d","- a","-a","[x]","{x}","%a","@b","`c`","*d","&e","!f","|",">","? a","?a",":a","a:","# c","---","--- a","...","'","\"",",","${a}","${q}x"],
"spaces":[" lead","trail ","tab\there","sp  ace"],
"breaks":["line\nbreak","line\nbreak\n","\nfirst","two\n\nbreaks\n\n"," sp\nace","sp \nace","a\n b\n","tab\there\n","\n"],
"letters":["é","日本","😀","a\u00a0b","a\u2028b","\u007f","\u0001","a\u0085b","\ufeffx"],
"long":["word word word word word word word word word word word word word word word word word word word word word","it's word word word word word word word word word word word word word word word word word word: x","\\ word word word word word  word word word word word word word word word word word\u0001 word word word"],
"nested":{"list":[["a",["b"]],{"k":[{"x":1}]},[],{}],"empty":{},"none":[],"null":null,"float":0.0001,"big":1e21,"bool":true},
"k1":1,"k10":1,"k2":1,"k02":1,"K":1,"é":1,"a b":1,"on":1,"1":1,"a.b/c":1,"":1,"x\ny":1,"-":1}
)";

// What sigs.k8s.io/yaml 1.6.0 makes of it.
constexpr const char* kWritten = R"("": 1
'-': 1
"1": 1
K: 1
a b: 1
a.b/c: 1
breaks:
- |-
  line
  break
- |
  line
  break
- |2-

  first
- |+
  two

  breaks

- |2-
   sp
  ace
- "sp \nace"
- |
  a
   b
- "tab\there\n"
- |2+

k1: 1
k2: 1
k02: 1
k10: 1
letters:
- é
- 日本
- "\U0001F600"
- a b
- 'a   b'
- "\x7F"
- "\x01"
- "a\Nb"
- "\uFEFF\x78"
long:
- word word word word word word word word word word word word word word word word
  word word word word word
- 'it''s word word word word word word word word word word word word word word word
  word word word: x'
- "\\ word word word word word  word word word word word word word word word word
  word\x01 word word word"
marks:
- 'a: b'
- a:b
- 'a #b'
- a#b
- it's
- say "x"
- \d
- '- a'
- -a
- '[x]'
- '{x}'
- '%a'
- '@b'
- '`c`'
- '*d'
- '&e'
- '!f'
- '|'
- '>'
- '? a'
- ?a
- :a
- 'a:'
- '# c'
- '---'
- '--- a'
- '...'
- ''''
- '"'
- ','
- ${a}
- ${q}x
nested:
  big: 1e+21
  bool: true
  empty: {}
  float: 0.0001
  list:
  - - a
    - - b
  - k:
    - x: 1
  - []
  - {}
  none: []
  "null": null
numbers:
- "010"
- "1_000"
- "1e3"
- ".5"
- "0x1f"
- "0o17"
- "0b11"
- "1:30"
- 1:75
- "+1"
- "-1"
- "1."
- "2026-01-02"
- "2026-1-2"
- "2026-01-02T03:04:05Z"
- 1.2.3
- "12345678901234567890"
"on": 1
spaces:
- ' lead'
- 'trail '
- "tab\there"
- sp  ace
words:
- "on"
- "No"
- "y"
- "true"
- "null"
- "~"
- <<
- =
- yes!
- plain
? |-
  x
  y
: 1
é: 1
)";

}  // namespace

TEST_CASE("yaml: objects are written as Go does") {
  const base::SourceFile file("object.json", kObject);
  base::Arena arena;
  base::Diagnostics problems;
  const auto documents = yaml::read(file, arena, problems);
  REQUIRE(documents.size() == 1);
  std::string written;
  yaml::write_go_yaml(*documents.front().root, written);
  CHECK(written == kWritten);
}

}  // namespace trainjobc::yaml_test
