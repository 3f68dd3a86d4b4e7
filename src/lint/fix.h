// SPDX-License-Identifier: Apache-2.0

// Applying the fixes of diagnostics.
#pragma once

#include <map>
#include <string>

#include "base/diagnostic.h"

namespace trainjobc::lint {

// The new text of every file that a fix changes, by its name; everything outside the edits stays byte for
// byte. Of overlapping edits, the first one is applied. An edit is not applied if the resulting text can't be
// read, or if two parsers find different values in it.
struct FixedFiles {
  std::map<std::string, std::string> texts;
  size_t applied = 0;  // the number of applied fixes
};

FixedFiles apply_fixes(const base::Diagnostics& diagnostics);

}  // namespace trainjobc::lint
