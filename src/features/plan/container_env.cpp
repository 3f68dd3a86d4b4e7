// SPDX-License-Identifier: Apache-2.0

// Source of the rules: the kubelet's makeEnvironmentVariables,
// k8s.io/kubernetes/third_party/forked/golang/expansion, and the Job controller's
// addCompletionIndexEnvVariables.
#include "features/plan/container_env.h"

#include <fmt/format.h>

#include <algorithm>

#include "k8s/jobset/construct.h"
#include "k8s/jobset/names.h"
#include "k8s/object_meta.h"
#include "model/trainer_names.h"
#include "yaml/fields.h"

namespace trainjobc::plan {
namespace {

using yaml::Node;
using yaml::text_at;

constexpr std::string_view kIndexVariable = "JOB_COMPLETION_INDEX";
constexpr std::string_view kIndexKey = "batch.kubernetes.io/job-completion-index";

// $(NAME) becomes the variable's value, $$ a dollar; what is not known stays as it is.
std::string expanded(std::string_view text, const std::vector<Variable>& env) {
  std::string out;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '$' || at + 1 == text.size()) {
      out += text[at];
      continue;
    }
    const size_t close = text[at + 1] == '(' ? text.find(')', at) : std::string_view::npos;
    if (text[at + 1] == '$') {
      out += '$';
      ++at;
    } else if (close == std::string_view::npos) {
      out += '$';
    } else {
      const std::string_view name = text.substr(at + 2, close - at - 2);
      const Variable* variable = find_variable(env, name);
      const bool is_known = variable && variable->source.empty();
      out += is_known ? variable->value : std::string(text.substr(at, close - at + 1));
      at = close;
    }
  }
  return out;
}

// The key in "metadata.labels['KEY']"; "" for another path.
std::string_view key_in(std::string_view path, std::string_view map) {
  if (!path.starts_with(map)) return "";
  path.remove_prefix(map.size());
  return path.starts_with("['") && path.ends_with("']") ? path.substr(2, path.size() - 4)
                                                        : std::string_view();
}

// What the JobSet and Job controllers write on each pod, and what the template says.
std::string place_value(std::string_view key, const PodPlace& place) {
  if (key == kIndexKey) return place.job->indexed ? std::to_string(place.pod) : "";
  if (key == k8s::jobset::kJobSetNameLabel) return std::string(place.job_set);
  if (key == "jobset.sigs.k8s.io/replicatedjob-name") return std::string(place.job->name);
  if (key == "jobset.sigs.k8s.io/job-index") return std::to_string(place.job_index);
  return "";
}

std::string field_value(std::string_view path, const PodPlace& place) {
  if (path == "metadata.namespace") return std::string(k8s::effective_namespace(place.ns));
  for (const std::string_view map : {"labels", "annotations"}) {
    const std::string_view key = key_in(path, fmt::format("metadata.{}", map));
    if (key.empty()) continue;
    const std::string value = place_value(key, place);
    if (!value.empty()) return value;
    return std::string(text_at(*place.job->job_spec, {"template", "metadata", map, key}));
  }
  return "";
}

std::string source_of_value(const Node& from) {
  for (const auto& [field, kind] :
       {std::pair("secretKeyRef", "Secret"), std::pair("configMapKeyRef", "ConfigMap")}) {
    if (const Node* ref = from.get(field))
      return fmt::format("{} {}, key {}", kind, text_at(*ref, "name"), text_at(*ref, "key"));
  }
  if (const Node* ref = from.get("fieldRef")) return fmt::format("{}", text_at(*ref, "fieldPath"));
  if (const Node* ref = from.get("resourceFieldRef")) return fmt::format("{}", text_at(*ref, "resource"));
  return "the cluster";
}

Variable variable_of(const Node& item, const PodPlace& place, const std::vector<Variable>& before) {
  Variable variable{std::string(text_at(item, "name")), "", ""};
  const Node* from = item.get("valueFrom");
  if (!from || from->is_null()) {
    variable.value = expanded(text_at(item, "value"), before);
    return variable;
  }
  const Node* field = from->get("fieldRef");
  if (field) variable.value = field_value(text_at(*field, "fieldPath"), place);
  if (variable.value.empty()) variable.source = source_of_value(*from);
  return variable;
}

}  // namespace

const Variable* find_variable(const std::vector<Variable>& env, std::string_view name) {
  const auto found = std::ranges::find(env, name, &Variable::name);
  return found != env.end() ? &*found : nullptr;
}

std::string_view value_of(const std::vector<Variable>& env, std::string_view name) {
  const Variable* variable = find_variable(env, name);
  return variable ? std::string_view(variable->value) : std::string_view();
}

std::vector<Variable> environment_of(const Node& container, const PodPlace& place) {
  std::vector<Variable> env;
  for (const Node* item : yaml::items_at(container, "env")) {
    Variable variable = variable_of(*item, place, env);
    const auto known = std::ranges::find(env, variable.name, &Variable::name);
    if (known == env.end()) {
      env.push_back(std::move(variable));
    } else {
      *known = std::move(variable);
    }
  }
  if (place.job->indexed && !find_variable(env, kIndexVariable))
    env.push_back({std::string(kIndexVariable), std::to_string(place.pod), ""});
  return env;
}

std::vector<std::string> command_of(const Node& container, const std::vector<Variable>& env) {
  std::vector<std::string> words;
  for (const std::string_view key : {"command", "args"}) {
    for (const Node* word : yaml::items_at(container, key)) words.push_back(expanded(word->text(), env));
  }
  return words;
}

}  // namespace trainjobc::plan
