// SPDX-License-Identifier: Apache-2.0

#include "launch/environment.h"

#include <fmt/format.h>

#include <unordered_map>
#include <utility>

#include "base/text/text.h"
#include "k8s/object_meta.h"

namespace trainjobc::launch {
namespace {

// Source of the rules: the kubelet's makeEnvironmentVariables,
// k8s.io/kubernetes/third_party/forked/golang/expansion, and the Job controller's
// addCompletionIndexEnvVariables.

using yaml::Node;
using yaml::text_at;

constexpr std::string_view kIndexVariable = "JOB_COMPLETION_INDEX";
constexpr std::string_view kIndexKey = "batch.kubernetes.io/job-completion-index";

// Variables, found by name.
class Environment {
 public:
  Environment() = default;
  explicit Environment(const std::vector<Variable>& env) {
    for (const Variable& variable : env) set(variable);
  }

  std::vector<Variable> variables;

  const Variable* find(std::string_view name) const {
    const auto found = places_.find(std::string(name));
    return found != places_.end() ? &variables[found->second] : nullptr;
  }

  // Adds a variable, or replaces the one with its name.
  void set(Variable variable) {
    const auto [at, is_new] = places_.try_emplace(variable.name, variables.size());
    if (is_new) {
      variables.push_back(std::move(variable));
    } else {
      variables[at->second] = std::move(variable);
    }
  }

  // Counts the bytes that references add to texts. False once there are more than Linux passes to a program.
  bool take(size_t bytes) {
    constexpr size_t kMost = size_t{2} << 20U;
    taken_ += bytes;
    return taken_ <= kMost;
  }

 private:
  std::unordered_map<std::string, size_t> places_;
  size_t taken_ = 0;
};

// Replaces $(NAME) by the variable's value and $$ by a dollar; an unknown reference stays as it is. nullopt
// if the result is too long: each variable may double the one before.
std::optional<std::string> expanded(std::string_view text, Environment& env) {
  std::string out;
  const size_t last = text.rfind(')');
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '$' || at + 1 == text.size()) {
      out += text[at];
      continue;
    }
    const bool is_reference = text[at + 1] == '(' && last != std::string_view::npos && last > at;
    const size_t close = is_reference ? text.find(')', at) : std::string_view::npos;
    if (text[at + 1] == '$') {
      out += '$';
      ++at;
    } else if (close == std::string_view::npos) {
      out += '$';
    } else {
      const std::string_view name = text.substr(at + 2, close - at - 2);
      const Variable* variable = env.find(name);
      const bool is_known = variable && variable->source.empty();
      if (is_known && !env.take(variable->value.size())) return std::nullopt;
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

// The value of a label or annotation that the JobSet and Job controllers set on each pod; "" for others.
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

Variable variable_of(const Node& item, const PodPlace& place, const KnownValues& known, Environment& before) {
  Variable variable{std::string(text_at(item, "name")), "", ""};
  const Node* from = item.get("valueFrom");
  if (!from || from->is_null()) {
    auto value = expanded(text_at(item, "value"), before);
    if (value) variable.value = std::move(*value);
    if (!value) variable.source = "a value that is too long";
    return variable;
  }
  const Node* field = from->get("fieldRef");
  if (field) variable.value = field_value(text_at(*field, "fieldPath"), place);
  if (!variable.value.empty()) return variable;
  auto value = known.value ? known.value(variable.name, *from) : std::nullopt;
  if (value) variable.value = std::move(*value);
  if (!value) variable.source = source_of_value(*from);
  return variable;
}

}  // namespace

const Variable* find_variable(const std::vector<Variable>& env, std::string_view name) {
  return base::find(env, name, &Variable::name);
}

std::string_view value_of(const std::vector<Variable>& env, std::string_view name) {
  const Variable* variable = find_variable(env, name);
  return variable ? std::string_view(variable->value) : std::string_view();
}

std::vector<Variable> environment_of(const Node& container, const PodPlace& place, const KnownValues& known) {
  Environment env;
  for (const Variable& variable : known.before) env.set(variable);
  for (const Node* item : yaml::items_at(container, "env")) env.set(variable_of(*item, place, known, env));
  if (place.job->indexed && !env.find(kIndexVariable))
    env.set({std::string(kIndexVariable), std::to_string(place.pod), ""});
  return std::move(env.variables);
}

std::string expanded_text(std::string_view text, const std::vector<Variable>& variables) {
  Environment env(variables);
  return expanded(text, env).value_or(std::string(text));
}

std::vector<std::string> words_of(const Node& container, std::initializer_list<std::string_view> fields,
                                  const std::vector<Variable>& variables) {
  Environment env(variables);
  std::vector<std::string> words;
  for (const std::string_view field : fields) {
    for (const Node* word : yaml::items_at(container, field))
      words.push_back(expanded(word->text(), env).value_or(std::string(word->text())));
  }
  return words;
}

}  // namespace trainjobc::launch
