// Applying the fixes of diagnostics.
#pragma once

#include <map>
#include <string>

#include "base/diagnostic.h"

namespace trainjobc::lint {

// The new text of every file that a fix changes, by its name; everything outside the edits stays byte for
// byte. Of edits that overlap, the first one is applied; none is that would leave a text which cannot be
// read, or in which two parsers find different values.
struct FixedFiles {
  std::map<std::string, std::string> texts;
  size_t applied = 0;  // diagnostics whose fix was applied
};

FixedFiles apply_fixes(const base::Diagnostics& diagnostics);

}  // namespace trainjobc::lint
