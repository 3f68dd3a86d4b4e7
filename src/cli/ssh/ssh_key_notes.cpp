#include "cli/ssh/ssh_key_notes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "policy/ssh/ssh_secret.h"

namespace trainjobc::cli {
namespace {

using yaml::Node;

bool is_ssh_secret(const Object& object) {
  return object.kind == "Secret" && !object.passthrough && object.name.ends_with(policy::kSshSecretSuffix);
}

bool mounts_secret(const Node& replicated_job, std::string_view name) {
  const Node* volumes = replicated_job.at({"template", "spec", "template", "spec", "volumes"});
  return volumes && std::ranges::any_of(volumes->items(), [&](const Node* volume) {
           const Node* secret = volume->at({"secret", "secretName"});
           return secret && secret->text() == name;
         });
}

bool needs_secret(const Object& object, std::string_view name) {
  if (object.kind != "JobSet" || object.passthrough) return false;
  const Node* jobs = object.root->at({"spec", "replicatedJobs"});
  return jobs &&
         std::ranges::any_of(jobs->items(), [&](const Node* job) { return mounts_secret(*job, name); });
}

bool holds_secret(const Compilation& compiled, std::string_view ns, std::string_view name) {
  return std::ranges::any_of(compiled.objects, [&](const Object& object) {
    return object.kind == "Secret" && object.name == name && object.ns == ns;
  });
}

}  // namespace

void note_generated_keys(Console& console, const Compilation& compiled, const policy::SshKeyOptions& key) {
  if (key.source != policy::SshKeySource::Generate) return;
  const auto count = std::ranges::count_if(compiled.objects, is_ssh_secret);
  if (count == 0) return;
  note(console,
       fmt::format("{} with a new SSH key: don't commit {}; --ssh-key seed:FILE renders the same key each "
                   "time, --ssh-key omit renders none",
                   count == 1 ? "a Secret was rendered" : fmt::format("{} Secrets were rendered", count),
                   count == 1 ? "it" : "them"));
}

void note_omitted_keys(Console& console, const Compilation& compiled, const policy::SshKeyOptions& key) {
  if (key.source != policy::SshKeySource::Omit) return;
  std::vector<std::string> secrets;
  for (const Object& object : compiled.objects) {
    const std::string name = policy::ssh_secret_name(object.name);
    if (!needs_secret(object, name) || holds_secret(compiled, object.ns, name)) continue;
    secrets.push_back(object.ns.empty() ? fmt::format("\"{}\"", name)
                                        : fmt::format("\"{}\" in namespace \"{}\"", name, object.ns));
  }
  if (secrets.empty()) return;
  const bool one = secrets.size() == 1;
  note(console,
       fmt::format(
           "--ssh-key omit: create {} of type kubernetes.io/ssh-auth, with the keys ssh-privatekey and "
           "ssh-publickey, before the {}: {}",
           one ? "a Secret" : "Secrets", one ? "job starts" : "jobs start", fmt::join(secrets, ", ")));
}

}  // namespace trainjobc::cli
