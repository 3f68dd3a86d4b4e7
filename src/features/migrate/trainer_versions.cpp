// SPDX-License-Identifier: Apache-2.0

#include "features/migrate/trainer_versions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "base/text/text.h"
#include "model/behaviours.h"
#include "model/trainer_names.h"
#include "rules/rules.h"
#include "schema/schema.h"
#include "schema/validate.h"

namespace trainjobc::migrate {
namespace {

using model::OverrideStyle;
using yaml::Entry;
using yaml::Maker;
using yaml::Node;

// A finding on a lost part of an object, whose name the caller adds.
base::Diagnostic lost(std::string field, std::string message, std::string hint,
                      const base::Location& location) {
  base::Diagnostic diagnostic = rules::finding("migrate/lost", std::move(message), std::move(hint), location);
  diagnostic.field = std::move(field);
  return diagnostic;
}

constexpr std::string_view kLabels = "labels";
constexpr std::string_view kAnnotations = "annotations";

// The changes of one override or patch to one replicatedJob.
struct JobChange {
  const Node* name = nullptr;
  const Node* job_metadata = nullptr;  // for the Job template; only in patches
  const Node* pod_metadata = nullptr;
  const Node* pod_spec = nullptr;
  const Node* place = nullptr;  // the map that contained it
};

// The changes of one manager.
struct Patch {
  const Node* manager = nullptr;  // only in patches
  const Node* time = nullptr;
  const Node* metadata = nullptr;  // labels and annotations of the JobSet
  std::vector<JobChange> jobs;
  const Node* place = nullptr;
};

// A TrainJob's changes, independent of the version in which they are written.
struct Changes {
  std::string_view field;      // the field that contained them; "" for labels and annotations alone
  const Node* list = nullptr;  // the value of that field
  const Node* labels = nullptr;
  const Node* annotations = nullptr;
  std::vector<Patch> patches;  // for overrides, one each
};

std::string_view field_of(OverrideStyle style) {
  switch (style) {
    case OverrideStyle::PodSpecs: return model::kPodSpecOverrides;
    case OverrideStyle::PodTemplates: return model::kPodTemplateOverrides;
    case OverrideStyle::JobTemplates:
    case OverrideStyle::JobSets: return model::kRuntimePatches;
  }
  return "";
}

const Node* list_at(const Node& node, std::string_view key) {
  const Node* value = node.get(key);
  return value && value->is_list() ? value : nullptr;
}

Changes read_overrides(const Node& list, std::string_view field, const Maker& make) {
  Changes changes{.field = field, .list = &list};
  for (const Node* item : list.items()) {
    Patch patch;
    patch.place = item;
    const bool is_template = field == model::kPodTemplateOverrides;
    for (const Node* target : items_at(*item, "targetJobs")) {
      if (!target->get("name")) continue;
      const Node* rest = is_template ? item->get("spec") : make.with(item, "targetJobs", nullptr);
      patch.jobs.push_back(
          {target->get("name"), nullptr, is_template ? item->get("metadata") : nullptr, rest, item});
    }
    changes.patches.push_back(std::move(patch));
  }
  return changes;
}

Changes read_patches(const Node& list) {
  Changes changes{.field = model::kRuntimePatches, .list = &list};
  for (const Node* item : list.items()) {
    Patch patch{.manager = item->get("manager"), .time = item->get("time"), .place = item};
    patch.metadata = item->at({"trainingRuntimeSpec", "template", "metadata"});
    for (const Node* job : model::patched_jobs(*item)) {
      const Node* pod = job->at({"template", "spec", "template"});
      patch.jobs.push_back({job->get("name"), job->at({"template", "metadata"}),
                            pod ? pod->get("metadata") : nullptr, pod ? pod->get("spec") : nullptr, job});
    }
    changes.patches.push_back(std::move(patch));
  }
  return changes;
}

Changes read_changes(const Node& spec, const Maker& make) {
  Changes changes;
  for (const std::string_view field : {model::kPodSpecOverrides, model::kPodTemplateOverrides}) {
    if (const Node* list = list_at(spec, field)) changes = read_overrides(*list, field, make);
  }
  if (const Node* list = list_at(spec, model::kRuntimePatches)) changes = read_patches(*list);
  changes.labels = spec.get(kLabels);
  changes.annotations = spec.get(kAnnotations);
  return changes;
}

// Writes overrides as runtimePatches.
class PatchWriter {
 public:
  PatchWriter(const std::string& manager, const Maker& make) : manager_(manager), make_(make) {}

