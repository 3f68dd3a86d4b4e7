// --ssh-key: where the SSH key of an MPI job comes from.
#pragma once

#include <string>

#include "cli/cli11_fwd.h"
#include "cli/console.h"
#include "policy/plugin.h"

namespace trainjobc::cli {

struct SshKeyFlag {
  std::string choice = "generate";  // generate, omit, file:PATH or seed:PATH

  void add_to(CLI::App& command);
  // "" where the choice is one of those.
  std::string check() const;
  // False where the file can't be read, which has been said.
  bool read(Console& console, policy::SshKeyOptions& key) const;
};

}  // namespace trainjobc::cli
