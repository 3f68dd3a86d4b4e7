// SPDX-License-Identifier: Apache-2.0

// What the objects of the inputs say about a namespace: its Pod Security labels, its quotas, its LimitRanges.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "platform/pod_security.h"
#include "platform/quota.h"
#include "platform/subject.h"
#include "yaml/node.h"

namespace trainjobc::platform {

// Whether it is such an object. A Namespace without those labels is not.
bool is_namespace_object(const yaml::Node& root);

class Namespaces {
 public:
  explicit Namespaces(SecurityExemptions exemptions) : exemptions_(std::move(exemptions)) {}

  void add(const yaml::Node& root);
  bool is_empty() const { return by_name_.empty(); }

  // Fills in what LimitRanges give to the pods.
  void complete(std::vector<Subject>& subjects, const yaml::Maker& make) const;
  // The JobSet with what LimitRanges give to the containers of its pods; the same one if they give nothing.
  const yaml::Node* with_limits(const yaml::Node& job_set, const yaml::Maker& make) const;
  // What a job uses of each quota of its namespace. The subjects are complete.
  std::vector<QuotaUse> quotas_of(const std::vector<Subject>& subjects, const CompiledJob& job) const;
  // Appends what is refused in the namespace. The subjects are complete.
  void check(const std::vector<Subject>& subjects, const CompiledJob& job, base::Diagnostics& found) const;
  // What is wrong with the labels of Namespaces, and what all jobs exceed together.
  base::Diagnostics problems() const;
  base::Diagnostics together() const;

 private:
  struct Namespace {
    const yaml::Node* root = nullptr;
    std::vector<const yaml::Node*> ranges;
    mutable std::deque<Quota> quotas;
  };

  SecurityExemptions exemptions_;
  std::map<std::string, Namespace, std::less<>> by_name_;
};

}  // namespace trainjobc::platform
