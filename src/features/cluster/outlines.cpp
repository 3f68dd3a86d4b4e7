// SPDX-License-Identifier: Apache-2.0

#include "features/cluster/outlines.h"

#include "base/text/text.h"
#include "features/cluster/train_jobs.h"
#include "features/objects/differences.h"
#include "yaml/node.h"

namespace trainjobc::cluster {
namespace {

const yaml::Node* outline_of(const yaml::Node& root, const yaml::Maker& make) {
  const yaml::Node* labels = objects::value_copy(root.at({"metadata", "labels"}), make);
  const yaml::Node* outline = make.with(nullptr, "metadata", make.with(nullptr, "labels", labels));
  if (!has_guarded_fields(root)) return outline;
  return make.with(outline, "spec", make.with(nullptr, "runtimePatches", make.list({make.null()})));
}

}  // namespace

std::vector<Object> Outlines::outline(std::span<const Object> objects) {
  const std::lock_guard lock(mutex_);
  const yaml::Maker make(arena_);
  const yaml::Node* job = objects.front().train_job;
  if (job) job = outline_of(*job, make);
  std::vector<Object> outlines;
  for (const Object& object : objects) {
    Object& kept = outlines.emplace_back();
    kept.api_version = arena_.copy(object.api_version);
    kept.kind = arena_.copy(object.kind);
    kept.ns = arena_.copy(object.ns);
    kept.name = arena_.copy(object.name);
    kept.root = outline_of(*object.root, make);
    kept.train_job = job;
  }
  return outlines;
}

std::vector<Object> Outlines::take(const Compilation& compiled) {
  std::vector<Object> all = compiled.objects;
  for (const std::vector<Object>& outlines : jobs_.take(compiled)) base::append(all, outlines);
  return all;
}

}  // namespace trainjobc::cluster
