// SPDX-License-Identifier: Apache-2.0

// The result of `trainjobc diff`: one entry per object, with its differences.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"
#include "schema/compare.h"
#include "features/diff/acceptance.h"
#include "yaml/node.h"

namespace trainjobc::diff {

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

// For an object that belongs to no TrainJob of the inputs.
inline constexpr size_t kNoJob = static_cast<size_t>(-1);

// One object on both sides, without what servers fill in, and with masked Secrets.
struct ObjectDiff {
  std::string id;  // "JobSet/team-a/llama"
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

struct Report {
  // If two Trainer versions were compared: "2.1", "2.3", and what one of them does not accept.
  std::string old_version;
  std::string new_version;
  std::vector<Acceptance> acceptances;

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

}  // namespace trainjobc::diff
