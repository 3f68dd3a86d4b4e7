// SPDX-License-Identifier: Apache-2.0

#include "compile/trials.h"

#include <fmt/format.h>

#include "base/text/text.h"
#include "model/trainer_names.h"

namespace trainjobc::compile {
namespace {

using yaml::Node;

constexpr std::string_view kPlaceholder = "${trial";
constexpr std::string_view kParameters = "${trialParameters.";
constexpr std::string_view kOfTrial = "${trialSpec.";
constexpr std::string_view kNotTheString = ", not the string ";

// Replaces the placeholders. Katib (experiment/manifest/generator.go, v0.19) does so in the JSON of the
// template, where the scalar around a placeholder is a string and stays one.
class Filling {
 public:
  Filling(const Node& experiment, const yaml::Maker& make) : experiment_(experiment), make_(make) {}

  // Words of commands and values of variables may be any text: they keep the placeholders, so that nothing is
  // concluded from a value that the trials may not have.
  const Node* filled(const Node& node) const {
    if (node.is_map()) {
      const Node* map = &node;
      for (const yaml::Entry& entry : node.entries()) {
        const bool is_text = entry.key == "command" || entry.key == "args" || entry.key == "value";
        const Node* value = is_text ? entry.value : filled(*entry.value);
        if (value != entry.value) map = make_.with(map, entry.key, value);
      }
      return map;
    }
    if (node.is_list()) return filled_list(node);
    if (!node.is_string() || node.text().find(kPlaceholder) == std::string_view::npos) return &node;
    return make_.copied(filled_text(node.text()), node.origin());
  }

 private:
  const Node* filled_list(const Node& list) const {
    std::vector<const Node*> items;
    bool is_same = true;
    for (const Node* item : list.items()) {
      items.push_back(filled(*item));
      is_same = is_same && items.back() == item;
    }
    return is_same ? &list : make_.list(items, list.origin());
  }

  std::string filled_text(std::string_view text) const {
    std::string out;
    while (!text.empty()) {
      const size_t begin = text.find(kPlaceholder);
      const size_t end = begin == std::string_view::npos ? begin : text.find('}', begin);
      out += text.substr(0, end == std::string_view::npos ? end : begin);
      if (end == std::string_view::npos) break;
      out += value_of(text.substr(begin, end + 1 - begin));
      text.remove_prefix(end + 1);
    }
    return out;
  }

  // The first value that the parameter may have; 1 for one that is not known.
  std::string_view value_of(std::string_view placeholder) const {
    if (!placeholder.starts_with(kParameters)) return name();
    const std::string_view parameter =
        placeholder.substr(kParameters.size(), placeholder.size() - kParameters.size() - 1);
    const Node* given =
        yaml::find_named(items_at(experiment_, {"spec", "trialTemplate", "trialParameters"}), parameter);
    const Node* searched =
        given ? yaml::find_named(items_at(experiment_, {"spec", "parameters"}), text_at(*given, "reference"))
              : nullptr;
    const Node* space = searched ? searched->get("feasibleSpace") : nullptr;
    if (!space) return "1";
    const auto values = items_at(*space, "list");
    const std::string_view value = values.empty() ? text_at(*space, "min") : values.front()->text();
    return value.empty() ? "1" : value;
  }

  std::string_view name() const { return text_at(experiment_, {"metadata", "name"}); }

  const Node& experiment_;
  const yaml::Maker& make_;
};

}  // namespace

bool is_trial_placeholder(std::string_view text) {
  return text.starts_with(kParameters) || text.starts_with(kOfTrial);
}

const Node* trial_of_experiment(const Node& object, const yaml::Maker& make) {
  const bool is_experiment = string_at(object, "kind") == "Experiment" &&
                             string_at(object, "apiVersion").starts_with("kubeflow.org/");
  const Node* trial = is_experiment ? object.at({"spec", "trialTemplate", "trialSpec"}) : nullptr;
  const Node* name = object.at({"metadata", "name"});
  if (!trial || !trial->is_map() || !name || string_at(*trial, "kind") != model::kTrainJob) return nullptr;
  const Node* filled = Filling(object, make).filled(*trial);
  const Node* written = filled->get("metadata");
  const Node* metadata = written && written->is_map() ? written : make.map({}, trial->origin());
  // Katib names trials so, with eight random characters.
  metadata =
      make.with(metadata, "name", make.copied(fmt::format("{}-xxxxxxxx", name->text()), name->origin()));
  if (const Node* ns = object.at({"metadata", "namespace"})) metadata = make.with(metadata, "namespace", ns);
  return make.with(filled, "metadata", metadata);
}

namespace {

bool is_at_placeholder(const base::Location& at) {
  if (!at.file || at.line == 0 || at.column == 0) return false;
  const std::string_view line = at.file->line(at.line);
  const std::string_view rest = line.substr(std::min<size_t>(at.column - 1, line.size()));
  return rest.substr(0, rest.find_first_of(" ,]")).find(kPlaceholder) != std::string_view::npos;
}

// Whether the value is refused because it is a string, whichever the parameter has.
bool is_about_string(const base::Diagnostic& found) {
  return found.rule == "input/processes-per-node" ||
         (found.rule == "input/type" && found.message.find(kNotTheString) != std::string::npos);
}

void say_what_katib_fills_in(base::Diagnostic& found) {
  constexpr std::string_view kFilled = "Katib replaces the placeholder by a string";
  const size_t at = found.message.find(kNotTheString);
  found.message = at == std::string::npos ? fmt::format("{}, and {}", kFilled, found.message)
                                          : fmt::format("{}, and {}", found.message.substr(0, at), kFilled);
  found.hint =
      "write a number, or put the template into a ConfigMap, where Katib replaces text of YAML: "
      "trialTemplate.configMap";
  found.fix.clear();
}

}  // namespace

void leave_out_placeholders(base::Diagnostics& findings) {
  findings.retain([](base::Diagnostic& found) {
    if (!is_at_placeholder(found.location)) return true;
    const bool stays = is_about_string(found);
    if (stays) say_what_katib_fills_in(found);
    return stays;
  });
}

}  // namespace trainjobc::compile
