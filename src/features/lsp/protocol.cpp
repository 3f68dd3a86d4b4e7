// SPDX-License-Identifier: Apache-2.0

#include "features/lsp/protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/files/paths.h"
#include "base/text/text.h"
#include "lint/report/findings.h"

namespace trainjobc::lsp {
namespace {

// The text with its %XX decoded; nullopt if one is not valid, or stands for a zero byte.
std::optional<std::string> decode_percents(std::string_view text) {
  std::string decoded;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      decoded += text[at];
      continue;
    }
    const std::string_view digits = text.substr(at + 1, 2);
    unsigned value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (error != std::errc() || end != digits.data() + 2 || value == 0) return std::nullopt;
    decoded += static_cast<char>(value);
    at += 2;
  }
  return decoded;
}

bool read_unsigned(const Json& object, const char* key, uint32_t& number) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_unsigned()) return false;
  number =
      static_cast<uint32_t>(std::min<uint64_t>(found->get<uint64_t>(), std::numeric_limits<uint32_t>::max()));
  return true;
}

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kHeadersEnd = "\r\n\r\n";

// The Content-Length in the headers; nullopt if it is missing, or not a single number.
std::optional<size_t> content_length(std::string_view headers) {
  std::optional<size_t> length;
  while (!headers.empty()) {
    const size_t end = std::min(headers.find(kLineEnd), headers.size());
    const std::string_view line = headers.substr(0, end);
    headers.remove_prefix(std::min(end + kLineEnd.size(), headers.size()));
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    if (base::lower_case(line.substr(0, colon)) != "content-length") continue;
    const std::string_view value = base::trimmed(line.substr(colon + 1), base::kBlanks);
    size_t number = 0;
    const auto [at, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || at != value.data() + value.size() || value.empty()) return std::nullopt;
    length = number;
  }
  return length;
}

}  // namespace

size_t offset_of(const base::SourceFile& file, Position position) {
  if (position.line >= file.line_count()) return file.text().size();
  const uint32_t line = position.line + 1;
  return file.line_start(line) + file.utf16_offset(line, position.character);
}

Position position_of(const base::SourceFile& file, size_t offset) {
  const size_t inside = std::min(offset, file.text().size());
  const uint32_t line = std::max<uint32_t>(file.line_at(inside), 1);
  const size_t start = file.line_start(line);
  // A position after the last line break is on a line of its own.
  if (inside > start && file.text()[inside - 1] == '\n') return {line, 0};
  return {line - 1, static_cast<uint32_t>(file.utf16_units(line, inside - start))};
}

Position position_of(const base::SourceFile& file, uint32_t line, uint32_t column) {
  if (line == 0) return {};
  return {line - 1, static_cast<uint32_t>(file.utf16_units(line, column == 0 ? 0 : column - 1))};
}

Range range_of(const base::Location& at) {
  const Position start = position_of(*at.file, at.line, at.column);
  const Position end = position_of(*at.file, std::max(at.line, at.end_line), at.end_column);
  return {start, std::max(start, end)};
}

Range range_of(const base::SourceFile& file, size_t begin, size_t end) {
  return {position_of(file, begin), position_of(file, end)};
}

std::optional<Location> location_of(const base::Location& at) {
  if (!at.file || lint::is_built_in(at.file->name())) return std::nullopt;
  return Location{base::absolute_path(at.file->name()), range_of(at)};
}

std::string uri_of(std::string_view path) {
  return lint::to_uri(path);
}

std::optional<std::string> path_of(std::string_view uri) {
  if (!uri.starts_with(kFileScheme)) return std::nullopt;
  uri.remove_prefix(kFileScheme.size());
  const size_t slash = uri.find('/');
  const std::string_view host = uri.substr(0, slash);
  if (slash == std::string_view::npos || (!host.empty() && host != "localhost")) return std::nullopt;
  const std::string_view path = uri.substr(slash, uri.find_first_of("?#", slash) - slash);
  const auto decoded = decode_percents(path);
  return decoded ? std::optional(base::absolute_path(*decoded)) : std::nullopt;
}

void to_json(Json& json, const Position& position) {
  json = {{"line", position.line}, {"character", position.character}};
}

void to_json(Json& json, const Range& range) {
  json = {{"start", range.start}, {"end", range.end}};
}

void to_json(Json& json, const Location& location) {
  json = {{"uri", uri_of(location.document)}, {"range", location.range}};
}

bool read_position(const Json& value, Position& position) {
  return value.is_object() && read_unsigned(value, "line", position.line) &&
         read_unsigned(value, "character", position.character);
}

bool read_range(const Json& value, Range& range) {
  if (!value.is_object() || !value.contains("start") || !value.contains("end")) return false;
  return read_position(value["start"], range.start) && read_position(value["end"], range.end);
}

const Json& member(const Json& value, std::initializer_list<const char*> path) {
  static const Json kNothing;
  const Json* at = &value;
  for (const char* key : path) {
    if (!at->is_object()) return kNothing;
    const auto found = at->find(key);
    if (found == at->end()) return kNothing;
    at = &*found;
  }
  return *at;
}

std::string text_member(const Json& value, std::initializer_list<const char*> path) {
  const Json& found = member(value, path);
  return found.is_string() ? found.get<std::string>() : "";
}

