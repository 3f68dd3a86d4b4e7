// SPDX-License-Identifier: Apache-2.0

#include "inputs/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/files/paths.h"
#include "base/text/duration.h"
#include "base/text/suggest.h"
#include "base/text/text.h"
#include "k8s/kubernetes.h"
#include "k8s/name_syntax.h"
#include "model/behaviours.h"
#include "platform/team.h"
#include "rules/rules.h"
#include "secret/secret.h"
#include "yaml/read/reader.h"
#include "yaml/rewrite/edits.h"

namespace trainjobc::inputs {
namespace {

using yaml::Node;

// Reads the settings and stops at the first error.
class ConfigReader {
 public:
  ConfigReader(Config& config, std::vector<platform::TeamRule>& team) : config_(config), team_(team) {}

  std::optional<base::Diagnostic> error;
  std::vector<const Node*> policies;  // whole objects under `policies`

  void read(const Node& root) {
    if (!expect(root, root.is_map(), "the configuration must be a map")) return;
    static constexpr std::array<std::string_view, 20> kKeys{"trainerVersion",
                                                            "kubernetesVersion",
                                                            "featureGates",
                                                            "platform",
                                                            "allowPrivileged",
                                                            "runtimes",
                                                            "catalogue",
                                                            "namespace",
                                                            "failOn",
                                                            "rules",
                                                            "suppress",
                                                            "exclude",
                                                            "scope",
                                                            "kustomize",
                                                            "helm",
                                                            "programTimeout",
                                                            "cache",
                                                            "roots",
                                                            "policies",
                                                            "podSecurity"};
    if (!check_keys(root, kKeys)) return;
    if (const Node* node = root.get("trainerVersion")) read_version(*node);
    if (const Node* node = root.get("kubernetesVersion")) read_kubernetes(*node);
    if (const Node* node = root.get("featureGates")) read_gates(*node);
    if (const Node* node = root.get("platform")) read_platform(*node);
    if (const Node* node = root.get("allowPrivileged")) {
      if (expect(*node, node->is_bool(), "allowPrivileged must be true or false"))
        config_.allows_privileged = node->as_bool();
    }
    if (const Node* node = root.get("runtimes")) read_runtimes(*node);
    if (const Node* node = root.get("catalogue")) {
      if (expect(*node, node->is_bool(), "catalogue must be true or false"))
        config_.catalogue = node->as_bool();
    }
    if (const Node* node = root.get("cache")) {
      if (expect(*node, node->is_bool(), "cache must be true or false")) config_.cache = node->as_bool();
    }
    if (const Node* node = root.get("scope")) {
      if (expect(*node, node->is_bool(), "scope must be true or false"))
        config_.is_scope = node->as_bool().value_or(true);
    }
    if (const Node* node = root.get("roots")) {
      if (expect(*node, node->is_bool(), "roots must be true or false")) config_.deployed = node->as_bool();
    }
    if (const Node* node = root.get("namespace")) {
      if (expect(*node, node->is_string(), "namespace must be a string")) config_.ns = node->text();
    }
    if (const Node* node = root.get("failOn")) read_fail_on(*node);
    if (const Node* node = root.get("programTimeout")) read_program_timeout(*node);
    if (const Node* node = root.get("policies")) read_policies(*node);
    if (const Node* node = root.get("podSecurity"); node && !platform::kIsPage) read_pod_security(*node);
    if (const Node* node = root.get("rules")) read_rules(*node);
    if (const Node* node = root.get("suppress")) read_suppressions(*node);
    if (const Node* node = root.get("exclude")) read_exclude(*node);
    if (const Node* node = root.get("kustomize")) read_kustomize(*node);
    if (const Node* node = root.get("helm")) read_helm(*node);
  }

  void refuse_second(const Node& root) {
    report(yaml::locate(root), "a configuration must be a single document",
           "remove everything after the \"---\"");
  }

