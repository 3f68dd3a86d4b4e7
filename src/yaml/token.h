// SPDX-License-Identifier: Apache-2.0

// The extent of one YAML token in its source text, for carets.
#pragma once

#include "base/source.h"

namespace trainjobc::yaml {

// The range of the scalar, alias or bracket that begins at line and column (both from 1). A quoted string may
// end on a later line. A block scalar is its indicator; an unquoted one is its part on this line, which ends
// before a comment, a ':' or, inside brackets, a comma or bracket.
base::Location token_location(const base::SourceFile& file, uint32_t line, uint32_t column, bool in_flow);

// The same for a caller that does not know whether the place is inside brackets: only its line decides.
base::Location token_location(const base::SourceFile& file, uint32_t line, uint32_t column);

}  // namespace trainjobc::yaml
