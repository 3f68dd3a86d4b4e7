// SPDX-License-Identifier: Apache-2.0

#include "k8s/value_text.h"

#include <fmt/format.h>

#include "secret/secret.h"

namespace trainjobc::k8s {
namespace {

using yaml::Kind;
using yaml::Node;

constexpr size_t kMaxShown = 60;

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80;
}

}  // namespace

std::string quoted(std::string_view given) {
  const std::string text = secret::without_keys(given);
  size_t end = text.size();
  if (end > kMaxShown) {
    end = kMaxShown - 3;
    while (end > 0 && is_continuation(text[end])) --end;
  }
  std::string out = "\"";
  for (const char c : std::string_view(text).substr(0, end)) {
    if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + (end < text.size() ? "…\"" : "\"");
}

std::string quoted(const Node& node) {
  return node.origin().is_secret() ? fmt::format("\"{}\"", secret::kHidden) : quoted(node.text());
}

std::string quoted_list(std::span<const std::string_view> words) {
  std::string out;
  for (const std::string_view word : words) out += fmt::format("{}\"{}\"", out.empty() ? "" : ", ", word);
  return out;
}

std::string shown(const Node& node) {
  if (!node.is_scalar()) return std::string(kind_words(node));
  if (node.origin().is_secret()) return std::string(secret::kHidden);
  return node.is_string() ? quoted(node.text()) : std::string(node.text());
}

std::string_view kind_words(const Node& node) {
  switch (node.kind()) {
    case Kind::Null: return "null";
    case Kind::Bool: return "a boolean";
    case Kind::Int: return "an integer";
    case Kind::Float: return "a number";
    case Kind::String: return "a string";
    case Kind::List: return "a list";
    case Kind::Map: return "a map";
  }
  return "";
}

std::string mode_text(int64_t mode) {
  return mode >= 0 && mode <= 0777 ? fmt::format("{:04o}", mode) : fmt::format("{}", mode);
}

std::string source_text(const Node& node) {
  const base::Location at = yaml::locate(node);
  if (!at.file || at.end_line != at.line || !node.origin().file()) return std::string(node.text());
  return std::string(at.file->line(at.line).substr(at.column - 1, at.end_column - at.column));
}

}  // namespace trainjobc::k8s
