// SPDX-License-Identifier: Apache-2.0

#include "compile/input/document_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/text/suggest.h"
#include "model/behaviours.h"
#include "model/dialects.h"
#include "model/train_job.h"
#include "model/trainer_names.h"
#include "model/v1_kinds.h"
#include "rules/rules.h"
#include "yaml/fields.h"

namespace trainjobc::compile {
namespace {

using base::Diagnostic;
using yaml::Node;

constexpr std::array<std::string_view, 3> kTrainerKinds{model::kTrainJob, model::kTrainingRuntime,
                                                 model::kClusterTrainingRuntime};

constexpr std::string_view kUnreadJob = "advice/training-operator";

std::string_view group_of(std::string_view api_version) {
  return api_version.substr(0, api_version.find('/'));
}

bool has_any(const Node* node, std::span<const std::string_view> keys) {
  return node && std::ranges::any_of(keys, [&](std::string_view key) { return node->get(key); });
}

// The kind that has such a spec; "" if none does.
std::string_view kind_of_spec(const Node* spec) {
  constexpr std::array<std::string_view, 1> kOfJobs{"runtimeRef"};
  constexpr std::array<std::string_view, 2> kOfRuntimes{"mlPolicy", "podGroupPolicy"};
  if (has_any(spec, kOfJobs)) return model::kTrainJob;
  return has_any(spec, kOfRuntimes) ? model::kTrainingRuntime : std::string_view();
}

// Which type field is missing, and what to add.
struct Untyped {
  std::string_view missing;
  std::string hint;
};

std::optional<Untyped> find_untyped(const Node& root) {
  const std::string_view api_version = string_at(root, "apiVersion");
  const std::string_view kind = string_at(root, "kind");
  if (api_version.empty() && is_trainer_kind(kind))
    return Untyped{"apiVersion", fmt::format("add apiVersion: {}", model::kTrainerApiVersion)};
  const bool is_ours =
      group_of(api_version) == model::kTrainerGroup || model::find_dialect(api_version) != nullptr;
  const std::string_view meant = kind_of_spec(root.get("spec"));
  if (kind.empty() && (is_ours || (!api_version.empty() && !meant.empty())))
    return Untyped{"kind", meant.empty() ? "add kind:" : fmt::format("add kind: {}", meant)};
  if (!kind.empty() || !api_version.empty() || meant.empty()) return std::nullopt;
  return Untyped{"kind", fmt::format("this is part of a {}: add apiVersion: {}, kind: {}, metadata.name",
                                     meant, model::kTrainerApiVersion, meant)};
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

bool holds_trainer_objects(const Node& list) {
  return std::ranges::any_of(list.items(), [](const Node* item) {
    return is_trainer_kind(string_at(*item, "kind")) ||
           group_of(string_at(*item, "apiVersion")) == model::kTrainerGroup;
  });
}

Diagnostic not_an_object(const Node& list) {
  return rules::finding("yaml/not-an-object", "a Kubernetes object is a map, this document is a list",
                        "write each item as a document, with a line \"---\" between them",
                        yaml::locate(list));
}

}  // namespace

bool is_trainer_kind(std::string_view kind) {
  return std::ranges::find(kTrainerKinds, kind) != kTrainerKinds.end();
}

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

std::optional<Diagnostic> check_type_is_there(const Node& root) {
  if (root.is_list()) return not_an_object(root);
  if (!root.is_map()) return std::nullopt;
  std::optional<Untyped> untyped = find_untyped(root);
  if (!untyped) return std::nullopt;
  return rules::finding("yaml/no-kind", fmt::format("the document has no {}", untyped->missing),
                        std::move(untyped->hint), yaml::locate(root));
}

std::optional<Diagnostic> check_type_exists(const Node& root, std::string_view pinned_version) {
  const std::string_view api_version = string_at(root, "apiVersion");
  const std::string_view kind = string_at(root, "kind");
  const bool in_group = group_of(api_version) == model::kTrainerGroup;
  if (is_trainer_kind(kind)) {
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
    diagnostic.fix.push_back({diagnostic.location, std::string(model::kTrainerApiVersion)});
    return diagnostic;
  }
  if (!in_group) return std::nullopt;
  Diagnostic diagnostic = unknown_type(root, "kind", fmt::format("Trainer has no kind \"{}\"", kind));
  if (const auto meant = base::closest(kind, kTrainerKinds))
    diagnostic.hint = fmt::format("did you mean \"{}\"?", *meant);
  return diagnostic;
}

std::optional<Diagnostic> find_training_operator_job(const Node& root) {
  const std::string_view kind = string_at(root, "kind");
  const std::string_view api_version = string_at(root, "apiVersion");
  if (!model::is_v1_kind(group_of(api_version), kind)) return std::nullopt;
  Diagnostic diagnostic = rules::finding(kUnreadJob);
  diagnostic.object = model::identify(root).str();
  diagnostic.field = "kind";
  const bool is_mpi_operator = api_version.ends_with("v2beta1");
  diagnostic.message = fmt::format("{} is a job of {}, which Trainer does not run", kind,
                                   is_mpi_operator ? "the MPI Operator" : "Training Operator v1");
  diagnostic.location = yaml::locate(*root.get("kind"));
  diagnostic.hint = fmt::format("Trainer runs it as a TrainJob of {}", model::kTrainerApiVersion);
  if (model::find_v1_kind(api_version, kind)) {
    diagnostic.hint =
        fmt::format("trainjobc migrate --to {} {} makes it a TrainJob", model::newest_behaviours().trainer,
                    diagnostic.location.file ? diagnostic.location.file->name() : "FILE");
  }
  return diagnostic;
}

bool is_of_unread_job(const Diagnostic& diagnostic) {
  return diagnostic.rule == kUnreadJob;
}

}  // namespace trainjobc::compile
