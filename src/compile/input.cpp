// SPDX-License-Identifier: Apache-2.0

#include "compile/input.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <utility>

#include "base/parallel.h"
#include "base/text/suggest.h"
#include "base/text/text.h"
#include "compile/surroundings.h"
#include "compile/trials.h"
#include "k8s/violations.h"
#include "model/behaviours.h"
#include "model/trainer_names.h"
#include "model/v1_kinds.h"
#include "platform/platform.h"
#include "rules/rules.h"
#include "secret/secret.h"
#include "yaml/rewrite/edits.h"

namespace trainjobc::compile {
namespace {

using base::Diagnostic;
using yaml::Node;

constexpr std::array<std::string_view, 4> kTrainerKinds{
    model::kTrainJob, model::kTrainingRuntime, model::kClusterTrainingRuntime, model::kOptimizationJob};
// Names that no other project has.
constexpr std::span<const std::string_view> kOwnKinds = std::span(kTrainerKinds).first<3>();

constexpr std::string_view kUnreadJob = "advice/training-operator";

std::string_view group_of(std::string_view api_version) {
  return api_version.substr(0, api_version.find('/'));
}

bool has_any(const Node* node, std::span<const std::string_view> keys) {
  return node && std::ranges::any_of(keys, [&](std::string_view key) { return node->get(key); });
}

// The kind that has a spec with such fields; "" if none does.
std::string_view kind_of_spec(const Node* spec) {
  constexpr std::array<std::string_view, 1> kOfJobs{"runtimeRef"};
  constexpr std::array<std::string_view, 2> kOfRuntimes{"mlPolicy", "podGroupPolicy"};
  constexpr std::array<std::string_view, 1> kOfOptimizations{"trainJobTemplate"};
  if (has_any(spec, kOfJobs)) return model::kTrainJob;
  if (has_any(spec, kOfOptimizations)) return model::kOptimizationJob;
  return has_any(spec, kOfRuntimes) ? model::kTrainingRuntime : std::string_view();
}

// A missing apiVersion or kind, and what to add.
struct Untyped {
  std::string_view missing;
  std::string hint;
  std::string_view value;  // of the missing field; "" if more is missing
};

std::optional<Untyped> find_untyped(const Node& root) {
  const std::string_view api_version = string_at(root, "apiVersion");
  const std::string_view kind = string_at(root, "kind");
  if (api_version.empty() && is_trainer_kind(kind))
    return Untyped{"apiVersion", fmt::format("add apiVersion: {}", model::kTrainerApiVersion),
                   model::kTrainerApiVersion};
  const bool is_ours =
      group_of(api_version) == model::kTrainerGroup || model::find_dialect(api_version) != nullptr;
  const std::string_view meant = kind_of_spec(root.get("spec"));
  if (kind.empty() && (is_ours || (!api_version.empty() && !meant.empty())))
    return Untyped{"kind", meant.empty() ? "add kind:" : fmt::format("add kind: {}", meant), meant};
  if (!kind.empty() || !api_version.empty() || meant.empty()) return std::nullopt;
  return Untyped{"kind",
                 fmt::format("this is part of a {}: add apiVersion: {}, kind: {}, metadata.name", meant,
                             model::kTrainerApiVersion, meant),
                 ""};
}

// Adds the missing field where such fields are written: apiVersion first, then kind.
std::vector<base::Edit> type_fix(const Node& root, const Untyped& untyped) {
  const auto entries = root.entries();
  const auto after = std::ranges::find_if(entries, [&](const yaml::Entry& entry) {
    return untyped.missing == "apiVersion" || entry.key != "apiVersion";
  });
  if (untyped.value.empty() || after == entries.end()) return {};
  return yaml::insert_before(*after, yaml::pair_of(untyped.missing, untyped.value));
}

Diagnostic unknown_type(const Node& root, std::string field, std::string message) {
  Diagnostic diagnostic = rules::finding("input/unknown-kind");
  diagnostic.object = model::identify(root).str();
  diagnostic.field = std::move(field);
  diagnostic.message = std::move(message);
  diagnostic.location = yaml::locate(*root.get(diagnostic.field));
  return diagnostic;
}

Diagnostic unserved_dialect(const Node& root, std::string_view api_version, std::string_view version) {
  Diagnostic diagnostic = unknown_type(
      root, "apiVersion", fmt::format("Trainer {} has no API version \"{}\"", version, api_version));
  diagnostic.hint =
      fmt::format("trainjobc migrate rewrites it as {}; only --trainer-version auto reads it as it is",
                  model::kTrainerApiVersion);
  return diagnostic;
}

bool is_of_trainer(const Node& object) {
  return group_of(string_at(object, "apiVersion")) == model::kTrainerGroup;
}

bool holds_trainer_objects(const Node& list) {
  return std::ranges::any_of(list.items(), [](const Node* item) {
    return is_trainer_kind(string_at(*item, "kind")) || is_of_trainer(*item);
  });
}

Diagnostic not_an_object(const Node& list) {
  return rules::finding("yaml/not-an-object", "a Kubernetes object is a map, this document is a list",
                        "write each item as a document, with a line \"---\" between them",
                        yaml::locate(list));
}

// Says why a document is neither a Kubernetes object nor meant for Trainer: it is Helm values, a workflow, a
// list. nullopt for all others.
std::optional<std::string> describe_other_document(const Node& root) {
  if (root.is_list()) {
    if (holds_trainer_objects(root)) return std::nullopt;
    return "is a list";
  }
  if (!root.is_map()) return "is a scalar";
  const bool has_version = !string_at(root, "apiVersion").empty();
  const bool has_kind = !string_at(root, "kind").empty();
  if ((has_version && has_kind) || find_untyped(root)) return std::nullopt;
  if (!has_version && !has_kind) return "has no apiVersion and kind";
  return has_kind ? "has no apiVersion" : "has no kind";
}

// Reports an item that is not an object in a List with objects of Trainer: kubectl then refuses all of them.
// Returns nullopt for other items, and for those that check_type_is_there reports.
std::optional<Diagnostic> check_item(const Node& item) {
  if (!item.is_map()) {
    return rules::finding(
        "yaml/not-an-object",
        fmt::format("a Kubernetes object is a map, this item is {}", item.is_list()   ? "a list"
                                                                     : item.is_null() ? "null"
                                                                                      : "a scalar"),
        "remove it: kubectl refuses the whole List", yaml::locate(item));
  }
  if (find_untyped(item)) return std::nullopt;
  const bool has_kind = !string_at(item, "kind").empty();
  if (has_kind && !string_at(item, "apiVersion").empty()) return std::nullopt;
  const std::string_view missing = has_kind ? "apiVersion" : "kind";
  return rules::finding("yaml/no-kind", fmt::format("the item has no {}", missing),
                        fmt::format("add {}: without it, kubectl refuses the whole List", missing),
                        yaml::locate(item));
}

// A document that was meant for Trainer and lacks apiVersion or kind, or is a list of such objects. For
// documents without the reason above; nullopt for one that has a type.
std::optional<Diagnostic> check_type_is_there(const Node& root) {
  if (root.is_list()) return not_an_object(root);
  if (!root.is_map()) return std::nullopt;
  std::optional<Untyped> untyped = find_untyped(root);
  if (!untyped) return std::nullopt;
  Diagnostic diagnostic =
      rules::finding("yaml/no-kind", fmt::format("the document has no {}", untyped->missing),
                     std::move(untyped->hint), yaml::locate(root));
  base::suggest_fix(diagnostic, type_fix(root, *untyped));
  return diagnostic;
}

// A kind of Training Operator v1 with Trainer's apiVersion: one of the two is wrong.
void advise_on_v1_kind(const Node& root, std::string_view kind, Diagnostic& diagnostic) {
  const std::string api_version = kind == "MPIJob" ? "kubeflow.org/v2beta1" : "kubeflow.org/v1";
  const Node* spec = root.get("spec");
  const bool is_v1 = spec && std::ranges::any_of(spec->entries(), [](const yaml::Entry& entry) {
                       return entry.key.ends_with("ReplicaSpecs");
                     });
  if (is_v1) {
    diagnostic.message +=
        fmt::format(": this is a job of Training Operator v1, whose apiVersion is {}", api_version);
    diagnostic.hint = fmt::format("write apiVersion: {}; trainjobc migrate then converts it", api_version);
    return;
  }
  diagnostic.message += ": its jobs are TrainJobs, whose runtime says which framework they use";
  k8s::suggest(diagnostic, root.get("kind"), model::kTrainJob);
  diagnostic.hint = fmt::format("write kind: {}", model::kTrainJob);
}

// A kind of Trainer in another API group or version, or another kind in Trainer's group. nullopt for all
// others. `pinned_version` of Trainer does not serve the older dialects; "" if these are read.
std::optional<Diagnostic> check_type_exists(const Node& root, std::string_view pinned_version) {
  const std::string_view api_version = string_at(root, "apiVersion");
  const std::string_view kind = string_at(root, "kind");
  const bool in_group = group_of(api_version) == model::kTrainerGroup;
  if (is_trainer_kind(kind) || (in_group && kind == model::kOptimizationJob)) {
    if (api_version == model::kTrainerApiVersion) return std::nullopt;
    if (model::find_dialect(api_version)) {
      if (pinned_version.empty()) return std::nullopt;
      return unserved_dialect(root, api_version, pinned_version);
    }
    Diagnostic diagnostic =
        unknown_type(root, "apiVersion",
                     in_group ? fmt::format("Trainer has no API version \"{}\"", api_version)
                              : fmt::format("there is no kind \"{}\" in \"{}\"", kind, api_version));
    diagnostic.hint = fmt::format("write {}", model::kTrainerApiVersion);
    diagnostic.fix = yaml::replace_text(*root.get("apiVersion"), model::kTrainerApiVersion);
    return diagnostic;
  }
  if (!in_group) return std::nullopt;
  Diagnostic diagnostic = unknown_type(root, "kind", fmt::format("Trainer has no kind \"{}\"", kind));
  if (model::is_v1_kind("kubeflow.org", kind)) {
    advise_on_v1_kind(root, kind, diagnostic);
    return diagnostic;
  }
  if (const auto meant = base::closest(kind, kTrainerKinds))
    k8s::suggest(diagnostic, root.get("kind"), *meant);
  return diagnostic;
}

// Reports a job of Training Operator v1, such as a PyTorchJob or MPIJob; nullopt for all others.
std::optional<Diagnostic> find_training_operator_job(const Node& root) {
  const std::string_view kind = string_at(root, "kind");
  const std::string_view api_version = string_at(root, "apiVersion");
  if (!model::is_v1_kind_of(api_version, kind)) return std::nullopt;
  Diagnostic diagnostic = rules::finding(kUnreadJob);
  diagnostic.object = model::identify(root).str();
  diagnostic.field = "kind";
  const bool is_mpi_operator = api_version.ends_with("v2beta1");
  diagnostic.message = fmt::format("{} is a job of {}, which Trainer does not run", kind,
                                   is_mpi_operator ? "the MPI Operator" : "Training Operator v1");
  diagnostic.location = yaml::locate(*root.get("kind"));
  diagnostic.hint = fmt::format("Trainer runs it as a TrainJob of {}", model::kTrainerApiVersion);
  if (model::find_v1_kind(api_version, kind) || model::find_older_v1_kind(api_version, kind)) {
    diagnostic.hint =
        fmt::format("trainjobc migrate --to {} {} makes it a TrainJob", model::newest_behaviours().trainer,
                    diagnostic.location.file ? diagnostic.location.file->name() : "FILE");
  }
  return diagnostic;
}

// Whether the document begins on the line of its "---", which is reported as such.
bool begins_on_separator(const base::Location& at) {
  if (!at.file || at.line < 2) return false;
  const std::string_view above = at.file->line(at.line - 1);
  const size_t begin = above.starts_with("---") ? above.find_first_not_of(base::kBlanks, 3) : 0;
  return begin > 3 && begin < above.size() && above[begin] != '#';
}

InputKind kind_of(std::string_view kind) {
  if (kind == model::kTrainJob) return InputKind::TrainJob;
  if (kind == model::kOptimizationJob) return InputKind::OptimizationJob;
  return kind == model::kTrainingRuntime ? InputKind::TrainingRuntime : InputKind::ClusterTrainingRuntime;
}

bool is_snapshot(const Node& root) {
  const Node* name = root.at({"metadata", "name"});
  const Node* data = root.at({"data", "runtime"});
  return string_at(root, "kind") == "ConfigMap" && data && name && name->text().ends_with(kSnapshotSuffix);
}

class Classifier {
 public:
  Classifier(ObjectMemory& memory, const ReadOptions& options) : memory_(memory), options_(options) {}

