// SPDX-License-Identifier: Apache-2.0

#include "platform/platform.h"

#include <utility>

#include "base/arena.h"
#include "base/text/text.h"

namespace trainjobc::platform {

bool is_platform_object(const yaml::Node& root) {
  return is_namespace_object(root) || is_policy_object(root);
}

Platform::Platform(TeamRuleSets team, SecurityExemptions exemptions, std::vector<const yaml::Node*> objects)
    : team_(std::move(team)), namespaces_(std::move(exemptions)) {
  std::vector<const yaml::Node*> own;
  for (const auto& rules : team_) own.insert(own.end(), rules->policies().begin(), rules->policies().end());
  base::append(objects, own);
  for (const yaml::Node* object : objects) {
    if (is_namespace_object(*object)) namespaces_.add(*object);
  }
  policies_ = read_policies(objects, own);
}

base::Diagnostics Platform::problems() const {
  base::Diagnostics all = namespaces_.problems();
  all.append(namespaces_.together());
  if (policies_) all.append(policies_->problems());
  for (const auto& rules : team_) all.append(rules->problems());
  return all;
}

void Platform::check(const CompiledJob& job, base::Diagnostics& found) const {
  if ((namespaces_.is_empty() && !has_rules()) || !job.train_job) return;
  base::Arena arena;
  const yaml::Maker make(arena);
  std::vector<Subject> subjects = subjects_of(job, make);
  // `trainjobc plan` does not count what LimitRanges fill in.
  const yaml::Node* plan = job.job_set && !team_.empty() ? plan_of(job, subjects, make) : nullptr;
  namespaces_.complete(subjects, make);
  if (!team_.empty()) {
    for (const Subject& subject : subjects) {
      for (const auto& rules : team_) rules->check(subject, job.object, plan, found);
    }
  }
  if (policies_) {
    for (const Subject& subject : subjects) policies_->check(subject, job.object, found);
  }
  if (job.job_set) namespaces_.check(subjects, job, found);
}

void Platform::check_change(const yaml::Node& before, const yaml::Node& after, const std::string& object,
                            base::Diagnostics& found) const {
  if (!policies_ || yaml::equal(before, after)) return;
  base::Arena arena;
  Subject subject = subjects_of({object, &after}, yaml::Maker(arena)).front();
  subject.old_root = &before;
  policies_->check(subject, object, found);
}

std::vector<QuotaUse> Platform::quotas_of(const CompiledJob& job) const {
  if (namespaces_.is_empty()) return {};
  base::Arena arena;
  const yaml::Maker make(arena);
  std::vector<Subject> subjects = subjects_of(job, make);
  namespaces_.complete(subjects, make);
  return namespaces_.quotas_of(subjects, job);
}

void Platform::check_runtime(const yaml::Node& runtime, const std::string& object,
                             base::Diagnostics& found) const {
  if (!has_rules()) return;
  const Subject subject = subject_of_runtime(runtime);
  for (const auto& rules : team_) rules->check(subject, object, nullptr, found);
  if (policies_) policies_->check(subject, object, found);
}

}  // namespace trainjobc::platform
