// SPDX-License-Identifier: Apache-2.0

// Differences between the objects of two sides, whatever these are: a cluster and the inputs, two states of
// files, two Trainer versions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/source.h"
#include "features/objects/pods.h"
#include "schema/compare.h"
#include "schema/schema.h"
#include "yaml/node.h"

namespace trainjobc::objects {

// "Kind/namespace/name", with `default` for no namespace.
std::string object_id(std::string_view kind, std::string_view ns, std::string_view name);

enum class DifferenceKind {
  Changed,   // a field
  Missing,   // an object that only the inputs render
  Orphaned,  // an object that only the cluster has
  Ignored,   // a field that another manager owns
};

std::string_view to_string(DifferenceKind kind);

struct Difference {
  DifferenceKind kind = DifferenceKind::Changed;
  schema::FieldPath path;                // set for Changed and Ignored
  std::string name;                      // the path as text: spec.replicatedJobs[0].replicas
  const yaml::Node* live = nullptr;      // nullptr if there is none; Secrets are masked
  const yaml::Node* rendered = nullptr;  // likewise
  bool order = false;                    // the list has the same items in another order
  base::Location location;               // of the input from which it comes
  std::string field;                     // there: "spec.trainer.numNodes"; see CompareOptions::fields
  bool is_around = false;                // the location is a parent's, since the field itself is not written
  std::string rule;     // what computed the rendered value: "torch/PET_NNODES"; "" if written
  std::string manager;  // who wrote the live field, if known and not trainjobc
  std::string refusal;  // why the cluster would refuse this update; "" if it would not
  std::string remedy;   // what to do about the refusal
};

// A difference with the field's name, values and order.
inline Difference difference_in(const schema::FieldDifference& field) {
  return {.name = schema::to_string(field.path),
          .live = field.live,
          .rendered = field.rendered,
          .order = field.order};
}

// The job of an object that belongs to no TrainJob of the inputs.
inline constexpr size_t kNoJob = static_cast<size_t>(-1);

// What a report keeps of whole objects, for the formats that show it.
enum class Manifests : uint8_t {
  None,
  Hunks,  // of a unified diff
  Texts,  // of both sides
};

// An object on both sides, without what servers fill in, and with Secrets masked.
struct ObjectDiff {
  std::string scope;  // "" unless several were compared
  std::string id;     // "JobSet/team-a/llama"
  std::string api_version;
  std::string kind;
  std::string ns;  // "" if the inputs name none
  std::string name;
  size_t job = kNoJob;      // the TrainJob to which it belongs
  bool is_live = false;     // not missing
  bool is_wanted = false;   // not orphaned
  Demand more;              // of a JobSet that differs: what it requests in addition
  std::string hunks;        // with Manifests::Hunks
  std::string live_text;    // with Manifests::Texts, as YAML; "" if missing
  std::string merged_text;  // likewise, with the differences applied; "" if orphaned
  std::vector<Difference> differences;

  // Whether any field differs that is not ignored.
  bool differs() const;
};

// What two sides refuse: two Trainer versions of the same inputs, or one version of two states of the inputs.

enum class Verdict {
  NoLonger,  // only the old version, or the old state, is accepted
  Newly,     // only the new one is accepted
  Never,     // neither is accepted; for states: the new one isn't, and there is no accepted old one
};

std::string_view to_string(Verdict verdict);

// " in clusters/prod", to follow the name of an object; "" for no scope.
std::string in_scope(const std::string& scope);

// A TrainJob or runtime that at least one side refuses, or a file that can't be read.
struct Acceptance {
  std::string scope;   // "" unless several were compared
  std::string object;  // "TrainJob/team-a/llama"; a file's name
  Verdict verdict = Verdict::Never;
  // The refusals of the side that refuses it; if both do, common ones once.
  std::vector<base::Diagnostic> refusals;
  std::string
      cause;  // the reason if there are none: "its runtime ClusterTrainingRuntime torch is not accepted"
  std::string place;  // of the object, if `cause` is given: "jobs/llama.yaml:1"

  // "TrainJob team-a/llama", "ClusterTrainingRuntime torch", "TrainJob team-a/llama in clusters/prod"
  std::string title() const;
};

// A TrainJob of two states of files that a cluster does not update as it is in the new one.
struct LeftJob {
  std::string scope;                 // "", unless several were compared
  std::string job;                   // "team-a/llama"
  std::string trainer;               // the version of the cluster
  std::vector<std::string> refused;  // the fields that can't change: "spec.trainer"; empty: its JobSet stays
};

struct Report {
  // Set if two Trainer versions were compared: "2.1", "2.3".
  std::string old_version;
  std::string new_version;
  std::vector<Acceptance> acceptances;  // for two versions, or two states of files

  std::vector<ObjectDiff>
      objects;  // those with differences, including ignored ones, in the order of the inputs; orphans last
  std::vector<LeftJob> left_jobs;                   // of two states of files
  size_t jobs = 0;                                  // TrainJobs of the inputs
  std::vector<std::string> warnings;                // about harmful updates that the cluster accepts
  std::vector<std::shared_ptr<const void>> memory;  // holds the nodes

  bool differs() const;
  // The number of TrainJobs of the inputs with an object that differs.
  size_t differing_jobs() const;
  size_t orphans() const;
  // The number of TrainJobs, or objects of any kind, with this verdict.
  size_t count(Verdict verdict, bool jobs_only) const;
};

// The node with all below it, but for its origins; nullptr for nullptr.
const yaml::Node* value_copy(const yaml::Node* node, const yaml::Maker& make);

// Copies what the differences refer to into `arena`, so that the report doesn't need the objects' memory.
// Values of whole objects, added or removed, are kept only `with_objects`.
void keep_values(Report& report, bool with_objects, base::Arena& arena);

// The object as YAML with sorted keys; "" for nullptr.
std::string manifest_of(const yaml::Node* object);

// Schemas for one Trainer version: that of JobSets from its CRD; those of Secrets, ConfigMaps and PodGroups
// as far as comparing needs them. Not copyable: a schema points at its fields.
class ObjectSchemas {
 public:
  explicit ObjectSchemas(const schema::VersionSchemas& version);
  ObjectSchemas(const ObjectSchemas&) = delete;
  ObjectSchemas& operator=(const ObjectSchemas&) = delete;

  // Returns nullptr for other kinds.
  const schema::Schema* find(std::string_view kind) const;
  const schema::Schema& job_set() const { return *job_set_; }

 private:
  const schema::VersionSchemas* version_;
  const schema::Schema* job_set_;
  std::array<schema::Property, 6> fields_;  // of the three other kinds together
  schema::Schema object_;
};

}  // namespace trainjobc::objects
