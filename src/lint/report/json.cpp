// SPDX-License-Identifier: Apache-2.0

#include "lint/report/json.h"

#include "base/text/text.h"
#include "yaml/write/writer.h"

namespace trainjobc::report {

Json::Json(std::string_view text) {
  yaml::write_json_string(base::to_valid_utf8(text), text_);
}

Json::Json(const yaml::Node* value) {
  if (value) {
    yaml::write_json(*value, yaml::KeyOrder::Kubernetes, 0, text_);
  } else {
    text_ = "null";
  }
}

Json::Json(std::initializer_list<Member> members) : text_("{}") {
  for (const auto& [key, value] : members) add(key, value);
}

void Json::add(std::string_view key, const Json& value) {
  text_.back() = ',';
  if (text_.size() == 2) text_.pop_back();
  yaml::write_json_string(key, text_);
  text_.append(":").append(value.text_) += '}';
}

void Json::add(const Json& item) {
  text_.back() = ',';
  if (text_.size() == 2) text_.pop_back();
  text_.append(item.text_) += ']';
}

std::string Json::lines(size_t indent, size_t step) const {
  std::string out(indent, ' ');
  out.reserve(text_.size() * 2);
  const auto new_line = [&] { out.append("\n").append(indent, ' '); };
  bool in_string = false;
  for (size_t i = 0; i < text_.size(); ++i) {
    const char c = text_[i];
    const bool is_end = (c == '}' || c == ']') && !in_string;
    if (is_end && text_[i - 1] != '{' && text_[i - 1] != '[') {
      indent -= step;
      new_line();
    }
    out += c;
    if (c == '"') in_string = !in_string;
    if (in_string) {
      if (c == '\\') out += text_[++i];
    } else if ((c == '{' || c == '[') && text_[i + 1] != '}' && text_[i + 1] != ']') {
      indent += step;
      new_line();
    } else if (c == ',') {
      new_line();
    } else if (c == ':') {
      out += ' ';
    }
  }
  return out;
}

}  // namespace trainjobc::report
