// SPDX-License-Identifier: Apache-2.0

// Source of the rules: argoproj/argo-workflows v3.7, workflow/executor/resource.go: a condition is a label
// selector whose keys are paths in the object. All requirements of a successCondition must match, and one of
// a failureCondition. Trainer lists a job's conditions in the order in which they occurred, and JobSet its
// Jobs in any order.
#include "features/migrate/v1/workflow.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>

#include "base/text/text.h"
#include "rules/rules.h"
#include "yaml/read/reader.h"

namespace trainjobc::migrate::v1 {
namespace {

using yaml::Maker;
using yaml::Node;

constexpr std::array<std::string_view, 3> kKinds{"ClusterWorkflowTemplate", "Workflow", "WorkflowTemplate"};

// The path to an object's templates; empty for objects without any.
std::vector<std::string_view> path_of_templates(const Node& object) {
  if (!yaml::string_at(object, "apiVersion").starts_with("argoproj.io/")) return {};
  const std::string_view kind = yaml::string_at(object, "kind");
  if (kind == "CronWorkflow") return {"spec", "workflowSpec", "templates"};
  if (!base::contains(kKinds, kind)) return {};
  return {"spec", "templates"};
}

const Node* node_at(const Node& object, const std::vector<std::string_view>& path) {
  const Node* node = path.empty() ? nullptr : &object;
  for (const std::string_view key : path) node = node ? node->get(key) : nullptr;
  return node;
}

bool has_job(const Node& manifest) {
  if (manifest.text().find("kubeflow.org/") == std::string_view::npos) return false;
  const base::SourceFile file("", std::string(manifest.text()));
  base::Arena arena;
  base::Diagnostics problems;
  const auto documents = yaml::read(file, arena, problems);
  if (documents.size() != 1 || problems.has_errors()) return false;
  return convertible_kind(*documents.front().root) != nullptr;
}

// One requirement of a selector: `key = value`.
struct Requirement {
  std::string_view key;
  std::string_view relation;
  std::string_view value;
};

std::optional<Requirement> requirement_of(std::string_view text) {
  constexpr std::string_view kRelation = "=<>";
  const size_t begin = text.find_first_of(kRelation);
  if (begin == std::string_view::npos || text.find_first_of(",!(") != std::string_view::npos)
    return std::nullopt;
  const size_t end = std::min(text.find_first_not_of(kRelation, begin), text.size());
  return Requirement{base::trimmed(text.substr(0, begin)), text.substr(begin, end - begin),
                     base::trimmed(text.substr(end))};
}

// The role in a key `status.replicaStatuses.ROLE.succeeded`; "" for other keys.
std::string_view role_of(std::string_view key, std::string_view field) {
  constexpr std::string_view kStatuses = "status.replicaStatuses.";
  if (!key.starts_with(kStatuses)) return "";
  key.remove_prefix(kStatuses.size());
  const size_t dot = key.find('.');
  return dot != std::string_view::npos && key.substr(dot + 1) == field ? key.substr(0, dot) : "";
}

// Whether the condition was already written for a TrainJob.
bool is_of_train_job(std::string_view condition) {
  return condition.find("status.jobsStatus.") != std::string_view::npos ||
         condition.find("Complete") != std::string_view::npos;
}

class Template {
 public:
  Template(const JobTemplate& job, const std::vector<PodRange>& pods, const Maker& make, V1Findings& findings)
      : job_(job), resource_(*job.node->get("resource")), pods_(pods), make_(make), findings_(findings) {}

  const Node* run(const std::string& text) {
    check_outputs();
    const Node* resource =
        make_.with(&resource_, "manifest", make_.copied(text, resource_.get("manifest")->origin()));
    resource = with_condition(resource, "successCondition", &Template::success);
    resource = with_condition(resource, "failureCondition", &Template::failure);
    return make_.with(job_.node, "resource", resource);
  }

 private:
  // Translates a condition on a v1 job into one on the TrainJob; "" with a finding if that is impossible.
  using Translation = std::string (Template::*)(const Node& condition,
                                                const std::optional<Requirement>& given);

  const Node* with_condition(const Node* resource, std::string_view key, Translation translate) {
    const Node* given = resource_.get(key);
    if (!given || given->text().empty() || is_of_train_job(given->text())) return resource;
    const std::string text = (this->*translate)(*given, requirement_of(given->text()));
    return text.empty() ? resource : make_.with(resource, key, make_.copied(text, given->origin()));
  }

  std::string field(std::string_view name) const {
    return fmt::format("spec.templates[{}].resource.{}", job_.index, name);
  }

  void lose_condition(std::string_view key, const Node& condition) {
    findings_.lose(field(key), "this condition is about the status of a v1 job",
                   "say how many pods of a role succeed, or that one fails, such as "
                   "status.replicaStatuses.Worker.failed > 0",
                   &condition);
  }

  int64_t pods_of(std::string_view role) const {
    int64_t count = 0;
    for (const PodRange& pods : pods_) {
      if (pods.role == base::lower_case(role)) count += pods.count;
    }
    return count;
  }

