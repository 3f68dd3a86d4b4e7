// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include "base/text/text.h"

namespace trainjobc::base::shell_test {
namespace {

// The words in brackets, "?" if only a shell can tell.
std::string split(std::string_view line) {
  const auto words = split_words(line);
  if (!words) return "?";
  std::string out;
  for (const std::string& word : *words) out += "[" + word + "]";
  return out;
}

}  // namespace

TEST_CASE("shell: words as a shell splits them") {
  CHECK(split("torchrun  train.py --lr 0.1") == "[torchrun][train.py][--lr][0.1]");
  CHECK(split("python -c 'print(1); x'") == "[python][-c][print(1); x]");
  CHECK(split(R"(echo "a \"b\" \\ c" a\ b '')") == R"([echo][a "b" \ c][a b][])");
  CHECK(split("a=b --x=\"y z\"") == "[a=b][--x=y z]");
  CHECK(split("train --rank $(JOB_INDEX) --of=$(N)") == "[train][--rank][$(JOB_INDEX)][--of=$(N)]");
  CHECK(split("a#b") == "[a#b]");
  CHECK(split("") == "");
}

TEST_CASE("shell: what only a shell can split") {
  for (const std::string_view line :
       {"cd /w && python x.py", "a | b", "echo $HOME", "echo \"$HOME\"", "ls *.py", "a; b", "a > b",
        "echo `date`", "a 'b", "a \"b", "a \\", "a # b", "echo $(date)", "a\nb", "~/x", "{a,b}"}) {
    CHECK_MESSAGE(split(line) == "?", line);
  }
}

}  // namespace trainjobc::base::shell_test