  ReadObjects read;

  void add(const Node& root) {
    if (std::optional<std::string> other = describe_other_document(root)) {
      pass_over(root, std::move(*other));
      return;
    }
    if (std::optional<Diagnostic> untyped = check_type_is_there(root)) {
      if (!begins_on_separator(untyped->location)) read.diagnostics.add(std::move(*untyped));
      return;
    }
    const std::string_view kind = string_at(root, "kind");
    if (kind.ends_with("List") && root.get("items") && root.get("items")->is_list()) {
      add_items(root, kind);
      return;
    }
    add_object(root, string_at(root, "apiVersion"), kind);
  }

 private:
  void add_items(const Node& list, std::string_view kind) {
    const Node& items = *list.get("items");
    const bool is_typed = is_of_trainer(list);
    const bool is_ours = is_typed || (kind == "List" && holds_trainer_objects(items));
    for (const Node* item : items.items()) {
      const Node& typed = is_typed ? *with_type_of(list, *item) : *item;
      std::optional<Diagnostic> wrong = is_ours ? check_item(typed) : std::nullopt;
      if (wrong) {
        read.diagnostics.add(std::move(*wrong));
      } else {
        add(typed);
      }
    }
  }

  // Gives an item of a TrainJobList the list's type if the item has none.
  const Node* with_type_of(const Node& list, const Node& item) const {
    if (!item.is_map() || item.get("kind") || item.get("apiVersion")) return &item;
    const yaml::Maker make(memory_.arena);
    const Node* kind = list.get("kind");
    const std::string_view of_item = kind->text().substr(0, kind->text().size() - 4);
    return make.with(make.with(&item, "apiVersion", list.get("apiVersion")), "kind",
                     make.string(of_item, kind->origin()));
  }

