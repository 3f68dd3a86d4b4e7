// SPDX-License-Identifier: Apache-2.0

// The documents of templates/new/, from which `trainjobc new` and the editor's snippets are made.
//
// A line may have values to fill in, ${key} or ${key:example}. It is left out unless all keys after its "#?"
// have a value. What is after its "##" is a comment for those who leave the example, or the runtime's value,
// as it is.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace trainjobc::create {

enum class Template { Job, Patch, Runtime, MpiRuntime };

std::string_view text_of(Template one);

struct Values {
  std::map<std::string, std::string, std::less<>> of_key;  // as YAML; "" for a key that only decides on lines
  std::set<std::string, std::less<>> assumed;              // keys whose value nobody has chosen

  bool has(std::string_view key) const { return of_key.contains(key); }
  void set(std::string_view key, std::string value = "") {
    of_key.insert_or_assign(std::string(key), std::move(value));
  }
};

struct FilledLine {
  std::string text;
  std::string key;        // whose value it contains; "" if it has none
  std::string condition;  // the last key that it is there for; "" if it always is
};

// Keys without a value get their example.
std::vector<FilledLine> fill(std::string_view text, const Values& values);

// As a snippet of an editor: keys without a value become its stops, in their order.
std::string as_snippet(std::string_view text, const Values& values);

}  // namespace trainjobc::create
