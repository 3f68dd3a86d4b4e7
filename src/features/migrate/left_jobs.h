// SPDX-License-Identifier: Apache-2.0

// Jobs of v1 that a migration leaves as they are, because they are in something else: in another kind of
// object, in a text, in a template. A file that still has them only looks migrated.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "base/source.h"
#include "yaml/node.h"

namespace trainjobc::migrate {

inline constexpr std::string_view kLeftRule = "migrate/left";

// What findings in a kustomization, or its patches, are about: no job.
std::string kustomization_id(const std::string& file);

// What to do with the unrendered template `text`: of a chart, of another language, or of `file` with
// variables.
std::string fill_in_hint(std::string_view text, const std::string& file);

// What can't be said of TrainJobs there.
base::Diagnostic left_in_kustomization(std::string message, std::string hint, const yaml::Node& where);
// What names a kind of v1 in a kustomization or in its configuration.
base::Diagnostic left_in_kustomization(const yaml::Node& kind);

// Those in an object that was not converted, outside `seen`.
base::Diagnostics find_left_jobs(const yaml::Node& object, const std::set<const yaml::Node*>& seen = {});

// Those in `text`, which could not be read. It has the lines of `file`; what was read of it is blank.
base::Diagnostics find_left_jobs(const base::SourceFile& file, std::string_view text);

}  // namespace trainjobc::migrate