  void add_object(const Node& root, std::string_view api_version, std::string_view kind) {
    std::optional<Diagnostic> unknown = check_type_exists(root, options_.pinned_version);
    const bool is_optimization =
        kind == model::kOptimizationJob && group_of(api_version) == model::kTrainerGroup;
    const bool is_ours = !unknown && (is_trainer_kind(kind) || is_optimization);
    if (unknown) {
      const Node* meant = with_meant_type(root, unknown->field);
      read.diagnostics.add(std::move(*unknown));
      if (meant) return add_guess(*meant);
    }
    const model::Dialect* dialect = is_ours ? model::find_dialect(api_version) : nullptr;
    if (dialect) {
      add_translated(root, *dialect, kind);
      return;
    }
    const InputKind sort = is_ours             ? kind_of(kind)
                           : is_snapshot(root) ? InputKind::Snapshot
                                               : InputKind::Foreign;
    push({.kind = sort, .root = &root, .id = model::identify(root)});
    if (sort != InputKind::Foreign || is_trainer_kind(kind)) return;
    if (options_.is_input && add_trial(root)) return;
    std::optional<Diagnostic> other = find_training_operator_job(root);
    if (!other && !platform::is_platform_object(root))
      pass_over(root, fmt::format("is a {} of {}", kind, api_version));
    if (other && options_.is_input) read.diagnostics.add(std::move(*other));
  }

