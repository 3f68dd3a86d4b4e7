// What users are told about the Secrets of MPI jobs.
#pragma once

#include "cli/output/console.h"
#include "compile/compile.h"
#include "policy/plugin.h"

namespace trainjobc::cli {

// That Secrets with fresh keys were rendered.
void note_generated_keys(Console& console, const Compilation& compiled, const policy::SshKeyOptions& key);

// Which Secrets the JobSets need that were left out, unless the inputs hold them.
void note_omitted_keys(Console& console, const Compilation& compiled, const policy::SshKeyOptions& key);

}  // namespace trainjobc::cli
