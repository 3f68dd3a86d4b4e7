// SPDX-License-Identifier: Apache-2.0

#include "cli/output/annotate_origin.h"

#include <vector>

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

}  // namespace

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

}  // namespace trainjobc::cli
