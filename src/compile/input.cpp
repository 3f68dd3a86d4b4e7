#include "compile/input.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/suggest.h"
#include "model/names.h"
#include "yaml/reader.h"

namespace trainjobc::compile {
namespace {

using base::Severity;
using base::Stage;
using yaml::Node;

constexpr std::string_view kSnapshotSuffix = "-runtime-snapshot";

std::string_view text_at(const Node& node, std::string_view key) {
  const Node* value = node.get(key);
  return value && value->is_string() ? value->text() : std::string_view();
}

base::Diagnostic unreadable(std::string_view rule, std::string message, const base::Location& location,
                            std::string hint) {
  base::Diagnostic diagnostic;
  diagnostic.rule = rule;
  diagnostic.stage = Stage::Yaml;
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  diagnostic.location = location;
  return diagnostic;
}

bool is_trainer_kind(std::string_view kind) {
  return kind == model::kTrainJob || kind == model::kTrainingRuntime || kind == model::kClusterTrainingRuntime;
}

InputKind kind_of(std::string_view kind) {
  if (kind == model::kTrainJob) return InputKind::TrainJob;
  return kind == model::kTrainingRuntime ? InputKind::TrainingRuntime : InputKind::ClusterTrainingRuntime;
}

// Groups of the same kinds before Trainer 2.0, and in a fork.
bool is_old_group(std::string_view api_version) {
  return api_version == "kubeflow.org/v2alpha1" || api_version == "ome.io/v1beta1";
}

bool is_snapshot(const Node& root) {
  const Node* name = root.at({"metadata", "name"});
  const Node* data = root.at({"data", "runtime"});
  return text_at(root, "kind") == "ConfigMap" && data && name && name->text().ends_with(kSnapshotSuffix);
}

class Classifier {
 public:
  Classifier(InputSet& inputs, base::Diagnostics& diagnostics) : inputs_(inputs), diagnostics_(diagnostics) {}

  void add(const Node& root, bool named) {
    if (!root.is_map()) {
      if (named) {
        diagnostics_.add(unreadable("yaml/not-an-object",
                                    fmt::format("a Kubernetes object is a map, this document is {}",
                                                root.is_list() ? "a list" : "a scalar"),
                                    yaml::locate(root), ""));
      }
      return;
    }
    const std::string_view api_version = text_at(root, "apiVersion");
    const std::string_view kind = text_at(root, "kind");
    if (!has_type(root, api_version, kind, named)) return;
    if (kind.ends_with("List") && root.get("items") && root.get("items")->is_list()) {
      for (const Node* item : root.get("items")->items()) add(*item, named);
      return;
    }
    inputs_.objects.push_back({classify(root, api_version, kind), &root, model::identify(root)});
  }

 private:
  // kubectl refuses an object that lacks either.
  bool has_type(const Node& root, std::string_view api_version, std::string_view kind, bool named) {
    if (!api_version.empty() && !kind.empty()) return true;
    if (!named && api_version.empty() && kind.empty()) return false;
    const std::string_view missing = kind.empty() ? "kind" : "apiVersion";
    const std::string hint = is_trainer_kind(kind) ? fmt::format("add apiVersion: {}", model::kTrainerApiVersion)
                                                   : fmt::format("add {}:", missing);
    diagnostics_.add(
        unreadable("yaml/no-kind", fmt::format("the document has no {}", missing), yaml::locate(root), hint));
    return false;
  }

  InputKind classify(const Node& root, std::string_view api_version, std::string_view kind) {
    const bool is_trainer_group = api_version.substr(0, api_version.find('/')) == model::kTrainerGroup;
    if (api_version == model::kTrainerApiVersion && is_trainer_kind(kind)) return kind_of(kind);
    const bool is_old_dialect = is_trainer_kind(kind) && is_old_group(api_version);
    if (is_trainer_group || is_old_dialect) report_unknown_type(root, api_version, kind);
    return is_snapshot(root) ? InputKind::Snapshot : InputKind::Foreign;
  }

  void report_unknown_type(const Node& root, std::string_view api_version, std::string_view kind) {
    static constexpr std::string_view kKinds[] = {model::kTrainJob, model::kTrainingRuntime,
                                                  model::kClusterTrainingRuntime};
    base::Diagnostic diagnostic;
    diagnostic.rule = "input/unknown-kind";
    diagnostic.object = model::identify(root).str();
    const bool wrong_kind = !is_trainer_kind(kind);
    diagnostic.field = wrong_kind ? "kind" : "apiVersion";
    diagnostic.message = wrong_kind ? fmt::format("Trainer has no kind \"{}\"", kind)
                                    : fmt::format("Trainer has no API version \"{}\"", api_version);
    diagnostic.location = yaml::locate(*root.get(diagnostic.field));
    if (!wrong_kind) {
      diagnostic.hint = fmt::format("write {}", model::kTrainerApiVersion);
      diagnostic.fix.push_back({diagnostic.location, std::string(model::kTrainerApiVersion)});
    } else if (const auto meant = base::closest(kind, kKinds)) {
      diagnostic.hint = fmt::format("did you mean \"{}\"?", *meant);
    }
    diagnostics_.add(std::move(diagnostic));
  }

  InputSet& inputs_;
  base::Diagnostics& diagnostics_;
};

}  // namespace

void read_inputs(std::vector<Source> sources, InputSet& inputs, base::Diagnostics& diagnostics) {
  Classifier classifier(inputs, diagnostics);
  for (Source& source : sources) {
    inputs.files.push_back(std::make_unique<base::SourceFile>(std::move(source.name), std::move(source.text)));
    for (const yaml::Document& document : yaml::read(*inputs.files.back(), inputs.arena, diagnostics)) {
      classifier.add(*document.root, source.named);
    }
  }
}

std::vector<std::string> leave_out_jobs(InputSet& inputs, const std::vector<std::string>& wanted) {
  std::vector<std::string> names;
  if (wanted.empty()) return names;
  std::erase_if(inputs.objects, [&](const InputObject& input) {
    const bool is_other = input.kind == InputKind::TrainJob && std::ranges::count(wanted, input.id.name) == 0;
    if (is_other) names.emplace_back(input.id.name);
    return is_other;
  });
  return names;
}

}  // namespace trainjobc::compile