 private:
  bool expect(const Node& node, bool holds, std::string message, std::string hint = "") {
    if (!holds) report(yaml::locate(node), std::move(message), std::move(hint));
    return holds;
  }

  static bool is_text(const Node* node) { return node && node->is_string() && !node->text().empty(); }

  void report(const base::Location& location, std::string message, std::string hint) {
    if (error) return;
    error = rules::finding("config/invalid", std::move(message), std::move(hint), location);
  }

  // A word that is unknown, and what to write instead; `hint` is for one that resembles no known word.
  struct UnknownWord {
    std::string_view text;
    base::Location location;
    std::function<std::vector<base::Edit>(std::string_view)> replace;
    std::string hint = "";
  };

  static UnknownWord key_of(const yaml::Entry& entry) {
    return {entry.key, yaml::locate_key(entry),
            [&entry](std::string_view meant) { return yaml::rename_key(entry, meant); }};
  }

  static UnknownWord text_of(const Node& node) {
    return {node.text(), yaml::locate(node),
            [&node](std::string_view meant) { return yaml::replace_text(node, meant); }};
  }

  void report_unknown(const UnknownWord& word, std::span<const std::string_view> known, std::string message) {
    if (error) return;
    const auto meant = base::closest(word.text, known);
    report(word.location, std::move(message),
           meant ? fmt::format("did you mean \"{}\"?", *meant) : word.hint);
    if (meant) base::suggest_fix(*error, word.replace(*meant));
  }

  bool check_keys(const Node& map, std::span<const std::string_view> known) {
    for (const yaml::Entry& entry : map.entries()) {
      if (base::contains(known, entry.key)) continue;
      report_unknown(key_of(entry), known, fmt::format("unknown key \"{}\"", entry.key));
      return false;
    }
    return true;
  }

  void read_version(const Node& node) {
    const std::optional<std::string> version =
        model::read_trainer_version(node.text());  // `2.3` may be written as a number
    if (expect(node, version.has_value(), fmt::format("there is no Trainer version \"{}\"", node.text()),
               "use auto, or a version such as 2.3")) {
      config_.trainer_version = version;
    }
  }

  void read_kubernetes(const Node& node) {
    // Text, because 1.36 may be a number.
    const k8s::KubernetesBehaviour* known = k8s::find_kubernetes(node.text());
    if (expect(node, known, fmt::format("there is no Kubernetes version \"{}\"", node.text()),
               fmt::format("use one of {}", base::word_list(k8s::kubernetes_versions()))))
      config_.kubernetes_version = known->version;
  }

  void read_platform(const Node& node) {
    static constexpr std::array<std::string_view, 2> kPlatforms{"kubernetes", "openshift"};
    const bool is_known = node.is_string() && base::contains(kPlatforms, node.text());
    if (expect(node, is_known, "platform must be kubernetes or openshift"))
      config_.is_openshift = node.text() == "openshift";
  }

  void read_gates(const Node& node) {
    if (!expect(node, node.is_list(), "featureGates must be a list of names")) return;
    std::vector<std::string> on;
    for (const Node* item : node.items()) {
      if (!expect(*item, is_text(item), "the name of a feature gate must be a string, and not empty")) return;
      std::string wrong = model::read_feature_gates(item->text(), on);
      if (wrong.empty()) continue;
      report_unknown(text_of(*item), model::known_feature_gates(), std::move(wrong));
      return;
    }
    config_.feature_gates = std::move(on);
  }

  void read_runtimes(const Node& node) {
    if (!expect(node, node.is_list(), "runtimes must be a list of paths")) return;
    for (const Node* item : node.items()) {
      if (!expect(*item, item->is_string(), "a path must be a string")) return;
      config_.runtimes.push_back(joined_with_folder(*item));
    }
  }