  const Node* write(const Changes& changes) {
    if (changes.labels || changes.annotations) {
      metadata_ = make_.map({{kLabels, changes.labels}, {kAnnotations, changes.annotations}});
    }
    for (const Patch& patch : changes.patches) {
      for (const JobChange& job : patch.jobs) add(job, *changes.list);
    }
    flush(changes.list);
    return make_.list(patches_);
  }

 private:
  // If an earlier patch changes the job, it gets a later patch of its own.
  void add(const JobChange& job, const Node& list) {
    if (names_.contains(job.name->text())) flush(&list);
    names_.insert(job.name->text());
    const Node* pod = make_.map({{"metadata", job.pod_metadata}, {"spec", job.pod_spec}});
    const Node* of_job = make_.map({{"spec", make_.map({{"template", pod}})}});
    jobs_.push_back(make_.map({{"name", job.name}, {"template", of_job}}, job.place->origin()));
  }

  void flush(const Node* list) {
    if (jobs_.empty() && !metadata_) return;
    const Node* job_set = nullptr;
    if (!jobs_.empty()) job_set = make_.map({{"replicatedJobs", make_.list(jobs_, list->origin())}});
    const Node* of_runtime = make_.map({{"metadata", metadata_}, {"spec", job_set}});
    const Node* runtime_spec = make_.map({{"template", of_runtime}});
    const std::string suffix = patches_.empty() ? "" : fmt::format("-{}", patches_.size() + 1);
    const Node* manager = make_.copied(manager_ + suffix);
    patches_.push_back(make_.map({{"manager", manager}, {"trainingRuntimeSpec", runtime_spec}}));
    jobs_.clear();
    names_.clear();
    metadata_ = nullptr;
  }

  const std::string& manager_;
  const Maker& make_;
  const Node* metadata_ = nullptr;
  std::vector<const Node*> jobs_;
  std::set<std::string_view> names_;
  std::vector<const Node*> patches_;
};

// Writes changes as podTemplateOverrides or podSpecOverrides.
class OverrideWriter {
 public:
  OverrideWriter(const model::Behaviours& behaviours, const Changes& changes, const Maker& make,
                 Losses& losses)
      : behaviours_(behaviours), changes_(changes), make_(make), losses_(losses) {}

  const Node* write() {
    const bool keeps_places = changes_.field != model::kRuntimePatches;
    const Node* place = changes_.list;
    for (const Patch& patch : changes_.patches) {
      if (!keeps_places) {
        const Node* jobs = patch.place->at({"trainingRuntimeSpec", "template", "spec", "replicatedJobs"});
        if (jobs && place == changes_.list) place = jobs;
        for (const JobChange& job : patch.jobs) {
          add(job, make_.list({make_.map({{"name", job.name}})}));
        }
      } else if (!patch.jobs.empty()) {
        add(patch.jobs.front(), patch.place->get("targetJobs"));
      }
    }
    return make_.list(overrides_, place ? place->origin() : yaml::Origin());
  }

 private:
  bool is_pod_spec() const { return behaviours_.overrides == OverrideStyle::PodSpecs; }

  void lose(const Node& node, std::string_view what) {
    losses_.push_back(lost(fmt::format("spec.{}", changes_.field),
                           fmt::format("Trainer {} can't change {}", behaviours_.trainer, what),
                           "set it in the runtime, or remove it", yaml::locate(node)));
  }

  void add(const JobChange& job, const Node* targets) {
    if (job.job_metadata) lose(*job.job_metadata, "the metadata of a Job");
    if (job.pod_metadata && is_pod_spec()) lose(*job.pod_metadata, "the metadata of a pod");
    if (job.pod_metadata && !is_pod_spec()) {
      for (const Entry& entry : job.pod_metadata->entries()) {
        if (entry.key != kLabels && entry.key != kAnnotations)
          lose(*entry.value, fmt::format("metadata.{} of a pod", entry.key));
      }
    }
    if (behaviours_.one_override_per_job) check_targets(targets);
    if (!is_pod_spec()) {
      overrides_.push_back(
          make_.map({{"targetJobs", targets}, {"metadata", job.pod_metadata}, {"spec", job.pod_spec}},
                    job.place->origin()));
      return;
    }
    std::vector<Entry> entries{{"targetJobs", targets}};
    if (job.pod_spec) std::ranges::copy(job.pod_spec->entries(), std::back_inserter(entries));
    overrides_.push_back(make_.map(entries, job.place->origin()));
  }

