// SPDX-License-Identifier: Apache-2.0

// Suppressions: findings that someone has reviewed and accepted.
#pragma once

#include <span>

#include "base/diagnostic.h"
#include "compile/compile.h"
#include "lint/config.h"

namespace trainjobc::lint {

// Applies the configuration's severities, then removes what is suppressed: by `# trainjobc:ignore RULE --
// reason` at the end of the finding's line or on its own line above it, or by path and rule in the
// configuration. Adds a warning for a comment without a rule or a reason, and for each suppression that
// suppressed nothing. `files` are all files that were linted. Without advice among the diagnostics
// (`has_advice`), suppressions are not reported: those of advice would all seem unused. The same applies to
// those in `documents` that are not complete; lines of no document are.
base::Diagnostics apply_config(base::Diagnostics diagnostics, const Config& config,
                               std::span<const base::SourceFile* const> files, bool has_advice = true,
                               std::span<const CheckedDocument> documents = {});

}  // namespace trainjobc::lint
