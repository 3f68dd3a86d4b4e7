// SPDX-License-Identifier: Apache-2.0

// Suppressions: findings that someone has reviewed and accepted.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "compile/compile.h"
#include "lint/config.h"

namespace trainjobc::lint {

// Applies the configuration's severities, then removes what is suppressed: by `# trainjobc:ignore RULE --
// reason` at the end of the finding's line or on its own line above it, or by path and rule in the
// configuration. Refusals (base::is_refusal) stay: what would hide one gets a warning. So does a comment
// without a rule or a reason, and each suppression that suppressed nothing. `files` are all files that were
// linted. Without advice among the diagnostics (`has_advice`), the last are not reported: those of advice
// would all seem unused. The same applies to those in `documents` that are not complete; lines of no document
// are.
base::Diagnostics apply_config(base::Diagnostics diagnostics, const Config& config,
                               std::span<const base::SourceFile* const> files, bool has_advice = true,
                               std::span<const CheckedDocument> documents = {});

}  // namespace trainjobc::lint
