// SPDX-License-Identifier: Apache-2.0

#include "model/dialects.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/text/text.h"
#include "model/runtime.h"
#include "model/trainer_names.h"
#include "rules/rules.h"

namespace trainjobc::model {
namespace {

constexpr std::array<std::string_view, 3> kTrainerNodes{"trainer-node", "node", "trainer"};
constexpr std::array<std::string_view, 3> kWorkers{"worker", "node", "trainer"};

// Source of the facts: the API types of kubeflow/training-operator before its group became
// trainer.kubeflow.org/v1alpha1, and the documentation of OME.
constexpr std::array kDialects = std::to_array<Dialect>({
    {"kubeflow.org/v2alpha1", "kubeflow.org", "kubeflow.org/trainjob-controller", kTrainerNodes, "trainer"},
    {"trainer.kubeflow.org/v2alpha1", "trainer.kubeflow.org", "kubeflow.org/trainjob-controller",
     kTrainerNodes, "trainer"},
    {"ome.io/v1beta1", "ome.io", "", kWorkers, ""},
});

}  // namespace

const Dialect* find_dialect(std::string_view api_version) {
  return base::find(kDialects, api_version, &Dialect::api_version);
}

void apply(const DialectFields& fields, Runtime& runtime) {
  if (runtime.ml_policy && runtime.ml_policy->mpi && fields.mpi_implementation)
    runtime.ml_policy->mpi->implementation = fields.mpi_implementation;
  if (runtime.ml_policy && runtime.ml_policy->torch && fields.elastic) {
    runtime.ml_policy->torch->elastic = fields.elastic;
    if (!runtime.ml_policy->num_nodes) runtime.ml_policy->num_nodes = fields.elastic->max_nodes;
  }
  if (runtime.pod_group_policy && fields.min_member) runtime.pod_group_policy->min_member = fields.min_member;
}

namespace {

using yaml::Entry;
using yaml::Maker;
using yaml::Node;

// What the translations of TrainJobs and runtimes share.

struct Rename {
  std::string from;
  std::string to;
};

// A string of digits as a number; nullptr for any other value.
const Node* as_number(const Node& text, const Maker& make) {
  const auto value = base::read_integer(string_of(&text));
  return value ? make.integer(*value, make.made("dialect/number", {&text})) : nullptr;
}

// A list of names, or of maps with a name, with one of them renamed; the same list if it does not contain the
// name.
const Node* with_renamed(const Node& list, const Rename& rename, const Maker& make) {
  std::vector<const Node*> items;
  for (const Node* item : list.items()) {
    const Node* name = item->is_map() ? item->get("name") : item;
    if (!name || !name->is_string() || name->text() != rename.from) {
      items.push_back(item);
      continue;
    }
    const Node* changed = make.copied(rename.to, make.made("dialect/name", {name}));
    items.push_back(item->is_map() ? make.with(item, "name", changed) : changed);
  }
  return std::ranges::equal(items, list.items()) ? &list : make.list(items, list.origin());
}

// A dialect's TrainJobs.

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
    if (!group || group->text() == kTrainerGroup ||
        !base::contains(kDialects, group->text(), &Dialect::group))
      return &spec;
    return make_.with_path(&spec, {"runtimeRef", "apiGroup"},
                           make_.string(kTrainerGroup, make_.made("dialect/group", {group})));
  }

  const Node* translate_manager(const Node* spec) const {
    const Node* manager = spec->get("managedBy");
    if (!manager || dialect_.manager.empty() || manager->text() != dialect_.manager) return spec;
    return make_.with(spec, "managedBy",
                      make_.string(kTrainJobController, make_.made("dialect/manager", {manager})));
  }

