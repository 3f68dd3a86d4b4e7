// SPDX-License-Identifier: Apache-2.0

#include "features/objects/differences.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text/text.h"
#include "k8s/object_meta.h"
#include "model/trainer_names.h"

namespace trainjobc::objects {

std::string object_id(std::string_view kind, std::string_view ns, std::string_view name) {
  return fmt::format("{}/{}/{}", kind, k8s::effective_namespace(ns), name);
}

std::string_view to_string(DifferenceKind kind) {
  switch (kind) {
    case DifferenceKind::Changed: return "changed";
    case DifferenceKind::Missing: return "missing";
    case DifferenceKind::Orphaned: return "orphaned";
    case DifferenceKind::Ignored: return "ignored";
  }
  return "";
}

bool ObjectDiff::differs() const {
  return std::ranges::any_of(differences,
                             [](const Difference& d) { return d.kind != DifferenceKind::Ignored; });
}

bool Report::differs() const {
  return std::ranges::any_of(objects, &ObjectDiff::differs) || count(Verdict::NoLonger, false) > 0 ||
         count(Verdict::Newly, false) > 0;
}

size_t Report::differing_jobs() const {
  std::set<size_t> differing;
  for (const ObjectDiff& object : objects) {
    if (object.differs() && object.job != kNoJob) differing.insert(object.job);
  }
  return differing.size();
}

size_t Report::orphans() const {
  return static_cast<size_t>(
      std::ranges::count_if(objects, [](const ObjectDiff& object) { return !object.merged; }));
}

size_t Report::count(Verdict verdict, bool jobs_only) const {
  return static_cast<size_t>(std::ranges::count_if(acceptances, [&](const Acceptance& acceptance) {
    return acceptance.verdict == verdict && (!jobs_only || acceptance.object.starts_with("TrainJob/"));
  }));
}

using schema::Property;
using schema::Schema;
using schema::Type;
using schema::Wire;

namespace {

constexpr Schema kText{.type = Type::String};
constexpr Schema kTexts{.type = Type::Object, .additional = &kText};
constexpr Schema kFlag{.type = Type::Boolean};
constexpr Schema kQuantity{.type = Type::IntOrString, .quantity = true};
constexpr Schema kQuantities{.type = Type::Object, .additional = &kQuantity};
constexpr std::array kGroupFields{Property{"minResources", &kQuantities}};
constexpr Schema kGroupSpec{.type = Type::Object, .properties = kGroupFields};

}  // namespace

ObjectSchemas::ObjectSchemas(const schema::VersionSchemas& version)
    : version_(&version),
      job_set_(version.kind("JobSet")->schema),
      fields_{Property{"binaryData", &kTexts},
              Property{"data", &kTexts},
              Property{"immutable", &kFlag},
              Property{"metadata", job_set_->property("metadata")->schema, Wire::Struct},
              Property{"spec", &kGroupSpec, Wire::Struct},
              Property{"stringData", &kTexts}},
      object_{.type = Type::Object, .properties = fields_} {}

const Schema* ObjectSchemas::find(std::string_view kind) const {
  if (kind == "JobSet") return job_set_;
  if (kind == model::kOptimizationJob) {
    const schema::KindSchema* known = version_->kind(kind);
    return known ? known->schema : nullptr;
  }
  return kind == "Secret" || kind == "ConfigMap" || kind == "PodGroup" ? &object_ : nullptr;
}

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::NoLonger: return "no longer accepted";
    case Verdict::Newly: return "newly accepted";
    case Verdict::Never: return "never accepted";
  }
  return "";
}

std::string in_scope(const std::string& scope) {
  return scope.empty() ? "" : fmt::format(" in {}", scope);
}

std::string Acceptance::title() const {
  const size_t kind_end = object.find('/');
  static constexpr std::string_view kKinds[] = {model::kTrainJob, model::kTrainingRuntime,
                                                model::kClusterTrainingRuntime, model::kOptimizationJob};
  if (!base::contains(kKinds, std::string_view(object).substr(0, kind_end))) return object;
  const size_t name = object[kind_end + 1] == '/' ? kind_end + 2 : kind_end + 1;
  return fmt::format("{} {}{}", object.substr(0, kind_end), object.substr(name), in_scope(scope));
}

}  // namespace trainjobc::objects
