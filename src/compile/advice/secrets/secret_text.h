// Keeps secrets out of reports on files that could not be read, whose secrets can only be guessed from the
// text. Errs on the side of showing less.
#pragma once

#include "base/diagnostic.h"

namespace trainjobc::compile::advice {

// Hides the source of the diagnostics whose line lies in a document of kind Secret, or in or beside what
// looks like a secret.
void hide_secret_text(base::Diagnostics& diagnostics);

}  // namespace trainjobc::compile::advice
