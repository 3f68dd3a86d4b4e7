#include "tools/diff/kubectl.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "tools/diff/orphans.h"
#include "yaml/writer.h"

namespace trainjobc::diff {
namespace {

using base::IoError;
using base::ProcessRequest;
using base::ProcessResult;

constexpr std::string_view kJobSets = "jobsets.jobset.x-k8s.io";
constexpr std::string_view kSecrets = "secrets";
constexpr std::string_view kConfigMaps = "configmaps";

// kubectl's word for an object's type; "" where diff asks for none.
std::string_view resource_of(const Object& object) {
  if (object.kind == "JobSet") return kJobSets;
  if (object.kind == "Secret") return kSecrets;
  if (object.kind == "ConfigMap") return kConfigMaps;
  if (object.kind != "PodGroup") return {};
  return group_of(object.api_version) == "scheduling.volcano.sh" ? "podgroups.scheduling.volcano.sh"
                                                                 : "podgroups.scheduling.x-k8s.io";
}

std::string without_final_breaks(std::string text) {
  text.erase(text.find_last_not_of('\n') + 1);
  return text;
}

// What to ask for in one namespace.
using Names = std::map<std::string_view, std::set<std::string>>;

// The helper objects that a live JobSet mounts: they are orphans where its TrainJob needs them no more.
void add_mounted(const LiveObject& job_set, Names& names) {
  const yaml::Node* jobs = job_set.root->at({"spec", "replicatedJobs"});
  for (const yaml::Node* job : jobs ? jobs->items() : std::span<const yaml::Node* const>()) {
    const yaml::Node* volumes = job->at({"template", "spec", "template", "spec", "volumes"});
    for (const yaml::Node* volume : volumes ? volumes->items() : std::span<const yaml::Node* const>()) {
      const yaml::Node* secret = volume->at({"secret", "secretName"});
      const yaml::Node* config_map = volume->at({"configMap", "name"});
      if (secret && is_helper_name(secret->text(), job_set.name)) names[kSecrets].emplace(secret->text());
      if (config_map && is_helper_name(config_map->text(), job_set.name))
        names[kConfigMaps].emplace(config_map->text());
    }
  }
}

// Whether the Secrets asked for are all SSH keys, which are kept whatever they hold.
bool wants_only_keys(std::span<const Object> rendered, const std::string& ns) {
  return std::ranges::none_of(rendered, [&](const Object& object) {
    return object.ns == ns && object.kind == "Secret" && !object.name.ends_with("-mpi-ssh-auth");
  });
}

// Counts the rendered Secrets of a namespace as there.
void assume_secrets(std::span<const Object> rendered, const std::string& ns, LiveSet& live) {
  for (const Object& object : rendered) {
    if (object.ns != ns || object.kind != "Secret") continue;
    live.objects.push_back(
        {std::string(object.api_version), "Secret", ns, std::string(object.name), object.root});
  }
}

bool joins(Answer& answer, Answer next) {
  answer.warnings += next.warnings;
  answer.error = std::move(next.error);
  return answer.error.empty();
}

std::string manifests(std::span<const Object> objects, const std::string& ns,
                      const std::set<std::string>& skip) {
  std::string text;
  for (const Object& object : objects) {
    if (object.ns != ns || skip.contains(object_id(object.kind, object.ns, object.name))) continue;
    text += "---\n";
    yaml::write_yaml(*object.root, yaml::KeyOrder::Kubernetes, text);
  }
  return text;
}

std::set<std::string> namespaces_of(std::span<const Object> objects) {
  std::set<std::string> namespaces;
  for (const Object& object : objects) namespaces.emplace(object.ns);
  return namespaces;
}

}  // namespace

Answer Kubectl::run(const Call& call, LiveSet& live) const {
  ProcessRequest request;
  request.argv = {options_.program};
  request.argv.insert(request.argv.end(), call.words.begin(), call.words.end());
  // Joined to their flags, values that begin with a dash stay values.
  if (!call.ns.empty()) request.argv.push_back("--namespace=" + call.ns);
  if (!options_.context.empty()) request.argv.push_back("--context=" + options_.context);
  if (!options_.kubeconfig.empty()) request.argv.push_back("--kubeconfig=" + options_.kubeconfig);
  const std::string said = fmt::format("{}", fmt::join(request.argv, " "));
  if (!call.names.empty()) {
    request.argv.emplace_back("--");
    request.argv.insert(request.argv.end(), call.names.begin(), call.names.end());
  }
  request.input = call.input;
  request.timeout = options_.timeout;
  auto answered = runner_.run(request);
  if (const auto* error = std::get_if<IoError>(&answered)) return {error->message, ""};
  auto& result = std::get<ProcessResult>(answered);
  if (result.status != 0) {
    return {fmt::format("{}: exit status {}: {}", said, result.status, without_final_breaks(result.err)), ""};
  }
  const size_t before = live.objects.size();
  base::Diagnostics diagnostics;
  read_live({said, std::move(result.out)}, live, diagnostics);
  if (diagnostics.has_errors()) return {fmt::format("{}: the answer is no JSON", said), ""};
  for (size_t i = before; i < live.objects.size(); ++i) live.objects[i].ns = call.ns;
  return {"", result.err};
}

Answer Kubectl::get(const std::string& ns, std::string_view resource, const std::set<std::string>& names,
                    LiveSet& live) const {
  Call call;
  call.ns = ns;
  call.words = {"get", std::string(resource), "-o", "json", "--show-managed-fields", "--ignore-not-found"};
  call.names.assign(names.begin(), names.end());
  return run(call, live);
}

Answer Kubectl::fetch_namespace(const std::string& ns, std::span<const Object> rendered,
                                LiveSet& live) const {
  Answer answer;
  const size_t before = live.objects.size();
  if (!joins(answer, get(ns, kJobSets, {}, live))) return answer;
  Names names;
  for (size_t i = before; i < live.objects.size(); ++i) add_mounted(live.objects[i], names);
  for (const Object& object : rendered) {
    const std::string_view resource = resource_of(object);
    if (object.ns == ns && !resource.empty() && object.kind != "JobSet") names[resource].emplace(object.name);
  }
  for (const auto& [resource, wanted] : names) {
    Answer got = get(ns, resource, wanted, live);
    // Many who may look at JobSets may not look at Secrets.
    const bool forbidden = got.error.find("(Forbidden)") != std::string::npos;
    if (resource == kSecrets && forbidden && wants_only_keys(rendered, ns)) {
      answer.warnings += fmt::format("warning: Secrets were not looked for: {}\n", got.error);
      assume_secrets(rendered, ns, live);
    } else if (!joins(answer, std::move(got))) {
      return answer;
    }
  }
  return answer;
}

Answer Kubectl::fetch(std::span<const Object> rendered, LiveSet& live) const {
  Answer answer;
  for (const std::string& ns : namespaces_of(rendered)) {
    if (!joins(answer, fetch_namespace(ns, rendered, live))) break;
  }
  return answer;
}

Answer Kubectl::dry_run(std::span<const Object> rendered, const std::set<std::string>& skip,
                        LiveSet& results) const {
  Answer answer;
  for (const std::string& ns : namespaces_of(rendered)) {
    Call call;
    call.ns = ns;
    call.words = {"apply",
                  "--server-side",
                  "--dry-run=server",
                  "--force-conflicts",
                  "--field-manager=" + options_.field_manager,
                  "-o",
                  "json",
                  "-f",
                  "-"};
    call.input = manifests(rendered, ns, skip);
    if (!call.input.empty() && !joins(answer, run(call, results))) return answer;
  }
  return answer;
}

}  // namespace trainjobc::diff
