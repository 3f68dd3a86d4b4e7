// SPDX-License-Identifier: Apache-2.0

#include "cli/output/print_objects.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/ascii.h"
#include "features/kubectl/kubectl.h"
#include "yaml/write/writer.h"

namespace trainjobc::cli {
namespace {

// What the user wrote keeps its order of keys.
yaml::KeyOrder order_of(const Object& object) {
  return object.passthrough ? yaml::KeyOrder::AsIs : yaml::KeyOrder::Kubernetes;
}

// As an item of a List.
std::string as_json(const Object& object) {
  std::string text;
  yaml::write_json(*object.root, order_of(object), 4, text);
  std::string out;
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "        ";
  }
  return out;
}

}  // namespace

std::string print_object(const Object& object, ObjectFormat format) {
  if (format == ObjectFormat::Name)
    return kubectl::name_of(object.api_version, object.kind, object.name) + "\n";
  if (format == ObjectFormat::Json) return as_json(object);
  std::string text;
  yaml::write_yaml(*object.root, order_of(object), text);
  return text;
}

Joints joints_of(ObjectFormat format, bool is_empty) {
  if (format == ObjectFormat::Name) return {};
  if (format == ObjectFormat::Yaml) return {"", "---\n", ""};
  constexpr std::string_view kClosing =
      "\n    ],\n    \"kind\": \"List\",\n    \"metadata\": {\n        \"resourceVersion\": \"\"\n    }\n}\n";
  return {is_empty ? "{\n    \"apiVersion\": \"v1\",\n    \"items\": ["
                   : "{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n        ",
          ",\n        ", is_empty ? kClosing.substr(kClosing.find(']')) : kClosing};
}

std::string file_name(const Object& object) {
  std::string version = base::lower_case(object.api_version);
  std::ranges::replace(version, '/', '_');
  return fmt::format("{}_{}_{}.yaml", version, base::lower_case(object.kind), base::lower_case(object.name));
}

}  // namespace trainjobc::cli
