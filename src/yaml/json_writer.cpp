#include <fmt/format.h>

#include "yaml/writer.h"

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

}  // namespace

void write_json_string(std::string_view text, std::string& out) {
  out += '"';
  for (const char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
          out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

void write_json(const Node& node, KeyOrder order, int indent, std::string& out) {
  JsonWriter(order, indent, out).write(node);
}

}  // namespace trainjobc::yaml