  // Requires success of all pods of a role, as that of the TrainJob's Jobs.
  std::string success(const Node& condition, const std::optional<Requirement>& given) {
    const std::string_view role = given ? role_of(given->key, "succeeded") : "";
    const int64_t count = role.empty() ? 0 : pods_of(role);
    const bool is_all =
        given && (given->relation == ">" ? given->value == std::to_string(count - 1)
                                         : given->relation.find_first_not_of('=') == std::string_view::npos &&
                                               given->value == std::to_string(count));
    if (count == 0 || !is_all) {
      lose_condition("successCondition", condition);
      return "";
    }
    int64_t number = 0;
    std::set<std::string_view> jobs;
    for (const PodRange& pods : pods_) {
      if (jobs.insert(pods.job).second && !pods.one_each) ++number;
      if (pods.one_each) number += pods.count;
    }
    if (jobs.size() == 1) return fmt::format("status.jobsStatus.0.succeeded = {}", number);
    findings_.lose(
        field("successCondition"),
        "no condition says that a TrainJob with several Jobs is complete, whether it was suspended or not",
        "write status.conditions.0.type = Complete if nothing suspends the job, or "
        "status.conditions.1.type = Complete if Kueue creates it suspended",
        &condition);
    return "";
  }

  std::string failure(const Node& condition, const std::optional<Requirement>& given) {
    const std::string_view role = given ? role_of(given->key, "failed") : "";
    if (!role.empty() && pods_of(role) > 0 && given->relation == ">" && given->value == "0") {
      std::set<std::string_view> jobs;
      for (const PodRange& pods : pods_) jobs.insert(pods.job);
      std::string any;
      for (size_t i = 0; i < jobs.size(); ++i)
        any += fmt::format("{}status.jobsStatus.{}.failed > 0", i > 0 ? ", " : "", i);
      return any;
    }
    lose_condition("failureCondition", condition);
    return "";
  }

  // Checks what the Workflow takes from the job's status or spec.
  void check_outputs() {
    for (const Node* parameter : yaml::items_at(*job_.node, {"outputs", "parameters"})) {
      for (const std::string_view key : {"jsonPath", "jqFilter"}) {
        const Node* path = parameter->at({"valueFrom", key});
        if (!path || (path->text().find(".status") == std::string_view::npos &&
                      path->text().find(".spec") == std::string_view::npos))
          continue;
        findings_.lose(fmt::format("spec.templates[{}].outputs.parameters", job_.index),
                       "this output is about the fields of a v1 job", "write one about a TrainJob's metadata",
                       path);
      }
    }
  }

  const JobTemplate& job_;
  const Node& resource_;
  const std::vector<PodRange>& pods_;
  const Maker& make_;
  V1Findings& findings_;
};

}  // namespace

std::vector<JobTemplate> job_templates(const Node& object) {
  std::vector<JobTemplate> jobs;
  const auto templates = yaml::items_of(node_at(object, path_of_templates(object)));
  for (size_t i = 0; i < templates.size(); ++i) {
    const std::string_view action = yaml::string_at(*templates[i], {"resource", "action"});
    const Node* manifest = templates[i]->at({"resource", "manifest"});
    if ((action == "create" || action == "apply") && manifest && manifest->is_string() && has_job(*manifest))
      jobs.push_back({i, templates[i], manifest});
  }
  return jobs;
}

std::vector<const Node*> manifests_of(const Node& object) {
  std::vector<const Node*> manifests;
  for (const Node* one : yaml::items_of(node_at(object, path_of_templates(object)))) {
    if (const Node* manifest = one->at({"resource", "manifest"})) manifests.push_back(manifest);
  }
  return manifests;
}

const Node* with_train_job(const JobTemplate& job, const std::string& text, const std::vector<PodRange>& pods,
                           const Maker& make, V1Findings& findings) {
  return Template(job, pods, make, findings).run(text);
}

const Node* with_template(const Node& workflow, size_t index, const Node* changed, const Maker& make) {
  const std::vector<std::string_view> path = path_of_templates(workflow);
  const Node* given = node_at(workflow, path);
  NodeList items = yaml::copied_items(given);
  items[index] = changed;
  return make.with_path(&workflow, path, make.list(items, given->origin()));
}

base::Diagnostic rights_of(const JobTemplate& job) {
  base::Diagnostic found = rules::finding("advice/v1-difference",
                                          "the Workflow's ServiceAccount must be allowed to create TrainJobs",
                                          "allow create and get on trainjobs of trainer.kubeflow.org",
                                          yaml::locate(*job.node->at({"resource", "action"})));
  found.field = fmt::format("spec.templates[{}].resource.action", job.index);
  return found;
}

std::string_view block_of(const Node& text) {
  const base::Location at = yaml::locate(text);
  if (!at.file || !text.is_string()) return {};
  const size_t begin = at.file->line_start(at.line + 1);
  if (at.file->text()[at.file->line_start(at.line) + at.column - 1] != '|') return {};
  const auto lines = static_cast<uint32_t>(std::ranges::count(text.text(), '\n'));
  const bool is_open = !text.text().ends_with('\n');
  const size_t end = at.file->line_start(at.line + 1 + lines + (is_open ? 1 : 0));
  return at.file->text().substr(begin, end - begin);
}

base::Location in_file(const Node& text, const base::Location& at) {
  const base::Location block = yaml::locate(text);
  if (block_of(text).empty() || at.line == 0 || !at.file) return block;
  const auto place = [&](uint32_t line, uint32_t column) {
    const std::string_view in_file = block.file->line(block.line + line);
    const std::string_view in_text = at.file->line(line);
    return in_file.ends_with(in_text) ? static_cast<uint32_t>(column + in_file.size() - in_text.size())
                                      : column;
  };
  return {block.file, block.line + at.line, place(at.line, at.column),
          at.end_line > 0 ? block.line + at.end_line : 0,
          at.end_line > 0 ? place(at.end_line, at.end_column) : at.end_column};
}

}  // namespace trainjobc::migrate::v1
