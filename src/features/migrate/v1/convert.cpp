// SPDX-License-Identifier: Apache-2.0

#include "features/migrate/v1/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "compile/generate_name.h"
#include "k8s/namespaces.h"
#include "model/runtime_id.h"
#include "model/trainer_names.h"
#include "features/migrate/v1/draft_objects.h"
#include "features/migrate/v1/job.h"
#include "features/migrate/v1/known_fields.h"
#include "yaml/fields.h"
#include "yaml/read/reader.h"
#include "yaml/write/writer.h"

namespace trainjobc::migrate::v1 {
namespace {

using yaml::Node;

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

// A PodTemplateSpec.
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

// The rest with the policy's numbers, which are not compared.
const Node* with_numbers(const Node& rest, const Node& complete, const yaml::Maker& make) {
  Entries entries;
  for (const std::string_view key : {"mlPolicy", "podGroupPolicy", "template"}) {
    const Node* value = (key == "mlPolicy" ? complete : rest).get(key);
    if (value) entries.push_back({key, value, {}});
  }
  return make.map(entries);
}

}  // namespace

void Converter::add_known(const std::string& name, const std::string& text) {
  files_.push_back(std::make_unique<base::SourceFile>(name, text));
  base::Diagnostics ignored;
  std::vector<const Node*> objects;
  for (const yaml::Document& document : yaml::read(*files_.back(), arena_, ignored))
    add_documents(*document.root, objects);
  const yaml::Maker make(arena_);
  const schema::Schema& train_job = *options_.target.schemas->kind(model::kTrainJob)->schema;
  for (const Node* object : objects) {
    const model::ObjectId id = model::identify(*object);
    const bool is_namespaced = id.kind == model::kTrainingRuntime;
    const Node* spec = object->get("spec");
    if (yaml::text_at(*object, "apiVersion") != model::kTrainerApiVersion || !spec || !spec->is_map())
      continue;
    if (!is_namespaced && id.kind != model::kClusterTrainingRuntime) continue;
    known_.push_back({is_namespaced ? model::kTrainingRuntime : model::kClusterTrainingRuntime,
                      std::string(model::effective_namespace(id)), std::string(id.name),
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

const Converter::Known* Converter::find(const SplitRuntime& wanted, const std::string& ns,
                                        const yaml::Maker& make, std::vector<Said>& say) const {
  for (const Known& known : known_) {
    if (known.kind == model::kTrainingRuntime && known.ns != ns) continue;
    auto found = to_say(wanted, known.runtime, make);
    if (!found) continue;
    say = std::move(*found);
    return &known;
  }
  return nullptr;
}

std::string Converter::name_for(const Draft& draft, const Node& spec, const Job& job) {
  std::string name = options_.runtime_name;
  if (name.empty() && draft.is_own) name = job.id.name;
  if (name.empty()) name = fmt::format("{}-{}", draft.framework, compile::content_suffix(spec));
  std::string unique = name;
  for (int i = 2; !names_.insert(unique).second; ++i) unique = fmt::format("{}-{}", name, i);
  return unique;
}

Converted Converter::convert(const Node& root, const model::V1Kind& kind, const yaml::Maker& make) {
  V1Findings findings;
  Converted converted;
  const Node* known = with_known_fields(root, kind, pod_template(*options_.target.schemas), make, findings);
  if (const std::optional<Job> job = read_job(*known, kind, findings)) {
    Conversion conversion{*job, make, findings, options_.target.behaviours->trainer, options_.plain};
    std::ranges::find(kDrafts, kind.kind, &KindDraft::kind)->draft(conversion);
    if (!findings.refused()) {
      apply_run_policy(conversion);
      converted.documents = documents_of(conversion);
    }
  }
  converted.findings = findings.items();
  return converted;
}

std::vector<const Node*> Converter::documents_of(const Conversion& conversion) {
  const yaml::Maker& make = conversion.make;
  const Draft& draft = conversion.draft;
  const Job& job = conversion.job;
  const schema::Schema& train_job = *options_.target.schemas->kind(model::kTrainJob)->schema;
  const Node* complete = complete_spec(draft, make);
  const bool in_namespace = options_.per_namespace || draft.is_own;
  const std::string_view kind = in_namespace ? model::kTrainingRuntime : model::kClusterTrainingRuntime;
  const std::string ns(job.id.ns);
  RuntimeName id{kind, in_namespace ? ns : "", ""};
  if (draft.is_own) {
    id.name = name_for(draft, *complete, job);
    return {runtime_object(id, draft.framework, *complete, make),
            train_job_object(conversion, id, {}, options_.manager)};
  }
  std::vector<Said> say;
  if (const Known* known = find(split_runtime(*complete, train_job, make),
                                std::string(k8s::effective_namespace(ns)), make, say))
    return {train_job_object(conversion, {known->kind, known->ns, known->name}, say, options_.manager)};
  const SplitRuntime made = split_runtime(*complete, train_job, make, RuntimeUse::New);
  const Node* spec = with_numbers(*made.rest, *complete, make);
  id.name = name_for(draft, *made.rest, job);
  known_.push_back({kind, in_namespace ? std::string(k8s::effective_namespace(ns)) : "", id.name,
                    split_runtime(*keep(*spec), train_job, yaml::Maker(arena_))});
  return {runtime_object(id, draft.framework, *spec, make),
          train_job_object(conversion, id, made.said, options_.manager)};
}

}  // namespace trainjobc::migrate::v1
