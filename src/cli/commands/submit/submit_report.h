// SPDX-License-Identifier: Apache-2.0

// The output of submit for people.
#pragma once

#include <string>
#include <vector>

#include "cli/console.h"
#include "features/cluster/compare.h"
#include "features/cluster/live.h"
#include "features/submit/send.h"
#include "features/submit/steps.h"

namespace trainjobc::cli {

// A warning for each live TrainJob: its controller owns the JobSet of the same name.
std::string train_job_warnings(const cluster::LiveSet& live);

// The updates that would be refused, and what deleting the objects would lose.
std::string refusal_text(const submit::Plan& plan, const cluster::Report& report, bool colour);

// What --replace is about to delete.
std::string losses_text(const submit::Plan& plan, const cluster::Report& report);

// Notes on the fields that are left to other controllers.
void note_left_out(Console& console, const submit::Plan& plan);

// Notes on TrainJobs that name a Kueue queue that their JobSets don't name.
void note_unused_queues(Console& console, const submit::Plan& plan);

// "JobSet team-a/llama created (dry run)"
std::string outcome_line(const submit::Outcome& outcome, submit::DryRun dry_run);

// "3 jobs: 1 created, 2 unchanged (dry run)"
std::string summary_line(const submit::Sending& sending, submit::DryRun dry_run);

// After a failure: which objects are in place and which are not.
std::string partial_text(const submit::Sending& sending);

}  // namespace trainjobc::cli
