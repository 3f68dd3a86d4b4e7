// SPDX-License-Identifier: Apache-2.0

#include "features/lsp/rendered_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>

#include "features/cluster/pods.h"
#include "features/plan/plan.h"
#include "model/trainer_names.h"
#include "secret/secret.h"
#include "yaml/write/writer.h"

namespace trainjobc::lsp {
namespace {

// "nvidia.com/gpu" -> "GPU"
std::string device_name(std::string_view resource) {
  const std::string_view kind = resource.substr(resource.rfind('/') + 1);
  if (kind == "gpu") return "GPU";
  return kind == "tpu" ? "TPU" : std::string(resource);
}

bool is_device(std::string_view resource) {
  return resource.find('/') != std::string_view::npos;
}

std::string counted(int64_t number, std::string_view noun) {
  const bool is_plural = number != 1 && !is_device(noun);
  return fmt::format("{} {}{}", number, noun, is_plural ? "s" : "");
}

// "4 nodes × 8 GPUs = 32 GPUs", of the replicatedJob with the most devices; "4 nodes" without any.
std::string size_in_words(const plan::JobPlan& job) {
  std::string words = counted(job.nodes, "node");
  int64_t most = 0;
  for (const cluster::PodSet& set : job.pod_sets) {
    for (const auto& [resource, amount] : cluster::times(set.per_pod, set.pods)) {
      const int64_t devices = amount.value();
      if (!is_device(resource) || devices <= most) continue;
      most = devices;
      const std::string device = device_name(resource);
      words =
          fmt::format("{} × {} = {}", counted(set.pods, "node"),
                      counted(set.per_pod.find(resource)->second.value(), device), counted(devices, device));
    }
  }
  return words;
}

// Where a TrainJob begins in the document.
std::optional<Position> place_of(const Compilation& compiled, const DocumentId& document,
                                 std::string_view id) {
  const auto found = std::ranges::find_if(compiled.linted, [&](const LintedObject& object) {
    return object.object == id && object.file == document;
  });
  return found != compiled.linted.end() && found->line > 0 ? std::optional(Position{found->line - 1, 0})
                                                           : std::nullopt;
}

// Of one job.
std::vector<Object> objects_of(const Compilation& compiled, std::string_view id) {
  std::vector<Object> objects;
  std::ranges::copy_if(compiled.objects, std::back_inserter(objects), [&](const Object& object) {
    return object.train_job && model::identify(*object.train_job).str() == id;
  });
  return objects;
}

// Of each job; those of a job follow each other.
std::vector<std::span<const Object>> by_job(const Compilation& compiled) {
  std::vector<std::span<const Object>> jobs;
  const std::span<const Object> all = compiled.objects;
  for (size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    while (end < all.size() && all[end].train_job == all[begin].train_job) ++end;
    if (all[begin].train_job) jobs.push_back(all.subspan(begin, end - begin));
  }
  return jobs;
}

std::string print_masked(const std::vector<Object>& objects) {
  std::string text;
  for (const Object& object : objects) {
    base::Arena arena;
    const yaml::Maker make(arena);
    if (!text.empty()) text += "---\n";
    yaml::write_yaml(*secret::masked_object(*object.root, make), yaml::KeyOrder::Kubernetes, text);
  }
  return text;
}

// The first error that keeps the job from being rendered.
std::string first_error(const Compilation& compiled, std::string_view id) {
  for (const base::Diagnostic& found : compiled.diagnostics.items()) {
    if (base::is_refusal(found) && found.object == id) return found.message;
  }
  return "";
}

}  // namespace

Json code_lenses(const Workspace& workspace, const DocumentId& document) {
  Json lenses = Json::array();
  Workspace::Inputs inputs = workspace.inputs_of(document);
  if (inputs.own.empty()) return lenses;
  Options options = workspace.options_of(document);
  options.with_defaults = true;
  const Compilation compiled = compile_sources(std::move(inputs.own), std::move(inputs.others), options);
  for (const std::span<const Object> objects : by_job(compiled)) {
    const plan::JobPlan job = plan::plan_job(objects, {});
    const auto at = place_of(compiled, document, job.id);
    if (!at) continue;
    lenses.push_back({{"range", Range{*at, *at}},
                      {"command",
                       {{"title", size_in_words(job) + " · show JobSet"},
                        {"command", std::string(kShowJobSet)},
                        {"arguments", Json::array({uri_of(document), job.ns, job.name})}}}});
  }
  return lenses;
}

std::variant<Json, WhyNot> rendered_job_set(const Workspace& workspace, const DocumentId& document,
                                            const std::string& ns, const std::string& name) {
  const std::string id = model::ObjectId{model::kTrainJob, ns, name}.str();
  const auto compiled = workspace.compiled(document);
  const std::vector<Object> objects = objects_of(compiled->compilation, id);
  if (objects.empty()) {
    const std::string why = first_error(compiled->compilation, id);
    return WhyNot{why.empty() ? fmt::format("the document contains no {}", id)
                              : fmt::format("{} can't be rendered: {}", id, why)};
  }
  const std::string path = uri_of(id.substr(id.find('/'))).substr(kFileScheme.size());
  return Json{{"uri", fmt::format("{}{}.yaml", kJobSetScheme, path)},
              {"languageId", "yaml"},
              {"text", print_masked(objects)}};
}

}  // namespace trainjobc::lsp
