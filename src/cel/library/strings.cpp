// SPDX-License-Identifier: Apache-2.0

// The functions of texts, which count code points.
#include <fmt/format.h>

#include <algorithm>

#include "base/text/text.h"
#include "cel/library/library.h"

namespace trainjobc::cel {
namespace {

size_t rune_size(std::string_view text) {
  return std::max<size_t>(base::decode_utf8(text).length, 1);
}

// The byte at which a code point begins; nullopt if the text is shorter than that.
std::optional<size_t> byte_of(std::string_view text, int64_t rune) {
  if (rune < 0) return std::nullopt;
  size_t at = 0;
  for (; rune > 0 && at < text.size(); --rune) at += rune_size(text.substr(at));
  return rune == 0 ? std::optional(at) : std::nullopt;
}

Value out_of_range(int64_t index, Context& context) {
  return context.fail(fmt::format("index out of range: {}", index));
}

int64_t runes_before(std::string_view text, size_t byte) {
  return static_cast<int64_t>(count_runes(text.substr(0, byte)));
}

// Every code point, or the parts between separators; at most `most` if it isn't negative.
std::vector<std::string_view> split_text(std::string_view text, std::string_view separator, int64_t most) {
  std::vector<std::string_view> parts;
  if (most == 0 || (separator.empty() && text.empty())) return parts;
  while (most < 0 || static_cast<int64_t>(parts.size()) + 1 < most) {
    const size_t end = separator.empty() ? rune_size(text) : text.find(separator);
    if (end == std::string_view::npos || (separator.empty() && end >= text.size())) break;
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + separator.size());
  }
  parts.push_back(text);
  return parts;
}

// Every code point has a place before it for what replaces an empty text, and the end has one.
std::string replace_text(std::string_view text, std::string_view old, std::string_view better, int64_t most) {
  std::string out;
  for (int64_t count = 0; most < 0 || count < most; ++count) {
    if (old.empty()) {
      const size_t size = count == 0 ? 0 : std::min(rune_size(text), text.size());
      if (count > 0 && text.empty()) break;
      out += text.substr(0, size);
      text.remove_prefix(size);
    } else {
      const size_t at = text.find(old);
      if (at == std::string_view::npos) break;
      out += text.substr(0, at);
      text.remove_prefix(at + old.size());
    }
    out += better;
  }
  return out.append(text);
}

// What quotes escape, and the letters that follow the backslash.
constexpr std::string_view kEscaped = "\a\b\f\n\r\t\v\\\"";
constexpr std::string_view kEscapeLetters = "abfnrtv\\\"";

constexpr std::string_view kGoSpaces[] = {"\xC2\x85",     "\xC2\xA0",     "\xE1\x9A\x80", "\xE2\x80\x80",
                                          "\xE2\x80\x81", "\xE2\x80\x82", "\xE2\x80\x83", "\xE2\x80\x84",
                                          "\xE2\x80\x85", "\xE2\x80\x86", "\xE2\x80\x87", "\xE2\x80\x88",
                                          "\xE2\x80\x89", "\xE2\x80\x8A", "\xE2\x80\xA8", "\xE2\x80\xA9",
                                          "\xE2\x80\xAF", "\xE2\x81\x9F", "\xE3\x80\x80"};

std::string_view trim_unicode(std::string_view text) {
  while (true) {
    text = base::trimmed(text, base::kGoSpace);
    const size_t size = text.size();
    for (const std::string_view space : kGoSpaces) {
      if (text.starts_with(space)) text.remove_prefix(space.size());
      if (text.ends_with(space)) text.remove_suffix(space.size());
    }
    if (text.size() == size) return text;
  }
}

}  // namespace

Value contains(const Call& call) {
  return Value::boolean_of(call.text(0).find(call.text(1)) != std::string_view::npos);
}

Value starts_with(const Call& call) {
  return Value::boolean_of(call.text(0).starts_with(call.text(1)));
}

Value ends_with(const Call& call) {
  return Value::boolean_of(call.text(0).ends_with(call.text(1)));
}

Value char_at(const Call& call) {
  const auto at = byte_of(call.text(0), call[1].integer);
  if (!at) return out_of_range(call[1].integer, call.context);
  const std::string_view rest = call.text(0).substr(*at);
  return Value::text_of(rest.substr(0, rest.empty() ? 0 : rune_size(rest)));
}