  void check_targets(const Node* targets) {
    for (const Node* target : targets->items()) {
      const Node& name = *target->get("name");
      if (!names_.insert(name.text()).second)
        lose(name, fmt::format("the replicatedJob \"{}\" in several overrides", name.text()));
    }
  }

  const model::Behaviours& behaviours_;
  const Changes& changes_;
  const Maker& make_;
  Losses& losses_;
  std::set<std::string_view> names_;
  std::vector<const Node*> overrides_;
};

// The entries of all patches; later ones win. nullptr if there are none.
const Node* metadata_of_patches(const Changes& changes, std::string_view key, const Maker& make) {
  const Node* all = nullptr;
  for (const Patch& patch : changes.patches) {
    const Node* map = patch.metadata ? patch.metadata->get(key) : nullptr;
    if (!map || !map->is_map()) continue;
    if (!all) {
      all = map;
      continue;
    }
    for (const Entry& entry : map->entries()) all = make.with(all, entry.key, entry.value);
  }
  return all;
}

// `spec` with `entries` in place of the first of `old_keys`, and without the others.
const Node* replaced(const Node& spec, const std::vector<std::string_view>& old_keys,
                     const std::vector<Entry>& entries, const Maker& make) {
  const auto place = std::ranges::find_if(old_keys, [&](std::string_view key) { return spec.get(key); });
  std::vector<Entry> all;
  for (const Entry& entry : spec.entries()) {
    if (entry.key == *place) std::ranges::copy(entries, std::back_inserter(all));
    if (!base::contains(old_keys, entry.key)) all.push_back(entry);
  }
  return make.map(all, spec.origin());
}

// The spec of a TrainJob with its changes in the form of the target version; `spec` itself if there is
// nothing to convert. New collections have the origin of those that they replace.
const Node* convert_overrides(const Node& spec, const ObjectOptions& options, const schema::Schema& schema,
                              const Maker& make, Losses& losses) {
  const Changes changes = read_changes(spec, make);
  const std::string_view field = field_of(options.target.behaviours->overrides);
  const bool takes_labels = schema.property(kLabels) != nullptr;
  const bool has_labels = changes.labels || changes.annotations;
  const bool takes_field = changes.field.empty() || changes.field == field;
  if (takes_field && (takes_labels || !has_labels)) return &spec;
  if (changes.field == model::kRuntimePatches && has_labels) return &spec;  // no version has both
  std::vector<std::string_view> old_keys;
  if (!changes.field.empty()) old_keys.push_back(changes.field);
  std::vector<Entry> entries;
  if (field == model::kRuntimePatches) {
    if (has_labels) old_keys.insert(old_keys.end(), {kLabels, kAnnotations});
    const Node* patches = PatchWriter(options.manager, make).write(changes);
    if (patches->size() > 0) entries.push_back({field, patches});
  } else {
    for (const std::string_view key : {kLabels, kAnnotations}) {
      if (const Node* map = metadata_of_patches(changes, key, make)) entries.push_back({key, map});
    }
    const Node* overrides = OverrideWriter(*options.target.behaviours, changes, make, losses).write();
    if (overrides->size() > 0) entries.push_back({field, overrides});
  }
  return replaced(spec, old_keys, entries, make);
}

const schema::Schema& property(const schema::Schema& schema, std::string_view name) {
  return *schema.property(name)->schema;
}

class ObjectMigration {
 public:
  ObjectMigration(const ObjectOptions& options, const model::ObjectId& id, const Maker& make)
      : options_(options), id_(id), make_(make), schema_(*options.target.schemas->kind(id.kind)->schema) {}

  MigratedObject run(const Node& root) {
    MigratedObject migrated{&root, {}};
    if (const Node* spec = root.get("spec"); spec && spec->is_map()) {
      const Node* changed = id_.kind == model::kTrainJob ? train_job(*spec) : runtime(*spec);
      if (changed != spec) migrated.root = make_.with(&root, "spec", changed);
    }
    find_unknown(*migrated.root);
    for (base::Diagnostic& loss : losses_) loss.object = id_.str();
    migrated.losses = std::move(losses_);
    return migrated;
  }