  // The object with the type that was most likely meant; nullptr if that is not clear. So a misspelt type
  // hides no other mistake.
  const Node* with_meant_type(const Node& root, std::string_view field) const {
    const bool is_kind = field == "kind";
    const std::string_view api_version = string_at(root, "apiVersion");
    // Another project may have a kind of that name.
    const bool is_ours =
        group_of(api_version) == model::kTrainerGroup || !kind_of_spec(root.get("spec")).empty();
    if (!is_ours || (!is_kind && model::find_dialect(api_version))) return nullptr;
    const auto meant = is_kind ? base::closest(string_at(root, "kind"), kTrainerKinds)
                               : std::optional<std::string_view>(model::kTrainerApiVersion);
    if (!meant) return nullptr;
    const yaml::Maker make(memory_.arena);
    return make.with(&root, field, make.string(*meant, root.get(field)->origin()));
  }

  void add_guess(const Node& root) {
    const size_t before = read.objects.size();
    add_object(root, string_at(root, "apiVersion"), string_at(root, "kind"));
    for (size_t i = before; i < read.objects.size(); ++i) read.objects[i].is_guess = true;
  }

  // Adds the TrainJob of an Experiment's trials; false for other objects.
  bool add_trial(const Node& root) {
    const Node* job = trial_of_experiment(root, yaml::Maker(memory_.arena));
    if (!job) return false;
    const size_t before = read.objects.size();
    add_guess(*job);
    for (size_t i = before; i < read.objects.size(); ++i) read.objects[i].is_trial = true;
    return true;
  }

