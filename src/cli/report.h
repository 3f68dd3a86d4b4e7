// Reports of diagnostics.
#pragma once

#include <string>

#include "base/diagnostic.h"

namespace trainjobc::cli {

// For people: each diagnostic with its source line, then a summary.
std::string report_text(const base::Diagnostics& diagnostics, base::TextStyle style);

// {"diagnostics": [...]}, as the command-line contract fixes it.
std::string report_json(const base::Diagnostics& diagnostics);

}  // namespace trainjobc::cli