 private:
  const Node* train_job(const Node& spec) {
    const schema::Schema& spec_schema = property(schema_, "spec");
    const Node* changed = convert_overrides(spec, options_, spec_schema, make_, losses_);
    const Node* trainer = spec.get("trainer");
    if (trainer && !trainer->is_map()) trainer = nullptr;
    if (!trainer && !options_.num_processes) return changed;
    const Node* processes = trainer ? trainer->get("numProcPerNode") : nullptr;
    const bool takes_words =
        property(property(spec_schema, "trainer"), "numProcPerNode").type != schema::Type::Integer;
    const bool is_word = processes && processes->is_string();
    if (options_.num_processes) {
      const Node* number = make_.integer(*options_.num_processes);
      return make_.with(changed, "trainer", make_.with(trainer, "numProcPerNode", number));
    }
    if (!is_word || takes_words) return changed;
    return make_.with(changed, "trainer", make_.with(trainer, "numProcPerNode", nullptr));
  }

  // Moves the number of torch processes per node to the TrainJobs.
  const Node* runtime(const Node& spec) {
    const Node* torch = spec.at({"mlPolicy", "torch"});
    if (!torch || !torch->is_map()) return &spec;
    const schema::Schema& schema = property(property(property(schema_, "spec"), "mlPolicy"), "torch");
    const Node* changed = torch;
    const Node* processes = torch->get("numProcPerNode");
    if (processes && !schema.property("numProcPerNode")) {
      changed = make_.with(changed, "numProcPerNode", nullptr);
      if (processes->is_int() && !options_.processes_known) lose_processes(*processes);
    }
    // This had no effect in the version that accepted it.
    if (torch->get("elasticPolicy") && !schema.property("elasticPolicy"))
      changed = make_.with(changed, "elasticPolicy", nullptr);
    return changed == torch ? &spec : make_.with_path(&spec, {"mlPolicy", "torch"}, changed);
  }

  void lose_processes(const Node& processes) {
    losses_.push_back(lost(
        "spec.mlPolicy.torch.numProcPerNode",
        fmt::format("a runtime of Trainer {} does not set the number of processes per node, and no accepted "
                    "TrainJob of the inputs uses it",
                    options_.target.behaviours->trainer),
        fmt::format("set spec.trainer.numProcPerNode: {} in its TrainJobs, or migrate them along with it",
                    processes.text()),
        yaml::locate(processes)));
  }

  // Finds settings for which the target version has no field.
  void find_unknown(const Node& root) {
    const std::string_view trainer = options_.target.behaviours->trainer;
    for (base::Diagnostic& unknown : schema::find_unknown_fields(root, schema_, id_.kind, trainer)) {
      losses_.push_back(lost(unknown.field, fmt::format("Trainer {} has no field {}", trainer, unknown.field),
                             unknown.hint, unknown.location));
    }
  }

  const ObjectOptions& options_;
  const model::ObjectId& id_;
  const Maker& make_;
  const schema::Schema& schema_;
  Losses losses_;
};

void lose_fields(const model::DialectFields& fields, Losses& losses) {
  if (fields.elastic) {
    losses.push_back(lost("spec.mlPolicy.torch.elasticPolicy",
                          "Trainer has no elastic training: torchrun gets a fixed number of nodes",
                          "set mlPolicy.numNodes instead", yaml::locate(*fields.elastic->node)));
  }
  if (fields.mpi_implementation) {
    losses.push_back(lost("spec.mlPolicy.mpi.mpiImplementation",
                          fmt::format("Trainer supports OpenMPI, not {}", fields.mpi_implementation->value),
                          "use an image with OpenMPI, and remove this",
                          yaml::locate(*fields.mpi_implementation->node)));
  }
  if (fields.min_member) {
    losses.push_back(lost("spec.podGroupPolicy.volcano.minMember",
                          "Trainer counts every pod of the job as a required member", "remove it",
                          yaml::locate(*fields.min_member->node)));
  }
}

}  // namespace

MigratedObject migrate_dialect(const Node& root, const model::Dialect& dialect, const model::ObjectId& id,
                               const ObjectOptions& options, const Maker& make) {
  const model::Translation translation = model::translate(root, dialect, make);
  MigratedObject migrated = migrate_object(*translation.root, id, options, make);
  lose_fields(translation.fields, migrated.losses);
  return migrated;
}

MigratedObject migrate_object(const Node& root, const model::ObjectId& id, const ObjectOptions& options,
                              const Maker& make) {
  return ObjectMigration(options, id, make).run(root);
}

}  // namespace trainjobc::migrate
