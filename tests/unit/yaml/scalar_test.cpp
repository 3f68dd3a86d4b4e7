// SPDX-License-Identifier: Apache-2.0

#include "yaml/scalar.h"

#include <doctest/doctest.h>

#include <string>

namespace trainjobc::yaml::scalar_test {
namespace {

// "int 5", "string", "not JSON".
std::string plain(std::string_view text) {
  const std::optional<Scalar> scalar = resolve_plain(text);
  if (!scalar) return "not JSON";
  std::string out(scalar->kind == Kind::Int     ? "int"
                  : scalar->kind == Kind::Float ? "float"
                                                : to_string(scalar->kind));
  if (!scalar->text.empty()) out += " " + scalar->text;
  return out;
}

std::string key(std::string_view text) {
  return key_text(read_plain(text)).value_or("refused");
}

// The same under a tag, "wrong" where it does not fit.
std::string tagged(std::string_view tag, std::string_view text) {
  const TaggedValue read = read_tagged("tag:yaml.org,2002:" + std::string(tag), text);
  if (read.is_wrong) return "wrong";
  if (read.is_binary) return "bytes " + read.bytes;
  const std::optional<Scalar> scalar = to_json(read.value);
  return scalar ? scalar->text : "not JSON";
}

}  // namespace

TEST_CASE("null has five spellings") {
  for (const char* text : {"", "~", "null", "Null", "NULL"}) CHECK(plain(text) == "null null");
  CHECK(plain("nULL") == "string");
  CHECK(plain("nil") == "string");
}

TEST_CASE("booleans are those of YAML 1.1, the short ones too") {
  for (const char* text : {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"}) {
    CHECK(plain(text) == "boolean true");
  }
  for (const char* text : {"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"}) {
    CHECK(plain(text) == "boolean false");
  }
  for (const char* text : {"yES", "tRUE", "oN", "yes ", "t", "f", "o"}) CHECK(plain(text) == "string");
}

TEST_CASE("integers") {
  CHECK(plain("0") == "int 0");
  CHECK(plain("-0") == "int 0");
  CHECK(plain("+12") == "int 12");
  CHECK(plain("20260301") == "int 20260301");
  CHECK(plain("1_000") == "int 1000");
  CHECK(plain("1__0_") == "int 10");
  CHECK(plain("_1") == "string");
  CHECK(plain("+_") == "string");
  CHECK(plain("9223372036854775807") == "int 9223372036854775807");
  CHECK(plain("18446744073709551615") == "int 18446744073709551615");
  CHECK(plain("-9223372036854775808") == "int -9223372036854775808");
  CHECK(plain("18446744073709551616") == "int 18446744073709551616");
}

TEST_CASE("integers of other bases are Go's") {
  CHECK(plain("0x1f") == "int 31");
  CHECK(plain("-0X1F") == "int -31");
  CHECK(plain("0o17") == "int 15");
  CHECK(plain("017") == "int 15");
  CHECK(plain("08") == "int 8");
  CHECK(plain("0b101") == "int 5");
  CHECK(plain("0b-1") == "int -1");
  CHECK(plain("-0b-1") == "string");
  CHECK(plain("0x") == "string");
  CHECK(plain("0x8000000000000000") == "int 9223372036854775808");
  CHECK(plain("+0x8000000000000000") == "string");
}

TEST_CASE("floats are spelled as JSON spells them") {
  CHECK(plain("1.0") == "int 1");
  CHECK(plain("1e3") == "int 1000");
  CHECK(plain("1e20") == "int 100000000000000000000");
  CHECK(plain("1e21") == "float 1e+21");
  CHECK(plain("0.000001") == "float 0.000001");
  CHECK(plain("1e-7") == "float 1e-7");
  CHECK(plain(".5") == "float 0.5");
  CHECK(plain("+.5") == "float 0.5");
  CHECK(plain("5.") == "int 5");
  CHECK(plain(".1_5") == "float 0.15");
  CHECK(plain("._5") == "string");
  CHECK(plain("-0.0") == "int 0");
  CHECK(plain("1e-400") == "int 0");
  CHECK(plain("1.5.2") == "string");
  CHECK(plain(".") == "string");
  CHECK(plain("1e") == "string");
}

TEST_CASE("a number above all doubles is a string, infinity isn't JSON") {
  CHECK(plain("1e400") == "string");
  CHECK(plain("-1e400") == "string");
  for (const char* text : {".inf", "-.Inf", "+.INF", ".nan", ".NaN"}) CHECK(plain(text) == "not JSON");
  CHECK(plain("-.nan") == "string");
}

TEST_CASE("lookalikes of numbers are strings") {
  for (const char* text : {"12:30", "2001-01-01", "1Gi", "500m", "1.2.3", "-", "--x", "0o8", "1,000", "v1"}) {
    CHECK(plain(text) == "string");
  }
}

TEST_CASE("keys are spelled as sigs.k8s.io/yaml spells them") {
  CHECK(key("1") == "1");
  CHECK(key("0x1f") == "31");
  CHECK(key("yes") == "true");
  CHECK(key("1.5") == "1.5");
  CHECK(key("1e6") == "1e+06");
  CHECK(key("100000.0") == "100000");
  CHECK(key("0.00001") == "1e-05");
  CHECK(key("0.1234567890123") == "0.12345679");
  CHECK(key("-0.0") == "-0");
  CHECK(key(".inf") == ".inf");
  CHECK(key("-.inf") == "-.inf");
  CHECK(key(".nan") == ".nan");
  CHECK(key("1e39") == ".inf");
  CHECK(key("~") == "refused");
  CHECK(key("9223372036854775808") == "refused");
}

TEST_CASE("a tag asks for a type") {
  CHECK(tagged("int", "0x10") == "16");
  CHECK(tagged("int", "1.5") == "wrong");
  CHECK(tagged("int", "") == "wrong");
  CHECK(tagged("float", "5") == "5");
  CHECK(tagged("float", "1e3") == "1000");
  CHECK(tagged("float", "18446744073709551615") == "wrong");
  CHECK(tagged("bool", "yes") == "true");
  CHECK(tagged("bool", "1") == "wrong");
  CHECK(tagged("null", "~") == "null");
  CHECK(tagged("null", "x") == "wrong");
  CHECK(tagged("str", "5") == "");
  CHECK(tagged("unknown", "5") == "");
  CHECK(tagged("timestamp", "2001-01-01") == "");
  CHECK(tagged("timestamp", "soon") == "wrong");
  for (const char* text : {"2001-1-2", "2004-02-29", "2001-12-14T21:59:43.10-05:00", "2001-12-14t21:59:43,5Z",
                           "2001-12-14   1:2:3", "2001-12-14 21:59:43.1234567890123"})
    CHECK(tagged("timestamp", text) == "");
  for (const char* text :
       {"2001-02-29", "2001-13-01", "2001-1-1 more", "2001-01-01 24:00:00", "2001-01-01T1:2:3",
        "2001-01-01 1:2:3Z", "2001-01-01T1:2:3+0500", "2001-1", "201-01-01", ""})
    CHECK(tagged("timestamp", text) == "wrong");
}

TEST_CASE("binary is base64, and becomes text") {
  CHECK(tagged("binary", "aGVsbG8=") == "bytes hello");
  CHECK(tagged("binary", "aGVs\nbG8=\r\n") == "bytes hello");
  CHECK(tagged("binary", "") == "bytes ");
  CHECK(tagged("binary", "/w==") == "bytes \xEF\xBF\xBD");
  CHECK(tagged("binary", "aGVsbG8") == "wrong");
}

TEST_CASE("strings that other readers take for another type are ambiguous") {
  for (const char* text :
       {"yes",  "n",    "null", "~",     "",      "1",    "1.5",   "0x1f",       "-0x_",
        "0o17", "0b1",  "1e3",  "1e400", "12:30", "-1:2", "1:2.5", "2001-01-01", "2001-1-1T00:00:00Z",
        ".inf", ".nan", "=",    "<<",    "1_0",   ".5_"}) {
    CAPTURE(text);
    CHECK(is_ambiguous_plain(text));
  }
  for (const char* text : {"a", "yess", "1Gi", "v1", "1.2.3", "-x", "2001", "a:b", "12-30"}) {
    CAPTURE(text);
    CHECK(is_ambiguous_plain(text) == (std::string_view(text) == "2001"));
  }
}

TEST_CASE("json_number writes what Go's encoding/json writes") {
  CHECK(json_number(0) == "0");
  CHECK(json_number(0.1) == "0.1");
  CHECK(json_number(-1.5e-7) == "-1.5e-7");
  CHECK(json_number(1e21) == "1e+21");
  CHECK(json_number(123456789.0) == "123456789");
  CHECK(json_number(5e-324) == "5e-324");
}

}  // namespace trainjobc::yaml::scalar_test
