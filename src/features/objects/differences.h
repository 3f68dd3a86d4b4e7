// SPDX-License-Identifier: Apache-2.0

// Differences between objects, whatever their two sides are: a cluster and the inputs, two states of files,
// two Trainer versions.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/source.h"
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
  schema::FieldPath path;                // of Changed and Ignored
  std::string name;                      // the path as text: spec.replicatedJobs[0].replicas
  const yaml::Node* live = nullptr;      // nullptr if there is none; Secrets are masked
  const yaml::Node* rendered = nullptr;  // the same
  bool order = false;                    // a list with the same items in another order
  const yaml::Node* cause = nullptr;     // the rendered node that has the location; nullptr if there is none
  base::Location location;               // of the input that it comes from
  bool is_around = false;                // the location is that of a parent: the field itself is not written
  std::string rule;     // what computed the rendered value: "torch/PET_NNODES"; "" if written
  std::string manager;  // who wrote the live field, if known and not trainjobc
  std::string refusal;  // why the cluster would refuse this update; "" if it would not
  std::string remedy;   // what to do about the refusal
};

// With the field's name, values and order.
inline Difference difference_in(const schema::FieldDifference& field) {
  return {.name = schema::to_string(field.path),
          .live = field.live,
          .rendered = field.rendered,
          .order = field.order};
}

// For an object that belongs to no TrainJob of the inputs.
inline constexpr size_t kNoJob = static_cast<size_t>(-1);

// One object on both sides, without what servers fill in, and with masked Secrets.
struct ObjectDiff {
  std::string scope;  // "", unless several were compared
  std::string id;     // "JobSet/team-a/llama"
  std::string api_version;
  std::string kind;
  std::string ns;  // "" if the inputs name none
  std::string name;
  size_t job = kNoJob;                 // which TrainJob it belongs to
  const yaml::Node* live = nullptr;    // nullptr: missing
  const yaml::Node* merged = nullptr;  // live with the differences applied; nullptr: orphaned
  std::vector<Difference> differences;

  // Whether any field differs that is not ignored.
  bool differs() const;
};

// Which of the same inputs two Trainer versions refuse, or which inputs are refused of two states of them.

enum class Verdict {
  NoLonger,  // only the old version, or the old state, is accepted
  Newly,     // only the new one
  Never,     // neither; of two states: the new one is not, and there is no old one that is
};

std::string_view to_string(Verdict verdict);

// " in clusters/prod", after the name of an object; "" for no scope.
std::string in_scope(const std::string& scope);

// A TrainJob or runtime that is refused on at least one side, or a file that can't be read.
struct Acceptance {
  std::string scope;   // "", unless several were compared
  std::string object;  // "TrainJob/team-a/llama"; a file's name
  Verdict verdict = Verdict::Never;
  // From the side that refuses it; if both do, what they share once.
  std::vector<base::Diagnostic> refusals;
  std::string cause;        // why there are none: "its runtime ClusterTrainingRuntime torch is not accepted"
  base::Location location;  // of the object, if `cause` is given

  // "TrainJob team-a/llama", "ClusterTrainingRuntime torch", "TrainJob team-a/llama in clusters/prod"
  std::string title() const;
};

struct Report {
  // If two Trainer versions were compared: "2.1", "2.3".
  std::string old_version;
  std::string new_version;
  std::vector<Acceptance> acceptances;  // of two versions, or of two states of files

  std::vector<ObjectDiff>
      objects;  // those with differences, including ignored ones, in the order of the inputs; orphans last
  size_t jobs = 0;                                  // TrainJobs of the inputs
  std::vector<std::string> warnings;                // about updates that the cluster accepts and that do harm
  std::vector<std::shared_ptr<const void>> memory;  // the memory of the nodes

  bool differs() const;
  // TrainJobs of the inputs with an object that differs.
  size_t differing_jobs() const;
  size_t orphans() const;
  // TrainJobs, or objects of any kind, with this verdict.
  size_t count(Verdict verdict, bool jobs_only) const;
};

// For one Trainer version: that of JobSets from its CRD; those of Secrets, ConfigMaps and PodGroups as far as
// comparing needs them. Not copyable: a schema points at its fields.
class ObjectSchemas {
 public:
  explicit ObjectSchemas(const schema::VersionSchemas& version);
  ObjectSchemas(const ObjectSchemas&) = delete;
  ObjectSchemas& operator=(const ObjectSchemas&) = delete;

  // nullptr for other kinds.
  const schema::Schema* find(std::string_view kind) const;
  const schema::Schema& job_set() const { return *job_set_; }

 private:
  const schema::Schema* job_set_;
  std::array<schema::Property, 6> fields_;  // of the three kinds together
  schema::Schema object_;
};

}  // namespace trainjobc::objects
