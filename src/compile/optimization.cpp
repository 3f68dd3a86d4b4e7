// SPDX-License-Identifier: Apache-2.0

#include "compile/optimization.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/text.h"
#include "compile/admission.h"
#include "compile/jobs.h"
#include "compile/own_name.h"
#include "model/behaviours.h"
#include "model/trainer_names.h"
#include "rules/rules.h"
#include "secret/secret.h"

namespace trainjobc::compile {
namespace {

using base::Diagnostic;
using yaml::Maker;
using yaml::Node;

constexpr std::string_view kTrialTemplate = "spec.trainJobTemplate";

// The versions that have the kind: "Trainer 2.4-preview".
std::string versions_with_kind() {
  std::vector<std::string_view> names;
  for (const model::Behaviours& row : model::all_behaviours()) {
    const schema::VersionSchemas* schemas = schema::find_version(row.trainer);
    if (schemas && schemas->kind(model::kOptimizationJob)) names.push_back(row.trainer);
  }
  return fmt::format("Trainer {}", base::word_list(names));
}

Diagnostic finding_on(const InputObject& object, std::string_view rule, std::string field, const Node* where,
                      std::string message, std::string hint) {
  Diagnostic found = rules::finding(rule, std::move(message), std::move(hint));
  found.object = object.id.str();
  found.field = std::move(field);
  found.location = where ? yaml::locate(*where) : object.location;
  return found;
}

Diagnostic kind_is_missing(const InputObject& object, const Target& target) {
  return finding_on(object, "advice/unserved-kind", "kind", object.root->get("kind"),
                    fmt::format("Trainer {} has no kind {}, so the cluster refuses the object",
                                target.behaviours->trainer, model::kOptimizationJob),
                    fmt::format("{} has it", versions_with_kind()));
}

// What a person may write who takes the values of parameters to be filled in.
std::vector<std::string> placeholders_of(std::string_view parameter) {
  return {fmt::format("${{trialParameters.{}}}", parameter),
          fmt::format("${{{}}}", parameter),
          fmt::format("{{{{{}}}}}", parameter),
          fmt::format("{{{{ {} }}}}", parameter),
          fmt::format("{{{{.{}}}}}", parameter),
          fmt::format("{{{{ .{} }}}}", parameter)};
}

class PlaceholderSearch {
 public:
  explicit PlaceholderSearch(const Node& root) {
    for (const Node* parameter : yaml::items_at(root, {"spec", "parameters"})) {
      const std::string_view name = yaml::text_at(*parameter, "name");
      if (!name.empty()) names_.push_back(name);
    }
    for (const Node* env : yaml::items_at(root, {"spec", "trainJobTemplate", "spec", "trainer", "env"}))
      variables_.push_back(yaml::text_at(*env, "name"));
  }

  // Calls `use` with each scalar that has a placeholder, and what is in it.
  template <class Use>
  void run(const Node& node, const std::string& field, Use use) const {
    for (const yaml::Entry& entry : node.entries())
      run(*entry.value, fmt::format("{}.{}", field, entry.key), use);
    for (size_t i = 0; i < node.items().size(); ++i)
      run(*node.items()[i], fmt::format("{}[{}]", field, i), use);
    if (!node.is_string()) return;
    for (const std::string_view name : names_) {
      if (base::contains(variables_, name)) continue;  // a variable of the container
      for (const std::string& placeholder : placeholders_of(name)) {
        if (node.text().find(placeholder) != std::string_view::npos) return use(node, field, placeholder);
      }
    }
  }

