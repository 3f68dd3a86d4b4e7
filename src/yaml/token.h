// The extent of one YAML token in its source text, for carets.
#pragma once

#include "base/source.h"

namespace trainjobc::yaml {

// The range of the scalar, alias or bracket that begins at line and column (both from 1). A block scalar is
// its indicator; a plain scalar ends before its comment, its ':' or, in flow context, its comma or bracket.
base::Location token_location(const base::SourceFile& file, uint32_t line, uint32_t column);

}  // namespace trainjobc::yaml
