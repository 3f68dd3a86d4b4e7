// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>

#include "base/text/utf8.h"
#include "yaml/write/escape.h"
#include "yaml/write/writer.h"

namespace trainjobc::yaml {
namespace {

class JsonWriter {
 public:
  JsonWriter(KeyOrder order, int indent, std::string& out) : order_(order), indent_(indent), out_(out) {}

  void write(const Node& node) {
    if (node.is_map()) {
      write_map(node);
    } else if (node.is_list()) {
      write_list(node);
    } else if (node.is_string()) {
      write_json_string(node.text(), out_);
    } else {
      out_ += node.text();
    }
  }

 private:
  void write_map(const Node& map) {
    out_ += '{';
    ++depth_;
    bool first = true;
    for (const Entry* entry : ordered_entries(map, order_)) {
      separate(first);
      write_json_string(entry->key, out_);
      out_ += indent_ > 0 ? ": " : ":";
      write(*entry->value);
    }
    finish(first, '}');
  }

  void write_list(const Node& list) {
    out_ += '[';
    ++depth_;
    bool first = true;
    for (const Node* item : list.items()) {
      separate(first);
      write(*item);
    }
    finish(first, ']');
  }

  void separate(bool& first) {
    if (!first) out_ += ',';
    first = false;
    new_line();
  }

  void finish(bool empty, char bracket) {
    --depth_;
    if (!empty) new_line();
    out_ += bracket;
  }

  void new_line() {
    if (indent_ == 0) return;
    out_ += '\n';
    out_.append(static_cast<size_t>(indent_) * depth_, ' ');
  }

  KeyOrder order_;
  int indent_;
  std::string& out_;
  size_t depth_ = 0;
};

bool is_odd(uint32_t code) {
  return (code >= 0x80 && code < 0xA0) || code == 0x2028 || code == 0x2029 || code == 0xFEFF ||
         code == 0xFFFE || code == 0xFFFF;
}

}  // namespace

// Besides JSON's escapes, escapes characters that YAML 1.1 refuses or reads as line breaks, so JSON is YAML.
void write_json_string(std::string_view text, std::string& out) {
  const auto escape = [&out](uint32_t unit) { out += fmt::format("\\u{:04x}", unit); };
  out += '"';
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto byte = static_cast<unsigned char>(c);
    if (const std::string_view escaped = short_escape(c); !escaped.empty()) {
      out += escaped;
    } else if (byte < 0x20 || byte == 0x7F) {
      escape(byte);
    } else if (byte < 0x80) {
      out += c;
    } else {
      const base::CodePoint point = base::decode_utf8(text.substr(i));
      const size_t length = std::max<size_t>(point.length, 1);
      if (is_odd(point.value) && point.length != 0) {
        escape(point.value);
      } else {
        out += text.substr(i, length);
      }
      i += length - 1;
    }
  }
  out += '"';
}

void write_json(const Node& node, KeyOrder order, int indent, std::string& out) {
  JsonWriter(order, indent, out).write(node);
}

}  // namespace trainjobc::yaml
