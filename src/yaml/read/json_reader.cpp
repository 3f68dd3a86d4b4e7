// SPDX-License-Identifier: Apache-2.0

#include <optional>
#include <string>

#include "base/text/text.h"
#include "yaml/read/documents.h"
#include "yaml/read/tree_builder.h"
#include "yaml/scalar.h"

namespace trainjobc::yaml {
namespace {

using base::is_digit;

// Thrown if the text is not JSON.
struct NotJson {};

class JsonReader {
 public:
  JsonReader(const base::SourceFile& file, const Chunk& chunk, base::Arena& arena)
      : file_(file),
        text_(chunk.text),
        line_(chunk.first_line),
        // Wraps below 0 if a byte order mark has been left out.
        line_begin_(file.line_start(chunk.first_line) -
                    static_cast<size_t>(chunk.text.data() - file.text().data())),
        arena_(arena) {}

  uint32_t line() const { return line_; }

  bool at_end() {
    skip_space();
    return at_ >= text_.size();
  }

  void value(TreeBuilder& builder) {
    std::string open;  // the closing brackets still expected
    do {
      skip_space();
      const Origin at = origin();
      const char c = peek();
      if (c == '{' || c == '[') {
        builder.open(c == '{', {}, at);
        open += c == '{' ? '}' : ']';
        ++at_;
        if (close_if_due(builder, open) || c == '[') continue;
        key(builder);
        continue;
      }
      scalar(builder, at);
      next(builder, open);
    } while (!open.empty());
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  Origin origin() const { return {&file_, line_, static_cast<uint32_t>(at_ - line_begin_ + 1), true}; }

  void skip_space() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') {
        ++line_;
        line_begin_ = at_ + 1;
      } else if (c != ' ' && c != '\t' && c != '\r') {
        return;
      }
    }
  }

  void expect(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) throw NotJson{};
    at_ += word.size();
  }

  // Called after an opening bracket: closes an empty collection, and the outer ones that end there.
  bool close_if_due(TreeBuilder& builder, std::string& open) {
    skip_space();
    if (peek() != open.back()) return false;
    ++at_;
    open.pop_back();
    builder.close();
    next(builder, open);
    return true;
  }

  // Called after a value: moves to the beginning of the next one, or out of all collections.
  void next(TreeBuilder& builder, std::string& open) {
    while (!open.empty()) {
      skip_space();
      if (peek() == ',') {
        ++at_;
        skip_space();
        if (open.back() == '}') key(builder);
        return;
      }
      if (peek() != open.back()) throw NotJson{};
      ++at_;
      open.pop_back();
      builder.close();
    }
  }

  void key(TreeBuilder& builder) {
    const Origin at = origin();
    if (peek() != '"') throw NotJson{};
    const std::string_view text = string();
    skip_space();
    expect(":");
    builder.scalar({.key = text}, {}, at);
  }

  void scalar(TreeBuilder& builder, const Origin& at) {
    switch (peek()) {
      case '"': return builder.scalar({.node = builder.make().string(string(), at)}, {}, at);
      case 't': expect("true"); return builder.scalar({.node = builder.make().boolean(true, at)}, {}, at);
      case 'f': expect("false"); return builder.scalar({.node = builder.make().boolean(false, at)}, {}, at);
      case 'n': expect("null"); return builder.scalar({.node = builder.make().null(at)}, {}, at);
      default: break;
    }
    const std::optional<Scalar> number = resolve_plain(number_text());
    if (!number || number->kind == Kind::String) throw NotJson{};  // too large for a double
    builder.scalar({.node = builder.make().plain(number->kind, arena_.copy(number->text), at)}, {}, at);
  }

  void digits() {
    if (!is_digit(peek())) throw NotJson{};
    while (is_digit(peek())) ++at_;
  }

  std::string_view number_text() {
    const size_t begin = at_;
    if (peek() == '-') ++at_;
    if (peek() == '0') {
      ++at_;
    } else {
      digits();
    }
    if (peek() == '.') {
      ++at_;
      digits();
    }
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      if (peek() == '-' || peek() == '+') ++at_;
      digits();
    }
    return text_.substr(begin, at_ - begin);
  }

  // Reads a string: a view into the source if it has no escapes, else into the arena.
  std::string_view string() {
    const size_t begin = ++at_;
    std::string buffer;
    size_t copied = begin;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') {
        const std::string_view rest = text_.substr(copied, at_ - copied);
        ++at_;
        if (copied == begin) return rest;
        buffer += rest;
        return arena_.copy(buffer);
      }
      if (static_cast<unsigned char>(c) < 0x20) break;
      if (c != '\\') continue;
      buffer += text_.substr(copied, at_ - copied);
      escape(buffer);
      copied = at_ + 1;
    }
    throw NotJson{};
  }

  // Reads an escape up to its last character.
  void escape(std::string& out) {
    ++at_;
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const size_t known = at_ < text_.size() ? kNames.find(peek()) : std::string_view::npos;
    if (known != std::string_view::npos) {
      out += kMeanings[known];
      return;
    }
    uint32_t unit = code_unit();
    const bool high = unit >= 0xD800 && unit < 0xDC00;
    if (high && text_.substr(at_ + 1).starts_with("\\u")) {
      const size_t back = at_;
      at_ += 2;
      const uint32_t low = code_unit();
      if (low >= 0xDC00 && low < 0xE000) {
        unit = 0x10000 + ((unit - 0xD800) << 10U) + (low - 0xDC00);
      } else {
        at_ = back;
      }
    }
    base::append_utf8(unit, out);  // half a surrogate pair becomes U+FFFD, as in Go
  }

  // Reads the four digits after the `u` that at_ points at.
  uint32_t code_unit() {
    if (peek() != 'u') throw NotJson{};
    uint32_t value = 0;
    for (int i = 0; i < 4; ++i) {
      ++at_;
      const char c = static_cast<char>(peek() | 0x20);
      if (!is_digit(peek()) && (c < 'a' || c > 'f')) throw NotJson{};
      value = value * 16 + static_cast<uint32_t>(is_digit(peek()) ? peek() - '0' : c - 'a' + 10);
    }
    return value;
  }

  const base::SourceFile& file_;
  std::string_view text_;
  size_t at_ = 0;
  uint32_t line_;
  size_t line_begin_;
  base::Arena& arena_;
};

}  // namespace

bool read_json(const base::SourceFile& file, const Chunk& chunk, base::Arena& arena,
               base::Diagnostics& diagnostics, const ReadLimits& limits, std::vector<Document>& documents) {
  base::Diagnostics found;
  std::vector<Document> read;
  JsonReader reader(file, chunk, arena);
  try {
    while (!reader.at_end()) {
      TreeBuilder builder(file, chunk.text, arena, found, limits);
      const uint32_t line = reader.line();
      reader.value(builder);
      if (builder.root() && !builder.root()->is_null()) read.push_back({builder.root(), line, chunk.text});
    }
  } catch (const NotJson&) {
    return false;
  } catch (const StopReading&) {
    // The error has been reported, and YAML has it too.
  }
  diagnostics.append(std::move(found));
  documents.insert(documents.end(), read.begin(), read.end());
  return true;
}

}  // namespace trainjobc::yaml
