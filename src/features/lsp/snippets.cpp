// SPDX-License-Identifier: Apache-2.0

// Whole documents and patches to fill in. A placeholder ${1:word} is the first place to type; $0 is the last.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text/text.h"
#include "features/create/templates.h"
#include "features/lsp/answers.h"
#include "features/lsp/references.h"
#include "model/train_job.h"
#include "model/trainer_names.h"
#include "yaml/node.h"

namespace trainjobc::lsp {
namespace {

// The template of `trainjobc new`, as a snippet with these lines.
std::string job_snippet() {
  create::Values lines;
  for (const std::string_view key : {"namespace", "image", "script", "resources", "gpus"}) lines.set(key);
  return create::as_snippet(text_of(create::Template::Job), lines);
}

constexpr int kJobStops = 7;

std::string runtime_snippet(std::string_view kind, bool is_namespaced) {
  create::Values lines;
  lines.set("kind", std::string(kind));
  lines.set("framework", "torch");
  for (const std::string_view key : {"torch", "script"}) lines.set(key);
  if (is_namespaced) lines.set("namespace");
  return create::as_snippet(text_of(create::Template::Runtime), lines);
}

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

// The snippet with the lines after the first one indented to the word's column.
std::string indented(std::string_view snippet, size_t column) {
  std::string out;
  for (const std::string_view line : base::Lines(snippet)) {
    if (!out.empty()) out += "\n" + std::string(column, ' ');
    out += line;
  }
  return out;
}

// The snippet as the continuation of one with `stops` placeholders: equal numbers would be the same place to
// type.
std::string continued(std::string_view snippet, int stops) {
  std::string out;
  for (size_t at = snippet.find("${"); at != std::string_view::npos; at = snippet.find("${")) {
    out += snippet.substr(0, at + 2);
    snippet.remove_prefix(at + 2);
    int number = 0;
    const auto [end, error] = std::from_chars(snippet.data(), snippet.data() + snippet.size(), number);
    out += std::to_string(number + stops);
    snippet.remove_prefix(static_cast<size_t>(end - snippet.data()));
  }
  return out.append(snippet);
}

// A word, escaped for use in a placeholder.
std::string escaped(std::string_view word) {
  std::string out;
  for (const char c : word) {
    if (c == '$' || c == '}' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

// The training replicatedJob and its container; the usual names if the runtime is not known.
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

std::string patch_snippet(std::string_view snippet, const PatchTarget& target) {
  return fmt::format(fmt::runtime(snippet), escaped(target.job), escaped(target.container));
}

}  // namespace

void add_snippet(std::string label, std::string detail, std::string insert, std::vector<Suggestion>& out) {
  out.push_back({.label = std::move(label),
                 .kind = SuggestionKind::Snippet,
                 .detail = std::move(detail),
                 .insert = std::move(insert),
                 .order = 2});
}

void suggest_documents(const SuggestionContext& context, std::vector<Suggestion>& out) {
  if (context.column != 0) return;
  add_snippet("TrainJob", "a job on a runtime", job_snippet(), out);
  const schema::KindSchema* job = context.workspace.schemas_of(context.document).kind(model::kTrainJob);
  const schema::Property* spec = job ? job->schema->property("spec") : nullptr;
  if (spec && spec->schema->property(model::kRuntimePatches)) {
    add_snippet("TrainJob with a patch", "a job that changes its runtime",
                job_snippet() + "  " + indented(continued(patch_snippet(kPatchSnippet, {}), kJobStops), 2),
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
  // The newest style that the Trainer version has.
  for (const Style& style : {Style{model::kRuntimePatches, kPatchSnippet},
                             Style{model::kPodTemplateOverrides, kTemplateOverrideSnippet},
                             Style{model::kPodSpecOverrides, kSpecOverrideSnippet}}) {
    if (!spec->schema->property(style.field)) continue;
    if (cursor.container && cursor.container->get(style.field)) return;
    add_snippet("patch a container", fmt::format("{} for the runtime's container", style.field),
                indented(patch_snippet(style.snippet, target_of(context)), context.column), out);
    return;
  }
}

std::string without_placeholders(std::string_view snippet) {
  std::string out;
  bool in_placeholder = false;
  for (size_t at = 0; at < snippet.size(); ++at) {
    const char c = snippet[at];
    if (c == '\\' && at + 1 < snippet.size()) {
      out += snippet[++at];
    } else if (c == '}' && in_placeholder) {
      in_placeholder = false;
    } else if (c != '$') {
      out += c;
    } else if (in_placeholder = snippet.substr(at + 1).starts_with('{'); in_placeholder) {
      at = std::min(snippet.find(':', at), snippet.size());
    } else {
      ++at;  // the digit
    }
  }
  return out;
}

}  // namespace trainjobc::lsp
