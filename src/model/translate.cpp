// SPDX-License-Identifier: Apache-2.0

// A dialect's TrainJobs, and the code that both kinds share.
#include "model/translate.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "model/dialects.h"
#include "model/train_job.h"
#include "model/trainer_names.h"
#include "rules/rules.h"

namespace trainjobc::model {
namespace {

using yaml::Entry;
using yaml::Maker;
using yaml::Node;

class JobTranslator {
 public:
  JobTranslator(const Dialect& dialect, const Maker& make, std::vector<base::Diagnostic>& findings)
      : dialect_(dialect), make_(make), findings_(findings) {}

  const Node* run(const Node& spec) {
    const Node* changed = translate_ref(spec);
    changed = translate_manager(changed);
    changed = translate_initializer(changed);
    if (const Node* overrides = changed->get("podSpecOverrides"); overrides && overrides->is_list())
      changed = make_.with(changed, "podSpecOverrides", translate_overrides(*overrides));
    if (const Node* processes = changed->at({"trainer", "numProcPerNode"})) {
      if (const Node* number = as_number(*processes, make_))
        changed = make_.with_path(changed, {"trainer", "numProcPerNode"}, number);
    }
    return changed;
  }

 private:
  const Node* translate_ref(const Node& spec) const {
    const Node* group = spec.at({"runtimeRef", "apiGroup"});
    if (!group || group->text() == kTrainerGroup || !find_dialect_of_group(group->text())) return &spec;
    return make_.with_path(&spec, {"runtimeRef", "apiGroup"},
                           make_.string(kTrainerGroup, make_.made("dialect/group", {group})));
  }

  const Node* translate_manager(const Node* spec) const {
    const Node* manager = spec->get("managedBy");
    if (!manager || dialect_.manager.empty() || manager->text() != dialect_.manager) return spec;
    return make_.with(spec, "managedBy",
                      make_.string(kTrainJobController, make_.made("dialect/manager", {manager})));
  }

  // datasetConfig and modelConfig.input become spec.initializer, at the place of the first of them.
  const Node* translate_initializer(const Node* spec) {
    const Node* dataset = spec->get("datasetConfig");
    const Node* model = spec->get("modelConfig");
    if (!dataset && !model) return spec;
    if (const Node* output = model ? model->get("output") : nullptr) {
      base::Diagnostic lost = rules::finding("input/dialect-field");
      lost.field = "spec.modelConfig.output";
      lost.message = "Trainer has no field for a model's output";
      lost.hint = "remove it, and upload the model at the end of the training script";
      lost.location = yaml::locate(*output);
      findings_.push_back(std::move(lost));
    }
    std::vector<Entry> parts;
    if (dataset) parts.push_back({"dataset", dataset, {}});
    if (const Node* input = model ? model->get("input") : nullptr) parts.push_back({"model", input, {}});
    const Node* initializer = make_.map(parts);
    std::vector<Entry> entries;
    bool placed = parts.empty();
    for (const Entry& entry : spec->entries()) {
      if (entry.key != "datasetConfig" && entry.key != "modelConfig") {
        entries.push_back(entry);
      } else if (!placed) {
        entries.push_back({"initializer", initializer, {}});
        placed = true;
      }
    }
    return make_.map(entries, spec->origin());
  }

  // Renames the job and container that train.
  const Node* translate_overrides(const Node& overrides) const {
    std::vector<const Node*> items;
    for (const Node* item : overrides.items()) {
      const Node* changed = item;
      if (const Node* targets = item->get("targetJobs"); targets && targets->is_list()) {
        changed = make_.with(
            changed, "targetJobs",
            with_renamed(*targets, {std::string(dialect_.training_jobs.front()), std::string(kNode)}, make_));
      }
      const Node* containers = item->get("containers");
      if (containers && containers->is_list() && !dialect_.trainer_container.empty()) {
        changed = make_.with(
            changed, "containers",
            with_renamed(*containers, {std::string(dialect_.trainer_container), std::string(kNode)}, make_));
      }
      items.push_back(changed);
    }
    return make_.list(items, overrides.origin());
  }

  const Dialect& dialect_;
  const Maker& make_;
  std::vector<base::Diagnostic>& findings_;
};

base::Diagnostic dialect_warning(const Dialect& dialect, const Node& version, const std::string& renamed) {
  base::Diagnostic warning = rules::finding("advice/dialect");
  warning.field = "apiVersion";
  warning.message = fmt::format("a cluster with Trainer 2.0 or later does not serve {}: it is read as {}{}",
                                dialect.api_version, kTrainerApiVersion, renamed);
  warning.hint = "trainjobc migrate rewrites it";
  warning.location = yaml::locate(version);
  return warning;
}

}  // namespace

const Node* as_number(const Node& text, const Maker& make) {
  if (!text.is_string()) return nullptr;
  int64_t value = 0;
  const std::string_view digits = text.text();
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return nullptr;
  return make.integer(value, make.made("dialect/number", {&text}));
}

const Node* with_renamed(const Node& list, const Rename& rename, const Maker& make) {
  std::vector<const Node*> items;
  for (const Node* item : list.items()) {
    const Node* name = item->is_map() ? item->get("name") : item;
    const bool is_it = name && name->is_string() && name->text() == rename.from;
    if (!is_it) {
      items.push_back(item);
      continue;
    }
    const Node* changed = make.copied(rename.to, make.made("dialect/name", {name}));
    items.push_back(item->is_map() ? make.with(item, "name", changed) : changed);
  }
  return std::ranges::equal(items, list.items()) ? &list : make.list(items, list.origin());
}

Translation translate(const Node& root, const Dialect& dialect, const Maker& make) {
  Translation translation;
  const Node& version = *root.get("apiVersion");
  translation.root = make.with(&root, "apiVersion",
                               make.string(kTrainerApiVersion, make.made("dialect/api-version", {&version})));
  std::string renamed;
  if (const Node* spec = root.get("spec"); spec && spec->is_map()) {
    const bool is_job = identify(root).kind == kTrainJob;
    const Node* changed = is_job ? JobTranslator(dialect, make, translation.findings).run(*spec)
                                 : translate_runtime(*spec, dialect, make, translation, renamed);
    translation.root = make.with(translation.root, "spec", changed);
    if (!is_job) translation.root = with_framework(*translation.root, make);
  }
  translation.findings.push_back(dialect_warning(dialect, version, renamed));
  return translation;
}

}  // namespace trainjobc::model
