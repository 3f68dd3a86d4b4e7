// SPDX-License-Identifier: Apache-2.0

// The registry's tables, one per file and in any order. Explanations are prose; after an empty line an
// example may follow, indented by four spaces. Only rules.cpp reads them.
#pragma once

#include <span>

#include "rules/rules.h"

namespace trainjobc::rules::tables {

std::span<const Rule> advice();
std::span<const Rule> input();
std::span<const Rule> input_policy();
std::span<const Rule> job();
std::span<const Rule> job_container();
std::span<const Rule> job_set();
std::span<const Rule> job_set_schema();
std::span<const Rule> migrate();
std::span<const Rule> render();
std::span<const Rule> yaml();

}  // namespace trainjobc::rules::tables
