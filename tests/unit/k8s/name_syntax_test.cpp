// SPDX-License-Identifier: Apache-2.0

#include "k8s/name_syntax.h"

#include <doctest/doctest.h>

#include <string>

namespace trainjobc::k8s::name_syntax_test {

TEST_CASE("names: DNS labels and subdomains") {
  CHECK(dns_label_problem("a-9") == "");
  CHECK(dns_label_problem("") == "is empty");
  CHECK(dns_label_problem(std::string(63, 'a')) == "");
  CHECK(dns_label_problem(std::string(64, 'a')) == "has 64 characters, at most 63 are allowed");
  CHECK(dns_label_problem("a.b") ==
        "may contain only lower-case letters, digits and '-', and must begin and end with a letter or digit");
  CHECK(dns_1035_label_problem("9a") ==
        "may contain only lower-case letters, digits and '-', and must begin with a letter and end with a "
        "letter or digit");
  CHECK(dns_subdomain_problem("a.b-c.9") == "");
  for (const std::string_view text : {"a..b", ".a", "a.", "-a", "a-", "a.-b", "A", "a_b", "\xc3\xa9"}) {
    CHECK_MESSAGE(dns_subdomain_problem(text) ==
                      "may contain only lower-case letters, digits, '-' and '.', and must begin and end with "
                      "a letter or "
                      "digit",
                  text);
  }
  CHECK(dns_subdomain_problem(std::string(254, 'a')) == "has 254 characters, at most 253 are allowed");
}

TEST_CASE("names: keys of labels and annotations") {
  for (const std::string_view text : {"a", "A_b.c-D", "x/y", "a.b/C_d", "9/9"}) {
    CHECK_MESSAGE(label_key_problem(text) == "", text);
  }
  CHECK(label_key_problem("") == "is empty");
  CHECK(label_key_problem("/a") == "has a prefix that is empty");
  CHECK(label_key_problem("a/") == "has a name after its '/' that is empty");
  CHECK(label_key_problem("a/b/c") == "may contain only one '/'");
  CHECK(label_key_problem("A/b") == "needs a DNS name such as example.com before its '/'");
  CHECK(annotation_key_problem("A/b") == "");
  CHECK(label_key_problem("a/" + std::string(64, 'b')) ==
        "has a name after its '/' that has 64 characters, at most 63 are allowed");
  CHECK(label_key_problem(std::string(254, 'a') + "/b") ==
        "has a prefix that has 254 characters, at most 253 are allowed");
  CHECK(label_key_problem("a b") ==
        "may contain only letters, digits, '-', '_' and '.', and must begin and end with a letter or digit");
}

TEST_CASE("names: whether a key is one, and what is wrong with it") {
  const std::string long_name(64, 'b');
  const std::string long_prefix(254, 'a');
  for (const std::string& text : {std::string("a"),
                                  std::string("A_b.c-D"),
                                  std::string("a.b/C_d"),
                                  std::string("9/9"),
                                  std::string(),
                                  std::string("/"),
                                  std::string("/a"),
                                  std::string("a/"),
                                  std::string("a/b/c"),
                                  std::string("A/b"),
                                  std::string("a./b"),
                                  std::string(".a/b"),
                                  std::string("a..b/c"),
                                  std::string("a-/b"),
                                  std::string("a.-b/c"),
                                  std::string("a_b/c"),
                                  std::string("a/-b"),
                                  std::string("a/b."),
                                  std::string("a b"),
                                  std::string("\xc3\xa9/b"),
                                  std::string("a/\xc3\xa9"),
                                  long_name,
                                  "a/" + long_name,
                                  "a/" + long_name.substr(1),
                                  long_prefix + "/b",
                                  long_prefix.substr(1) + "/b"}) {
    CHECK_MESSAGE(is_label_key(text) == label_key_problem(text).empty(), text);
  }
}

TEST_CASE("names: domain-prefixed paths") {
  for (const std::string_view text :
       {"a/b", "example.com/a%20b", "example.com/a/b/", "x/-._~%!$&'()*+,;=:", "x//"}) {
    CHECK_MESSAGE(is_domain_prefixed_path(text), text);
  }
  for (const std::string_view text : {"", "a", "/b", "a/", "Example.com/a", "a/b c", "a/b?c", "a/b#c", "a/é"})
    CHECK_MESSAGE(!is_domain_prefixed_path(text), text);
  CHECK_FALSE(is_domain_prefixed_path(std::string(254, 'a') + "/b"));
}

TEST_CASE("names: label values") {
  CHECK(label_value_problem("") == "");
  CHECK(label_value_problem("A.b_c-9") == "");
  CHECK(label_value_problem(std::string(64, 'a')) == "has 64 characters, at most 63 are allowed");
  CHECK(label_value_problem("-a") ==
        "may contain only letters, digits, '-', '_' and '.', and must begin and end with a letter or digit");
}

TEST_CASE("names: suggestions") {
  CHECK(suggest_dns_name("My_Job 1", false, false) == "my-job-1");
  CHECK(suggest_dns_name("three.layers", false, true) == "three-layers");
  CHECK(suggest_dns_name("three.layers", true, false) == "three.layers");
  CHECK(suggest_dns_name("9-lives!", false, true) == "lives");
  CHECK(suggest_dns_name("9-lives!", false, false) == "9-lives");
  CHECK(suggest_dns_name("--", false, false) == "");
  CHECK(suggest_dns_name("a.-b", true, false) == "");
  CHECK(suggest_dns_name(std::string(70, 'a'), false, false) == std::string(63, 'a'));
}

TEST_CASE("a name as a prefix: its last dash and the character before it count as a letter") {
  CHECK(as_prefix("job-") == "joa");
  CHECK(as_prefix("a-") == "a");
  CHECK(as_prefix("-") == "-");
  CHECK(as_prefix("job") == "job");
  CHECK(as_prefix("") == "");
}

}  // namespace trainjobc::k8s::name_syntax_test
