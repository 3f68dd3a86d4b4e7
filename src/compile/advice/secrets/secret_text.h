// SPDX-License-Identifier: Apache-2.0

// Keeps secrets out of reports on files that could not be read, whose secrets can only be guessed from the
// text. If in doubt, shows less.
#pragma once

#include "base/diagnostic.h"

namespace trainjobc::compile::advice {

// Hides the source of the diagnostics whose line is in a document of kind Secret, or in or beside what looks
// like a secret.
void hide_secret_text(base::Diagnostics& diagnostics);

}  // namespace trainjobc::compile::advice
