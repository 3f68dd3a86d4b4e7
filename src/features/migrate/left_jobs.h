// SPDX-License-Identifier: Apache-2.0

// v1 jobs that a migration leaves as they are, because they are inside something else: another kind of
// object, a text, a template. A file that still has them only looks migrated.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "base/source.h"
#include "yaml/node.h"

namespace trainjobc::migrate {

inline constexpr std::string_view kLeftRule = "migrate/left";

// The object of findings in a kustomization, or in its patches, which are about no job.
std::string kustomization_id(const std::string& file);

// What to do with the unrendered template `text`: one of a chart, of another language, or `file` with
// variables.
std::string fill_in_hint(std::string_view text, const std::string& file);

// Findings on what has no TrainJob equivalent.
base::Diagnostic left_in_kustomization(std::string message, std::string hint, const yaml::Node& where);
// A finding on the name of a v1 kind in a kustomization or in its configuration.
base::Diagnostic left_in_kustomization(const yaml::Node& kind);

// Finds the jobs in an object that was not converted, outside of `seen`.
base::Diagnostics find_left_jobs(const yaml::Node& object, const std::set<const yaml::Node*>& seen = {});

// Finds the jobs in `text`, which could not be read. It has the lines of `file`; the parts that were read are
// blank.
base::Diagnostics find_left_jobs(const base::SourceFile& file, std::string_view text);

}  // namespace trainjobc::migrate