  // Turns datasetConfig and modelConfig.input into spec.initializer, at the place of the first of them.
  const Node* translate_initializer(const Node* spec) {
    const Node* dataset = spec->get("datasetConfig");
    const Node* model = spec->get("modelConfig");
    if (!dataset && !model) return spec;
    if (const Node* output = model ? model->get("output") : nullptr) {
      findings_.push_back(rules::finding("input/dialect-field", "Trainer has no field for a model's output",
                                         "remove it, and upload the model at the end of the training script",
                                         yaml::locate(*output)));
      findings_.back().field = "spec.modelConfig.output";
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

  // Renames the training job and its container.
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

// A dialect's runtimes: translates them to today's labels and names, and removes fields that no longer exist.

const Node* name_of(const Node& item) {
  const Node* name = item.get("name");
  return name && name->is_string() ? name : nullptr;
}

bool is_named(const Node& item, std::string_view name) {
  return string_at(item, "name") == name;
}

const Node* pod_spec_of(const Node& job) {
  return job.at({"template", "spec", "template", "spec"});
}

const Node* containers_of(const Node& job) {
  const Node* pod = pod_spec_of(job);
  const Node* containers = pod ? pod->get("containers") : nullptr;
  return containers && containers->is_list() ? containers : nullptr;
}

const Node* ancestor_label(const Node& job) {
  return job.at({"template", "metadata", "labels", kAncestorLabel});
}

// A template with one more label or annotation; new metadata comes before the spec.
const Node* with_metadata(const Node& old_template, std::string_view map, std::string_view key,
                          const Node* value, const Maker& make) {
  if (old_template.get("metadata")) return make.with_path(&old_template, {"metadata", map, key}, value);
  std::vector<Entry> entries{{"metadata", make.with_path(nullptr, {map, key}, value), {}}};
  std::ranges::copy(old_template.entries(), std::back_inserter(entries));
  return make.map(entries, old_template.origin());
}

class RuntimeTranslator {
 public:
  RuntimeTranslator(const Dialect& dialect, const Maker& make, Translation& translation)
      : dialect_(dialect), make_(make), fields_(translation.fields), findings_(translation.findings) {}

  const Node* run(const Node& spec) {
    const Node* changed = translate_torch(&spec);
    changed = translate_mpi(changed);
    changed = translate_volcano(changed);
    const Node* jobs = changed->at({"template", "spec", "replicatedJobs"});
    if (!jobs || !jobs->is_list()) return changed;
    is_mpi_ = changed->at({"mlPolicy", "mpi"}) != nullptr;
    const Node* translated = translate_jobs(*jobs, *changed);
    if (counted_) {
      const Node* one =
          make_.integer(1, make_.made("dialect/launcher", {changed->at({"mlPolicy", "numNodes"})}));
      changed = make_.with_path(changed, {"mlPolicy", "numNodes"}, one);
    }
    if (translated != jobs)
      changed = make_.with_path(changed, {"template", "spec", "replicatedJobs"}, translated);
    return with_references(changed);
  }

  // ", with replicatedJob \"worker\" as \"node\""
  std::string renamed() const {
    std::string text;
    for (const std::string& part : renamed_) text += (text.empty() ? ", with " : " and ") + part;
    return text;
  }

 private:
  const Node* translate_torch(const Node* spec) {
    const Node* torch = spec->at({"mlPolicy", "torch"});
    if (!torch || !torch->is_map()) return spec;
    const Node* processes = torch->get("numProcPerNode");
    if (const Node* number = processes ? as_number(*processes, make_) : nullptr)
      spec = make_.with_path(spec, {"mlPolicy", "torch", "numProcPerNode"}, number);
    const Node* elastic = torch->get("elasticPolicy");
    if (!elastic || !elastic->is_map()) return spec;
    fields_.elastic =
        ElasticPolicy{elastic, decode_int(elastic->get("minNodes")), decode_int(elastic->get("maxNodes")),
                      decode_int(elastic->get("maxRestarts"))};
    if (const Node* metrics = elastic->get("metrics")) warn_of_metrics(*metrics);
    spec = make_.with_path(spec, {"mlPolicy", "torch", "elasticPolicy"}, nullptr);
    if (spec->at({"template", "spec", "failurePolicy"}) || !fields_.elastic->max_restarts) return spec;
    const Node* restarts = fields_.elastic->max_restarts->node;
    if (!spec->at({"template", "spec"})) return spec;
    return make_.with_path(spec, {"template", "spec", "failurePolicy", "maxRestarts"}, restarts);
  }

  void warn_of_metrics(const Node& metrics) {
    findings_.push_back(rules::finding(
        "advice/dialect", "no autoscaler is created from these metrics: the job starts with all its nodes",
        "create a HorizontalPodAutoscaler yourself, or remove them", yaml::locate(metrics)));
    findings_.back().field = "spec.mlPolicy.torch.elasticPolicy.metrics";
  }

  const Node* translate_mpi(const Node* spec) {
    const Node* implementation = spec->at({"mlPolicy", "mpi", "mpiImplementation"});
    if (!implementation || (implementation->text() != "Intel" && implementation->text() != "MPICH"))
      return spec;
    fields_.mpi_implementation = decode_text(implementation);
    return make_.with_path(spec, {"mlPolicy", "mpi", "mpiImplementation"}, nullptr);
  }

  // Trainer reads the queue from an annotation, and the priority class from the pods.
  const Node* translate_volcano(const Node* spec) {
    const Node* volcano = spec->at({"podGroupPolicy", "volcano"});
    if (!volcano || !volcano->is_map()) return spec;
    if (const auto members = decode_int(volcano->get("minMember"))) {
      fields_.min_member = members;
      spec = make_.with_path(spec, {"podGroupPolicy", "volcano", "minMember"}, nullptr);
    }
    if (const Node* queue = volcano->get("queue"); queue && queue->is_string()) {
      spec = make_.with_path(spec, {"podGroupPolicy", "volcano", "queue"}, nullptr);
      const Node* job_set = spec->get("template");
      if (job_set && job_set->is_map() && !job_set->at({"metadata", "annotations", kVolcanoQueue}))
        spec =
            make_.with(spec, "template", with_metadata(*job_set, "annotations", kVolcanoQueue, queue, make_));
    }
    if (const Node* name = volcano->get("priorityClassName"); name && name->is_string()) {
      spec = make_.with_path(spec, {"podGroupPolicy", "volcano", "priorityClassName"}, nullptr);
      priority_class_ = name;
    }
    return spec;
  }

  const Node* translate_jobs(const Node& jobs, const Node& spec) {
    const bool is_labelled = std::ranges::any_of(jobs.items(), [](const Node* job) {
      const Node* label = ancestor_label(*job);
      return label && label->text() == kTrainer;
    });
    const auto has = [&](std::string_view name) {
      return std::ranges::any_of(jobs.items(), [&](const Node* job) { return is_named(*job, name); });
    };
    const auto training = std::ranges::find_if(dialect_.training_jobs, has);
    const bool launches = is_mpi_ && has(kLauncher);
    std::vector<const Node*> items;
    for (const Node* job : jobs.items()) {
      const Node* changed = job;
      const bool trains =
          training != dialect_.training_jobs.end() && is_named(*job, *training) && !is_labelled;
      if (trains) changed = as_node(*changed);
      if (launches && trains) changed = with_pods(changed, spec);
      if (launches && is_named(*job, kLauncher)) changed = with_node_container(changed);
      if (!is_labelled && (launches ? is_named(*job, kLauncher) : trains))
        changed = with_ancestor(changed, kTrainer, kNode);
      for (const std::string_view initializer : {kDatasetInitializer, kModelInitializer}) {
        if (is_named(*job, initializer)) changed = with_ancestor(changed, initializer, initializer);
      }
      items.push_back(with_priority_class(changed));
    }
    return std::ranges::equal(items, jobs.items()) ? &jobs : make_.list(items, jobs.origin());
  }

  // Gives the training replicatedJob the names by which Trainer finds it.
  const Node* as_node(const Node& job) {
    const Node* changed = &job;
    const Node& name = *name_of(job);
    if (name.text() != kNode) {
      renamed_job_ = Rename{std::string(name.text()), std::string(kNode)};
      renamed_.push_back(fmt::format("replicatedJob \"{}\" as \"{}\"", name.text(), kNode));
      changed = make_.with(changed, "name", make_.string(kNode, make_.made("dialect/name", {&name})));
    }
    return with_node_container(changed);
  }

  // Trainer's numNodes counts the launchers if there are any; the nodes have their own count.
  const Node* with_pods(const Node* job, const Node& spec) {
    const auto nodes = decode_int(spec.at({"mlPolicy", "numNodes"}));
    if (!nodes || !job->at({"template", "spec"})) return job;
    counted_ = true;
    const bool is_node = is_true_at(spec, {"mlPolicy", "mpi", "runLauncherAsNode"});
    const int64_t pods = is_node ? std::max<int64_t>(nodes->value - 1, 1) : nodes->value;
    const Node* count = make_.integer(pods, make_.made("dialect/pods", {nodes->node}));
    for (const std::string_view key : {"parallelism", "completions"}) {
      if (!job->at({"template", "spec", key})) job = make_.with_path(job, {"template", "spec", key}, count);
    }
    return job;
  }

  // Renames the job's container to `node`: the one that the dialect names, or its only one.
  const Node* with_node_container(const Node* job) {
    const Node* containers = containers_of(*job);
    if (!containers) return job;
    const auto items = containers->items();
    const auto found = [&](std::string_view name) {
      return std::ranges::find_if(items, [&](const Node* item) { return is_named(*item, name); });
    };
    if (found(kNode) != items.end()) return job;
    auto trainer = found(dialect_.trainer_container);
    if (trainer == items.end() && items.size() == 1 && name_of(*items.front())) trainer = items.begin();
    if (trainer == items.end()) return job;
    const Rename rename{std::string(name_of(**trainer)->text()), std::string(kNode)};
    renamed_.push_back(fmt::format("container \"{}\" as \"{}\"", rename.from, kNode));
    return make_.with_path(job, {"template", "spec", "template", "spec", "containers"},
                           with_renamed(*containers, rename, make_));
  }

  // Adds the label by which Trainer finds an initializer, if its container exists.
  const Node* with_ancestor(const Node* job, std::string_view ancestor, std::string_view container) const {
    const Node* containers = containers_of(*job);
    if (ancestor_label(*job) || !containers) return job;
    const auto is_it = [&](const Node* item) { return is_named(*item, container); };
    if (std::ranges::none_of(containers->items(), is_it)) return job;
    const Node* label = make_.string(ancestor, make_.made("dialect/ancestor", {name_of(*job)}));
    return make_.with(job, "template",
                      with_metadata(*job->get("template"), "labels", kAncestorLabel, label, make_));
  }

  const Node* with_priority_class(const Node* job) const {
    const Node* pod = pod_spec_of(*job);
    if (!priority_class_ || !pod || !pod->is_map() || pod->get("priorityClassName")) return job;
    return make_.with_path(job, {"template", "spec", "template", "spec", "priorityClassName"},
                           priority_class_);
  }

  // Renames the job in all references to it.
  const Node* with_references(const Node* spec) const {
    if (!renamed_job_) return spec;
    const auto rename = [&](const Node* node, std::span<const std::string_view> path) {
      const Node* list = node;
      for (const std::string_view key : path) list = list ? list->get(key) : nullptr;
      if (!list || !list->is_list()) return node;
      const Node* changed = with_renamed(*list, *renamed_job_, make_);
      return changed == list ? node : make_.with_path(node, path, changed);
    };
    constexpr std::array<std::string_view, 4> kSuccess{"template", "spec", "successPolicy",
                                                       "targetReplicatedJobs"};
    spec = rename(spec, kSuccess);
    spec = in_each(spec, {"template", "spec", "failurePolicy", "rules"}, "targetReplicatedJobs", rename);
    return in_each(spec, {"template", "spec", "replicatedJobs"}, "dependsOn", rename);
  }

  template <class Rewrite>
  const Node* in_each(const Node* spec, std::initializer_list<std::string_view> path, std::string_view key,
                      const Rewrite& rewrite) const {
    const Node* list = spec->at(path);
    if (!list || !list->is_list()) return spec;
    std::vector<const Node*> items;
    for (const Node* item : list->items()) items.push_back(rewrite(item, std::array{key}));
    if (std::ranges::equal(items, list->items())) return spec;
    return make_.with_path(spec, path, make_.list(items, list->origin()));
  }

  const Dialect& dialect_;
  const Maker& make_;
  DialectFields& fields_;
  std::vector<base::Diagnostic>& findings_;
  bool is_mpi_ = false;
  bool counted_ = false;  // whether numNodes went to the nodes
  const Node* priority_class_ = nullptr;
  std::optional<Rename> renamed_job_;
  std::vector<std::string> renamed_;
};

// Adds the framework label to a runtime that lacks it, if the policy determines it.
const Node* with_framework(const Node& root, const Maker& make) {
  const Node* torch = root.at({"spec", "mlPolicy", "torch"});
  const Node* metadata = root.get("metadata");
  if (!torch || !metadata || metadata->at({"labels", kFrameworkLabel})) return &root;
  return make.with_path(&root, {"metadata", "labels", kFrameworkLabel},
                        make.string("torch", make.made("dialect/framework", {torch})));
}

base::Diagnostic dialect_warning(const Dialect& dialect, const Node& version, const std::string& renamed) {
  base::Diagnostic warning =
      rules::finding("advice/dialect",
                     fmt::format("a cluster with Trainer 2.0 or later does not serve {}: it is read as {}{}",
                                 dialect.api_version, kTrainerApiVersion, renamed),
                     "trainjobc migrate rewrites it", yaml::locate(version));
  warning.field = "apiVersion";
  return warning;
}

}  // namespace

Translation translate(const Node& root, const Dialect& dialect, const Maker& make) {
  Translation translation;
  const Node& version = *root.get("apiVersion");
  translation.root = make.with(&root, "apiVersion",
                               make.string(kTrainerApiVersion, make.made("dialect/api-version", {&version})));
  std::string renamed;
  if (const Node* spec = root.get("spec"); spec && spec->is_map()) {
    if (identify(root).kind == kTrainJob) {
      JobTranslator job(dialect, make, translation.findings);
      translation.root = make.with(translation.root, "spec", job.run(*spec));
    } else {
      RuntimeTranslator runtime(dialect, make, translation);
      translation.root = with_framework(*make.with(translation.root, "spec", runtime.run(*spec)), make);
      renamed = runtime.renamed();
    }
  }
  translation.findings.push_back(dialect_warning(dialect, version, renamed));
  return translation;
}

}  // namespace trainjobc::model
