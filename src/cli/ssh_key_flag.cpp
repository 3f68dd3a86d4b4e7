#include "cli/ssh_key_flag.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <utility>

namespace trainjobc::cli {
namespace {

std::string check_choice(const std::string& choice) {
  const bool with_path = (choice.starts_with("file:") || choice.starts_with("seed:")) && choice.size() > 5;
  if (choice == "generate" || choice == "omit" || with_path) return "";
  return "must be generate, omit, file:PATH or seed:PATH";
}

}  // namespace

void SshKeyFlag::add_to(CLI::App& command) {
  command.add_option("--ssh-key", choice, "SSH key of MPI jobs: generate, omit, file:PATH or seed:PATH")
      ->check(CLI::Validator(check_choice, ""))
      ->type_name("KEY")
      ->capture_default_str();
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
  const std::string path = choice.substr(choice.find(':') + 1);
  auto text = console.files().read(path);
  if (const auto* error = std::get_if<base::IoError>(&text)) {
    fail(console, fmt::format("--ssh-key: {}", error->message));
    return false;
  }
  key.source = choice.starts_with("file:") ? policy::SshKeySource::File : policy::SshKeySource::Seed;
  key.material = std::move(std::get<std::string>(text));
  return true;
}

}  // namespace trainjobc::cli
