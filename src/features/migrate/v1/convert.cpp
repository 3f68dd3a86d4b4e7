// SPDX-License-Identifier: Apache-2.0

#include "features/migrate/v1/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/text/text.h"
#include "compile/own_name.h"
#include "features/migrate/placeholders.h"
#include "features/migrate/v1/old_names.h"
#include "k8s/object_meta.h"
#include "k8s/pod/pod.h"
#include "model/runtime.h"
#include "model/trainer_names.h"
#include "yaml/changes.h"
#include "yaml/read/reader.h"
#include "yaml/write/writer.h"

namespace trainjobc::migrate::v1 {
namespace {

using yaml::Entry;
using yaml::Maker;
using yaml::Node;

const Node* replicated_job(const DraftRole& role, const Maker& make) {
  const Node* metadata = nullptr;
  if (role.trains)
    metadata = make.with_path(nullptr, {"labels", model::kAncestorLabel}, make.string(model::kTrainer));
  Entries spec;
  if (role.completions > 0) {
    spec.push_back({"parallelism", make.integer(role.completions)});
    spec.push_back({"completions", make.integer(role.completions)});
  }
  spec.insert(spec.end(), role.job_spec.begin(), role.job_spec.end());
  spec.push_back({"template", role.pods.node});
  const Node* of_job = make.map({{"metadata", metadata}, {"spec", make.map(spec)}});
  return make.map({{"name", make.copied(role.name)},
                   {"dependsOn", role.depends_on},
                   {"replicas", role.replicas != 1 ? make.integer(role.replicas) : nullptr},
                   {"template", of_job}});
}

// The name of a runtime object.
struct RuntimeName {
  std::string_view kind;
  std::string ns;  // "" if it has none
  std::string name;
};

// Builds the TrainJob: the settings of the v1 job, and those that its runtime lacks.
class TrainJobBuilder {
 public:
  TrainJobBuilder(const Conversion& conversion, const std::vector<RoleSettings>& needed)
      : conversion_(conversion), needed_(needed) {}

  const Node* run(const RuntimeName& runtime) const {
    const bool is_default = runtime.kind == model::kClusterTrainingRuntime;
    const Node* ref = make_.map(
        {{"name", make_.copied(runtime.name)}, {"kind", is_default ? nullptr : make_.string(runtime.kind)}});
    Entries spec;
    const auto add = [&](std::string_view key, const Node* value) {
      const Entry* own = job_.spec->at({"runPolicy"}) ? job_.spec->get("runPolicy")->find(key) : nullptr;
      if (value) spec.push_back({key, value, own ? own->key_origin : yaml::Origin()});
    };
    add("suspend", job_.run_policy("suspend"));
    add("managedBy", manager_of_job());
    add("activeDeadlineSeconds", job_.run_policy("activeDeadlineSeconds"));
    add("runtimeRef", ref);
    if (!draft_.is_own) add("trainer", trainer());
    add("runtimePatches", patches());
    return make_.map({{"apiVersion", make_.string(model::kTrainerApiVersion)},
                      {"kind", make_.string(model::kTrainJob)},
                      {"metadata", job_.root->get("metadata")},
                      {"spec", make_.map(spec, job_.spec->origin())}},
                     job_.root->origin());
  }

 private:
  // The operators' own manager is the default; Trainer does not know it.
  const Node* manager_of_job() const {
    const Node* manager = job_.run_policy("managedBy");
    return manager && manager->text().starts_with("kueue.x-k8s.io/") ? manager : nullptr;
  }

  const Node* trainer() const {
    const auto settings = std::ranges::find_if(needed_, &RoleSettings::trains);
    const auto value = [&](std::string_view key) {
      const Entry* entry = settings != needed_.end() ? entry_of(settings->trainer, key) : nullptr;
      return entry ? entry->value : nullptr;
    };
    return make_.map({{"numNodes", draft_.num_nodes},
                      {"numProcPerNode", draft_.processes},
                      {"image", value("image")},
                      {"command", value("command")},
                      {"args", value("args")},
                      {"env", value("env")},
                      {"resourcesPerNode", value("resources")}});
  }

