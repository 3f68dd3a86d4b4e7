// SPDX-License-Identifier: Apache-2.0

// Where files use variables of Flux, and how findings there are explained.
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
  bool is_whole = false;  // the string is just one variable: "${nodes}"
};

Reference reference_in(std::string_view text);

// The beginning of a value: its file, line and column.
using Place = std::tuple<std::string, uint32_t, uint32_t>;
Place beginning_of(const base::Location& at);

enum class Use { Any, WithoutDefault };

// The place where the value at `at` first uses the variable; `at` itself if the file's lines don't.
base::Location place_in(const base::Location& at, std::string_view name, Use use);

// Moves a finding on a variable's value to the place that sets the variable, or says how to keep the value a
// string. Names the root that replaces the variable.
void explain_reference(const Root& root, const std::map<Place, Reference>& references,
                       base::Diagnostic& found);

}  // namespace trainjobc::gitops
