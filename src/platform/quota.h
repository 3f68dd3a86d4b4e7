// SPDX-License-Identifier: Apache-2.0

// ResourceQuotas: what they make mandatory in pods, and what a job alone exceeds, or the jobs of a namespace
// together.
// Source of the rules: k8s.io/kubernetes 1.36, pkg/quota/v1/evaluator/core/pods.go, and k8s.io/apiserver,
// pkg/admission/plugin/resourcequota.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "platform/amounts.h"
#include "platform/subject.h"
#include "yaml/node.h"

namespace trainjobc::platform {

// What a job uses of a quota at the same time.
struct QuotaUse {
  struct Resource {
    std::string name;  // as the quota calls it
    k8s::Quantity hard;
    std::optional<k8s::Quantity> used;  // nullopt if it is not what jobs use, such as Services
  };
  std::string ns;
  std::string name;
  std::vector<Resource> resources;  // in the order of the quota
};

// One quota, with what the jobs of a run use of it. Threads may share it.
class Quota {
 public:
  explicit Quota(const yaml::Node& root) : root_(root) {}

  // Appends what it refuses in the job of these objects, which have the defaults of LimitRanges.
  void check(const std::vector<Subject>& subjects, const CompiledJob& job, base::Diagnostics& found);
  // The same objects' use of it.
  QuotaUse use_of(const std::vector<Subject>& subjects, const CompiledJob& job) const;
  // What the jobs exceed together of which none does alone.
  base::Diagnostics together() const;

 private:
  using Usage = std::map<std::string, k8s::Quantity, std::less<>>;  // by the quota's name of a resource

  // The pods that it counts: those that run at the same time, and those that have ended before.
  struct Pods {
    std::vector<Subject> at_once;
    std::vector<Subject> before;
  };

  Pods pods_of(const std::vector<Subject>& subjects, const CompiledJob& job) const;
  Usage usage_at_once(const Pods& pods, const std::vector<Subject>& subjects) const;
  bool matches(const Subject& pod) const;
  bool matches_scope(const Subject& pod, std::string_view scope, std::string_view op,
                     const yaml::Node* values) const;
  Usage usage_of(const Subject& pod) const;
  void check_mandatory(const Subject& pod, const std::string& owner, base::Diagnostics& found) const;
  void add_counts(const std::vector<Subject>& subjects, Usage& usage) const;
  void exceeds(const std::vector<Subject>& subjects, const CompiledJob& job, const Usage& usage,
               base::Diagnostics& found) const;
  std::string name() const;

  const yaml::Node& root_;
  mutable std::mutex mutex_;
  std::map<std::string, std::pair<Usage, base::Location>> jobs_;  // by their names
};

}  // namespace trainjobc::platform
