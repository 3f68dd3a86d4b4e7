#include "tools/diff/live/live.h"

#include <fmt/format.h>

#include "base/text/ascii.h"
#include "k8s/namespaces.h"
#include "schema/redact.h"
#include "yaml/fields.h"
#include "yaml/read/reader.h"

namespace trainjobc::diff {
namespace {

using yaml::Node;

std::string own_text(const Node& root, std::initializer_list<std::string_view> path) {
  return std::string(yaml::value_at(root, path));
}

// In a typed list from the API itself (`kubectl get --raw`), items lack the apiVersion and kind of the list.
void add(const Node& root, const std::string& list_version, const std::string& list_kind, LiveSet& live,
         LiveText& text) {
  const auto is_strange = [&] { text.strange = text.strange ? text.strange : &root; };
  if (!root.is_map()) return is_strange();
  LiveObject object{own_text(root, {"apiVersion"}), own_text(root, {"kind"}),
                    own_text(root, {"metadata", "namespace"}), own_text(root, {"metadata", "name"}), &root};
  if (object.api_version.empty()) object.api_version = list_version;
  if (object.kind.empty()) object.kind = list_kind;
  const Node* items = root.get("items");
  if (object.kind.ends_with("List") && items && items->is_list()) {
    const std::string item_kind = object.kind.substr(0, object.kind.size() - std::string_view("List").size());
    for (const Node* item : items->items()) add(*item, object.api_version, item_kind, live, text);
  } else if (!object.kind.empty() && !object.name.empty()) {
    live.objects.push_back(std::move(object));
  } else {
    is_strange();
  }
}

}  // namespace

LiveText read_live(Source source, LiveSet& live, base::Diagnostics& diagnostics) {
  LiveText text;
  text.is_blank = source.text.find_first_not_of(base::kSpace) == std::string::npos;
  live.files.push_back(std::make_unique<base::SourceFile>(std::move(source.name), std::move(source.text)));
  for (const yaml::Document& document : yaml::read(*live.files.back(), live.arena, diagnostics)) {
    add(*schema::mark_secrets(*document.root, yaml::Maker(live.arena)), "", "", live, text);
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
