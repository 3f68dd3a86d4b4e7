#include "compile/input/input.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "compile/generate_name.h"
#include "compile/input/document_type.h"
#include "compile/snapshot.h"
#include "model/trainer_names.h"
#include "schema/redact.h"
#include "yaml/fields.h"
#include "yaml/read/reader.h"

namespace trainjobc::compile {
namespace {

using yaml::Node;

InputKind kind_of(std::string_view kind) {
  if (kind == model::kTrainJob) return InputKind::TrainJob;
  return kind == model::kTrainingRuntime ? InputKind::TrainingRuntime : InputKind::ClusterTrainingRuntime;
}

bool is_snapshot(const Node& root) {
  const Node* name = root.at({"metadata", "name"});
  const Node* data = root.at({"data", "runtime"});
  return string_at(root, "kind") == "ConfigMap" && data && name && name->text().ends_with(kSnapshotSuffix);
}

class Classifier {
 public:
  Classifier(InputSet& inputs, base::Diagnostics& diagnostics, const ReadOptions& options)
      : inputs_(inputs), diagnostics_(diagnostics), options_(options) {}

  void add(const Node& root) {
    if (std::optional<std::string> other = describe_other_document(root)) {
      pass_over(root, std::move(*other));
      return;
    }
    if (std::optional<base::Diagnostic> untyped = check_type_is_there(root)) {
      diagnostics_.add(std::move(*untyped));
      return;
    }
    const std::string_view kind = string_at(root, "kind");
    if (kind.ends_with("List") && root.get("items") && root.get("items")->is_list()) {
      for (const Node* item : root.get("items")->items()) add(*item);
      return;
    }
    add_object(root, string_at(root, "apiVersion"), kind);
  }

 private:
  void add_object(const Node& root, std::string_view api_version, std::string_view kind) {
    std::optional<base::Diagnostic> unknown = check_type_exists(root, options_.pinned_version);
    const bool is_ours = !unknown && is_trainer_kind(kind);
    if (unknown) diagnostics_.add(std::move(*unknown));
    const model::Dialect* dialect = is_ours ? model::find_dialect(api_version) : nullptr;
    if (dialect) {
      add_translated(root, *dialect, kind);
      return;
    }
    const InputKind sort = is_ours             ? kind_of(kind)
                           : is_snapshot(root) ? InputKind::Snapshot
                                               : InputKind::Foreign;
    inputs_.objects.push_back({sort, &root, model::identify(root)});
    if (sort != InputKind::Foreign || is_trainer_kind(kind)) return;
    std::optional<base::Diagnostic> other = find_training_operator_job(root);
    if (!other) pass_over(root, fmt::format("is a {} of {}", kind, api_version));
    if (other && options_.is_input) diagnostics_.add(std::move(*other));
  }

  void pass_over(const Node& root, std::string what) {
    const base::Location at = yaml::locate(root);
    inputs_.passed_over.push_back({at.file ? at.file->name() : "", at.line, std::move(what)});
  }

  void add_translated(const Node& root, const model::Dialect& dialect, std::string_view kind) {
    model::Translation translation = model::translate(root, dialect, yaml::Maker(inputs_.arena));
    InputObject object{kind_of(kind), translation.root, model::identify(*translation.root)};
    for (base::Diagnostic& finding : translation.findings) {
      finding.object = object.id.str();
      diagnostics_.add(std::move(finding));
    }
    object.dialect = &inputs_.dialects.emplace_back(std::move(translation.fields));
    inputs_.objects.push_back(std::move(object));
  }

  InputSet& inputs_;
  base::Diagnostics& diagnostics_;
  const ReadOptions& options_;
};

}  // namespace

void read_inputs(std::vector<Source> sources, InputSet& inputs, base::Diagnostics& diagnostics,
                 const ReadOptions& options) {
  Classifier classifier(inputs, diagnostics, options);
  for (Source& source : sources) {
    inputs.files.push_back(
        std::make_unique<base::SourceFile>(std::move(source.name), std::move(source.text)));
    if (!source.named) inputs.found.insert(inputs.files.back().get());
    for (const yaml::Document& document : yaml::read(*inputs.files.back(), inputs.arena, diagnostics)) {
      classifier.add(*schema::mark_secrets(*document.root, yaml::Maker(inputs.arena)));
    }
  }
}

bool names_job(std::string_view wanted, std::string_view object) {
  constexpr std::string_view kKind = "TrainJob/";
  if (!object.starts_with(kKind)) return false;
  object.remove_prefix(kKind.size());
  return object == wanted || object.substr(object.find('/') + 1) == wanted;
}

std::vector<std::string> leave_out_jobs(InputSet& inputs, const Options& options) {
  std::vector<std::string> left_out;
  if (options.jobs.empty()) return left_out;
  const yaml::Maker make(inputs.arena);
  std::erase_if(inputs.objects, [&](const InputObject& input) {
    if (input.kind != InputKind::TrainJob) return false;
    const std::string id =
        model::identify(*with_own_name(*input.root, options.ns, options.name_suffix, make)).str();
    const auto is_it = [&](const std::string& wanted) { return names_job(wanted, id); };
    if (std::ranges::any_of(options.jobs, is_it)) return false;
    left_out.push_back(id.substr(id.find('/') + 1));
    return true;
  });
  return left_out;
}

}  // namespace trainjobc::compile
