// SPDX-License-Identifier: Apache-2.0

#include "compile/merge/override_merge.h"

#include <fmt/format.h>

#include <vector>

#include "rules/rules.h"
#include "schema/strategic_merge.h"
#include "schema/typed.h"

namespace trainjobc::compile {
namespace {

using yaml::Node;

const schema::Schema& schema_at(const schema::Schema& top, FieldPath path) {
  const schema::Schema* schema = &top;
  for (const std::string_view key : path) {
    schema = schema->property(key)->schema;
    if (schema->type == schema::Type::Array) schema = schema->items;
  }
  return *schema;
}

void report_refusal(const OverrideMerge& merge, const schema::MergeError& error, std::string_view field) {
  base::Diagnostic diagnostic = rules::finding("input/patch");
  diagnostic.object = merge.job.id.str();
  diagnostic.field = fmt::format("spec.{}", field);
  diagnostic.message = fmt::format("this patch can't be merged: {}", error.message);
  diagnostic.hint = "use $patch: replace or $patch: delete";
  if (error.culprit) diagnostic.location = yaml::locate(*error.culprit);
  merge.diagnostics.add(std::move(diagnostic));
}

}  // namespace

const Node* merge_typed(const OverrideMerge& merge, const Node* original, const Node& change,
                        const schema::Schema& schema, std::string_view field) {
  const schema::MergeResult merged = schema::strategic_merge(original, change, schema, merge.make);
  if (const auto* error = std::get_if<schema::MergeError>(&merged)) {
    report_refusal(merge, *error, field);
    return nullptr;
  }
  return schema::as_typed(*std::get<const Node*>(merged), schema, merge.make);
}

const Node* merge_into_jobs(const OverrideMerge& merge, const Node& spec,
                            const std::function<bool(std::string_view)>& names, FieldPath path,
                            const Node& change, std::string_view field) {
  const Node* jobs = spec.get("replicatedJobs");
  if (!jobs) return &spec;
  const schema::Schema& schema = schema_at(schema_at(merge.job_set_spec, {"replicatedJobs"}), path);
  std::vector<const Node*> changed;
  for (const Node* job : jobs->items()) {
    const Node* name = job->get("name");
    if (name && names(name->text())) {
      const Node* part = merge_typed(merge, job->at(path), change, schema, field);
      if (!part) return nullptr;
      job = merge.make.with_path(job, path, part);
    }
    changed.push_back(job);
  }
  return merge.make.with(&spec, "replicatedJobs", merge.make.list(changed, jobs->origin()));
}

}  // namespace trainjobc::compile
