// What `trainjobc diff` found: one entry per object, with its differences.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"
#include "schema/compare.h"
#include "tools/diff/acceptance.h"
#include "yaml/node.h"

namespace trainjobc::diff {

enum class DifferenceKind {
  Changed,   // a field
  Missing,   // an object that only the inputs make
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
  base::Location location;               // of the input that caused it
  bool is_around = false;                // the location is of what is around it: nothing closer was written
  std::string rule;     // what computed the rendered value: "torch/PET_NNODES"; "" if written
  std::string manager;  // who wrote the live field, if the cluster says so and it was not trainjobc
  std::string refusal;  // why the cluster would refuse this update; "" if it would not
  std::string remedy;   // what to do about that
};

// Of an object that belongs to no TrainJob of the inputs.
inline constexpr size_t kNoJob = static_cast<size_t>(-1);

// One object on both sides. Nodes are free of what servers fill in, and Secrets are masked.
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

  // Whether anything but ignored fields differs.
  bool differs() const;
};

struct Report {
  // Where two Trainer versions were compared: "2.1", "2.3", and what one of them does not accept.
  std::string old_version;
  std::string new_version;
  std::vector<Acceptance> acceptances;

  std::vector<ObjectDiff>
      objects;      // those with differences, ignored ones too, in the order of the inputs; orphans last
  size_t jobs = 0;  // TrainJobs of the inputs
  std::vector<std::string> warnings;                // of updates that the cluster accepts and that do harm
  std::vector<std::shared_ptr<const void>> memory;  // what the nodes live in

  bool differs() const;
  // TrainJobs of the inputs of which any object differs.
  size_t differing_jobs() const;
  size_t orphans() const;
  // TrainJobs, or objects of any kind, with this verdict.
  size_t count(Verdict verdict, bool jobs_only) const;
};

}  // namespace trainjobc::diff