Value text_index(const Call& call) {
  const int64_t offset = call.args.size() == 3 ? call[2].integer : 0;
  if (call.text(1).empty()) return Value::integer_of(offset);
  if (offset < 0) return out_of_range(offset, call.context);
  const auto begin = byte_of(call.text(0), offset);
  const size_t found = begin ? call.text(0).find(call.text(1), *begin) : std::string_view::npos;
  return Value::integer_of(found == std::string_view::npos ? -1 : runes_before(call.text(0), found));
}

Value text_last_index(const Call& call) {
  const auto length = static_cast<int64_t>(count_runes(call.text(0)));
  const bool has_offset = call.args.size() == 3;
  const int64_t offset = has_offset ? call[2].integer : length;
  if (call.text(1).empty()) return Value::integer_of(offset);
  if (offset < 0) return out_of_range(offset, call.context);
  if (has_offset && offset >= length) return Value::integer_of(-1);
  const auto last = byte_of(call.text(0), offset);
  const size_t found = call.text(0).rfind(call.text(1), last.value_or(0));
  return Value::integer_of(found == std::string_view::npos ? -1 : runes_before(call.text(0), found));
}

Value lower_ascii(const Call& call) {
  return call.context.text(base::lower_case(call.text(0)));
}

Value upper_ascii(const Call& call) {
  return call.context.text(base::upper_case(call.text(0)));
}

Value replace(const Call& call) {
  const int64_t most = call.args.size() == 4 ? call[3].integer : -1;
  const uint64_t places =
      call.text(1).empty() ? call[0].size + 1 : call[0].size / std::max(call[1].size, 1U) + 1;
  // A cost that the API server does not see: the result may be much longer than what it is made of.
  if (!call.context.spend(places * call[2].size / 100)) return call.context.fail("");
  return call.context.text(replace_text(call.text(0), call.text(1), call.text(2), most));
}

Value split(const Call& call) {
  std::vector<Value> items;
  const int64_t most = call.args.size() == 3 ? call[2].integer : -1;
  for (const std::string_view part : split_text(call.text(0), call.text(1), most))
    items.push_back(Value::text_of(part));
  return call.context.list(items);
}

Value substring(const Call& call) {
  const int64_t start = call[1].integer;
  if (call.args.size() == 3 && start > call[2].integer)
    return call.context.fail(
        fmt::format("invalid substring range. start: {}, end: {}", start, call[2].integer));
  const std::string_view text = call.text(0);
  const auto begin = byte_of(text, start);
  if (!begin) return out_of_range(start, call.context);
  if (call.args.size() == 2) return Value::text_of(text.substr(*begin));
  const auto end = byte_of(text, call[2].integer);
  if (!end) return out_of_range(call[2].integer, call.context);
  return Value::text_of(text.substr(*begin, *end - *begin));
}

Value trim(const Call& call) {
  return Value::text_of(trim_unicode(call.text(0)));
}

Value join(const Call& call) {
  const std::string_view separator = call.args.size() == 2 ? call.text(1) : "";
  std::string out;
  for (size_t i = 0; i < call[0].size; ++i) {
    if (i > 0) out += separator;
    const Value item = item_of(call[0], i);
    if (item.kind != Kind::String) return call.context.fail("join: invalid input");
    out += item.text();
    if (!call.context.spend((item.size + separator.size()) / 100)) return call.context.fail("");
  }
  return call.context.text(out);
}

Value quote(const Call& call) {
  std::string out = "\"";
  for (const char c : base::to_valid_utf8(call.text(0))) {
    const size_t known = kEscaped.find(c);
    if (known != std::string_view::npos) out += '\\';
    out += known != std::string_view::npos ? kEscapeLetters[known] : c;
  }
  return call.context.text(out + '"');
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (size_t at = 0; at < text.size();) {
    const base::CodePoint rune = base::decode_utf8(text.substr(at));
    const std::string_view bytes = text.substr(at, std::max<size_t>(rune.length, 1));
    const size_t known = bytes.size() == 1 ? kEscaped.find(bytes.front()) : std::string_view::npos;
    if (known != std::string_view::npos) {
      out += {'\\', kEscapeLetters[known]};
    } else if (rune.length == 0 || rune.value < ' ' || rune.value == 0x7F) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes.front()));
    } else {
      out += bytes;
    }
    at += bytes.size();
  }
  return out + '"';
}

}  // namespace trainjobc::cel
