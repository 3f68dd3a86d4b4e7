// SPDX-License-Identifier: Apache-2.0

#include "cli/output/printed_jobs.h"

#include <vector>

#include "secret/secret.h"
#include "yaml/write/writer.h"

namespace trainjobc::cli {
namespace {

using yaml::Node;

std::string_view file_of(const Node& node) {
  const base::Location at = yaml::locate(node);
  return at.file ? at.file->name() : std::string_view();
}

const Node* made_by(const Node& job, const yaml::Maker& make) {
  const auto at = [&](std::initializer_list<std::string_view> path) { return job.at(path); };
  const Node* by = make.with(nullptr, "apiVersion", at({"apiVersion"}));
  by = make.with(by, "kind", at({"kind"}));
  const Node* name = at({"metadata", "name"});
  by = make.with(by, "name", name ? name : at({"metadata", "generateName"}));
  return at({"metadata", "namespace"}) ? make.with(by, "namespace", at({"metadata", "namespace"})) : by;
}

// --annotate-origin: the object with the annotation config.kubernetes.io/origin, like kustomize's
// originAnnotations: the file of an object passed through; the file and the TrainJob of a rendered one.
const Node* annotate_origin(const Object& object, const yaml::Maker& make) {
  const Node* origin = nullptr;
  if (object.train_job) {
    origin = make.with(origin, "configuredIn", make.copied(file_of(*object.train_job)));
    origin = make.with(origin, "configuredBy", made_by(*object.train_job, make));
  } else {
    origin = make.with(origin, "path", make.copied(file_of(*object.root)));
  }
  std::string text;
  yaml::write_yaml(*origin, yaml::KeyOrder::AsIs, text);
  return make.with_path(object.root, {"metadata", "annotations", "config.kubernetes.io/origin"},
                        make.copied(text));
}

}  // namespace

PrintedObject print(const Object& object, const PrintStyle& style) {
  base::Arena arena;
  const yaml::Maker make(arena);
  Object shown = object;
  if (style.annotate_origin) shown.root = annotate_origin(shown, make);
  if (style.mask_secrets) shown.root = secret::masked_object(*shown.root, make);
  PrintedObject printed;
  printed.text = print_object(shown, style.format);
  printed.text.shrink_to_fit();
  printed.is_secret = object.kind == "Secret";
  if (!style.to_files) return printed;
  printed.file = file_name(object);
  printed.ns = object.ns;
  return printed;
}

PrintedJob print_job(std::span<const Object> objects, const PrintStyle& style) {
  PrintedJob printed;
  printed.objects.reserve(objects.size());
  for (const Object& object : objects) {
    printed.objects.push_back(print(object, style));
    printed.keys.add(object);
  }
  return printed;
}

}  // namespace trainjobc::cli
