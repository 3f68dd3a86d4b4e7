// SPDX-License-Identifier: Apache-2.0

#include "platform/platform.h"

#include "base/arena.h"

namespace trainjobc::platform {

bool is_platform_object(const yaml::Node& root) {
  return is_namespace_object(root) || is_policy_object(root);
}

Platform::Platform(const std::vector<const yaml::Node*>& objects) {
  for (const yaml::Node* object : objects) {
    if (is_namespace_object(*object)) namespaces_.add(*object);
  }
  policies_ = read_policies(objects);
}

base::Diagnostics Platform::problems() const {
  base::Diagnostics all = namespaces_.problems();
  all.append(namespaces_.together());
  if (policies_) all.append(policies_->problems());
  return all;
}

void Platform::check(const CompiledJob& job, base::Diagnostics& found) const {
  if ((namespaces_.is_empty() && !policies_) || !job.train_job) return;
  base::Arena arena;
  const yaml::Maker make(arena);
  std::vector<Subject> subjects = subjects_of(job, make);
  namespaces_.complete(subjects, make);
  if (policies_) {
    for (const Subject& subject : subjects) policies_->check(subject, job.object, found);
  }
  if (job.job_set) namespaces_.check(subjects, job, found);
}

void Platform::check_runtime(const yaml::Node& runtime, const std::string& object,
                             base::Diagnostics& found) const {
  if (policies_) policies_->check(subject_of_runtime(runtime), object, found);
}

}  // namespace trainjobc::platform
