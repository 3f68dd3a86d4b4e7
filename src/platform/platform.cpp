// SPDX-License-Identifier: Apache-2.0

#include "platform/platform.h"

#include "base/arena.h"

namespace trainjobc::platform {

bool is_platform_object(const yaml::Node& root) {
  return is_namespace_object(root);
}

Platform::Platform(const std::vector<const yaml::Node*>& objects) {
  for (const yaml::Node* object : objects) namespaces_.add(*object);
}

base::Diagnostics Platform::problems() const {
  base::Diagnostics all = namespaces_.problems();
  all.append(namespaces_.together());
  return all;
}

void Platform::check(const CompiledJob& job, base::Diagnostics& found) const {
  if (namespaces_.is_empty() || !job.train_job || !job.job_set) return;
  base::Arena arena;
  const yaml::Maker make(arena);
  std::vector<Subject> subjects = subjects_of(job, make);
  namespaces_.complete(subjects, make);
  namespaces_.check(subjects, job, found);
}

}  // namespace trainjobc::platform
