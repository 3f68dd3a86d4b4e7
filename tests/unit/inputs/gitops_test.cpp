// SPDX-License-Identifier: Apache-2.0

// Variables of Flux, and the globs of Argo CD. What the roots of a repository are:
// tests/program/roots_test.py.
#include <doctest/doctest.h>

#include "inputs/gitops/roots.h"
#include "inputs/gitops/substitute.h"

namespace trainjobc::gitops_test {
namespace {

const gitops::Variables kVariables{{"A", "alpha"}, {"B", "b/b/c"}, {"N", "12"},
                                   {"E", ""},      {"P", "a*b?c"}, {"U", "épée-straße"}};

struct Case {
  const char* text;
  const char* wanted;  // what github.com/fluxcd/pkg/envsubst makes of it; "!": an error
};

// With the variables above, as recorded from version 1.8.0.
constexpr Case kCases[] = {
    {"x${A}y", "xalphay"},
    {"$A $ $$A $${A} $$$${A}", "$A $ $A ${A} $${A}"},
    {"${Z} ${E}.", " ."},
    {"${Z:=d}${E:-e}${A:=d}${Z=f}", "dealphaf"},
    {"${Z:=d${N}e}", "d12e"},
    {"${Z:=}${Z:-}", ""},
    {"${Z:?message}${A:+other}", "messagealpha"},
    {"${A^}${A^^}", "AlphaALPHA"},
    {"${A,}${A,,}", "alphaalpha"},
    {"${U^}${U^^}${U,}${U,,}", "Épée-straßeÉPÉE-STRAßEépée-straßeépée-straße"},
    {"${A:1}${A:1:2}${A:-2}${A:9}.", "lphalpalpha."},
    {"${A:0:-2}${A:1:-1}${A:3:-4}${A:4:-1}.", "alplph."},
    {"${A:x}${A:1:x}", "alphaalpha"},
    {"${B/b/x}${B//b/x}${B/#b/x}${B/%c/x}${B//\\//_}", "x/b/cx/x/cx/b/cb/b/xb_b_c"},
    {"${B#*/}${B##*/}${B%/*}${B%%/*}", "b/ccb/bb"},
    {"${P#a\\*}${P#[a-c]}${P%[^a]}", "b?c*b?ca*b?c"},
    {"${#A}${#Z}", "50"},
    {"${A", "!"},
    {"${}", "!"},
    {"${A-x}", "!"},
    {"${A:}", "!"},
    {"${A/b}", "!"},
    {"${ A }", "!"},
};

}  // namespace

TEST_CASE("gitops: variables are replaced as Flux does") {
  for (const Case& one : kCases) {
    CAPTURE(one.text);
    const gitops::Substituted got = gitops::substitute(one.text, kVariables);
    CHECK((got.error.empty() ? got.text : "!") == one.wanted);
  }
}

TEST_CASE("gitops: variables that nothing sets") {
  CHECK(gitops::substitute("${X}${Y}${X}${Z:=d}${A}${Q,,}", kVariables).unset ==
        std::vector<std::string>{"X", "Y"});
  using gitops::Strictness;
  CHECK(gitops::substitute("${A:=${X}}${Z:=${Y}}${A:-${Z:=d}}", kVariables).unset ==
        std::vector<std::string>{"Y"});
  CHECK(gitops::substitute("${A:=${X}}${Q,,}${Z:=d}", kVariables, Strictness::Strict).unset ==
        std::vector<std::string>{"X", "Q"});
  CHECK(gitops::substitute("${A", kVariables).error == "missing closing brace");
  CHECK(gitops::is_variable_name("_a1"));
  CHECK(!gitops::is_variable_name("1a"));
  CHECK(!gitops::is_variable_name("a-b"));
  CHECK(!gitops::is_variable_name(""));
}

TEST_CASE("gitops: Argo CD's globs") {
  CHECK(gitops::matches_argo_glob("*.yaml", "a/b.yaml"));
  CHECK(gitops::matches_argo_glob("{config.json,env-usw2/*}", "env-usw2/a.yaml"));
  CHECK(!gitops::matches_argo_glob("{config.json,env-usw2/*}", "env-euw1/a.yaml"));
  CHECK(gitops::matches_argo_glob("a?.{yaml,yml}", "ab.yml"));
  CHECK(!gitops::matches_argo_glob("a?.{yaml,yml}", "ab.json"));
  CHECK(gitops::matches_argo_glob("**", "a"));
  CHECK(!gitops::matches_argo_glob("", "a"));
}

}  // namespace trainjobc::gitops_test