  std::string joined_with_folder(const Node& path) const {
    const std::string_view text = path.text();
    return text.starts_with('/') || config_.folder.empty() ? std::string(text)
                                                           : fmt::format("{}/{}", config_.folder, text);
  }

  void read_exclude(const Node& node) {
    if (!expect(node, node.is_list(), "exclude must be a list of globs")) return;
    for (const Node* item : node.items()) {
      std::string_view glob = item->text();
      if (glob.starts_with("./")) glob.remove_prefix(2);
      if (glob.size() > 1 && glob.ends_with('/')) glob.remove_suffix(1);
      if (!expect(*item, item->is_string() && !glob.empty(), "a glob must be a string, and not empty"))
        return;
      config_.exclude.add(std::string(glob));
    }
  }

  // Either a list of roots, which must be built, or a map.
  void read_kustomize(const Node& node) {
    static constexpr std::array<std::string_view, 2> kKeys{"roots", "build"};
    if (node.is_list()) {
      config_.kustomize.build = Building::Required;
      return read_roots(node);
    }
    if (!expect(node, node.is_map(), "kustomize must be a list of roots, or a map of roots and build"))
      return;
    if (!check_keys(node, kKeys)) return;
    if (const Node* roots = node.get("roots")) read_roots(*roots);
    if (const Node* build = node.get("build")) read_building(*build, config_.kustomize.build);
  }

  void read_building(const Node& node, Building& building) {
    const std::string_view word = node.text();
    expect(node, word == "auto" || word == "never" || word == "required",
           "build must be auto, never or required");
    building = word == "never" ? Building::Never : word == "required" ? Building::Required : Building::Auto;
  }

  // Either a list of charts, or a map.
  void read_helm(const Node& node) {
    static constexpr std::array<std::string_view, 2> kKeys{"charts", "build"};
    if (node.is_list()) return read_charts(node);
    if (!expect(node, node.is_map(), "helm must be a list of charts, or a map of charts and build")) return;
    if (!check_keys(node, kKeys)) return;
    if (const Node* charts = node.get("charts")) read_charts(*charts);
    if (const Node* build = node.get("build")) read_building(*build, config_.helm.build);
  }

  void read_charts(const Node& node) {
    if (!expect(node, node.is_list(), "charts must be a list")) return;
    for (const Node* item : node.items()) {
      HelmChart chart;
      const Node* folder = item->is_map() ? item->get("chart") : item;
      if (!expect(*item, is_text(folder),
                  "a chart is a folder, or a map of chart, values, release and namespace"))
        return;
      chart.chart = base::normal_path(folder->text());
      chart.location = yaml::locate(*folder);
      if (item->is_map() && !read_chart(*item, chart)) return;
      config_.helm.charts.push_back(std::move(chart));
    }
  }

  bool read_chart(const Node& item, HelmChart& chart) {
    static constexpr std::array<std::string_view, 4> kKeys{"chart", "values", "release", "namespace"};
    if (!check_keys(item, kKeys)) return false;
    for (const auto& [key, text] :
         {std::pair("release", &chart.release), std::pair("namespace", &chart.ns)}) {
      const Node* value = item.get(key);
      if (!value) continue;
      if (!expect(*value, value->is_string(), fmt::format("{} must be a string", key))) return false;
      *text = value->text();
    }
    const Node* values = item.get("values");
    if (!values) return true;
    if (!expect(*values, values->is_list(), "values must be a list of files")) return false;
    for (const Node* path : values->items()) {
      if (!expect(*path, is_text(path), "a path must be a string, and not empty")) return false;
      chart.values.push_back(in_folder(path->text()));
    }
    return true;
  }

  // A path in the configuration.
  std::string in_folder(std::string_view path) const {
    return base::normal_path(path.starts_with('/') || config_.folder.empty()
                                 ? std::string(path)
                                 : fmt::format("{}/{}", config_.folder, path));
  }

