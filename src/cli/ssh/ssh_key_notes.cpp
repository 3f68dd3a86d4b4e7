// SPDX-License-Identifier: Apache-2.0

#include "cli/ssh/ssh_key_notes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>
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

}  // namespace

void SshKeys::add(const Object& object) {
  if (is_ssh_secret(object)) ++rendered_;
  if (object.kind == kSecret) secrets_.emplace_back(object.ns, object.name);
  const std::string_view mounted = mounted_key(object);
  if (!mounted.empty()) mounted_.emplace_back(object.ns, mounted);
}

void SshKeys::append(const SshKeys& others) {
  rendered_ += others.rendered_;
  std::ranges::copy(others.mounted_, std::back_inserter(mounted_));
  std::ranges::copy(others.secrets_, std::back_inserter(secrets_));
}

void SshKeys::note_generated(Console& console, const policy::SshKeyOptions& key) const {
  if (key.source != policy::SshKeySource::Generate || rendered_ == 0) return;
  const bool one = rendered_ == 1;
  note(console,
       fmt::format("{} with a new SSH key: don't commit {}; --ssh-key seed:FILE renders the same key each "
                   "time, --ssh-key omit renders none",
                   one ? "a Secret was rendered" : fmt::format("{} Secrets were rendered", rendered_),
                   one ? "it" : "them"));
}

void SshKeys::note_omitted(Console& console, const policy::SshKeyOptions& key) const {
  if (key.source != policy::SshKeySource::Omit) return;
  const std::set<Name> present(secrets_.begin(), secrets_.end());
  std::vector<std::string> missing;
  for (const Name& secret : mounted_) {
    if (present.contains(secret)) continue;
    const auto& [ns, name] = secret;
    missing.push_back(ns.empty() ? fmt::format("\"{}\"", name)
                                 : fmt::format("\"{}\" in namespace \"{}\"", name, ns));
  }
  if (missing.empty()) return;
  const bool one = missing.size() == 1;
  note(console,
       fmt::format(
           "--ssh-key omit: create {} of type kubernetes.io/ssh-auth, with the keys ssh-privatekey and "
           "ssh-publickey, before the {}: {}",
           one ? "a Secret" : "Secrets", one ? "job starts" : "jobs start", fmt::join(missing, ", ")));
}

}  // namespace trainjobc::cli
