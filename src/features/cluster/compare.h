// SPDX-License-Identifier: Apache-2.0

// Compares the rendered objects with the live ones: one entry per object, with its differences.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/progress.h"
#include "base/source.h"
#include "compile/compile.h"
#include "features/cluster/live.h"
#include "features/cluster/live_fields.h"
#include "features/objects/difference_text.h"
#include "features/objects/differences.h"
#include "schema/compare.h"
#include "schema/schema.h"
#include "yaml/node.h"

namespace trainjobc::cluster {

// Which live objects are reported although the inputs don't render them.
enum class Orphans {
  All,       // everything that Trainer created
  OfInputs,  // those that belong to a TrainJob of the inputs
  None,
};

struct CompareOptions {
  const schema::VersionSchemas* schemas = nullptr;
  // An absent namespace means `default`; if false, that of the cluster's context.
  bool default_is_none = true;
  Orphans orphans = Orphans::All;
  bool refusals = true;  // mark updates that a cluster refuses
  // The rendered objects as the API server would store them, from a dry run; nullptr: compares them as they
  // were rendered.
  const LiveSet* dry_run = nullptr;
  objects::Manifests manifests = objects::Manifests::None;
  // Finds the inputs' fields that cause the differences; nullptr if no format shows them.
  objects::InputFields* fields = nullptr;
};

// Compares every rendered object with the live one of its kind, namespace and name. `compiled` must have been
// compiled with_defaults. Live objects of refused TrainJobs are no orphans. Existing SSH keys are kept and
// are not a difference, nor is a Flux certificate made from a uid that the inputs don't have.
objects::Report compare_objects(const Compilation& compiled, std::shared_ptr<const LiveSet> live,
                                const CompareOptions& options);

// Likewise, for some of the rendered objects, which must live as long as the report. `refused` are the names
// of TrainJobs in diagnostics.
objects::Report compare_objects(std::span<const Object> rendered, const std::set<std::string>& refused,
                                std::shared_ptr<const LiveSet> live, const CompareOptions& options);

// How the objects of TrainJobs that are not kept are compared.
struct RemadeOptions {
  bool with_objects = false;         // the report keeps values of whole objects
  bool with_secrets = true;          // false: Secrets are left out
  unsigned threads = 0;              // 0: one per processor
  const base::Work* work = nullptr;  // whose steps are the TrainJobs
};

// Like the first one, but makes the objects of `compiled.collected` again, a few jobs at a time. The report
// keeps only the values that differ.
objects::Report compare_remade(const Compilation& compiled, const LiveSet& live,
                               const CompareOptions& options, const RemadeOptions& how);

// The effect of updating a live object: whether the cluster refuses it, and the object afterwards.

// Sets refusal and remedy of the differences that can't be applied to the live object. Source of the rules:
// JobSet's webhook (ValidateUpdate) and its CRD (self == oldSelf); Kubernetes' validation of Secrets and
// ConfigMaps.
void mark_refusals(objects::ObjectDiff& object, const yaml::Node& live, const yaml::Node& rendered);

// Whether applying `rendered`, which was compiled with defaults, removes the successPolicy of the live
// JobSet: it was applied with one, and the inputs no longer contain it. The CRD's rule allows that, the
// webhook adds one only to new JobSets, and the controller fails on a JobSet without one.
bool loses_success_policy(const yaml::Node& rendered, const yaml::Node& live);

// `live` with the changed fields as rendered, and everything else in its own spelling and order.
const yaml::Node* apply_differences(const yaml::Node& live, std::span<const objects::Difference> differences,
                                    const yaml::Maker& make);

// The controller's scripts do the same as the rendered ones, but their text differs. If the live object is
// the controller's, this difference is ignored; scripts applied by others stay differences.
void set_scripts_apart(const LiveObject& live, const FieldOwners& owners,
                       std::vector<objects::Difference>& differences);

// The fields of a TrainJob's spec that differ and can't be updated: "spec.trainer". Source of the rule: the
// CRD (self == oldSelf), whose transition rules apply to fields that both objects have.
std::vector<std::string> immutable_changes(const yaml::Node& before, const yaml::Node& after,
                                           const schema::Schema& train_job);

}  // namespace trainjobc::cluster