  void read_roots(const Node& node) {
    if (!expect(node, node.is_list(), "roots must be a list of folders")) return;
    for (const Node* item : node.items()) {
      if (!expect(*item, is_text(item), "a root must be a string, and not empty")) return;
      config_.kustomize.roots.push_back(base::normal_path(item->text()));
    }
  }

  void read_fail_on(const Node& node) {
    const std::string_view level = node.text();
    if (expect(node, level == "error" || level == "warning" || level == "never",
               "failOn must be error, warning or never")) {
      config_.fail_on = level;
    }
  }

  void read_program_timeout(const Node& node) {
    const auto time = node.is_string() || node.is_int() ? base::read_time(node.text()) : std::nullopt;
    if (expect(node, time && time->count() > 0, "programTimeout must be a time such as 90, 90s, 10m or 2h"))
      config_.program_timeout = time;
  }

  bool check_rule(UnknownWord word) {
    if (rules::find_rule(word.text) || base::contains(team_, word.text, &platform::TeamRule::id)) return true;
    // The rules of a configuration above are not known here.
    if (!config_.is_scope && word.text.starts_with(platform::kTeamPrefix)) return true;
    std::vector<std::string_view> ids;
    for (const platform::TeamRule& rule : team_) ids.push_back(rule.id);
    for (const rules::Rule& rule : rules::all_rules()) ids.push_back(rule.id);
    word.hint = "trainjobc lint --list-rules lists them";
    report_unknown(word, ids, fmt::format("there is no rule \"{}\"", word.text));
    return false;
  }

  void read_policies(const Node& node) {
    if (!expect(node, node.is_list(), "policies must be a list of rules and paths")) return;
    for (const Node* item : node.items()) {
      if (is_text(item)) {
        config_.policy_paths.push_back(joined_with_folder(*item));
        continue;
      }
      static constexpr std::array<std::string_view, 7> kKeys{
          "id", "kinds", "expression", "message", "messageExpression", "severity", "hint"};
      if (!expect(*item, item->is_map(),
                  "a rule is a map of id, kinds, expression and message, and a path a string"))
        return;
      if (item->get("apiVersion") || item->get("kind")) {
        if (!platform::kIsPage && !read_policy_object(*item)) return;
        continue;
      }
      if (!check_keys(*item, kKeys) || !read_policy(*item)) return;
    }
  }

  bool read_policy_object(const Node& item) {
    const bool is_named = is_text(item.get("apiVersion")) && is_text(item.get("kind")) &&
                          is_text(item.at({"metadata", "name"}));
    if (is_named) policies.push_back(&item);
    return expect(item, is_named, "an object needs apiVersion, kind and metadata.name");
  }

  // As in Kubernetes' PodSecurityConfiguration.
  void read_pod_security(const Node& node) {
    static constexpr std::array<std::string_view, 1> kKeys{"exemptions"};
    static constexpr std::array<std::string_view, 3> kLists{"usernames", "runtimeClasses", "namespaces"};
    if (!expect(node, node.is_map(), "podSecurity must be a map") || !check_keys(node, kKeys)) return;
    const Node* exemptions = node.get("exemptions");
    if (!exemptions) return;
    if (!expect(*exemptions, exemptions->is_map(), "exemptions must be a map of lists") ||
        !check_keys(*exemptions, kLists))
      return;
    platform::SecurityExemptions& exempt = config_.security_exemptions;
    read_texts(*exemptions, "usernames", exempt.usernames);
    read_texts(*exemptions, "runtimeClasses", exempt.runtime_classes);
    read_texts(*exemptions, "namespaces", exempt.namespaces);
  }

  void read_texts(const Node& map, std::string_view key, std::vector<std::string>& texts) {
    const Node* list = map.get(key);
    if (!list) return;
    const bool fits =
        list->is_list() && std::ranges::all_of(list->items(), [](const Node* item) { return is_text(item); });
    if (!expect(*list, fits, fmt::format("{} must be a list of strings, not empty", key))) return;
    for (const Node* item : list->items()) texts.emplace_back(item->text());
  }

