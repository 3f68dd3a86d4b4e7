// SPDX-License-Identifier: Apache-2.0

#include "cli/ssh/ssh_key_flag.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <utility>

#include "cli/input/real_path.h"

namespace trainjobc::cli {
namespace {

std::string check_choice(const std::string& choice) {
  const bool with_path = (choice.starts_with("file:") || choice.starts_with("seed:")) && choice.size() > 5;
  if (choice == "generate" || choice == "omit" || with_path) return "";
  return "must be generate, omit, file:PATH or seed:PATH";
}

}  // namespace

void SshKeyFlag::add_to(CLI::App& command) {
  command.add_option("--ssh-key", choice, "SSH key for MPI jobs: generate, omit, file:PATH or seed:PATH")
      ->check(CLI::Validator(check_choice, ""))
      ->type_name("KEY")
      ->capture_default_str();
  add_folder_to(command);
}

void SshKeyFlag::add_folder_to(CLI::App& command) {
  command
      .add_option("--ssh-key-dir", folder,
                  "Only folder that file:PATH and seed:PATH may read from; PATH is relative to it")
      ->type_name("DIR");
}

std::string SshKeyFlag::allowed_folder(const Console& console) const {
  return folder.empty() ? console.environment("TRAINJOBC_SSH_KEY_DIR") : folder;
}

std::string SshKeyFlag::file_in(const std::string& allowed) const {
  std::string path = choice.substr(choice.find(':') + 1);
  return allowed.empty() || path.starts_with('/') ? path : fmt::format("{}/{}", allowed, path);
}

std::string SshKeyFlag::check() const {
  return check_choice(choice);
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
