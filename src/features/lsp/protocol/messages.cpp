// SPDX-License-Identifier: Apache-2.0

#include "features/lsp/protocol/messages.h"

#include <limits>

namespace trainjobc::lsp {
namespace {

bool read_unsigned(const Json& object, const char* key, uint32_t& number) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_integer()) return false;
  if (found->is_number_unsigned()) {
    const auto value = found->get<uint64_t>();
    number = static_cast<uint32_t>(std::min<uint64_t>(value, std::numeric_limits<uint32_t>::max()));
    return true;
  }
  return false;
}

}  // namespace

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

std::string to_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace trainjobc::lsp
