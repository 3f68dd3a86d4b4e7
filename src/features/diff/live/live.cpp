// SPDX-License-Identifier: Apache-2.0

#include "features/diff/live/live.h"

#include <fmt/format.h>

#include "base/text/ascii.h"
#include "k8s/object_meta.h"
#include "secret/secret.h"
#include "yaml/fields.h"
#include "yaml/read/reader.h"

namespace trainjobc::diff {
namespace {

using yaml::Node;

std::string own_text(const Node& root, std::initializer_list<std::string_view> path) {
  return std::string(yaml::value_at(root, path));
}

// Reads documents into a set.
class LiveReader {
 public:
  LiveReader(LiveSet& live, LiveText& text) : live_(live), text_(text), make_(live.arena) {}

  // The apiVersion and kind of an object that lacks them are those of its list: a typed list from the API
  // itself
  // (`kubectl get --raw`) names them once.
  void add(const Node& root, std::string_view list_version, std::string_view list_kind) {
    if (!root.is_map()) return note_strange(root);
    const Node* object = with_type(with_type(&root, "apiVersion", list_version), "kind", list_kind);
    LiveObject found{own_text(*object, {"apiVersion"}), own_text(*object, {"kind"}),
                     own_text(*object, {"metadata", "namespace"}), own_text(*object, {"metadata", "name"})};
    const Node* items = root.get("items");
    if (found.kind.ends_with(kList) && items && items->is_list()) {
      const std::string item_kind = found.kind.substr(0, found.kind.size() - kList.size());
      for (const Node* item : items->items()) add(*item, found.api_version, item_kind);
    } else if (!found.kind.empty() && !found.name.empty()) {
      found.root = secret::mark_secrets(*object, make_);
      live_.objects.push_back(std::move(found));
    } else {
      note_strange(root);
    }
  }

 private:
  static constexpr std::string_view kList = "List";

  const Node* with_type(const Node* object, std::string_view key, std::string_view of_list) const {
    if (of_list.empty() || !yaml::value_at(*object, {key}).empty()) return object;
    return make_.with(object, key, make_.copied(of_list, object->origin()));
  }

  void note_strange(const Node& root) { text_.strange = text_.strange ? text_.strange : &root; }

  LiveSet& live_;
  LiveText& text_;
  yaml::Maker make_;
};

}  // namespace

LiveText read_live(Source source, LiveSet& live, base::Diagnostics& diagnostics) {
  LiveText text;
  text.is_blank = source.text.find_first_not_of(base::kSpace) == std::string::npos;
  live.files.push_back(std::make_unique<base::SourceFile>(std::move(source.name), std::move(source.text)));
  for (const yaml::Document& document : yaml::read(*live.files.back(), live.arena, diagnostics)) {
    LiveReader(live, text).add(*document.root, "", "");
    ++text.documents;
  }
  return text;
}

std::string_view group_of(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

std::string object_id(std::string_view kind, std::string_view ns, std::string_view name) {
  return fmt::format("{}/{}/{}", kind, k8s::effective_namespace(ns), name);
}

}  // namespace trainjobc::diff