  const Node* patch_of(const RoleSettings& settings) const {
    Entries spec = settings.pod;
    if (!settings.container.empty()) {
      Entries container{{"name", make_.string(model::kNode)}};
      container.insert(container.end(), settings.container.begin(), settings.container.end());
      spec.push_back({"containers", make_.list({make_.map(container)})});
    }
    const Node* pod =
        make_.map({{"metadata", settings.metadata}, {"spec", spec.empty() ? nullptr : make_.map(spec)}});
    const Node* of_job = make_.with_path(nullptr, {"spec", "template"}, pod);
    return make_.map({{"name", make_.copied(settings.job)}, {"template", of_job}});
  }

  const Node* patches() const {
    NodeList jobs;
    for (const RoleSettings& settings : needed_) {
      if (settings.is_patch()) jobs.push_back(patch_of(settings));
    }
    const Node* metadata = nullptr;
    if (draft_.queue)
      metadata = make_.with_path(nullptr, {"annotations", model::kVolcanoQueue}, draft_.queue);
    if (jobs.empty() && !metadata) return nullptr;
    const Node* spec = jobs.empty() ? nullptr : make_.with(nullptr, "replicatedJobs", make_.list(jobs));
    const Node* of_runtime = make_.map({{"metadata", metadata}, {"spec", spec}});
    const Node* patch = make_.map({{"manager", make_.copied(conversion_.options.manager)},
                                   {"trainingRuntimeSpec", make_.with(nullptr, "template", of_runtime)}});
    return make_.list({patch});
  }