 private:
  std::vector<std::string_view> names_;
  std::vector<std::string_view> variables_;
};

// Nothing writes parameters into the template: the training code asks for them.
void check_placeholders(const InputObject& object, base::Diagnostics& diagnostics) {
  const Node* spec = object.root->at({"spec", "trainJobTemplate", "spec"});
  if (!spec) return;
  PlaceholderSearch(*object.root)
      .run(*spec, fmt::format("{}.spec", kTrialTemplate),
           [&](const Node& where, const std::string& field, const std::string& placeholder) {
             diagnostics.add(finding_on(object, "advice/trial-parameter", field, &where,
                                        fmt::format("nothing replaces {} in the template", placeholder),
                                        "read the parameter in the training code"));
           });
}

int64_t number_at(const Node& root, std::string_view key) {
  const Node* number = root.at({"spec", key});
  return number ? number->as_int().value_or(1) : 1;
}

// Makes trial number `index`, counted from 1, of the template. It shares the input's values, so that findings
// point there.
InputObject trial_of(const InputObject& object, const Node& root, int64_t index, const Maker& make) {
  const Node* metadata = root.get("metadata");
  const Node* name = metadata->get("name");
  const Node* job_template = root.at({"spec", "trainJobTemplate"});
  const Node* own = job_template->get("metadata");
  const yaml::Origin origin = make.made("trial", {name});
  const Node* of_trial =
      make.map({{"name", make.copied(fmt::format("{}-trial-{}", name->text(), index), origin)},
                {"namespace", metadata->get("namespace")},
                {"labels", own ? own->get("labels") : nullptr},
                {"annotations", own ? own->get("annotations") : nullptr},
                {"finalizers", own ? own->get("finalizers") : nullptr}},
               origin);
  InputObject trial;
  trial.kind = InputKind::TrainJob;
  trial.root = make.map({{"apiVersion", root.get("apiVersion")},
                         {"kind", make.string(model::kTrainJob, origin)},
                         {"metadata", of_trial},
                         {"spec", job_template->get("spec")}},
                        origin);
  trial.id = model::identify(*trial.root);
  trial.location = object.location;
  trial.is_guess = object.is_guess;
  trial.optimization = &object;
  trial.is_first_trial = index == 1;
  return trial;
}

void make_trials_of(const InputObject& object, const Node& written, const Node& admitted, Trials& trials) {
  const int64_t at_a_time = number_at(admitted, "parallelTrials");
  const int64_t all = number_at(admitted, "numTrials");
  const Maker make(trials.arena);
  for (int64_t i = 1; i <= at_a_time; ++i) trials.jobs.push_back(trial_of(object, written, i, make));
  trials.diagnostics.add(finding_on(
      object, "advice/optimization-job", "spec", written.get("spec"),
      fmt::format("{} of {} at a time, as the template says: Trainer's main stores the object and creates "
                  "no trials yet",
                  at_a_time, base::counted(static_cast<size_t>(all), "trial")),
      ""));
}

void admit_optimization(const InputObject& object, const Target& target, const Options& options,
                        Trials& trials) {
  base::Diagnostics found;
  if (!target.schemas->kind(model::kOptimizationJob)) {
    found.add(kind_is_missing(object, target));
  } else {
    const Maker make(trials.arena);
    InputObject named = object;
    named.root = with_own_name(*object.root, options.ns, options.name_suffix, make);
    named.id = model::identify(*named.root);
    const AdmittedObject admitted = admit_input(named, *target.schemas, make, found);
    check_placeholders(named, found);
    if (admitted.accepted) {
      make_trials_of(object, *named.root, *admitted.defaulted, trials);
      if (options.trials == TrialOutput::OptimizationJob) {
        trials.objects.push_back(described(*admitted.defaulted));
        trials.objects.back().schemas = target.schemas;
      }
    }
  }
  secret::hide_secrets(found, std::array{object.as_written()});
  trials.diagnostics.append(std::move(found));
}

}  // namespace

void make_trials(const InputSet& inputs, const VersionChoice& versions, const Options& options,
                 Trials& trials) {
  for (const InputObject& object : inputs.objects) {
    if (object.kind == InputKind::OptimizationJob)
      admit_optimization(object, versions.target_of(object), options, trials);
  }
}

void report_on_template(const InputObject& trial, base::Diagnostics& found) {
  base::Diagnostics kept;
  for (const Diagnostic& one : trial.is_first_trial ? found.items() : std::span<const Diagnostic>()) {
    Diagnostic moved = one;
    moved.object = trial.optimization->id.str();
    const bool is_of_name = moved.field == "metadata.name";
    const bool is_of_trial = moved.stage == base::Stage::Input || moved.stage == base::Stage::Advice;
    if (is_of_trial && !is_of_name && !moved.field.empty())
      moved.field = fmt::format("{}.{}", kTrialTemplate, moved.field);
    if (base::is_refusal(moved)) moved.stage = base::Stage::Advice;
    kept.add(std::move(moved));
  }
  found = std::move(kept);
}

}  // namespace trainjobc::compile
