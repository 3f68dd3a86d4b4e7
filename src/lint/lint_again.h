// SPDX-License-Identifier: Apache-2.0

// lint, again and again, of files of which few change.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compile/reuse/run_cache.h"
#include "lint/lint.h"

namespace trainjobc::lint {

// What earlier runs found in each group, by the name of its configuration.
using GroupCaches = std::map<std::string, compile::RunCache>;

// find_in_groups and find, but what has not changed since the last time is not compiled again.
GroupedCompilation find_in_groups(std::vector<InputGroup> groups, const Options& options,
                                  GroupCaches& caches);
Findings find(std::vector<InputGroup> groups, const Options& options, const std::string& fail_on,
              GroupCaches& caches);

}  // namespace trainjobc::lint
