// SPDX-License-Identifier: Apache-2.0

#include "base/text/printable.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/text.h"

namespace trainjobc::base {
namespace {

std::string escape(std::string_view text, const CodePoint& point) {
  return point.length == 0 ? fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()))
                           : fmt::format("\\u{:04x}", point.value);
}

// Space that GitHub's runner skips before a workflow command.
bool is_space(uint32_t code) {
  return code == ' ' || code == '\t' || code == 0xA0 || code == 0x1680 ||
         (code >= 0x2000 && code <= 0x200A) || code == 0x202F || code == 0x205F || code == 0x3000;
}

class Printer {
 public:
  explicit Printer(Printing allowed) : allowed_(allowed) {}

  std::string print(std::string_view text) {
    out_.reserve(text.size());
    while (!text.empty()) {
      text.remove_prefix(copy_plain(text));
      if (!text.empty()) text.remove_prefix(step(text));
    }
    return std::move(out_);
  }

 private:
  // Writes the ASCII text before the next character that needs a closer look: a control character, or one
  // that begins a workflow command. Returns its length.
  size_t copy_plain(std::string_view text) {
    const auto is_plain = [](char c) { return c >= ' ' && c <= '~' && c != ':' && c != '#'; };
    const auto length = static_cast<size_t>(std::ranges::find_if_not(text, is_plain) - text.begin());
    const std::string_view plain = text.substr(0, length);
    at_line_start_ = at_line_start_ && plain.find_first_not_of(' ') == std::string_view::npos;
    return copy(plain);
  }

  // Writes the next character, escaped if necessary; returns the number of bytes that it took.
  size_t step(std::string_view text) {
    if (const size_t length = allowed_.colours ? colour_length(text) : 0) return copy(text.substr(0, length));
    if (text.starts_with("\r\n")) return copy("\r");
    if (text.front() == '\n') {
      at_line_start_ = true;
      return copy("\n");
    }
    if (!allowed_.commands && is_command(text)) {
      at_line_start_ = false;
      out_ += fmt::format("\\u{:04x}", static_cast<unsigned>(text.front()));
      return 1;
    }
    const CodePoint point = decode_utf8(text);
    const size_t length = std::max<size_t>(point.length, 1);
    at_line_start_ = at_line_start_ && point.length != 0 && is_space(point.value);
    const bool is_tab = text.front() == '\t';
    if (point.length != 0 && (is_tab || !is_unprintable(point.value))) return copy(text.substr(0, length));
    out_ += escape(text, point);
    return length;
  }

  // Whether the text begins with a workflow command: ::error::, or in older runners ##[error] anywhere in a
  // line.
  bool is_command(std::string_view text) const {
    return (at_line_start_ && text.starts_with("::")) || text.starts_with("##[");
  }

  size_t copy(std::string_view text) {
    out_ += text;
    return text.size();
  }

  Printing allowed_;
  std::string out_;
  bool at_line_start_ = true;
};

}  // namespace

size_t colour_length(std::string_view text) {
  if (!text.starts_with("\033[")) return 0;
  const auto end =
      std::find_if_not(text.begin() + 2, text.end(), [](char c) { return is_digit(c) || c == ';'; });
  return end != text.end() && *end == 'm' ? static_cast<size_t>(end - text.begin()) + 1 : 0;
}

bool is_unprintable(uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x61C ||
         (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2060 && code <= 0x2069) || code == 0xFEFF;
}

std::string one_line(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text.substr(at));
    const size_t length = std::max<size_t>(point.length, 1);
    if (text[at] == '\n') {
      out += "\\n";
    } else if (point.length == 0 || is_unprintable(point.value)) {
      out += escape(text.substr(at), point);
    } else {
      out += text.substr(at, length);
    }
    at += length;
  }
  return out;
}

bool is_plain(std::string_view text, Printing allowed) {
  const auto has = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  const bool may_be_command = !allowed.commands && (has("::") || has("##["));
  return !may_be_command && is_plain_ascii(text);
}

std::string printable(std::string_view text, Printing allowed) {
  return is_plain(text, allowed) ? std::string(text) : Printer(allowed).print(text);
}

}  // namespace trainjobc::base
