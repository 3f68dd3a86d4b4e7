// SPDX-License-Identifier: Apache-2.0

// submit --wait, on a console.
#pragma once

#include "cli/commands/submit/submit_command.h"
#include "cli/console.h"
#include "features/submit/send.h"

namespace trainjobc::cli {

// Waits for the JobSets that were sent. Returns the exit status of submit.
int wait_for_end(Console& console, const SubmitFlags& flags, const submit::Sending& sending,
                 const SubmitSystem& system);

}  // namespace trainjobc::cli
