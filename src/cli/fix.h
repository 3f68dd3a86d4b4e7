// Applying the fixes of diagnostics.
#pragma once

#include <map>
#include <string>

#include "base/diagnostic.h"

namespace trainjobc::cli {

// The new text of every file that a fix changes, by its name; everything outside the edits stays byte for
// byte. Of edits that overlap, the first one is applied.
struct FixedFiles {
  std::map<std::string, std::string> texts;
  size_t applied = 0;  // diagnostics whose fix was applied
};

FixedFiles apply_fixes(const base::Diagnostics& diagnostics);

}  // namespace trainjobc::cli
