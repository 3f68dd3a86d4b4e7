// SPDX-License-Identifier: Apache-2.0

// Objects of Kubernetes as JSON, of which an API server stores some that are too large to be checked: the
// time that some checks take grows with the square of the object, and all other reviews would wait.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace trainjobc::webhook {

// Of an object as it was written.
inline constexpr size_t kMostValues = 10'000;
inline constexpr size_t kLargestObject = size_t{1} << 20U;  // bytes
inline constexpr size_t kDeepest = 200;                     // maps and lists in each other

// How deep the objects are in the JSON that is parsed.
enum class ObjectDepth : size_t { Alone = 0, WatchEvent = 1, List = 2, Review = 2 };

// nullopt if it is not JSON. An object of several times kMostValues, or nested deeper than kDeepest, is read
// as far as its metadata, and its spec is null.
std::optional<nlohmann::json> parse_objects(std::string_view text, ObjectDepth depth);

// The value's member of that key; null if it has none, or is not an object.
const nlohmann::json& member(const nlohmann::json& value, const char* key);
// The same member as a string; "" if it is not one.
std::string text(const nlohmann::json& value, const char* key);

// The object as its author wrote it: without status, and without what servers add.
nlohmann::json as_written(nlohmann::json object);

// As text; nullopt if it is too large to be checked.
std::optional<std::string> checkable_text(const nlohmann::json& object);

}  // namespace trainjobc::webhook