  bool read_policy(const Node& item) {
    platform::TeamRule rule;
    if (!read_policy_id(item, rule) || !read_policy_kinds(item, rule)) return false;
    for (const auto& [key, text] :
         {std::pair("expression", &rule.expression), std::pair("message", &rule.message),
          std::pair("messageExpression", &rule.message_expression)}) {
      *text = item.get(key);
      if (*text && !expect(**text, is_text(*text), fmt::format("{} must be a string, and not empty", key)))
        return false;
    }
    if (!expect(item, rule.expression, "a rule needs an expression")) return false;
    if (!expect(item, rule.message || rule.message_expression,
                "a rule needs a message or a messageExpression"))
      return false;
    if (const Node* severity = item.get("severity")) {
      const auto read = severity_of(severity->text());
      if (!expect(*severity, read.has_value(), "a severity is error, warning or info")) return false;
      rule.severity = *read;
    }
    if (const Node* hint = item.get("hint")) {
      if (!expect(*hint, hint->is_string(), "hint must be a string")) return false;
      rule.hint = hint->text();
    }
    team_.push_back(std::move(rule));
    return true;
  }

  // As in findings, or without their prefix.
  bool read_policy_id(const Node& item, platform::TeamRule& rule) {
    const Node* id = item.get("id");
    if (!expect(item, id, "a rule needs an id")) return false;
    std::string_view name = id->text();
    if (name.starts_with(platform::kTeamPrefix)) name.remove_prefix(platform::kTeamPrefix.size());
    const bool is_name = id->is_string() && k8s::dns_label_problem(name).empty();
    if (!expect(*id, is_name, "an id consists of lower-case letters, digits and dashes", "such as gpu-limit"))
      return false;
    rule.id = fmt::format("{}{}", platform::kTeamPrefix, name);
    rule.location = yaml::locate(*id);
    return expect(*id, !base::contains(team_, rule.id, &platform::TeamRule::id),
                  fmt::format("there are two rules \"{}\"", rule.id));
  }

  bool read_policy_kinds(const Node& item, platform::TeamRule& rule) {
    const Node* kinds = item.get("kinds");
    if (!expect(item, kinds, "a rule needs kinds", "such as kinds: [TrainJob]")) return false;
    if (!expect(*kinds, kinds->is_list() && kinds->size() > 0, "kinds must be a list, and not empty"))
      return false;
    for (const Node* kind : kinds->items()) {
      const auto* known = base::find(platform::kTeamKinds, kind->text());
      if (!known) {
        UnknownWord word = text_of(*kind);
        const std::string hint = fmt::format("one of {}", fmt::join(platform::kTeamKinds, ", "));
        word.hint = hint;
        report_unknown(word, platform::kTeamKinds,
                       fmt::format("a rule can't be about the kind \"{}\"", kind->text()));
        return false;
      }
      rule.kinds.push_back(*known);
    }
    return true;
  }

  static std::optional<base::Severity> severity_of(std::string_view word) {
    if (word == "error") return base::Severity::Error;
    if (word == "warning") return base::Severity::Warning;
    if (word == "info") return base::Severity::Info;
    return std::nullopt;
  }

  void read_rules(const Node& node) {
    if (!expect(node, node.is_map(), "rules must be a map from rule to severity")) return;
    for (const yaml::Entry& entry : node.entries()) {
      if (!check_rule(key_of(entry))) return;
      const Node& value = *entry.value;
      const std::string_view word = value.is_bool() && value.text() == "false" ? "off" : value.text();
      const std::optional<base::Severity> severity = severity_of(word);
      if (!expect(value, severity || word == "off", "a severity is error, warning, info or off")) return;
      config_.rules[std::string(entry.key)] = {severity, yaml::locate_key(entry)};
    }
  }

