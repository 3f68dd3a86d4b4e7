#include "cli/ssh/ssh_key_notes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "policy/plugin.h"
#include "yaml/fields.h"

namespace trainjobc::cli {
namespace {

using yaml::Node;

constexpr std::string_view kSecret = "Secret";

bool is_ssh_secret(const Object& object) {
  return !object.passthrough &&
         policy::has_content(policy::OwnedObject::Content::SshKey, object.kind, object.name);
}

// The Secret with the SSH key that the pods of a JobSet mount; "" if they mount none.
std::string_view mounted_key(const Object& job_set) {
  if (job_set.kind != "JobSet" || job_set.passthrough) return "";
  for (const Node* job : yaml::items_at(*job_set.root, {"spec", "replicatedJobs"})) {
    for (const Node* volume : yaml::items_at(*job, {"template", "spec", "template", "spec", "volumes"})) {
      const std::string_view name = yaml::text_at(*volume, {"secret", "secretName"});
      const policy::OwnedObject* owned = policy::find_owned_object(kSecret, name);
      const bool is_key = owned && owned->content == policy::OwnedObject::Content::SshKey;
      if (is_key && owned->job_of(name) == job_set.name) return name;
    }
  }
  return "";
}

bool holds_secret(const Compilation& compiled, std::string_view ns, std::string_view name) {
  return std::ranges::any_of(compiled.objects, [&](const Object& object) {
    return object.kind == kSecret && object.name == name && object.ns == ns;
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
    const std::string_view name = mounted_key(object);
    if (name.empty() || holds_secret(compiled, object.ns, name)) continue;
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
