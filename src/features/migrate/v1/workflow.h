// SPDX-License-Identifier: Apache-2.0

// Argo Workflows that create v1 jobs: a resource template contains the job as a text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "features/migrate/v1/draft.h"
#include "features/migrate/v1/job.h"
#include "yaml/node.h"

namespace trainjobc::migrate::v1 {

// A template that creates or applies a v1 job.
struct JobTemplate {
  size_t index = 0;                      // index among the templates
  const yaml::Node* node = nullptr;      // the template
  const yaml::Node* manifest = nullptr;  // the text that contains the job
};

// Finds the job templates of a Workflow, a CronWorkflow or a template of Workflows; empty for other objects.
// A text that can't be read has no job.
std::vector<JobTemplate> job_templates(const yaml::Node& object);

// The texts of all of the object's resource templates.
std::vector<const yaml::Node*> manifests_of(const yaml::Node& object);

// The template with the text of a TrainJob, and with its conditions translated. Conditions that can't be, and
// other references of the template to the job, become findings.
const yaml::Node* with_train_job(const JobTemplate& job, const std::string& text,
                                 const std::vector<PodRange>& pods, const yaml::Maker& make,
                                 V1Findings& findings);

// The Workflow with the template at `index` replaced.
const yaml::Node* with_template(const yaml::Node& workflow, size_t index, const yaml::Node* changed,
                                const yaml::Maker& make);

// The finding on what its ServiceAccount must be allowed to do.
base::Diagnostic rights_of(const JobTemplate& job);

// The place in the file of a place in the text, if the text is a block that keeps its lines; otherwise that
// of the text.
base::Location in_file(const yaml::Node& text, const base::Location& at);
// Such a block as it is in the file, with its indentation; "" for other texts.
std::string_view block_of(const yaml::Node& text);

}  // namespace trainjobc::migrate::v1
