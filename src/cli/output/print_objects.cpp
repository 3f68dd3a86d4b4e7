#include "cli/output/print_objects.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/ascii.h"
#include "tools/kubectl/resource_names.h"
#include "yaml/write/writer.h"

namespace trainjobc::cli {
namespace {

// What the user wrote keeps its order of keys.
yaml::KeyOrder order_of(const Object& object) {
  return object.passthrough ? yaml::KeyOrder::AsIs : yaml::KeyOrder::Kubernetes;
}

std::string as_yaml(std::span<const Object> objects) {
  std::string out;
  for (const Object& object : objects) {
    if (!out.empty()) out += "---\n";
    yaml::write_yaml(*object.root, order_of(object), out);
  }
  return out;
}

std::string as_json(std::span<const Object> objects) {
  std::string out = "{\n    \"apiVersion\": \"v1\",\n    \"items\": [";
  bool first = true;
  for (const Object& object : objects) {
    out += first ? "\n        " : ",\n        ";
    first = false;
    std::string text;
    yaml::write_json(*object.root, order_of(object), 4, text);
    for (const char c : text) {
      out += c;
      if (c == '\n') out += "        ";
    }
  }
  out += first ? "]" : "\n    ]";
  return out +
         ",\n    \"kind\": \"List\",\n    \"metadata\": {\n        \"resourceVersion\": \"\"\n    }\n}\n";
}

std::string as_names(std::span<const Object> objects) {
  std::string out;
  for (const Object& object : objects) {
    out += kubectl::name_of(object.api_version, object.kind, object.name) + "\n";
  }
  return out;
}

}  // namespace

std::string print_objects(std::span<const Object> objects, ObjectFormat format) {
  switch (format) {
    case ObjectFormat::Yaml: return as_yaml(objects);
    case ObjectFormat::Json: return as_json(objects);
    case ObjectFormat::Name: return as_names(objects);
  }
  return "";
}

std::string file_name(const Object& object) {
  std::string version = base::lower_case(object.api_version);
  std::ranges::replace(version, '/', '_');
  return fmt::format("{}_{}_{}.yaml", version, base::lower_case(object.kind), base::lower_case(object.name));
}

}  // namespace trainjobc::cli
