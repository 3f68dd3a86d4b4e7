// SPDX-License-Identifier: Apache-2.0

#include "cli/ssh_key.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <system_error>

#include "base/files/paths.h"
#include "yaml/node.h"

namespace trainjobc::cli {

namespace fs = std::filesystem;

namespace {

constexpr const char* kChoices = "generate, omit, file:PATH or seed:PATH";

bool is_choice(const std::string& choice) {
  const bool with_path = (choice.starts_with("file:") || choice.starts_with("seed:")) && choice.size() > 5;
  return choice == "generate" || choice == "omit" || with_path;
}

}  // namespace

void SshKeyFlag::add_to(Command& command) {
  command.add("--ssh-key", &choice, fmt::format("SSH key for MPI jobs: {}", kChoices))
      .takes("KEY")
      .reads([](const std::string& text) { return is_choice(text) ? std::optional(text) : std::nullopt; },
             kChoices)
      .shows_default();
  add_folder_to(command);
}

void SshKeyFlag::add_folder_to(Command& command) {
  command
      .add("--ssh-key-dir", &folder,
           "Only folder that file:PATH and seed:PATH may read from; PATH is relative to it")
      .takes("DIR");
  command.variables.push_back({"TRAINJOBC_SSH_KEY_DIR", "Same as --ssh-key-dir."});
}

std::string SshKeyFlag::allowed_folder(const Console& console) const {
  return folder.empty() ? console.environment("TRAINJOBC_SSH_KEY_DIR") : folder;
}

std::string SshKeyFlag::file_in(const std::string& allowed) const {
  std::string path = choice.substr(choice.find(':') + 1);
  return allowed.empty() || path.starts_with('/') ? path : fmt::format("{}/{}", allowed, path);
}

std::string SshKeyFlag::check() const {
  return is_choice(choice) ? "" : fmt::format("must be {}", kChoices);
}

bool SshKeyFlag::read(Console& console, policy::SshKeyOptions& key) const {
  if (choice == "generate") return true;
  if (choice == "omit") {
    key.source = policy::SshKeySource::Omit;
    return true;
  }
  const std::string allowed = allowed_folder(console);
  std::string path = file_in(allowed);
  if (!allowed.empty() && !base::is_inside(allowed, path)) {
    fail(console, fmt::format("--ssh-key: {} is not in {}, the only allowed folder", path, allowed));
    return false;
  }
  // The path is resolved, as its links could change after the check.
  if (!allowed.empty()) path = base::real_path(path);
  auto text = got(console, console.files().read(path), "--ssh-key: ");
  if (!text) return false;
  key.source = choice.starts_with("file:") ? policy::SshKeySource::File : policy::SshKeySource::Seed;
  key.material = std::move(*text);
  return true;
}

policy::SshKeyOptions unshown_key() {
  return {policy::SshKeySource::Seed, "trainjobc shows no key"};
}

GuardedFiles::GuardedFiles(base::FileSystem& files, const SshKeyFlag& key, const Console& console)
    : files_(files), folder_(key.allowed_folder(console)) {
  if (key.names_file()) key_ = base::real_path(key.file_in(folder_));
}

// Whether a file is another name of a key: a hard link, of the same device and inode.
bool GuardedFiles::is_linked_key(const std::string& path) const {
  std::error_code error;
  if (key_.empty() && folder_.empty()) return false;
  if (!fs::is_regular_file(path, error) || fs::hard_link_count(path, error) < 2 || error) return false;
  if (!key_.empty() && fs::equivalent(path, key_, error)) return true;
  if (folder_.empty()) return false;
  fs::recursive_directory_iterator at(folder_, fs::directory_options::skip_permission_denied, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    std::error_code ignored;
    if (fs::equivalent(path, at->path(), ignored)) return true;
  }
  return static_cast<bool>(error);  // a file that can't be compared may be one
}

base::IoResult<std::string> GuardedFiles::read(const std::string& path) const {
  const std::string real = base::real_path(path);
  if (real == key_ || (!folder_.empty() && base::is_inside(folder_, real)) || is_linked_key(real))
    return base::IoError{fmt::format("open {}: SSH key files are never read as input", path)};
  return files_.read(path);
}

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
