// SPDX-License-Identifier: Apache-2.0
// Whole documents, patches and comments to fill in.
#include <fmt/format.h>

#include <algorithm>

#include "base/text/text.h"
#include "features/lsp/features/complete/suggestions.h"
#include "features/lsp/features/name_references.h"
#include "features/lsp/features/runtimes.h"
#include "features/lsp/features/schema_words.h"
#include "model/train_job.h"
#include "model/trainer_names.h"

namespace trainjobc::lsp {
namespace {

constexpr std::string_view kJobSnippet = R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: ${1:name}
  namespace: ${2:namespace}
spec:
  runtimeRef:
    name: ${3:torch-distributed}
  trainer:
    image: ${4:image}
    command: [${5:python, /workspace/train.py}]
    numNodes: ${6:1}
)";

constexpr std::string_view kRuntimeSnippet = R"(metadata:
  name: ${{1:name}}{}
  labels:
    trainer.kubeflow.org/framework: ${{3:torch}}
spec:
  mlPolicy:
    numNodes: ${{4:1}}
    ${{3:torch}}: {{}}
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata:
            labels:
              trainer.kubeflow.org/trainjob-ancestor-step: trainer
          spec:
            template:
              spec:
                containers:
                - name: node
                  image: ${{5:image}}
)";

constexpr std::string_view kPatchSnippet = R"(runtimePatches:
- manager: ${{1:example.com/me}}
  trainingRuntimeSpec:
    template:
      spec:
        replicatedJobs:
        - name: ${{2:{0}}}
          template:
            spec:
              template:
                spec:
                  containers:
                  - name: ${{3:{1}}}
                    $0)";

constexpr std::string_view kTemplateOverrideSnippet = R"(podTemplateOverrides:
- targetJobs:
  - name: ${{1:{0}}}
  spec:
    containers:
    - name: ${{2:{1}}}
      $0)";

constexpr std::string_view kSpecOverrideSnippet = R"(podSpecOverrides:
- targetJobs:
  - name: ${{1:{0}}}
  containers:
  - name: ${{2:{1}}}
    $0)";

// With the lines after the first one as deep as the word.
std::string indented(std::string_view snippet, size_t column) {
  std::string out;
  for (const std::string_view line : base::Lines(snippet)) {
    if (!out.empty()) out += "\n" + std::string(column, ' ');
    out += line;
  }
  return out;
}

std::string runtime_snippet(std::string_view kind, bool is_namespaced) {
  return fmt::format("apiVersion: {}\nkind: {}\n", model::kTrainerApiVersion, kind) +
         fmt::format(fmt::runtime(kRuntimeSnippet), is_namespaced ? "\n  namespace: ${2:namespace}" : "");
}

// The first replicatedJob that trains, and its container; as they are usually called, if the runtime is not
// known.
struct PatchTarget {
  std::string job = std::string(model::kNode);
  std::string container = std::string(model::kNode);
};

PatchTarget target_of(const SuggestionContext& context) {
  PatchTarget target;
  const auto runtime = runtime_of(context.workspace, context.document, context.cursor);
  if (!runtime) return target;
  const auto jobs = names_in(*runtime->root, {NameOf::ReplicatedJob});
  if (jobs.empty()) return target;
  const bool has_node =
      std::ranges::any_of(jobs, [](const yaml::Node* name) { return name->text() == model::kNode; });
  if (!has_node) target.job = jobs.back()->text();
  const auto containers = names_in(*runtime->root, {NameOf::Container, {target.job}});
  if (!containers.empty()) target.container = containers.front()->text();
  return target;
}

void add_snippet(std::string label, std::string detail, std::string insert, std::vector<Suggestion>& out) {
  out.push_back({.label = std::move(label),
                 .kind = SuggestionKind::Snippet,
                 .detail = std::move(detail),
                 .insert = std::move(insert),
                 .order = 2});
}

}  // namespace

void suggest_documents(const SuggestionContext& context, std::vector<Suggestion>& out) {
  if (context.column != 0) return;
  add_snippet("TrainJob", "a job on a runtime", std::string(kJobSnippet), out);
  const schema::KindSchema* job = context.workspace.schemas_of(context.document).kind(model::kTrainJob);
  const schema::Property* spec = job ? job->schema->property("spec") : nullptr;
  if (spec && spec->schema->property(model::kRuntimePatches)) {
    add_snippet("TrainJob with a patch", "a job that changes its runtime",
                std::string(kJobSnippet) + "  " +
                    indented(fmt::format(fmt::runtime(kPatchSnippet), model::kNode, model::kNode), 2),
                out);
  }
  add_snippet("ClusterTrainingRuntime", "a runtime for all namespaces",
              runtime_snippet(model::kClusterTrainingRuntime, false), out);
  add_snippet("TrainingRuntime", "a runtime for one namespace",
              runtime_snippet(model::kTrainingRuntime, true), out);
}

void suggest_patch(const SuggestionContext& context, std::vector<Suggestion>& out) {
  const Cursor& cursor = context.cursor;
  if (cursor.kind() != model::kTrainJob || cursor.in_flow || (cursor.spot == Spot::Key && cursor.is_complete))
    return;
  const schema::Property* spec = context.root ? context.root->property("spec") : nullptr;
  if (!spec) return;
  struct Style {
    std::string_view field;
    std::string_view snippet;
  };
  // The newest that the Trainer version has.
  for (const Style& style : {Style{model::kRuntimePatches, kPatchSnippet},
                             Style{model::kPodTemplateOverrides, kTemplateOverrideSnippet},
                             Style{model::kPodSpecOverrides, kSpecOverrideSnippet}}) {
    if (!spec->schema->property(style.field)) continue;
    if (cursor.container && cursor.container->get(style.field)) return;
    const PatchTarget target = target_of(context);
    add_snippet(
        "patch a container", fmt::format("{} for the runtime's container", style.field),
        indented(fmt::format(fmt::runtime(style.snippet), target.job, target.container), context.column),
        out);
    return;
  }
}

void suggest_in_comment(const SuggestionContext& context, std::vector<Suggestion>& out) {
  constexpr std::string_view kMarker = "# trainjobc:ignore";
  const Cursor& cursor = context.cursor;
  const std::string_view before =
      std::string_view(cursor.comment)
          .substr(0, std::min(cursor.begin - cursor.comment_begin, cursor.comment.size()));
  if (before.starts_with(kMarker)) {
    if (before.find("--") == std::string_view::npos) suggest_rules("", out);
    return;
  }
  const bool is_first_word = before == "#" || before == "# ";
  if (is_first_word && !is_settings_file(context.document)) {
    add_snippet("trainjobc:ignore", "suppress findings on this line or the next",
                "trainjobc:ignore ${1:rule} -- ${2:reason}", out);
  }
}

}  // namespace trainjobc::lsp
