// SPDX-License-Identifier: Apache-2.0

#include "features/cluster/outlines.h"

#include "base/text/text.h"
#include "features/cluster/train_jobs.h"
#include "features/objects/differences.h"
#include "yaml/node.h"

namespace trainjobc::cluster {
namespace {

using yaml::Maker;
using yaml::Node;

const Node* labels_of(const Node& root, const Maker& make) {
  const Node* labels = objects::value_copy(root.at({"metadata", "labels"}), make);
  return make.with(nullptr, "metadata", make.with(nullptr, "labels", labels));
}

const Node* outline_of_job(const Node& train_job, const Maker& make) {
  const Node* outline = labels_of(train_job, make);
  if (!has_guarded_fields(train_job)) return outline;
  return make.with(outline, "spec", make.with(nullptr, "runtimePatches", make.list({make.null()})));
}

const Node* outline_of_replicated(const Node& job, const Maker& make) {
  std::vector<const Node*> secrets;
  for (const Node* volume : items_at(job, {"template", "spec", "template", "spec", "volumes"})) {
    if (volume->get("secret")) secrets.push_back(objects::value_copy(volume, make));
  }
  const Node* outline = make.map({{"name", objects::value_copy(job.get("name"), make)},
                                  {"replicas", objects::value_copy(job.get("replicas"), make)}});
  if (secrets.empty()) return outline;
  return make.with_path(outline, {"template", "spec", "template", "spec", "volumes"}, make.list(secrets));
}

const Node* outline_of(const Object& object, const Maker& make) {
  const Node* outline = labels_of(*object.root, make);
  if (object.kind != "JobSet") return outline;
  std::vector<const Node*> jobs;
  for (const Node* job : items_at(*object.root, {"spec", "replicatedJobs"}))
    jobs.push_back(outline_of_replicated(*job, make));
  return make.with(outline, "spec", make.with(nullptr, "replicatedJobs", make.list(jobs)));
}

}  // namespace

std::vector<Object> Outlines::outline(std::span<const Object> objects) {
  base::Arena arena;
  const Maker make(arena);
  const Node* job = objects.front().train_job;
  if (job) job = outline_of_job(*job, make);
  std::vector<Object> outlines;
  const std::lock_guard lock(mutex_);
  job = values_.copy(job);
  for (const Object& object : objects) {
    Object& kept = outlines.emplace_back();
    kept.api_version = values_.copy(object.api_version);
    kept.kind = values_.copy(object.kind);
    kept.ns = values_.copy(object.ns);
    kept.name = values_.copy(object.name);
    kept.root = values_.copy(outline_of(object, make));
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
