// SPDX-License-Identifier: Apache-2.0

// Conversions between the plain values of the public API and those of the passes.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "compile/compile.h"
#include "features/objects/difference_text.h"
#include "trainjobc/trainjobc.h"

namespace trainjobc::library {

std::vector<Source> sources_of(const std::vector<Manifests>& all);

// Returns nullopt if the Trainer version is unknown.
std::optional<Options> options_of(const Request& request);
InvalidRequest unknown_version(std::string_view version);

// Places in the inputs of a request. In inputs without lines, a place is named by its field. Threads may
// share one object.
class Places {
 public:
  explicit Places(const Request& request);

  // Adds the places of further inputs.
  void add(const std::vector<Manifests>& all);

  Place of(const base::Location& location) const;
  bool has_lines(const base::Location& location) const;

 private:
  std::set<std::string, std::less<>> without_lines_;  // names of inputs without lines
  mutable objects::InputFields fields_;
};

// Converts the diagnostics, with only one finding per cause.
std::vector<Finding> to_findings(const base::Diagnostics& diagnostics, const Places& places);

}  // namespace trainjobc::library
