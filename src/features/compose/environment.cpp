// SPDX-License-Identifier: Apache-2.0

// The variables of a container on one machine.
#include "launch/environment.h"

#include <fmt/format.h>

#include "features/compose/draft.h"
#include "k8s/quantity.h"

namespace trainjobc::compose {
namespace {

using launch::Variable;
using yaml::Node;
using yaml::text_at;

struct KeyOf {
  std::string_view field;  // the field that a valueFrom names
  std::string_view kind;
};
constexpr KeyOf kKeys[] = {{"secretKeyRef", "Secret"}, {"configMapKeyRef", "ConfigMap"}};

// The value of a resourceFieldRef: the container's amount in units of the divisor, rounded up.
std::optional<std::string> amount_of(const Node& reference, const Node& container) {
  const std::string_view resource = text_at(reference, "resource");
  const size_t dot = resource.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::string_view name = resource.substr(dot + 1);
  const Node* amount = container.at({"resources", resource.substr(0, dot), name});
  if (!amount) amount = container.at({"resources", "limits", name});
  const auto quantity = amount ? k8s::Quantity::parse(amount->text()) : std::nullopt;
  const std::string_view given = yaml::value_at(reference, {"divisor"});
  const auto divisor = k8s::Quantity::parse(given.empty() || given == "0" ? "1" : given);
  if (!quantity || !divisor) return std::nullopt;
  const bool in_thousandths = name == "cpu";
  const int64_t whole = in_thousandths ? quantity->milli_value() : quantity->value();
  const int64_t part = in_thousandths ? divisor->milli_value() : divisor->value();
  if (part <= 0 || whole < 0) return std::nullopt;
  return std::to_string(whole / part + (whole % part != 0 ? 1 : 0));
}

class EnvironmentMaker {
 public:
  EnvironmentMaker(Draft& draft, const Pod& pod, const Node& container)
      : draft_(draft), pod_(pod), container_(container) {}

  std::vector<Variable> variables() {
    launch::KnownValues known;
    for (const Node* source : yaml::items_at(container_, "envFrom")) add_all(*source, known.before);
    known.value = [this](const std::string& name, const Node& from) { return value(name, from); };
    const launch::PodPlace place{draft_.ns, draft_.job_set, pod_.job, pod_.job_index, pod_.index};
    return launch::environment_of(container_, place, known);
  }

 private:
  void add_all(const Node& source, std::vector<Variable>& out) {
    for (const auto& [field, kind] : {KeyOf{"secretRef", "Secret"}, KeyOf{"configMapRef", "ConfigMap"}}) {
      const Node* reference = source.get(field);
      if (!reference || reference->is_null()) continue;
      const std::string_view name = text_at(*reference, "name");
      if (!draft_.files.has(kind, name) && !yaml::is_true_at(*reference, "optional"))
        draft_.note(fmt::format("{} \"{}\" is not among the inputs: its variables are not set", kind, name));
      for (const auto& [key, value] : draft_.files.keys(kind, name))
        out.push_back({fmt::format("{}{}", yaml::value_at(source, {"prefix"}), key), value, ""});
    }
  }

  std::optional<std::string> value(const std::string& name, const Node& from) {
    for (const auto& [field, kind] : kKeys) {
      const Node* reference = from.get(field);
      if (reference && !reference->is_null()) return key_of(name, kind, *reference);
    }
    if (const Node* field = from.get("fieldRef")) return field_of(name, text_at(*field, "fieldPath"));
    if (const Node* resource = from.get("resourceFieldRef")) {
      const auto amount = amount_of(*resource, container_);
      if (amount) return amount;
      return draft_.refer(name, fmt::format("{} of the machine", text_at(*resource, "resource")));
    }
    return draft_.refer(name, "its value in the cluster");
  }

  std::optional<std::string> key_of(const std::string& variable, std::string_view kind,
                                    const Node& reference) {
    const std::string_view name = text_at(reference, "name");
    const std::string_view key = text_at(reference, "key");
    auto known = draft_.files.value(kind, name, key);
    if (known || yaml::is_true_at(reference, "optional")) return known;
    return draft_.refer(variable, fmt::format("key {} of {} {}", key, kind, name));
  }

  // The value of a fieldRef. A pod is its own node here.
  std::optional<std::string> field_of(const std::string& variable, std::string_view path) {
    if (path.starts_with("metadata.labels") || path.starts_with("metadata.annotations")) return "";
    if (path == "metadata.name" || path == "spec.nodeName") return pod_.host;
    if (path == "metadata.uid") return "00000000-0000-0000-0000-000000000000";
    if (path == "spec.serviceAccountName") {
      const std::string_view account = yaml::value_at(*pod_.spec, {"serviceAccountName"});
      return std::string(account.empty() ? "default" : account);
    }
    draft_.note(fmt::format("{} ({}) is the pod's address by name: the number is not known before it runs",
                            variable, path));
    return pod_.address;
  }

  Draft& draft_;
  const Pod& pod_;
  const Node& container_;
};

}  // namespace

Words words_of(Draft& draft, const Pod& pod, const Node& container) {
  const std::vector<Variable> variables = EnvironmentMaker(draft, pod, container).variables();
  Words words;
  words.command = launch::words_of(container, {"command"}, variables);
  words.args = launch::words_of(container, {"args"}, variables);
  for (const Variable& variable : variables) {
    Setting& setting = words.env.emplace_back(Setting{variable.name, std::nullopt});
    if (variable.source.empty()) setting.value = variable.value;
  }
  for (const Node* mount : yaml::items_at(container, "volumeMounts"))
    words.parts.push_back(launch::expanded_text(yaml::value_at(*mount, {"subPathExpr"}), variables));
  return words;
}

}  // namespace trainjobc::compose
