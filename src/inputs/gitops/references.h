// SPDX-License-Identifier: Apache-2.0

// Where variables of Flux stand in files, and what is said about findings there.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/diagnostic.h"
#include "inputs/gitops/roots.h"

namespace trainjobc::gitops {

// The variables of a string.
struct Reference {
  std::vector<std::string> names;  // in order, each once
  std::string text;
  bool is_whole = false;  // it is nothing but one variable: "${nodes}"
};

Reference reference_in(std::string_view text);

// The beginning of a value: its file, line and column.
using Place = std::tuple<std::string, uint32_t, uint32_t>;
Place beginning_of(const base::Location& at);

enum class Use { Any, WithoutDefault };

// The first use of the variable in the value at `at`; `at` itself if none is found in the file's lines.
base::Location place_in(const base::Location& at, std::string_view name, Use use);

// Moves a finding on a variable's value to the place that sets it, or says how a string stays one; names the
// root that has replaced it.
void explain_reference(const Root& root, const std::map<Place, Reference>& references,
                       base::Diagnostic& found);

}  // namespace trainjobc::gitops
