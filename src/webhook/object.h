// SPDX-License-Identifier: Apache-2.0

// Kubernetes objects as JSON. API servers store some that are too large to check: some checks take time
// quadratic in the object's size, and all other reviews would wait.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace trainjobc::webhook {

// Limits for an object as it was written.
inline constexpr size_t kMostValues = 10'000;
inline constexpr size_t kLargestObject = size_t{1} << 20U;  // bytes
inline constexpr size_t kDeepest = 200;                     // levels of nested maps and lists

// The depth of objects in the JSON that is parsed.
enum class ObjectDepth : size_t { Alone = 0, WatchEvent = 1, List = 2, Review = 2 };

// Returns nullopt if the text is not JSON. An object with several times kMostValues, or nested deeper than
// kDeepest, is read only up to its metadata, and its spec is null.
std::optional<nlohmann::json> parse_objects(std::string_view text, ObjectDepth depth);

// The value's member with that key; null if it has none, or is not an object.
const nlohmann::json& member(const nlohmann::json& value, const char* key);
// The text of that member; "" if it is not a string.
std::string text(const nlohmann::json& value, const char* key);

// The object as its author wrote it: without status, and without what servers add.
nlohmann::json as_written(nlohmann::json object);

// The object as text; nullopt if it is too large to check.
std::optional<std::string> checkable_text(const nlohmann::json& object);

}  // namespace trainjobc::webhook
