#include "compile/input.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "base/suggest.h"
#include "compile/generate_name.h"
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
  return kind == model::kTrainJob || kind == model::kTrainingRuntime ||
         kind == model::kClusterTrainingRuntime;
}

InputKind kind_of(std::string_view kind) {
  if (kind == model::kTrainJob) return InputKind::TrainJob;
  return kind == model::kTrainingRuntime ? InputKind::TrainingRuntime : InputKind::ClusterTrainingRuntime;
}

// What to add to a part of a TrainJob or runtime, as documentation prints them. nullopt where it is neither.
std::optional<std::string> hint_for_part(const Node& root) {
  constexpr std::array<std::string_view, 3> kOfRuntimes{"mlPolicy", "podGroupPolicy", "template"};
  constexpr std::array<std::string_view, 3> kOfJobs{"runtimeRef", "trainer", "initializer"};
  const auto has_any = [](const Node* node, std::span<const std::string_view> keys) {
    return node && std::ranges::any_of(keys, [&](std::string_view key) { return node->get(key); });
  };
  const auto whole = [](std::string_view kind, std::string_view place) {
    return fmt::format("this is a part of a {}: {}add apiVersion: {}, kind: {}, metadata.name", kind, place,
                       model::kTrainerApiVersion, kind);
  };
  const Node* spec = root.get("spec");
  if (has_any(spec, kOfJobs)) return whole(model::kTrainJob, "");
  if (has_any(spec, kOfRuntimes)) return whole(model::kTrainingRuntime, "");
  if (has_any(&root, kOfJobs)) return whole(model::kTrainJob, "put it under spec, and ");
  if (has_any(&root, kOfRuntimes)) return whole(model::kTrainingRuntime, "put it under spec, and ");
  if (root.get("replicatedJobs"))
    return whole(model::kTrainingRuntime, "put it under spec.template.spec, and ");
  return std::nullopt;
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
    const model::Dialect* dialect = is_trainer_kind(kind) ? model::find_dialect(api_version) : nullptr;
    if (dialect) {
      add_translated(root, *dialect, kind);
    } else {
      inputs_.objects.push_back({classify(root, api_version, kind), &root, model::identify(root)});
    }
  }

 private:
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

  // kubectl refuses an object that lacks either.
  bool has_type(const Node& root, std::string_view api_version, std::string_view kind, bool named) {
    if (!api_version.empty() && !kind.empty()) return true;
    if (!named && api_version.empty() && kind.empty()) return false;
    const std::string_view missing = kind.empty() ? "kind" : "apiVersion";
    std::string hint = fmt::format("add {}:", missing);
    if (is_trainer_kind(kind)) hint = fmt::format("add apiVersion: {}", model::kTrainerApiVersion);
    if (api_version.empty() && kind.empty()) hint = hint_for_part(root).value_or(hint);
    diagnostics_.add(
        unreadable("yaml/no-kind", fmt::format("the document has no {}", missing), yaml::locate(root), hint));
    return false;
  }

  InputKind classify(const Node& root, std::string_view api_version, std::string_view kind) {
    const bool is_trainer_group = api_version.substr(0, api_version.find('/')) == model::kTrainerGroup;
    if (api_version == model::kTrainerApiVersion && is_trainer_kind(kind)) return kind_of(kind);
    if (is_trainer_group) report_unknown_type(root, api_version, kind);
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
    inputs.files.push_back(
        std::make_unique<base::SourceFile>(std::move(source.name), std::move(source.text)));
    for (const yaml::Document& document : yaml::read(*inputs.files.back(), inputs.arena, diagnostics)) {
      classifier.add(*document.root, source.named);
    }
  }
}

bool names_job(std::string_view wanted, std::string_view object) {
  constexpr std::string_view kKind = "TrainJob/";
  if (!object.starts_with(kKind) || !object.ends_with(wanted)) return false;
  object.remove_suffix(wanted.size());
  return object.ends_with('/');
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
