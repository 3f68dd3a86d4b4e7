// SPDX-License-Identifier: Apache-2.0

#include "support/properties/comparing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "compile/compile.h"
#include "features/cluster/compare.h"
#include "features/diff/format.h"
#include "features/objects/differences.h"
#include "secret/secret.h"
#include "yaml/node.h"
#include "yaml/write/writer.h"

namespace trainjobc::test {
namespace {

using yaml::Entry;
using yaml::Node;

Compilation compile(const std::string& text) {
  Options options;
  options.trainer_version = "2.3";
  options.with_defaults = true;
  options.snapshot = true;
  options.threads = 1;
  options.policy.ssh_key.source = policy::SshKeySource::Seed;
  options.policy.ssh_key.material = "any sixteen bytes";
  return compile_sources({{"in.yaml", text}}, {}, options);
}

const Compilation& compared() {
  static const Compilation compiled = compile(compared_jobs());
  return compiled;
}

// The words of a tree, those of secret values apart.
struct Words {
  std::string open;
  std::string secret;

  void add_scalar(std::string_view text, bool is_secret) { (is_secret ? secret : open).append(text) += '\n'; }

  void add(const Node& node, bool is_secret) {
    if (node.is_scalar()) add_scalar(node.text(), is_secret);
    for (const Node* item : node.items()) add(*item, is_secret);
    const std::string_view name = yaml::text_at(node, "name");
    const bool is_variable = name == "HF_TOKEN" || name == "DB_PASSWORD";
    for (const Entry& entry : node.entries()) {
      add_scalar(entry.key, false);
      const bool is_value = (is_variable && entry.key == "value") || entry.key == secret::kLastApplied;
      add(*entry.value, is_secret || is_value);
    }
  }

  void add(const cluster::LiveObject& object) {
    for (const Entry& entry : object.root->entries()) {
      const bool is_data = object.kind == "Secret" && (entry.key == "data" || entry.key == "stringData");
      add_scalar(entry.key, false);
      add(*entry.value, is_data);
    }
  }
};

bool has_word(std::string_view text) {
  return text.find(kSecretWord) != std::string_view::npos;
}

// Whether the word is in secret values alone. Placeholders, which may be shown, are not secret.
bool keeps_secret(const cluster::LiveSet& live) {
  Words words;
  for (const cluster::LiveObject& object : live.objects) words.add(object);
  const bool has_placeholder = std::ranges::any_of(std::array{"$(", "${", "{{"}, [&](const char* sign) {
    return words.secret.find(sign) != std::string::npos;
  });
  return has_word(words.secret) && !has_word(words.open) && !has_placeholder;
}

std::string all_formats(const objects::Report& report) {
  const diff::FormatOptions options{.show_ignored = true, .width = 80};
  std::string text = format_text(report, options) + format_reach(report, options) +
                     format_unified(report, options) + format_json(report, options) +
                     format_markdown(report, options);
  for (const objects::ObjectDiff& object : report.objects) {
    text += object.live_text;
    text += object.merged_text;
  }
  for (const std::string& warning : report.warnings) text += warning;
  return text;
}

cluster::CompareOptions compare_options() {
  cluster::CompareOptions options;
  options.schemas = schema::find_version("2.3");
  options.manifests = objects::Manifests::Texts;
  return options;
}

std::shared_ptr<cluster::LiveSet> read_objects(const std::string& text) {
  auto live = std::make_shared<cluster::LiveSet>();
  base::Diagnostics problems;
  cluster::read_live({"live.yaml", text}, *live, problems);
  return live;
}

}  // namespace

std::string compared_jobs() {
  return "apiVersion: trainer.kubeflow.org/v1alpha1\n"
         "kind: TrainJob\n"
         "metadata: {name: a, namespace: team}\n"
         "spec:\n"
         "  runtimeRef: {name: torch-distributed}\n"
         "  trainer:\n"
         "    numNodes: 2\n"
         "    env:\n"
         "    - {name: HF_TOKEN, value: rendered-token}\n"
         "    - {name: DEBUG, value: 'on'}\n"
         "---\n"
         "apiVersion: trainer.kubeflow.org/v1alpha1\n"
         "kind: TrainJob\n"
         "metadata: {name: m}\n"
         "spec:\n"
         "  runtimeRef: {name: deepspeed-distributed}\n";
}

std::string wrong_with_live(const std::string& text, bool is_dry_run) {
  if (compared().objects.size() < 4)
    return "the jobs to compare with are refused";  // two JobSets, MPI's helpers
  const std::shared_ptr<cluster::LiveSet> live = read_objects(text);
  const bool keeps = keeps_secret(*live);
  cluster::CompareOptions options = compare_options();
  if (is_dry_run) options.dry_run = live.get();
  const std::string report = all_formats(cluster::compare_objects(compared(), live, options));
  return keeps && has_word(report) ? "a secret is shown:\n" + report : "";
}

std::string wrong_with_diff_of_itself(const std::string& text) {
  const Compilation compiled = compile(text);
  if (compiled.objects.empty()) return "";
  std::string rendered;
  for (const Object& object : compiled.objects) {
    rendered += "---\n";
    yaml::write_yaml(*object.root, yaml::KeyOrder::Kubernetes, rendered);
  }
  const objects::Report report =
      cluster::compare_objects(compiled, read_objects(rendered), compare_options());
  if (report.objects.empty() && report.warnings.empty()) return "";
  return fmt::format("what is rendered differs from itself:\n{}\n{}", all_formats(report), rendered);
}

}  // namespace trainjobc::test
