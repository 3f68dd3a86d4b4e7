// SPDX-License-Identifier: Apache-2.0

// Notes for users on the Secrets of MPI jobs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/output/console.h"
#include "compile/compile.h"
#include "policy/plugin.h"

namespace trainjobc::cli {

// The SSH keys of objects.
class SshKeys {
 public:
  void add(const Object& object);
  void append(const SshKeys& others);

  // That Secrets with fresh keys were rendered.
  void note_generated(Console& console, const policy::SshKeyOptions& key) const;
  // Which Secrets the JobSets need that were left out, unless the objects hold them.
  void note_omitted(Console& console, const policy::SshKeyOptions& key) const;

 private:
  using Name = std::pair<std::string, std::string>;  // namespace and name

  size_t rendered_ = 0;
  std::vector<Name> mounted_;  // by JobSets, in their order
  std::vector<Name> secrets_;
};

}  // namespace trainjobc::cli