  void pass_over(const Node& root, std::string what) {
    const base::Location at = yaml::locate(root);
    read.passed_over.push_back({at.file ? at.file->name() : "", at.line, std::move(what)});
  }

  void add_translated(const Node& root, const model::Dialect& dialect, std::string_view kind) {
    model::Translation translation = model::translate(root, dialect, yaml::Maker(memory_.arena));
    InputObject object{.kind = kind_of(kind),
                       .root = translation.root,
                       .written = &root,
                       .id = model::identify(*translation.root)};
    for (base::Diagnostic& finding : translation.findings) {
      finding.object = object.id.str();
      read.diagnostics.add(std::move(finding));
    }
    object.dialect = &memory_.dialects.emplace_back(std::move(translation.fields));
    push(object);
  }

  void push(InputObject object) {
    object.location = yaml::locate(*object.root);
    read.objects.push_back(object);
  }

  ObjectMemory& memory_;
  const ReadOptions& options_;
};

// Whether a document is most likely one TrainJob, judging by a line of its text. Only reading it shows what
// it is.
bool looks_like_job(const yaml::FoundDocument& document) {
  if (document.may_be_json) return false;
  constexpr std::string_view kKey = "\nkind:";
  const std::string_view text = document.text;
  const bool is_first = text.starts_with(kKey.substr(1));
  const size_t at = is_first ? 0 : text.find(kKey);
  if (at == std::string_view::npos) return false;
  std::string_view value = text.substr(at + kKey.size() - (is_first ? 1 : 0));
  value = value.substr(0, value.find_first_of("#\r\n"));
  if (value.empty() || base::kBlanks.find(value.front()) == std::string_view::npos) return false;
  value = base::trimmed(value, base::kBlanks);
  return value == "TrainJob" || value == "\"TrainJob\"" || value == "'TrainJob'";
}

// A document of a file, and what was read from it.
struct ReadDocument {
  yaml::FoundDocument document;
  bool is_deferred = false;  // looks like a TrainJob, and was not read
  std::shared_ptr<const ObjectMemory> memory;
  ReadObjects read;
};

bool is_kept(const InputObject& object, const ReadOptions& options) {
  if (object.kind == InputKind::Foreign) {
    const bool is_read = options.is_input && object.root &&
                         (is_surrounding(*object.root) || platform::is_platform_object(*object.root));
    return options.keep_foreign || is_read;
  }
  return object.kind != InputKind::TrainJob || options.keep_jobs;
}

// `of_runtimes` is the memory of the runtimes that this thread has read: a document fills a tenth of the
// smallest that it could have of its own.
void read_now(ReadDocument& reading, const ReadOptions& options,
              const std::shared_ptr<ObjectMemory>& of_runtimes) {
  const bool has_runtime = reading.document.text.find(model::kTrainingRuntime) != std::string_view::npos;
  const std::shared_ptr<ObjectMemory> memory = has_runtime ? of_runtimes : std::make_shared<ObjectMemory>();
  reading.read = read_objects(reading.document, options, *memory);
  for (InputObject& object : reading.read.objects) {
    if (!is_kept(object, options)) object = {.kind = object.kind, .location = object.location};
  }
  if (std::ranges::any_of(reading.read.objects, &InputObject::root)) reading.memory = memory;
}

void take(ReadDocument reading, InputSet& inputs, base::Diagnostics& diagnostics) {
  if (reading.is_deferred) {
    inputs.unread.push_back(reading.document);
    inputs.objects.push_back({.kind = InputKind::TrainJob, .unread = &inputs.unread.back()});
    return;
  }
  std::ranges::move(reading.read.objects, std::back_inserter(inputs.objects));
  if (reading.memory) inputs.memory.push_back(std::move(reading.memory));
  std::ranges::move(reading.read.passed_over, std::back_inserter(inputs.passed_over));
  diagnostics.append(std::move(reading.read.diagnostics));
}

}  // namespace

Diagnostic duplicate_object(std::string_view object, const base::Location& name,
                            const base::Location& first) {
  Diagnostic duplicate =
      rules::finding("input/duplicate-object", fmt::format("{} is defined twice", object), "", name);
  duplicate.object = object;
  duplicate.field = "metadata.name";
  if (first.file) duplicate.notes.push_back({"the first one", first});
  return duplicate;
}

bool is_trainer_kind(std::string_view kind) {
  return base::contains(kOwnKinds, kind);
}

bool is_of_unread_job(const Diagnostic& diagnostic) {
  return diagnostic.rule == kUnreadJob;
}

ReadObjects read_objects(const yaml::FoundDocument& document, const ReadOptions& options,
                         ObjectMemory& memory) {
  Classifier classifier(memory, options);
  const Node* root = nullptr;
  for (const yaml::Document& read :
       yaml::read_document(document, memory.arena, classifier.read.diagnostics)) {
    root = secret::mark_secrets(*read.root, yaml::Maker(memory.arena));
    classifier.add(*root);
  }
  const std::vector<InputObject>& objects = classifier.read.objects;
  classifier.read.is_as_written = objects.size() == 1 && objects.front().root == root;
  return std::move(classifier.read);
}

void read_inputs(std::vector<Source> sources, InputSet& inputs, base::Diagnostics& diagnostics,
                 const ReadOptions& options) {
  struct File {
    base::Diagnostics findings;  // about the file as a whole
    std::vector<ReadDocument> documents;
  };
  base::Diagnostics found;
  std::vector<File> files(sources.size());
  std::vector<ReadDocument*> wanted;
  for (size_t i = 0; i < sources.size(); ++i) {
    Source& source = sources[i];
    inputs.files.push_back(
        std::make_shared<base::SourceFile>(std::move(source.name), std::move(source.text)));
    if (!source.named) inputs.found.insert(inputs.files.back().get());
    if (source.relocator) {
      inputs.relocators.push_back(source.relocator);
      inputs.made.insert(inputs.files.back().get());
    }
    for (yaml::FoundDocument& document : yaml::find_documents(*inputs.files.back(), files[i].findings)) {
      document.relocator = source.relocator.get();
      files[i].documents.push_back({document, options.defer_jobs && looks_like_job(document), nullptr, {}});
    }
    for (ReadDocument& document : files[i].documents) {
      if (!document.is_deferred) wanted.push_back(&document);
    }
  }
  constexpr size_t kWorthAThread = 16;
  base::parallel_for_each_thread(wanted.size(), kWorthAThread, options.threads, [&] {
    return [&, memory = std::make_shared<ObjectMemory>()](size_t index) {
      read_now(*wanted[index], options, memory);
    };
  });
  for (File& file : files) {
    found.append(std::move(file.findings));
    for (ReadDocument& document : file.documents) take(std::move(document), inputs, found);
  }
  secret::hide_secrets(found);
  diagnostics.append(std::move(found));
}

void read_deferred(const std::set<const yaml::FoundDocument*>& documents, InputSet& inputs,
                   base::Diagnostics& diagnostics, const ReadOptions& options) {
  const auto memory = std::make_shared<ObjectMemory>();
  for (const InputObject& object : std::exchange(inputs.objects, {})) {
    if (!documents.contains(object.unread)) {
      inputs.objects.push_back(object);
      continue;
    }
    ReadDocument reading{*object.unread, false, nullptr, {}};
    read_now(reading, options, memory);
    take(std::move(reading), inputs, diagnostics);
  }
}

bool names_job(std::string_view wanted, std::string_view object) {
  constexpr std::string_view kKind = "TrainJob/";
  if (!object.starts_with(kKind)) return false;
  object.remove_prefix(kKind.size());
  return object == wanted || object.substr(object.find('/') + 1) == wanted;
}

bool is_selected(std::string_view object, const Options& options) {
  return options.jobs.empty() || std::ranges::any_of(options.jobs, [&](const std::string& wanted) {
           return names_job(wanted, object);
         });
}

}  // namespace trainjobc::compile
