// SPDX-License-Identifier: Apache-2.0

// JSON reports.
#pragma once

#include <concepts>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "yaml/node.h"

namespace trainjobc::report {

// The first member of reports that are objects. It goes up if a field is removed or changes its meaning. The
// reports' schemas are in schema/reports/.
inline constexpr int kReportVersion = 1;

// A JSON value, kept as its text. Members of objects stay in the order in which they are added. Invalid UTF-8
// becomes U+FFFD.
class Json {
 public:
  using Member = std::pair<std::string_view, Json>;

  Json() : text_("null") {}
  Json(std::string_view text);
  Json(const std::string& text) : Json(std::string_view(text)) {}
  Json(const char* text) : Json(std::string_view(text)) {}
  Json(std::integral auto number) : text_(std::to_string(number)) {}
  Json(bool value) : text_(value ? "true" : "false") {}
  Json(const yaml::Node* value);  // nullptr becomes null
  template <class T>
  Json(const std::optional<T>& value) : Json(value ? Json(*value) : Json()) {}
  // An object.
  Json(std::initializer_list<Member> members);

  static Json object() { return Json(Text{"{}"}); }
  static Json array() { return Json(Text{"[]"}); }
  // JSON text on one line, as write_json writes it.
  static Json written(std::string_view text) { return Json(Text{std::string(text)}); }
  // The array of the items, or of what `make` makes of each.
  template <class Items, class Make = std::identity>
  static Json array(const Items& items, const Make& make = {}) {
    Json all = array();
    for (const auto& item : items) all.add(make(item));
    return all;
  }

  // The first one is for objects, the second for arrays.
  void add(std::string_view key, const Json& value);
  void add(const Json& item);
  bool is_empty() const { return text_.size() == 2; }

  // The text with `step` spaces of indentation per level, starting from that of `indent`; no line break at
  // the end.
  std::string lines(size_t indent = 0, size_t step = 2) const;
  // The same from the first level, with a line break at the end.
  std::string report(size_t step = 2) const { return lines(0, step) + "\n"; }

 private:
  struct Text {
    std::string text;
  };
  explicit Json(Text text) : text_(std::move(text.text)) {}

  std::string text_;  // on one line
};

}  // namespace trainjobc::report
