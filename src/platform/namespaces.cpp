// SPDX-License-Identifier: Apache-2.0

#include "platform/namespaces.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "k8s/object_meta.h"
#include "k8s/violations.h"
#include "platform/limits.h"
#include "rules/rules.h"
#include "secret/secret.h"
#include "yaml/changes.h"

namespace trainjobc::platform {
namespace {

using yaml::Node;

constexpr std::string_view kSecurityRule = "job/pod-security";
constexpr std::string_view kSecurityPrefix = "pod-security.kubernetes.io/";

// What becomes of a pod that a mode's level refuses.
struct Mode {
  std::string_view name;
  std::string_view rule;
  std::string_view verb;  // "the namespace … the level"
};
constexpr auto kModes = std::to_array<Mode>({
    {"enforce", kSecurityRule, "enforces"},
    {"warn", "advice/pod-security-warning", "warns of what violates"},
    {"audit", "advice/pod-security-audit", "records what violates"},
});

const Node* label_of(const Node& root, const std::string& key) {
  return root.at({"metadata", "labels", key});
}

struct AskedLevel {
  const Node* label = nullptr;
  SecurityLevel level = SecurityLevel::Privileged;
  int version = 0;
  std::string text;  // "restricted:latest"
};

// nullopt without a label, or if it can't be read.
std::optional<AskedLevel> asked_by(const Node& root, std::string_view mode) {
  const Node* label = label_of(root, fmt::format("{}{}", kSecurityPrefix, mode));
  const auto level = label ? read_level(label->text()) : std::nullopt;
  if (!level) return std::nullopt;
  const Node* version = label_of(root, fmt::format("{}{}-version", kSecurityPrefix, mode));
  const std::string_view text = version ? version->text() : "latest";
  const auto number = read_level_version(text);
  if (!number) return std::nullopt;
  return AskedLevel{label, *level, *number, fmt::format("{}:{}", label->text(), text)};
}

void check_security(const Subject& pod, const Node& root, const std::string& owner,
                    base::Diagnostics& found) {
  std::set<std::pair<std::string_view, const Node*>> seen;  // by a stricter mode
  for (const Mode& mode : kModes) {
    const auto asked = asked_by(root, mode.name);
    if (!asked) continue;
    for (const SecurityViolation& one : security_violations(*pod.root, asked->level, asked->version)) {
      if (!seen.emplace(one.check, one.culprit).second) continue;
      base::Diagnostic finding =
          pod_finding(mode.rule, pod, owner,
                      fmt::format("the namespace \"{}\" {} the Pod Security level {}: {}", pod.ns, mode.verb,
                                  asked->text, one.message),
                      one.culprit, one.hint);
      k8s::add_note(finding, "the label", asked->label);
      found.add(std::move(finding));
    }
  }
}

void check_label(const Node& root, const std::string& key, bool is_version, base::Diagnostics& found) {
  const Node* label = label_of(root, key);
  if (!label) return;
  if (is_version ? read_level_version(label->text()).has_value() : read_level(label->text()).has_value())
    return;
  base::Diagnostic finding = rules::finding(
      "advice/pod-security-label", fmt::format("{} can't be {}", key, k8s::quoted(*label)),
      is_version ? "write latest, or a version such as v1.34" : "write privileged, baseline or restricted",
      yaml::locate(*label));
  finding.object = fmt::format("Namespace//{}", yaml::text_at(root, {"metadata", "name"}));
  finding.field = fmt::format("metadata.labels[{}]", key);
  found.add(std::move(finding));
}

}  // namespace

bool is_namespace_object(const Node& root) {
  if (yaml::text_at(root, "apiVersion") != "v1") return false;
  const std::string_view kind = yaml::text_at(root, "kind");
  if (kind == "ResourceQuota" || kind == "LimitRange") return true;
  const Node* labels = kind == "Namespace" ? root.at({"metadata", "labels"}) : nullptr;
  return labels && std::ranges::any_of(labels->entries(), [](const yaml::Entry& label) {
           return label.key.starts_with(kSecurityPrefix);
         });
}

void Namespaces::add(const Node& root) {
  const std::string_view kind = yaml::text_at(root, "kind");
  const bool is_namespace = kind == "Namespace";
  const std::string_view name =
      is_namespace ? yaml::text_at(root, {"metadata", "name"})
                   : k8s::effective_namespace(yaml::text_at(root, {"metadata", "namespace"}));
  Namespace& ns = by_name_[std::string(name)];
  if (is_namespace) ns.root = &root;
  if (kind == "LimitRange") ns.ranges.push_back(&root);
  if (kind == "ResourceQuota") ns.quotas.emplace_back(root);
}

void Namespaces::complete(std::vector<Subject>& subjects, const yaml::Maker& make) const {
  for (Subject& subject : subjects) {
    if (subject.kind->kind != "Pod") continue;
    const auto found = by_name_.find(subject.ns);
    if (found != by_name_.end())
      subject.root = with_limit_defaults(*subject.root, found->second.ranges, make);
  }
}

void Namespaces::check(const std::vector<Subject>& subjects, const CompiledJob& job,
                       base::Diagnostics& found) const {
  const auto at = subjects.empty() ? by_name_.end() : by_name_.find(subjects.front().ns);
  if (at == by_name_.end()) return;
  for (const Subject& subject : subjects) {
    if (subject.kind->kind != "Pod") continue;
    const bool is_exempt = !kIsPage && exemptions_.have(*subject.root, subject.ns);
    if (at->second.root && !is_exempt) check_security(subject, *at->second.root, job.object, found);
    check_limits(subject, at->second.ranges, job.object, found);
  }
  for (Quota& quota : at->second.quotas) quota.check(subjects, job, found);
}

const Node* Namespaces::with_limits(const Node& job_set, const yaml::Maker& make) const {
  const auto at = by_name_.find(k8s::effective_namespace(yaml::text_at(job_set, {"metadata", "namespace"})));
  const Node* jobs = job_set.at({"spec", "replicatedJobs"});
  if (!jobs || at == by_name_.end() || at->second.ranges.empty()) return &job_set;
  const auto change = [&](const Node& job) {
    const Node* pod = job.at({"template", "spec", "template"});
    if (!pod || !pod->get("spec")) return &job;
    return make.with_path(&job, {"template", "spec", "template"},
                          with_limits_only(*pod, at->second.ranges, make));
  };
  return make.with_path(&job_set, {"spec", "replicatedJobs"}, yaml::with_each(*jobs, make, change));
}

std::vector<QuotaUse> Namespaces::quotas_of(const std::vector<Subject>& subjects,
                                            const CompiledJob& job) const {
  std::vector<QuotaUse> quotas;
  const auto at = subjects.empty() ? by_name_.end() : by_name_.find(subjects.front().ns);
  if (at == by_name_.end()) return quotas;
  for (const Quota& quota : at->second.quotas) quotas.push_back(quota.use_of(subjects, job));
  return quotas;
}

base::Diagnostics Namespaces::problems() const {
  base::Diagnostics found;
  std::vector<const Node*> roots;
  for (const auto& [name, ns] : by_name_) {
    if (!ns.root) continue;
    roots.push_back(ns.root);
    for (const Mode& mode : kModes) {
      check_label(*ns.root, fmt::format("{}{}", kSecurityPrefix, mode.name), false, found);
      check_label(*ns.root, fmt::format("{}{}-version", kSecurityPrefix, mode.name), true, found);
    }
  }
  secret::hide_secrets(found, roots);
  return found;
}

base::Diagnostics Namespaces::together() const {
  base::Diagnostics found;
  for (const auto& [name, ns] : by_name_) {
    for (const Quota& quota : ns.quotas) found.append(quota.together());
  }
  secret::hide_secrets(found);
  return found;
}

}  // namespace trainjobc::platform
