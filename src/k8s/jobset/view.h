// SPDX-License-Identifier: Apache-2.0

// A JobSet as the rules of JobSet's validating webhook read it, and how they report.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "k8s/violations.h"
#include "yaml/node.h"

namespace trainjobc::k8s::jobset {

// One element of spec.replicatedJobs. A node is nullptr if the JobSet has no such field.
struct ReplicatedJob {
  std::string field;  // spec.replicatedJobs[0]
  const yaml::Node* node = nullptr;
  const yaml::Node* name_node = nullptr;
  std::string_view name;
  int64_t replicas = 1;
  const yaml::Node* job_spec = nullptr;
  const yaml::Node* pod_spec = nullptr;
  std::optional<int64_t> parallelism;
  std::optional<int64_t> completions;
  bool indexed = false;
  int64_t jobs_before = 0;           // Jobs of the replicatedJobs before it
  int64_t jobs_of_group_before = 0;  // of those in its group
};

struct JobSetView {
  std::string_view name;
  const yaml::Node* name_node = nullptr;
  const yaml::Node* spec = nullptr;
  std::vector<ReplicatedJob> jobs;
  int64_t all_jobs = 0;
  std::map<std::string_view, int64_t> jobs_of_group;  // by groupName
  std::map<std::string_view, size_t> places;          // in `jobs`, by name

  const ReplicatedJob* job(std::string_view job_name) const;
};

// `admitted` fits its schema's types.
JobSetView view_job_set(const yaml::Node& admitted);

using yaml::items_at;
using yaml::text_at;
// nullopt if there is no such key.
std::optional<int64_t> int_at(const yaml::Node& map, std::string_view key);

// The names of the volumes that containers and init containers of the pod mount. The controller adds a
// claim's volume only then; devices don't count.
std::set<std::string_view> mounted_volumes(const yaml::Node& pod_spec);

// Appends a violation that points at `culprit`, which may be nullptr.
base::Diagnostic& add(k8s::Violations& out, std::string_view rule, std::string field, std::string message,
                      const yaml::Node* culprit, std::string hint = "");

// Appends a note if the node is in a file.
void add_note(base::Diagnostic& diagnostic, std::string message, const yaml::Node* node);

// "shorten it by 7 characters".
std::string shorten_hint(std::string_view what, size_t excess);

// A name that is part of a generated one, together with the JobSet's.
struct NamePart {
  std::string_view what;  // "replicatedJob"
  std::string_view name;
  const yaml::Node* node = nullptr;
};

// Appends a violation: a generated name consists of the JobSet's name (the TrainJob's), `times` times, and of
// `part`, and is `excess` characters too long.
void add_too_long(k8s::Violations& out, std::string_view rule, std::string field, std::string message,
                  const JobSetView& job_set, size_t excess, const NamePart& part, size_t times = 1);

// Says what to write instead of a replicatedJob's name that the JobSet does not have; `name` may be nullptr.
void suggest_job(base::Diagnostic& diagnostic, const JobSetView& job_set, const yaml::Node* name);

}  // namespace trainjobc::k8s::jobset
