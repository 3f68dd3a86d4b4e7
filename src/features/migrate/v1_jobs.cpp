// SPDX-License-Identifier: Apache-2.0

#include "features/migrate/v1_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "base/files/paths.h"
#include "base/text/text.h"
#include "compile/input.h"
#include "compile/runtimes.h"
#include "compile/versions.h"
#include "features/migrate/left_jobs.h"
#include "features/migrate/placeholders.h"
#include "features/migrate/v1/enclosing.h"
#include "model/train_job.h"
#include "model/trainer_names.h"
#include "rules/rules.h"
#include "yaml/write/writer.h"

namespace trainjobc::migrate {
namespace {

using yaml::Node;

// Kinds that select pods by their labels.
constexpr std::array<std::string_view, 4> kSelecting{"NetworkPolicy", "PodDisruptionBudget", "PodMonitor",
                                                     "Service"};

// The pods that an object selects.
struct Selected {
  bool is_old = false;   // by labels of v1
  std::string_view job;  // "" for those of all jobs
};

void add_selected(std::string_view key, const Node* value, Selected& selected) {
  if (!v1::is_old_label(key)) return;
  selected.is_old = true;
  if (key.ends_with("job-name") && value) selected.job = value->text();
}

void add_selected(const Node& node, Selected& selected) {
  for (const Node* item : node.items()) {
    if (item->is_string()) add_selected(item->text(), nullptr, selected);
    add_selected(*item, selected);
  }
  for (const yaml::Entry& entry : node.entries()) {
    add_selected(entry.key, entry.value, selected);
    add_selected(*entry.value, selected);
  }
  const auto values = yaml::items_at(node, "values");
  if (const Node* key = node.get("key"))
    add_selected(key->text(), values.size() == 1 ? values.front() : nullptr, selected);
}

Selected find_selected(const Node& spec) {
  Selected selected;
  add_selected(spec, selected);
  return selected;
}

}  // namespace

void V1Jobs::start() {
  converter_.reset();
  jobs_.clear();
  names_.clear();
  made_.clear();
  first_.clear();
  known_names_ = std::move(new_names_);
  new_names_.clear();
  trials_.clear();
  selectors_ = 0;
  staying_ = 0;
  runtime_names_.clear();
}

std::optional<base::Diagnostic> V1Jobs::check_name(const Node& object, const V1Name& name,
                                                   const Place& place) {
  const Node* written = object.at({"metadata", "name"});
  if (!written || written->text().empty()) return std::nullopt;
  const base::Location at = yaml::locate(*written);
  const auto [first, is_new] = first_.try_emplace(name.train_job, FirstJob{name.v1, place, at});
  if (is_new) return std::nullopt;
  const bool is_same = first->second.v1 == name.v1;
  base::Diagnostic lost = rules::finding(
      "migrate/lost",
      is_same ? fmt::format("{} is defined twice", name.v1)
              : fmt::format("{} and {} would both become {}", first->second.v1, name.v1, name.train_job),
      is_same ? "rename one, or migrate the folders one after the other" : "rename one of them", at);
  lost.field = "metadata.name";
  lost.notes.push_back({"the first one", first->second.name});
  return lost;
}

v1::Converter& V1Jobs::converter() {
  if (converter_) return *converter_;
  const compile::Target target = compile::choose_target(options_.to);
  converter_ = std::make_unique<v1::Converter>(options_, target);
  for (const Source& source : inputs_) converter_->add_known(source.name, source.text);
  for (const Source& source : runtimes_) converter_->add_known(source.name, source.text);
  if (!options_.compile.use_catalogue) return *converter_;
  for (const compile::CatalogueFile& file : compile::catalogue_files()) {
    if (file.version == target.behaviours->trainer)
      converter_->add_known(std::string(file.name), std::string(file.text));
  }
  return *converter_;
}

namespace {

bool has_runtime_kind(const Node* object) {
  return model::is_runtime_kind(yaml::string_at(*object, "kind"));
}

}  // namespace

std::string V1Jobs::base_of(const JobPlace& place) const {
  return kustomized_ && kustomized_->contains(place) ? base::parent_of(place.first) : "";
}

std::optional<std::string> V1Jobs::runtime_at(const JobPlace& place) const {
  const auto found = runtime_names_.find(place);
  return found != runtime_names_.end() ? std::optional(found->second) : std::nullopt;
}

V1Preview V1Jobs::preview(const Node& job, const JobPlace& place, const yaml::Maker& make) {
  const model::V1Kind* kind = v1::convertible_kind(job);
  if (!kind) return {};
  v1::Converted converted = converter().preview(job, *kind, make, base_of(place));
  V1Preview preview{nullptr, nullptr, std::move(converted.findings)};
  if (!converted.documents.empty()) preview.train_job = converted.documents.back();
  if (converted.documents.size() > 1) preview.runtime = converted.documents.front();
  return preview;
}

bool V1Jobs::is_apart(const Node& runtime) const {
  return apart_.contains(std::string(yaml::string_at(runtime, {"metadata", "name"})));
}

bool V1Jobs::find_shared() {
  std::map<std::string, std::set<std::string>> files;  // by runtime
  for (const auto& [place, runtime] : runtime_names_) {
    const bool is_made =
        made_.contains(model::ObjectId{model::kClusterTrainingRuntime, "", runtime, false}.str());
    if (is_made && base_of(place).empty()) files[runtime].insert(place.first);
  }
  bool any = false;
  for (const auto& [runtime, users] : files) {
    if (users.size() < 2) continue;
    std::string folder = base::parent_of(*users.begin()) + "/";
    while (!std::ranges::all_of(users, [&](const std::string& file) { return file.starts_with(folder); }))
      folder.erase(folder.rfind('/', folder.size() - 2) + 1);
    any = apart_.insert_or_assign(runtime, folder).second || any;
  }
  return any;
}

std::string V1Jobs::folder_of(const std::string& runtime) const {
  const auto found = apart_.find(runtime);
  return found != apart_.end() ? base::shortest_path(found->second.substr(0, found->second.size() - 1)) : "";
}

bool V1Jobs::is_wanted(const std::string& job) const {
  const auto is_it = [&](const std::string& wanted) { return compile::names_job(wanted, job); };
  return options_.compile.jobs.empty() || std::ranges::any_of(options_.compile.jobs, is_it);
}

std::optional<Changed> V1Jobs::convert(const Node& object, const yaml::Maker& make,
                                       base::Diagnostics& problems) {
  const std::vector<v1::JobTemplate> templates = v1::job_templates(object);
  const Node* trial = v1::trial_job(object);
  const v1::Wrapped wrapper = trial ? v1::Wrapped() : v1::wrapped_job(object, make);
  const Node* wrapped = wrapper.job;
  const model::V1Kind* kind = v1::convertible_kind(trial ? *trial : wrapped ? *wrapped : object);
  if (!kind && templates.empty()) return std::nullopt;
  const model::ObjectId id = model::identify(object);
  const model::ObjectId job_id = wrapped ? model::identify(*wrapped) : id;
  const std::string job = model::ObjectId{model::kTrainJob, job_id.ns, job_id.name}.str();
  if (!is_wanted(job)) return Changed{{&object}};
  const base::Location at = yaml::locate(object);
  const Place place{at.file ? at.file->name() : "", at.line};
  jobs_[place] = {id.str(), job};
  names_.insert(id.str());
  const auto refused = refused_.find(place);
  const size_t known = converter().known_runtimes();
  v1::Converted converted;
  if (refused != refused_.end()) {
    for (base::Diagnostic refusal : refused->second) {
      refusal.location = yaml::locate(*object.get("kind"));
      converted.findings.push_back(std::move(refusal));
    }
  } else if (!templates.empty()) {
    converted = convert_workflow(object, templates, make, place);
  } else if (trial) {
    converted = convert_trial(object, *kind, make, place);
  } else if (std::optional<base::Diagnostic> taken =
                 check_name(wrapped ? *wrapped : object, jobs_[place], place)) {
    converted.findings.push_back(std::move(*taken));
  } else {
    const JobPlace absolute{base::absolute_path(place.first), place.second};
    converted = converter().convert(wrapped ? *wrapped : object, *kind, make, base_of(absolute));
    if (wrapped && !converted.documents.empty()) unwrap(object, wrapper, make, converted);
    if (converted.documents.empty()) {
      first_.erase(job);
    } else {
      runtime_names_[absolute] = yaml::string_at(*converted.documents.back(), {"spec", "runtimeRef", "name"});
    }
  }
  for (base::Diagnostic& finding : converted.findings) {
    finding.object = id.str();
    problems.add(std::move(finding));
  }
  if (converted.documents.empty()) {
    converter().forget_runtimes(known);
    staying_ += std::max<size_t>(templates.size(), 1);
    return Changed{{&object}};
  }
  if (!trial && templates.empty())
    new_names_.try_emplace(std::string(model::effective_namespace(job_id)) + "/" + std::string(job_id.name),
                           std::string(job_id.name), std::string(job_id.ns), std::move(converted.pods));
  for (const Node* document : converted.documents) made_[model::identify(*document).str()].push_back(place);
  Changed changed{std::move(converted.documents), true};
  if (!options_.runtimes_dir.empty() || (changed.objects.size() > 1 && is_apart(*changed.objects.front()))) {
    const auto jobs = std::ranges::stable_partition(changed.objects, has_runtime_kind);
    changed.apart.assign(changed.objects.begin(), jobs.begin());
    changed.objects.erase(changed.objects.begin(), jobs.begin());
  }
  return changed;
}

// Converts the trial job; the TrainJob also gets a name, so that it is checked like others.
v1::Converted V1Jobs::convert_trial(const Node& experiment, const model::V1Kind& kind,
                                    const yaml::Maker& make, const Place& place) {
  const Node& written = *experiment.at({"spec", "trialTemplate", "trialSpec"});
  // A runtime for this job alone gets the Experiment's name and namespace.
  const Node* job = &written;
  for (const std::string_view key : {"name", "namespace"}) {
    const Node* value = experiment.at({"metadata", key});
    if (value && !written.at({"metadata", key})) job = make.with_path(job, {"metadata", key}, value);
  }
  v1::Converted converted = converter().convert(*job, kind, make);
  if (converted.documents.empty()) return converted;
  const Node* train_job = make.with(converted.documents.back(), "metadata", written.get("metadata"));
  const Node* changed = v1::with_trial_job(experiment, kind, *train_job, make, converted);
  if (!changed) {
    converted.documents.clear();
    return converted;
  }
  converted.documents.back() = changed;
  const model::ObjectId id = model::identify(experiment);
  const Node* named =
      make.with_path(train_job, {"metadata", "name"}, make.copied(fmt::format("{}-trial", id.name)));
  if (!id.ns.empty()) named = make.with_path(named, {"metadata", "namespace"}, make.string(id.ns));
  add_trial(trial_of(*named, place), place);
  return converted;
}

V1Jobs::Trial V1Jobs::trial_of(const Node& train_job, const Place& place) {
  const model::ObjectId id = model::identify(train_job);
  Trial trial{id.str(), {fmt::format("{}:{} ({})", place.first, place.second, id.name), ""}};
  yaml::write_yaml(train_job, yaml::KeyOrder::AsIs, trial.source.text);
  return trial;
}

void V1Jobs::add_trial(Trial trial, const Place& place) {
  std::vector<Place>& places = made_[trial.object];
  places.push_back(place);
  // Templates may create jobs with the same name, one after the other.
  if (places.size() == 1) trials_.push_back(std::move(trial.source));
}

namespace {

// A copy without origins, of a tree that doesn't live long enough.
const Node* copied(const Node& node, const yaml::Maker& make) {
  if (node.is_list()) {
    std::vector<const Node*> items;
    for (const Node* item : node.items()) items.push_back(copied(*item, make));
    return make.list(items);
  }
  if (node.is_map()) {
    std::vector<yaml::Entry> entries;
    for (const yaml::Entry& entry : node.entries())
      entries.push_back({make.copied(entry.key)->text(), copied(*entry.value, make), {}});
    return make.map(entries);
  }
  if (node.is_null()) return make.null();
  if (node.is_bool()) return make.boolean(*node.as_bool());
  const Node* text = make.copied(node.text());
  return node.is_string() ? text : make.plain(node.kind(), text->text());
}

// The job as the Workflow creates it: with the Workflow's namespace, and a name for its runtime.
const Node* as_created(const Node& job, const Node& workflow, const v1::JobTemplate& where,
                       const yaml::Maker& make) {
  const Node* created = &job;
  const Node* ns = workflow.at({"metadata", "namespace"});
  if (ns && !job.at({"metadata", "namespace"}))
    created = make.with_path(created, {"metadata", "namespace"}, ns);
  if (job.at({"metadata", "name"})) return created;
  std::string name(yaml::string_at(workflow, {"metadata", "name"}));
  if (name.empty()) name = base::trimmed(yaml::string_at(workflow, {"metadata", "generateName"}), "-");
  const std::string_view step = yaml::string_at(*where.node, "name");
  return make.with_path(created, {"metadata", "name"}, make.copied(fmt::format("{}-{}", name, step)));
}

}  // namespace

std::string V1Jobs::placeholder_of_argo(const Node& runtime) const {
  std::string text;
  yaml::write_yaml(runtime, yaml::KeyOrder::AsIs, text);
  if (options_.placeholders) text = options_.placeholders->put_back(text);
  const size_t begin = std::min(text.find("{{"), text.size());
  return text.substr(begin, text.find("}}", begin) + 2 - begin);
}

v1::Converted V1Jobs::convert_template(const Node& workflow, const v1::JobTemplate& job,
                                       const yaml::Maker& make, const Place& place,
                                       std::vector<Trial>& trials) {
  const base::SourceFile file(place.first, std::string(job.manifest->text()));
  v1::Converted converted;
  v1::V1Findings findings;
  const Node* runtime = nullptr;
  const auto change = [&](const Node& written, const yaml::Maker& inner, base::Diagnostics&) {
    converted = converter().convert(*as_created(written, workflow, job, inner),
                                    *v1::convertible_kind(written), inner);
    if (converted.documents.empty()) return Changed{{&written}};
    if (converted.documents.size() > 1) runtime = copied(*converted.documents.front(), make);
    if (const std::string depends_on = runtime ? placeholder_of_argo(*runtime) : ""; !depends_on.empty()) {
      findings.lose(
          "spec.templates",
          fmt::format("the runtime of this job depends on {}, which Argo fills in only here", depends_on),
          "write its value", written.get("kind"));
      return Changed{{&written}};
    }
    trials.push_back(trial_of(*converted.documents.back(), place));
    return Changed{{inner.with(converted.documents.back(), "metadata", written.get("metadata"))}, true};
  };
  const RewrittenFile rewritten = rewrite_file(file, change);
  converted.documents.clear();
  for (const base::Diagnostic& problem : rewritten.problems.items()) findings.take(problem);
  for (const base::Diagnostic& finding : findings.items()) converted.findings.push_back(finding);
  for (base::Diagnostic& finding : converted.findings) {
    finding.location = v1::in_file(*job.manifest, finding.location);
    for (base::Note& note : finding.notes) note.location = v1::in_file(*job.manifest, note.location);
  }
  if (rewritten.changed == 0) return converted;
  v1::V1Findings around;
  const Node* changed = v1::with_train_job(job, rewritten.text, converted.pods, make, around);
  converted.findings.insert(converted.findings.end(), around.items().begin(), around.items().end());
  if (around.refused()) return converted;
  if (runtime) converted.documents.push_back(runtime);
  converted.documents.push_back(changed);
  return converted;
}

v1::Converted V1Jobs::convert_workflow(const Node& workflow, const std::vector<v1::JobTemplate>& jobs,
                                       const yaml::Maker& make, const Place& place) {
  v1::Converted all;
  const Node* changed = &workflow;
  bool is_refused = false;
  std::vector<Trial> trials;
  for (const v1::JobTemplate& job : jobs) {
    v1::Converted one = convert_template(workflow, job, make, place, trials);
    std::ranges::move(one.findings, std::back_inserter(all.findings));
    is_refused = is_refused || one.documents.empty();
    if (one.documents.empty()) continue;
    changed = v1::with_template(*changed, job.index, one.documents.back(), make);
    all.documents.insert(all.documents.end(), one.documents.begin(), one.documents.end() - 1);
  }
  if (!is_refused) {
    base::Diagnostics left = find_left_jobs(*changed);
    std::ranges::move(left.take(), std::back_inserter(all.findings));
    all.findings.push_back(v1::rights_of(jobs.front()));
  }
  all.documents.push_back(changed);
  if (is_refused || v1::refusal_in(all.findings)) {
    all.documents.clear();
    return all;
  }
  for (Trial& trial : trials) add_trial(std::move(trial), place);
  return all;
}

void V1Jobs::unwrap(const Node& wrapper, const v1::Wrapped& wrapped, const yaml::Maker& make,
                    v1::Converted& converted) {
  base::Diagnostics problems;
  for (const Node* other : wrapped.others) {
    const auto selecting = select_again(*other, make, problems);
    converted.documents.insert(converted.documents.end() - 1, selecting ? selecting->objects.front() : other);
  }
  for (const base::Diagnostic& problem : problems.items()) converted.findings.push_back(problem);
  converted.findings.push_back(v1::unwrapping(wrapper, !wrapped.others.empty()));
}

std::optional<Changed> V1Jobs::select_again(const Node& object, const yaml::Maker& make,
                                            base::Diagnostics& problems) {
  const Node* spec = object.get("spec");
  const std::string_view kind = yaml::string_at(object, "kind");
  if (!spec || !spec->is_map() || !base::contains(kSelecting, kind)) return std::nullopt;
  const Selected selected = find_selected(*spec);
  if (!selected.is_old) return std::nullopt;
  ++selectors_;
  const model::ObjectId id = model::identify(object);
  const std::string ns(model::effective_namespace(id));
  const auto job = known_names_.find(fmt::format("{}/{}", ns, selected.job));
  const auto is_here = [&](const auto& one) { return one.first.starts_with(ns + "/"); };
  // What becomes of other jobs is not known.
  if (job == known_names_.end() && (!selected.job.empty() || std::ranges::none_of(known_names_, is_here)))
    return std::nullopt;
  v1::Renamer renamer(job != known_names_.end() ? &job->second : nullptr, make);
  const Node* renamed = renamer.run(*spec, "spec");
  for (base::Diagnostic finding : renamer.findings()) {
    finding.object = id.str();
    problems.add(std::move(finding));
  }
  if (renamed == spec) return std::nullopt;
  return Changed{.objects = {make.with(&object, "spec", renamed)}, .follows = true};
}

bool V1Jobs::refuse(const base::Diagnostics& after) {
  bool any = false;
  for (const base::Diagnostic& refusal : after.items()) {
    if (refusal.severity != base::Severity::Error || refusal.stage == base::Stage::Advice) continue;
    // The cluster has allowed this until now.
    if (refusal.rule == "job/security-context" && refusal.field.ends_with(".privileged")) continue;
    const auto made = made_.find(refusal.object);
    if (made == made_.end()) continue;
    const std::string kind = refusal.object.substr(0, refusal.object.find('/'));
    base::Diagnostic lost = rules::finding(
        "migrate/lost",
        fmt::format("Trainer {} refuses the {} that this becomes: {}", options_.to, kind, refusal.message),
        refusal.hint);
    if (refusal.rule == "input/duplicate-object") {
      lost.message = fmt::format("the inputs have a {} already", refusal.object);
      lost.hint = "remove one of them, or rename it";
    }
    if (refusal.rule == "yaml/template") {
      const std::string_view text =
          refusal.location.file ? refusal.location.file->text() : std::string_view();
      lost.message = "this is an unrendered template";
      lost.hint = fill_in_hint(text, made->second.front().first);
    }
    lost.field = refusal.field;
    const Place& place = made->second.front();
    refused_[place].push_back(lost);
    new_names_.erase(
        jobs_.at(place).train_job.substr(model::kTrainJob.size() + 1));  // its pods keep their names
    any = true;
  }
  return any;
}

bool V1Jobs::knows(const std::string& object) const {
  return names_.contains(object);
}

void V1Jobs::collect(std::vector<LintedObject>& objects) const {
  for (const auto& [place, job] : jobs_)
    objects.push_back(
        {.file = place.first, .object = job.train_job, .line = place.second, .name = {}, .root = nullptr});
}

}  // namespace trainjobc::migrate
