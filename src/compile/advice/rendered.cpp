// SPDX-License-Identifier: Apache-2.0

#include "compile/advice/rendered.h"

#include <charconv>

#include "compile/advice/containers/all_containers.h"
#include "model/trainer_names.h"
#include "yaml/fields.h"

namespace trainjobc::compile::advice {
namespace {

using yaml::Node;

const Node* node_of(const Node& replicated_job) {
  for (const Node* container :
       items_at(replicated_job, {"template", "spec", "template", "spec", "containers"})) {
    if (text_at(*container, "name") == model::kNode) return container;
  }
  return nullptr;
}

}  // namespace

std::optional<int64_t> to_number(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

const Node* rendered_node(const Node& job_set, std::string_view replicated_job) {
  for (const Node* job : items_at(job_set, {"spec", "replicatedJobs"})) {
    if (text_at(*job, "name") == replicated_job) return node_of(*job);
  }
  return nullptr;
}

std::optional<int64_t> rendered_number(const Node& job_set, std::string_view variable) {
  for (const Node* job : items_at(job_set, {"spec", "replicatedJobs"})) {
    const Node* container = node_of(*job);
    for (const Node* item : yaml::items_of(container ? container->get("env") : nullptr)) {
      if (text_at(*item, "name") == variable) return to_number(text_at(*item, "value"));
    }
  }
  return std::nullopt;
}

}  // namespace trainjobc::compile::advice
