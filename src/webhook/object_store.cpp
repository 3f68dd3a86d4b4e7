// SPDX-License-Identifier: Apache-2.0

#include "webhook/object_store.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "model/trainer_names.h"
#include "webhook/object.h"

namespace trainjobc::webhook {
namespace {

using Json = nlohmann::json;

// Objects per page: lists come in parts, so that no answer needs much memory.
constexpr int kPageSize = 20;
// A list with more pages is endless, or has too many objects.
constexpr int kMostPages = 500;
// The limit for the texts of all objects.
constexpr size_t kMostBytes = size_t{32} << 20U;
// The server ends a watch after this time; the next one continues where it was.
constexpr int kWatchSeconds = 290;

std::string metadata_of(const Json& object, const char* key) {
  return text(member(object, "metadata"), key);
}

ObjectName name_of(std::string_view kind, const Json& object) {
  return {std::string(kind), metadata_of(object, "namespace"), metadata_of(object, "name")};
}

StoredObject stored(std::string_view kind, std::string_view api_version, Json object) {
  StoredObject result{.json = "", .resource_version = metadata_of(object, "resourceVersion")};
  object["apiVersion"] = api_version;  // items of a list have no type
  object["kind"] = kind;
  result.json = checkable_text(as_written(std::move(object))).value_or("");
  return result;
}

}  // namespace

std::optional<StoredObject> read_runtime(const std::string& kind, std::string_view json) {
  auto object = parse_objects(json, ObjectDepth::Alone);
  if (!object) return std::nullopt;
  return stored(kind, model::kTrainerApiVersion, std::move(*object));
}

const StoredObject* ObjectStore::find(const ObjectName& name) const {
  const auto found = objects_.find(name);
  return found != objects_.end() ? &found->second : nullptr;
}

void ObjectStore::put(ObjectName name, StoredObject object) {
  remove(name);
  bytes_ += object.json.size();
  objects_.emplace(std::move(name), std::move(object));
}

void ObjectStore::remove(const ObjectName& name) {
  const auto found = objects_.find(name);
  if (found == objects_.end()) return;
  bytes_ -= found->second.json.size();
  objects_.erase(found);
}

void ObjectStore::replace(std::string_view kind, std::map<ObjectName, StoredObject> objects) {
  std::erase_if(objects_, [&](const auto& entry) { return entry.first.kind == kind; });
  objects_.merge(std::move(objects));
  bytes_ = 0;
  for (const auto& [name, object] : objects_) bytes_ += object.json.size();
}

bool ObjectStore::is_known(std::string_view kind) const {
  const auto found = known_.find(kind);
  return found != known_.end() && found->second;
}

std::string ObjectWatch::next_request() const {
  const bool is_core = watched_.api_version.find('/') == std::string_view::npos;
  const std::string path =
      fmt::format("/{}/{}/{}", is_core ? "api" : "apis", watched_.api_version, watched_.resource);
  if (is_listed_) {
    return fmt::format("{}?watch=1&allowWatchBookmarks=true&resourceVersion={}&timeoutSeconds={}", path,
                       resource_version_, kWatchSeconds);
  }
  return continue_.empty() ? fmt::format("{}?limit={}", path, kPageSize)
                           : fmt::format("{}?limit={}&continue={}", path, kPageSize, continue_);
}

void ObjectWatch::start_over() {
  is_listed_ = false;
  continue_.clear();
  listed_.clear();
  pages_ = 0;
  listed_bytes_ = 0;
  store_.forget(watched_.kind);
}

std::string ObjectWatch::take_list(int status, std::string_view body) {
  const auto fail = [&](std::string why) {
    start_over();
    return why;
  };
  if (status != 200) return fail("the list was refused");  // 410: the next page has expired
  auto list = parse_objects(body, ObjectDepth::List);
  if (!list || !list->contains("items") || !list->at("items").is_array())
    return fail("the answer is not a list");
  for (Json& item : list->at("items")) {
    if (!item.is_object()) continue;
    ObjectName name = name_of(watched_.kind, item);
    StoredObject object = stored(watched_.kind, watched_.api_version, std::move(item));
    listed_bytes_ += object.json.size();
    listed_.insert_or_assign(std::move(name), std::move(object));
  }
  if (listed_bytes_ > kMostBytes) return fail("the objects have more than 32 MiB");
  continue_ = metadata_of(*list, "continue");
  if (!continue_.empty()) return ++pages_ < kMostPages ? "" : fail("the list has more than 500 pages");
  resource_version_ = metadata_of(*list, "resourceVersion");
  pages_ = 0;
  listed_bytes_ = 0;
  store_.replace(watched_.kind, std::exchange(listed_, {}));
  is_listed_ = true;
  return "";
}

bool ObjectWatch::take_event(std::string_view line) {
  auto event = parse_objects(line, ObjectDepth::WatchEvent);
  const std::string type = event ? event->value("type", "") : "";
  const auto object = event ? event->find("object") : Json::iterator{};
  if (type.empty() || type == "ERROR" || object == event->end() || !object->is_object()) {
    start_over();  // 410 Gone arrives as an ERROR event
    return false;
  }
  const std::string version = metadata_of(*object, "resourceVersion");
  if (!version.empty()) resource_version_ = version;
  if (type == "BOOKMARK") return true;
  const ObjectName name = name_of(watched_.kind, *object);
  if (type == "DELETED") {
    store_.remove(name);
  } else {
    store_.put(name, stored(watched_.kind, watched_.api_version, std::move(*object)));
  }
  if (store_.bytes() > 2 * kMostBytes) {
    start_over();
    return false;
  }
  return true;
}

void ObjectWatch::end_watch(int status) {
  store_.forget(watched_.kind);
  // 200: the watch has timed out, or the connection broke; the next one continues there.
  if (status == 410 || status == 400 || status == 403 || status == 404) start_over();
}

}  // namespace trainjobc::webhook
