// SPDX-License-Identifier: Apache-2.0

#include "cli/ssh/ssh_key_flag.h"

#include <fmt/format.h>

#include <utility>

#include "cli/input/real_path.h"

namespace trainjobc::cli {
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
  if (!allowed.empty() && !is_inside(allowed, path)) {
    fail(console, fmt::format("--ssh-key: {} is not in {}, the only allowed folder", path, allowed));
    return false;
  }
  // Without links, which could be changed after they were checked.
  if (!allowed.empty()) path = real_path(path);
  auto text = console.files().read(path);
  if (const auto* error = std::get_if<base::IoError>(&text)) {
    fail(console, fmt::format("--ssh-key: {}", error->message));
    return false;
  }
  key.source = choice.starts_with("file:") ? policy::SshKeySource::File : policy::SshKeySource::Seed;
  key.material = std::move(std::get<std::string>(text));
  return true;
}

policy::SshKeyOptions unshown_key() {
  return {policy::SshKeySource::Seed, "trainjobc shows no key"};
}

}  // namespace trainjobc::cli