  void read_suppressions(const Node& node) {
    if (!expect(node, node.is_list(), "suppress must be a list")) return;
    for (const Node* item : node.items()) {
      static constexpr std::array<std::string_view, 4> kKeys{"rule", "paths", "labels", "reason"};
      if (!expect(*item, item->is_map(), "a suppression is a map of rule, paths, labels and reason")) return;
      if (!check_keys(*item, kKeys) || !read_suppression(*item)) return;
    }
  }

  bool read_suppression(const Node& item) {
    PathSuppression suppression;
    const Node* rule = item.get("rule");
    const Node* reason = item.get("reason");
    if (!expect(item, rule && rule->is_string(), "a suppression needs a rule")) return false;
    if (!check_rule(text_of(*rule))) return false;
    if (!read_paths(item, suppression) || !read_labels(item, suppression)) return false;
    if (!expect(item, is_text(reason), "a suppression needs a reason")) return false;
    suppression.rule = rule->text();
    suppression.reason = reason->text();
    suppression.location = yaml::locate(*rule);
    config_.suppressions.push_back(std::move(suppression));
    return true;
  }

  bool read_paths(const Node& item, PathSuppression& suppression) {
    const Node* paths = item.get("paths");
    if (!paths && item.get("labels")) {
      suppression.paths = {"**"};
      return true;
    }
    if (!expect(item, paths && paths->is_list() && paths->size() > 0, "a suppression needs paths or labels"))
      return false;
    for (const Node* path : paths->items()) {
      if (!expect(*path, is_text(path), "a path must be a string, and not empty")) return false;
      suppression.paths.emplace_back(path->text());
    }
    return true;
  }

  bool read_labels(const Node& item, PathSuppression& suppression) {
    const Node* labels = item.get("labels");
    if (!labels) return true;
    if (!expect(*labels, labels->is_map() && labels->size() > 0, "labels must be a map, and not empty"))
      return false;
    for (const yaml::Entry& label : labels->entries()) {
      if (!expect(*label.value, label.value->is_string(), "the value of a label must be a string"))
        return false;
      suppression.labels.emplace(label.key, label.value->text());
    }
    return true;
  }

