// SPDX-License-Identifier: Apache-2.0

#include "features/function/results.h"

#include <fmt/format.h>

#include <charconv>
#include <vector>

namespace trainjobc::function {
namespace {

using yaml::Node;

// The item that a diagnostic is about; nullptr if that is a runtime of the catalogue.
const Node* item_of(const base::Diagnostic& diagnostic, const ResourceList& list) {
  constexpr std::string_view kItems = "items[";
  if (!diagnostic.location.file || !diagnostic.location.file->name().starts_with(kItems)) return nullptr;
  const std::string_view digits = std::string_view(diagnostic.location.file->name()).substr(kItems.size());
  size_t index = list.items.size();
  std::from_chars(digits.data(), digits.data() + digits.size(), index);
  return index < list.items.size() ? list.items[index].root : nullptr;
}

const Node* annotation(const Node& item, std::string_view name) {
  for (const std::string_view prefix : {"internal.config.kubernetes.io/", "config.kubernetes.io/"}) {
    const Node* value = item.at({"metadata", "annotations", fmt::format("{}{}", prefix, name)});
    if (value) return value;
  }
  return nullptr;
}

const Node* file_of(const Node& item, const yaml::Maker& make) {
  const Node* path = annotation(item, "path");
  if (!path) return nullptr;
  const Node* file = make.with(nullptr, "path", path);
  const Node* index = annotation(item, "index");
  int64_t number = 0;
  if (!index ||
      std::from_chars(index->text().data(), index->text().data() + index->text().size(), number).ec !=
          std::errc()) {
    return file;
  }
  return make.with(file, "index", make.integer(number));
}

const Node* reference(const Node& item, const yaml::Maker& make) {
  const Node* ref = make.with(nullptr, "apiVersion", item.get("apiVersion"));
  ref = make.with(ref, "kind", item.get("kind"));
  if (const Node* ns = item.at({"metadata", "namespace"})) ref = make.with(ref, "namespace", ns);
  if (const Node* name = item.at({"metadata", "name"})) ref = make.with(ref, "name", name);
  return ref;
}

std::string message_of(const base::Diagnostic& diagnostic) {
  const std::string hint = diagnostic.hint.empty() ? "" : fmt::format(" ({})", diagnostic.hint);
  return fmt::format("{}{} [{}]", diagnostic.message, hint, diagnostic.rule);
}

}  // namespace

const Node* one_result(const std::string& message, const yaml::Maker& make) {
  const Node* result = make.with(nullptr, "message", make.copied(message));
  result = make.with(result, "severity", make.string("error"));
  const std::vector<const Node*> all{result};
  return make.list(all);
}

Results results_of(const base::Diagnostics& diagnostics, const ResourceList& list, const yaml::Maker& make) {
  Results results;
  std::vector<const Node*> all;
  for (const base::Diagnostic& diagnostic : diagnostics.items()) {
    const bool refused = base::is_refusal(diagnostic);
    const bool lesser = diagnostic.severity == base::Severity::Error && !refused;
    const base::Severity severity = lesser ? base::Severity::Warning : diagnostic.severity;
    const Node* result = make.with(nullptr, "message", make.copied(message_of(diagnostic)));
    result = make.with(result, "severity", make.copied(to_string(severity)));
    if (const Node* item = item_of(diagnostic, list)) {
      result = make.with(result, "resourceRef", reference(*item, make));
      if (const Node* file = file_of(*item, make)) result = make.with(result, "file", file);
    }
    if (!diagnostic.field.empty()) {
      result = make.with_path(result, {"field", "path"}, make.copied(diagnostic.field));
    }
    all.push_back(result);
    results.rejected = results.rejected || refused;
    if (refused) results.errors += fmt::format("error: {}: {}\n", diagnostic.object, message_of(diagnostic));
  }
  if (!all.empty()) results.list = make.list(all);
  return results;
}

}  // namespace trainjobc::function
