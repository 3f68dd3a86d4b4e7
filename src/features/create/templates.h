// SPDX-License-Identifier: Apache-2.0

// The documents of templates/new/, from which `trainjobc new` and the editor's snippets are made.
//
// A line may have values to fill in, ${key} or ${key:example}. It is left out unless all keys after its "#?"
// have a value. The text after its "##" becomes a comment if the example, or the runtime's value, is kept.
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
  std::map<std::string, std::string, std::less<>>
      of_key;  // as YAML; "" for a key that only decides which lines are written
  std::set<std::string, std::less<>> assumed;  // keys whose value nobody chose

  bool has(std::string_view key) const { return of_key.contains(key); }
  void set(std::string_view key, std::string value = "") {
    of_key.insert_or_assign(std::string(key), std::move(value));
  }
};

struct FilledLine {
  std::string text;
  std::string key;        // the key whose value it contains; "" if none
  std::string condition;  // the last key that it depends on; "" if it is always written
};

// Fills in the values; keys without one get their example.
std::vector<FilledLine> fill(std::string_view text, const Values& values);

// Makes an editor's snippet: keys without a value become its tab stops, in order.
std::string as_snippet(std::string_view text, const Values& values);

}  // namespace trainjobc::create
