// SPDX-License-Identifier: Apache-2.0

// Baselines: the findings that a repository has already, so that only new ones count. A finding is known by
// what it says, whatever its line: text may be inserted above it, and its file renamed.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "base/diagnostic.h"
#include "base/source.h"

namespace trainjobc::lint {

struct KnownFinding {
  std::string file;  // relative to the baseline's folder
  std::string rule;
  std::string object;
  std::string field;
  std::string message;

  auto operator<=>(const KnownFinding&) const = default;
};

// Returns one entry for each finding, sorted. `folder` is the absolute path of the baseline's folder.
std::vector<KnownFinding> known_findings(const base::Diagnostics& findings, const std::string& folder);

// Removes the known findings, and returns the known ones that no finding matches. Each known one matches
// once.
std::vector<KnownFinding> drop_known(base::Diagnostics& findings, std::vector<KnownFinding> known,
                                     const std::string& folder);

// Writes and reads the text of a baseline file.
std::string baseline_text(const std::vector<KnownFinding>& known);
std::variant<std::vector<KnownFinding>, base::Diagnostics> read_baseline(const base::SourceFile& file);

}  // namespace trainjobc::lint