  Config& config_;
  std::vector<platform::TeamRule>& team_;
};

// Reads `text`; the diagnostics say what is wrong with it.
base::Diagnostics read_config(const std::string& path, std::string text, Config& config) {
  config.folder = std::filesystem::path(path).parent_path().string();
  config.file = std::make_shared<base::SourceFile>(path, std::move(text));
  const auto memory = std::make_shared<platform::TeamRules::Memory>();
  memory->file = config.file;
  base::Diagnostics diagnostics;
  const auto documents = yaml::read(*config.file, memory->arena, diagnostics);
  std::vector<platform::TeamRule> team;
  ConfigReader reader(config, team);
  if (!diagnostics.has_errors() && !documents.empty()) reader.read(*documents.front().root);
  if (documents.size() > 1) reader.refuse_second(*documents[1].root);
  if (reader.error) diagnostics.add(*reader.error);
  std::vector<const Node*> roots;
  for (const yaml::Document& document : documents) roots.push_back(document.root);
  secret::hide_secrets(diagnostics, roots);
  if ((!team.empty() || !reader.policies.empty()) && !reader.error)
    config.team_rules.push_back(
        std::make_shared<const platform::TeamRules>(std::move(team), std::move(reader.policies), memory));
  return diagnostics;
}

// Takes what `config` doesn't set from its `outer`.
void inherit(Config& config) {
  const Config& outer = *config.outer;
  const auto take = [](auto& own, const auto& other) {
    if (!own) own = other;
  };
  take(config.trainer_version, outer.trainer_version);
  take(config.kubernetes_version, outer.kubernetes_version);
  take(config.feature_gates, outer.feature_gates);
  take(config.is_openshift, outer.is_openshift);
  take(config.allows_privileged, outer.allows_privileged);
  take(config.catalogue, outer.catalogue);
  take(config.deployed, outer.deployed);
  take(config.ns, outer.ns);
  take(config.fail_on, outer.fail_on);
  take(config.program_timeout, outer.program_timeout);
  take(config.cache, outer.cache);
  if (config.runtimes.empty()) config.runtimes = outer.runtimes;
  config.rules.insert(outer.rules.begin(), outer.rules.end());
  config.policy_paths.insert(config.policy_paths.begin(), outer.policy_paths.begin(),
                             outer.policy_paths.end());
  config.team_rules.insert(config.team_rules.begin(), outer.team_rules.begin(), outer.team_rules.end());
  if (platform::kIsPage) return;
  platform::SecurityExemptions& exempt = config.security_exemptions;
  base::append(exempt.usernames, outer.security_exemptions.usernames);
  base::append(exempt.runtime_classes, outer.security_exemptions.runtime_classes);
  base::append(exempt.namespaces, outer.security_exemptions.namespaces);
}

// The path itself, or the nearest folder above it whose path is not longer.
std::string ancestor_within(const std::string& absolute, size_t longest) {
  return absolute.size() <= longest ? absolute : absolute.substr(0, absolute.rfind('/', longest));
}

// Whether one of the globs matches the path or a folder above it.
bool excludes_path(const base::GlobSet& globs, std::string_view path) {
  for (size_t end = path.find('/'); !path.empty(); end = path.find('/', end + 1)) {
    if (globs.matches_any(path.substr(0, end))) return true;
    if (end == std::string_view::npos) break;
  }
  return false;
}

}  // namespace

bool names_folder(const std::string& glob, const std::string& config_folder, const std::string& folder) {
  const std::string path = base::path_from(base::absolute_path(folder),
                                           base::absolute_path(config_folder.empty() ? "." : config_folder));
  return base::matches_glob(glob, path, base::Stars::Git);
}

bool KustomizeSettings::names(const std::string& config_folder, const std::string& folder) const {
  return std::ranges::any_of(
      roots, [&](const std::string& glob) { return names_folder(glob, config_folder, folder); });
}

std::vector<const platform::TeamRule*> rules_of(const Config& config) {
  std::vector<const platform::TeamRule*> all;
  for (const auto& set : config.team_rules) {
    for (const platform::TeamRule& rule : set->rules()) all.push_back(&rule);
  }
  return all;
}

std::string scope_of(const Config& config) {
  if (!config.is_scope && config.outer) return scope_of(*config.outer);
  return config.is_scope && !config.folder.empty() ? config.folder : ".";
}

ConfigResult load_config(base::FileSystem& files, const std::string& path) {
  auto text = files.read(path);
  if (const auto* error = std::get_if<base::IoError>(&text))
    return Message{MessageKind::Problem, error->message};
  Config config;
  const base::Diagnostics diagnostics = read_config(path, std::move(std::get<std::string>(text)), config);
  if (!diagnostics.has_errors()) return config;
  Message error{MessageKind::Report, ""};
  for (const base::Diagnostic& diagnostic : diagnostics.items())
    error.text += base::format_text(diagnostic, {});
  return error;
}

std::string with_trainer_version(const base::SourceFile& file, std::string_view version) {
  base::Arena arena;
  base::Diagnostics problems;
  const std::vector<yaml::Document> documents = yaml::read(file, arena, problems);
  const Node* node = documents.size() == 1 ? documents.front().root->get("trainerVersion") : nullptr;
  const auto edits = node ? yaml::replace_text(*node, version) : std::vector<base::Edit>();
  if (!problems.empty() || edits.size() != 1) return "";
  const base::Location& at = edits.front().range;
  const size_t begin = file.line_start(at.line) + at.column - 1;
  const size_t end = file.line_start(at.end_line) + at.end_column - 1;
  std::string text(file.text());
  return text.replace(begin, end - begin, edits.front().text);
}

std::optional<ConfigProblem> find_config_problem(const base::FileSystem& files, const std::string& path) {
  auto text = files.read(path);
  if (std::holds_alternative<base::IoError>(text)) return std::nullopt;
  Config config;
  base::Diagnostics diagnostics = read_config(path, std::move(std::get<std::string>(text)), config);
  if (!diagnostics.has_errors()) return std::nullopt;
  return ConfigProblem{std::move(diagnostics), std::move(config.file)};
}

Configurations::Configurations(base::FileSystem& files, std::string file, bool none) : files_(files) {
  if (none) only_ = empty_;
  if (!none && !file.empty()) only_ = read(file);
}

std::shared_ptr<const Config> Configurations::read(const std::string& path) {
  ConfigResult result = load_config(files_, path);
  if (auto* config = std::get_if<Config>(&result)) return std::make_shared<const Config>(std::move(*config));
  if (!error_) error_ = std::get<Message>(std::move(result));
  return empty_;
}

// Completes settings with `scope: false` by those of the folder above, if there are any.
std::shared_ptr<const Config> Configurations::with_outer(std::shared_ptr<const Config> own,
                                                         const std::string& folder_above) {
  if (own->is_scope || !own->file || folder_above.empty()) return own;
  auto whole = std::make_shared<Config>(*own);
  whole->outer = of_folder(folder_above);
  inherit(*whole);
  return whole;
}

std::shared_ptr<const Config> Configurations::of_folder(const std::string& absolute) {
  // No system opens a longer path, so the search starts at the nearest folder above that is within this.
  constexpr size_t kLongestPath = 4096;
  std::vector<std::string> below;
  std::shared_ptr<const Config> found = empty_;
  for (std::string at = ancestor_within(absolute, kLongestPath); !at.empty(); at = base::parent_of(at)) {
    const auto known = folders_.find(at);
    if (known != folders_.end()) {
      found = known->second;
      break;
    }
    below.push_back(at);
    const std::string folder = base::shortest_path(at);
    const std::string file = base::joined_path(folder, kConfigName);
    const bool has_file = files_.exists(file);
    const bool is_root = files_.exists(base::joined_path(folder, ".git"));
    if (has_file) found = with_outer(read(file), is_root ? "" : base::parent_of(at));
    if (has_file || is_root) break;
  }
  for (std::string& at : below) folders_.emplace(std::move(at), found);
  return found;
}

std::shared_ptr<const Config> Configurations::of_working_directory() {
  return only_ ? only_ : of_folder(base::working_directory());
}

std::shared_ptr<const Config> Configurations::of_file(const std::string& name) {
  if (only_) return only_;
  if (name == base::kStdin || files_.kind(name) == base::FileKind::Other) return of_working_directory();
  return of_folder(base::parent_of(base::absolute_path(name)));
}

// Each folder is tried once, however many files it holds.
bool Configurations::excludes_folder(const Config& config, const std::string& path) {
  const auto [at, is_new] = excluded_.try_emplace({&config, path}, false);
  if (is_new) at->second = excludes_path(config.exclude, path);
  return at->second;
}

std::string Configurations::excluded_by(const std::string& name) {
  if (name == base::kStdin) return "";
  for (auto config = of_file(name); config; config = config->outer) {
    if (config->exclude.size() > 0 && excludes(*config, name)) return config->file->name();
  }
  return "";
}

bool Configurations::excludes(const Config& config, const std::string& name) {
  const std::string path = base::path_from(base::absolute_path(name),
                                           base::absolute_path(config.folder.empty() ? "." : config.folder));
  const size_t slash = path.rfind('/');
  return config.exclude.matches_any(path) ||
         (slash != std::string::npos && excludes_folder(config, path.substr(0, slash)));
}

}  // namespace trainjobc::inputs
