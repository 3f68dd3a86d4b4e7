// SPDX-License-Identifier: Apache-2.0

// What a namespace, a platform and a team put in the way of a job, beside the API server and the controllers:
// all checks of one compilation.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "platform/namespaces.h"
#include "platform/policies.h"
#include "platform/subject.h"
#include "platform/team.h"
#include "yaml/node.h"

namespace trainjobc::platform {

// Threads may share it.
class Platform {
 public:
  // `objects`: those of the inputs that is_platform_object() names, and all others if a policy may be among
  // them, since its parameters may be of any kind. They must outlive it.
  Platform(TeamRuleSets team, SecurityExemptions exemptions, std::vector<const yaml::Node*> objects);

  // What is wrong with the objects and rules themselves, and with all checked jobs together.
  base::Diagnostics problems() const;
  // Whether there are rules for any object, not only for what is in a namespace.
  bool has_rules() const { return policies_ || !team_.empty(); }
  // Whether there are rules that may ask what a job takes.
  bool counts_jobs() const { return !team_.empty(); }
  // Appends what is said about a job and what becomes of it.
  void check(const CompiledJob& job, base::Diagnostics& found) const;
  // Appends what policies say about the change of a TrainJob.
  void check_change(const yaml::Node& before, const yaml::Node& after, const std::string& object,
                    base::Diagnostics& found) const;
  // What the job uses of each quota of its namespace.
  std::vector<QuotaUse> quotas_of(const CompiledJob& job) const;
  // The JobSet with what LimitRanges give to the containers of its pods, by the rule kLimitDefault.
  const yaml::Node* with_limits(const yaml::Node& job_set, const yaml::Maker& make) const {
    return namespaces_.with_limits(job_set, make);
  }
  // The same as check for a runtime, with the defaults of its schema.
  void check_runtime(const yaml::Node& runtime, const std::string& object, base::Diagnostics& found) const;

 private:
  TeamRuleSets team_;
  Namespaces namespaces_;
  std::unique_ptr<const Policies> policies_;  // nullptr if there are none
};

// Whether the checks read such an object.
bool is_platform_object(const yaml::Node& root);

}  // namespace trainjobc::platform
