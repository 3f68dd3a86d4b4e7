// SPDX-License-Identifier: Apache-2.0

// --ssh-key: where the SSH key of an MPI job comes from.
#pragma once

#include <string>

#include "cli/command.h"
#include "cli/output/console.h"
#include "policy/plugin.h"

namespace trainjobc::cli {

struct SshKeyFlag {
  std::string choice = "generate";  // generate, omit, file:PATH or seed:PATH
  std::string folder;               // the only folder that may contain the file; "": any

  // Adds both flags.
  void add_to(Command& command);
  void add_folder_to(Command& command);
  // The folder from the flag, otherwise from the environment.
  std::string allowed_folder(const Console& console) const;
  bool names_file() const { return choice.starts_with("file:") || choice.starts_with("seed:"); }
  // The named file, if any; a relative path starts at the allowed folder.
  std::string file_in(const std::string& allowed) const;
  // "" if the choice is valid.
  std::string check() const;
  // False if the file can't be read, which has been reported.
  bool read(Console& console, policy::SshKeyOptions& key) const;
};

// For commands that show no key: a fixed key, made without random numbers.
policy::SshKeyOptions unshown_key();

}  // namespace trainjobc::cli
