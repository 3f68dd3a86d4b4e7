// SPDX-License-Identifier: Apache-2.0

// Secrets in plain text: everyone who can read the repository or the TrainJob can read them. No report shows
// their values: see secret/secret.h.
#include <fmt/format.h>

#include "compile/advice/checks.h"
#include "secret/commands.h"
#include "secret/secret.h"
#include "yaml/rewrite/edits.h"

namespace trainjobc::compile::advice::secrets {
namespace {

using secret::is_plain_secret;
using secret::known_key;
using secret::known_key_in;
using yaml::Node;

constexpr std::string_view kPlainSecret = "advice/plain-secret";

void check_env(const Node* env, const std::string& field, Advisor& advisor) {
  if (!env) return;
  for (size_t i = 0; i < env->size(); ++i) {
    const Node& item = *env->items()[i];
    if (!is_plain_secret(item)) continue;
    const Node* name = item.get("name");
    const std::string_view key = known_key(item.get("value")->text());
    advisor.warn(kPlainSecret, fmt::format("{}[{}].value", field, i),
                 key.empty() ? fmt::format("{} looks like a secret and is in plain text here", name->text())
                             : fmt::format("{} looks like {} and is in plain text here", name->text(), key),
                 yaml::locate(*name), "take it from a Secret: valueFrom: {secretKeyRef: {name: …, key: …}}");
  }
}

std::vector<std::string_view> texts_of(const Node& words) {
  std::vector<std::string_view> texts;
  for (const Node* word : words.items()) texts.push_back(word->text());
  return texts;
}

void check_words(const Node* words, const std::string& field, Advisor& advisor) {
  if (!words) return;
  const std::vector<secret::SecretWord> of_command = secret::find_secret_words(texts_of(*words));
  auto next = of_command.begin();
  for (size_t i = 0; i < words->size(); ++i) {
    const Node& word = *words->items()[i];
    std::vector<secret::SecretInText> secrets = secret::find_secrets(word.text());
    if (const std::string_view key = known_key_in(word.text()); !key.empty())
      secrets = {{key, "", 0, word.text().size()}};
    if (next != of_command.end() && next->index == i) {
      if (secrets.empty()) secrets = {next->secret};
      ++next;
    }
    if (secrets.empty()) continue;
    const yaml::WrittenText written(word);
    const auto place_of = [&](const secret::SecretInText& found) {
      const bool is_all = found.length == word.text().size();
      return is_all ? yaml::locate(word) : written.place_or_all(found.begin, found.length);
    };
    for (const secret::SecretInText& secret : secrets) {
      base::Diagnostic& found =
          advisor.warn(kPlainSecret, fmt::format("{}[{}]", field, i),
                       fmt::format("{} looks like {} and is in plain text here",
                                   secret.name.empty() ? "this" : secret.name,
                                   secret.what.empty() ? "a secret" : secret.what),
                       place_of(secret), "read it from an env variable that a Secret fills");
      found.hide_source = true;
    }
  }
}

void check_initializer(const std::optional<model::Initializer>& initializer, std::string_view key,
                       Advisor& advisor) {
  if (initializer) check_env(initializer->env, fmt::format("spec.initializer.{}.env", key), advisor);
}

// Checks the env lists of the containers in a patch.
void check_patched_pod(const Node* pod_spec, const std::string& field, Advisor& advisor) {
  if (!pod_spec) return;
  for (const std::string_view list : {"initContainers", "containers"}) {
    const auto containers = yaml::items_at(*pod_spec, list);
    for (size_t i = 0; i < containers.size(); ++i) {
      check_env(containers[i]->get("env"), fmt::format("{}.{}[{}].env", field, list, i), advisor);
    }
  }
}

void check_job_secrets(const AdviceContext& context, Advisor& advisor) {
  check_initializer(context.job.dataset, "dataset", advisor);
  check_initializer(context.job.model, "model", advisor);
  if (context.job.trainer) {
    check_words(context.job.trainer->command, "spec.trainer.command", advisor);
    check_words(context.job.trainer->args, "spec.trainer.args", advisor);
    check_env(context.job.trainer->env, "spec.trainer.env", advisor);
  }
  for (const PodPatch& patch : pod_patches(context.job))
    check_patched_pod(patch.pod_spec, patch.pod_field, advisor);
}

void check_runtime_secrets(const RuntimeContext& context, Advisor& advisor) {
  for (const ContainerPlace& place : containers_of(context.info)) {
    const Node& container = *place.container.node;
    check_words(container.get("command"), place.field + ".command", advisor);
    check_words(container.get("args"), place.field + ".args", advisor);
    check_env(container.get("env"), place.field + ".env", advisor);
  }
}

}  // namespace

Checks checks() {
  return {.job = {check_job_secrets}, .runtime = {check_runtime_secrets}};
}

}  // namespace trainjobc::compile::advice::secrets