  const Conversion& conversion_;
  const Draft& draft_ = conversion_.draft;
  const Job& job_ = conversion_.job;
  const Maker& make_ = conversion_.make;
  const std::vector<RoleSettings>& needed_;
};

// The whole draft as a runtime's spec.
const Node* complete_spec(const Draft& draft, const Maker& make) {
  const Node* policy = nullptr;
  if (!draft.is_own) {
    Entries entries{{"numNodes", make.integer(1)}};
    entries.insert(entries.end(), draft.policy.begin(), draft.policy.end());
    policy = make.map(entries);
  }
  NodeList jobs;
  for (const DraftRole& role : draft.roles) jobs.push_back(replicated_job(role, make));
  Entries job_set = draft.job_set;
  job_set.push_back({"replicatedJobs", make.list(jobs)});
  return make.map({{"mlPolicy", policy},
                   {"podGroupPolicy", draft.gang},
                   {"template", make.with(nullptr, "spec", make.map(job_set))}});
}

const Node* runtime_object(const RuntimeName& id, std::string_view framework, const Node& spec,
                           const Maker& make) {
  const Node* labels = make.with(nullptr, model::kFrameworkLabel, make.string(framework));
  const Node* metadata = make.map({{"name", make.copied(id.name)},
                                   {"namespace", id.ns.empty() ? nullptr : make.copied(id.ns)},
                                   {"labels", labels}});
  return make.map({{"apiVersion", make.string(model::kTrainerApiVersion)},
                   {"kind", make.string(id.kind)},
                   {"metadata", metadata},
                   {"spec", &spec}});
}

struct KindDraft {
  std::string_view kind;
  void (*draft)(Conversion&);
};

constexpr std::array kDrafts = std::to_array<KindDraft>({{"JAXJob", draft_jax},
                                                         {"MPIJob", draft_mpi},
                                                         {"PaddleJob", draft_paddle},
                                                         {"PyTorchJob", draft_torch},
                                                         {"TFJob", draft_tensorflow},
                                                         {"XGBoostJob", draft_xgboost}});

const schema::Schema& property(const schema::Schema& schema, std::string_view name) {
  const schema::Schema* inner = schema.property(name)->schema;
  return inner->type == schema::Type::Array ? *inner->items : *inner;
}

// The schema of a PodTemplateSpec.
const schema::Schema& pod_template(const schema::VersionSchemas& schemas) {
  const schema::Schema* schema = schemas.kind(model::kTrainingRuntime)->schema;
  for (const std::string_view key :
       {"spec", "template", "spec", "replicatedJobs", "template", "spec", "template"})
    schema = &property(*schema, key);
  return *schema;
}

void add_documents(const Node& root, std::vector<const Node*>& all) {
  if (!root.is_map()) return;
  if (yaml::string_at(root, "kind").ends_with("List")) {
    for (const Node* item : yaml::items_at(root, "items")) add_documents(*item, all);
  } else {
    all.push_back(&root);
  }
}

// `rest` with the numbers of the policy in `complete`, which comparisons leave out.
const Node* with_numbers(const Node& rest, const Node& complete, const yaml::Maker& make) {
  Entries entries;
  for (const std::string_view key : {"mlPolicy", "podGroupPolicy", "template"}) {
    const Node* value = (key == "mlPolicy" ? complete : rest).get(key);
    if (value) entries.push_back({key, value});
  }
  return make.map(entries);
}

}  // namespace

const base::Diagnostic* refusal_in(const std::vector<base::Diagnostic>& findings) {
  return base::find(findings, base::Severity::Error, &base::Diagnostic::severity);
}

void Converter::add_known(const std::string& name, const std::string& text) {
  files_.push_back(std::make_unique<base::SourceFile>(name, text));
  base::Diagnostics ignored;
  std::vector<const Node*> objects;
  for (const yaml::Document& document : yaml::read(*files_.back(), arena_, ignored))
    add_documents(*document.root, objects);
  const yaml::Maker make(arena_);
  const schema::Schema& train_job = *target_.schemas->kind(model::kTrainJob)->schema;
  for (const Node* object : objects) {
    const model::ObjectId id = model::identify(*object);
    const Node* spec = object->get("spec");
    if (yaml::text_at(*object, "apiVersion") != model::kTrainerApiVersion || !spec || !spec->is_map())
      continue;
    if (!model::is_runtime_kind(id.kind)) continue;
    known_.push_back({id.kind, std::string(model::effective_namespace(id)), std::string(id.name),
                      split_runtime(*spec, train_job, make)});
  }
}

const Node* Converter::keep(const Node& node) {
  std::string text;
  yaml::write_yaml(node, yaml::KeyOrder::AsIs, text);
  files_.push_back(std::make_unique<base::SourceFile>("", std::move(text)));
  base::Diagnostics ignored;
  const auto documents = yaml::read(*files_.back(), arena_, ignored);
  return documents.empty() ? &node : documents.front().root;
}

const Converter::Known* Converter::find(const SplitRuntime& wanted, std::string_view ns,
                                        const yaml::Maker& make, std::vector<RoleSettings>& needed) const {
  for (const Known& known : known_) {
    if (known.kind == model::kTrainingRuntime && known.ns != ns) continue;
    if (known.is_new && (is_preview_ || known.base != base_)) continue;
    auto found = needed_settings(wanted, known.runtime, make);
    if (!found) continue;
    needed = std::move(*found);
    return &known;
  }
  return nullptr;
}

namespace {

bool requests_gpus(const Node& node) {
  for (const std::string_view list : {"limits", "requests"}) {
    const Node* amounts = node.at({"resources", list});
    if (!amounts) continue;
    if (std::ranges::any_of(amounts->entries(),
                            [](const Entry& entry) { return entry.key.ends_with("/gpu"); }))
      return true;
  }
  return false;
}

// What the runtime is, as a name: "mpi-openmpi-gpu", "torch-logs-never".
std::string description_of(const Draft& draft, const Node& spec) {
  constexpr size_t kLongest = 40;
  std::vector<std::string> words{std::string(draft.framework)};
  const auto add = [&](std::string_view word) {
    if (!word.empty() && !base::contains(words, word)) words.emplace_back(word);
  };
  add(draft.variant);
  if (const Node* gang = spec.get("podGroupPolicy"); gang && gang->size() > 0)
    add(gang->entries().front().key);
  for (const Node* job : yaml::items_at(spec, {"template", "spec", "replicatedJobs"})) {
    for (const Node* container :
         yaml::items_at(*job, {"template", "spec", "template", "spec", "containers"})) {
      if (requests_gpus(*container)) add("gpu");
      if (const auto name = yaml::text_at(*container, "name"); name != model::kNode) add(name);
    }
    if (yaml::text_at(*job, {"template", "spec", "template", "spec", "restartPolicy"}) == "Never" &&
        words.front() != "mpi")
      add("never");
  }
  std::string all;
  for (const std::string& word : words) {
    if (!all.empty() && all.size() + word.size() >= kLongest) continue;
    all += (all.empty() ? "" : "-") + word;
  }
  return all;
}

}  // namespace

std::string Converter::name_for(const Draft& draft, const Node& spec, const Job& job) {
  std::string name = options_.runtime_name;
  if (name.empty() && draft.is_own) name = job.id.name;
  if (name.empty() && !base_.empty()) name = fmt::format("{}-{}", job.id.name, draft.framework);
  if (name.empty()) {
    base::Arena arena;
    const Node& written =
        options_.placeholders ? *options_.placeholders->put_back(spec, yaml::Maker(arena)) : spec;
    name = fmt::format("{}-{}", description_of(draft, spec), compile::content_suffix(written));
  }
  std::string unique = name;
  if (is_preview_) return unique;
  for (int i = 2; !names_.insert(unique).second; ++i) unique = fmt::format("{}-{}", name, i);
  return unique;
}

Converted Converter::preview(const Node& root, const model::V1Kind& kind, const yaml::Maker& make,
                             const std::string& base) {
  is_preview_ = true;
  Converted converted = convert(root, kind, make, base);
  is_preview_ = false;
  return converted;
}

Converted Converter::convert(const Node& root, const model::V1Kind& kind, const yaml::Maker& make,
                             const std::string& base) {
  base_ = base;
  V1Findings findings;
  Converted converted;
  const bool is_older = yaml::text_at(root, "apiVersion") != kind.api_version;
  const Node* current = is_older ? in_form_of_v1(root, kind, make, findings) : &root;
  std::optional<Job> job;
  if (!findings.refused())
    job = read_job(*with_known_fields(*current, kind, pod_template(*target_.schemas), make, findings), kind,
                   findings);
  if (job) {
    Conversion conversion{*job, make, findings, options_, target_.behaviours->trainer};
    std::ranges::find(kDrafts, kind.kind, &KindDraft::kind)->draft(conversion);
    if (!findings.refused()) {
      rename_pods(conversion);
      apply_run_policy(conversion);
      converted.pods = conversion.draft.pods;
      converted.documents = documents_of(conversion);
    }
  }
  converted.findings = findings.items();
  return converted;
}

namespace {

const Node* without_default_policies(const Node& node, const yaml::Maker& make) {
  constexpr std::string_view kPolicy = "imagePullPolicy";
  if (node.is_list()) {
    yaml::ChangedList changed(node);
    for (const Node* item : node.items()) changed.take(without_default_policies(*item, make));
    return changed.node(make);
  }
  yaml::ChangedMap changed(node);
  for (const Entry& entry : node.entries()) changed.take(without_default_policies(*entry.value, make));
  const std::string_view image = yaml::string_at(node, "image");
  const bool is_default =
      !image.empty() && yaml::string_at(node, kPolicy) == k8s::pod::default_pull_policy(image);
  return is_default ? make.with(changed.node(make), kPolicy, nullptr) : changed.node(make);
}

}  // namespace

std::vector<const Node*> Converter::documents_of(const Conversion& conversion) {
  const yaml::Maker& make = conversion.make;
  const Draft& draft = conversion.draft;
  const Job& job = conversion.job;
  const schema::Schema& train_job = *target_.schemas->kind(model::kTrainJob)->schema;
  const Node* complete = complete_spec(draft, make);
  // With placeholders or a kustomization, the tag of an image is unknown.
  const bool has_tags = !options_.placeholders && base_.empty();
  const bool in_namespace = options_.per_namespace || draft.is_own || !base_.empty();
  const std::string_view kind = in_namespace ? model::kTrainingRuntime : model::kClusterTrainingRuntime;
  const std::string ns(job.id.ns);
  RuntimeName id{kind, in_namespace ? ns : "", ""};
  if (draft.is_own) {
    id.name = name_for(draft, *complete, job);
    return {runtime_object(id, draft.framework, *complete, make), TrainJobBuilder(conversion, {}).run(id)};
  }
  std::vector<RoleSettings> needed;
  const auto find_known = [&] {
    return find(split_runtime(*complete, train_job, make), k8s::effective_namespace(ns), make, needed);
  };
  const Known* known = find_known();
  if (!known && has_tags) {
    complete = without_default_policies(*complete, make);
    known = find_known();
  }
  if (known) return {TrainJobBuilder(conversion, needed).run({known->kind, known->ns, known->name})};
  const SplitRuntime made = split_runtime(*complete, train_job, make, RuntimeUse::New);
  const Node* spec = with_numbers(*made.rest, *complete, make);
  id.name = name_for(draft, *made.rest, job);
  if (!is_preview_)
    known_.push_back({kind, in_namespace ? std::string(k8s::effective_namespace(ns)) : "", id.name,
                      split_runtime(*keep(*spec), train_job, yaml::Maker(arena_)), true, base_});
  return {runtime_object(id, draft.framework, *spec, make),
          TrainJobBuilder(conversion, made.settings).run(id)};
}

}  // namespace trainjobc::migrate::v1
