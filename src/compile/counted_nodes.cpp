// SPDX-License-Identifier: Apache-2.0

#include "compile/counted_nodes.h"

#include <fmt/format.h>

#include <array>
#include <string>

namespace trainjobc::compile {
namespace {

constexpr std::array<std::string_view, 2> kCounts{"parallelism", "completions"};

bool is_of_num_nodes(const yaml::Node* count) {
  const yaml::Derivation* made = count ? count->origin().derivation() : nullptr;
  return made && made->rule == kPodCountRule;
}

}  // namespace

void name_num_nodes(const yaml::Node& job_set, k8s::Violations& violations) {
  const yaml::Node* jobs = job_set.at({"spec", "replicatedJobs"});
  for (size_t i = 0; !violations.empty() && jobs && i < jobs->size(); ++i) {
    for (const std::string_view key : kCounts) {
      if (!is_of_num_nodes(jobs->items()[i]->at({"template", "spec", key}))) continue;
      const std::string field = fmt::format("spec.replicatedJobs[{}].template.spec.{}", i, key);
      for (base::Diagnostic& violation : violations) {
        if (violation.field == field && violation.message.starts_with(key))
          violation.message.replace(0, key.size(), "numNodes");
      }
    }
  }
}

}  // namespace trainjobc::compile