namespace {

// Reads only the id of a message.
class IdReader final : public nlohmann::json_sax<Json> {
 public:
  Json id;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(Json::number_integer_t value) override { return take(value); }
  bool number_unsigned(Json::number_unsigned_t value) override { return take(value); }
  bool number_float(Json::number_float_t, const std::string&) override { return true; }
  bool string(std::string& value) override { return take(value); }
  bool binary(Json::binary_t&) override { return true; }
  bool start_object(size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool start_array(size_t) override { return open(); }
  bool end_array() override { return close(); }
  bool key(std::string& name) override {
    is_id_ = depth_ == 1 && name == "id";
    return true;
  }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  template <class Value>
  bool take(const Value& value) {
    if (is_id_ && depth_ == 1) id = value;
    return true;
  }
  bool open() { return ++depth_, true; }
  bool close() { return --depth_, true; }

  size_t depth_ = 0;
  bool is_id_ = false;
};

}  // namespace

Json id_of(std::string_view message) {
  IdReader reader;
  Json::sax_parse(message, &reader);
  return std::move(reader.id);
}

bool is_too_deep(std::string_view json) {
  size_t depth = 0;
  for (size_t at = json.find_first_of("\"[]{}"); at < json.size();
       at = json.find_first_of("\"[]{}", at + 1)) {
    if (json[at] == '"') {
      for (++at; at < json.size() && json[at] != '"'; ++at) at += json[at] == '\\' ? 1 : 0;
    } else if (json[at] == '[' || json[at] == '{') {
      if (++depth > kDeepestJson) return true;
    } else if (depth > 0) {
      --depth;
    }
  }
  return false;
}

std::string to_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json make_error(const Json& id, ErrorCode code, std::string_view message) {
  return {{"jsonrpc", "2.0"},
          {"id", id},
          {"error", {{"code", static_cast<int>(code)}, {"message", std::string(message)}}}};
}

Json make_answer(const Json& id, Json result) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

Json make_notification(std::string_view method, Json params) {
  return {{"jsonrpc", "2.0"}, {"method", std::string(method)}, {"params", std::move(params)}};
}

Json make_request(int64_t id, std::string_view method, Json params) {
  Json request = make_notification(method, std::move(params));
  request["id"] = id;
  return request;
}

std::string frame(std::string_view message) {
  return fmt::format("Content-Length: {}\r\n\r\n{}", message.size(), message);
}

void MessageReader::feed(std::string_view bytes) {
  if (is_broken_) return;
  bytes_.erase(0, std::exchange(begin_, 0));
  bytes_ += bytes;
}

std::optional<MessageReader::Message> MessageReader::next() {
  if (is_broken_) return std::nullopt;
  if (!length_ && !read_headers()) {
    return is_broken_ ? std::optional<Message>(Broken{}) : std::nullopt;
  }
  if (*length_ > kMaxBody) {
    is_broken_ = true;
    return TooLarge{};
  }
  if (bytes_.size() - begin_ < *length_) return std::nullopt;
  std::string body = bytes_.substr(begin_, *length_);
  begin_ += *length_;
  length_.reset();
  return body;
}

// False if the headers are not complete, or broken.
bool MessageReader::read_headers() {
  const std::string_view left = std::string_view(bytes_).substr(begin_);
  const size_t end = left.find(kHeadersEnd);
  if (end == std::string_view::npos || end > kMaxHeader) {
    is_broken_ = left.size() > kMaxHeader;
    return false;
  }
  length_ = content_length(left.substr(0, end));
  is_broken_ = !length_;
  begin_ += end + kHeadersEnd.size();
  return !is_broken_;
}

namespace {

bool is_hex_surrogate(std::string_view escape, std::string_view first_digits) {
  constexpr std::string_view kHex = "0123456789abcdefABCDEF";
  return escape.size() >= 6 && escape.starts_with("\\u") && (escape[2] == 'd' || escape[2] == 'D') &&
         first_digits.find(escape[3]) != std::string_view::npos &&
         escape.substr(4, 2).find_first_not_of(kHex) == std::string_view::npos;
}

// Whether the bytes would be UTF-8 for half a surrogate pair.
bool is_raw_surrogate(std::string_view text) {
  return text.size() >= 3 && text[0] == '\xED' && (text[1] & '\xE0') == '\xA0' &&
         (text[2] & '\xC0') == '\x80';
}

}  // namespace

std::string with_whole_characters(std::string_view json) {
  constexpr std::string_view kHigh = "89abAB";
  constexpr std::string_view kLow = "cdefCDEF";
  std::string out;
  out.reserve(json.size());
  for (size_t at = 0; at < json.size();) {
    const std::string_view rest = json.substr(at);
    size_t length = rest[0] == '\\' ? std::min<size_t>(2, rest.size()) : 1;
    if (is_hex_surrogate(rest, kHigh) && is_hex_surrogate(rest.substr(6), kLow)) {
      length = 12;
    } else if (is_hex_surrogate(rest, kHigh) || is_hex_surrogate(rest, kLow)) {
      out += "\\uFFFD";
      at += 6;
      continue;
    } else if (is_raw_surrogate(rest)) {
      base::append_utf8(0xFFFD, out);
      at += 3;
      continue;
    }
    out += rest.substr(0, length);
    at += length;
  }
  return base::to_valid_utf8(out);
}

}  // namespace trainjobc::lsp
