#include "compile/advice/rendered.h"

#include <charconv>

#include "compile/advice/containers/all_containers.h"
#include "model/trainer_names.h"

namespace trainjobc::compile::advice {
namespace {

using yaml::Node;

const Node* node_of(const Node& replicated_job) {
  const Node* containers = replicated_job.at({"template", "spec", "template", "spec", "containers"});
  if (!containers) return nullptr;
  for (const Node* container : containers->items()) {
    if (text_at(*container, "name") == model::kNode) return container;
  }
  return nullptr;
}

std::span<const Node* const> jobs_of(const Node& job_set) {
  const Node* jobs = job_set.at({"spec", "replicatedJobs"});
  return jobs ? jobs->items() : std::span<const Node* const>();
}

}  // namespace

std::optional<int64_t> to_number(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

const Node* rendered_node(const Node& job_set, std::string_view replicated_job) {
  for (const Node* job : jobs_of(job_set)) {
    if (text_at(*job, "name") == replicated_job) return node_of(*job);
  }
  return nullptr;
}

std::optional<int64_t> rendered_number(const Node& job_set, std::string_view variable) {
  for (const Node* job : jobs_of(job_set)) {
    const Node* container = node_of(*job);
    const Node* env = container ? container->get("env") : nullptr;
    if (!env) continue;
    for (const Node* item : env->items()) {
      if (text_at(*item, "name") == variable) return to_number(text_at(*item, "value"));
    }
  }
  return std::nullopt;
}

}  // namespace trainjobc::compile::advice
