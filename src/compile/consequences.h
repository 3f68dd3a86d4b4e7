// SPDX-License-Identifier: Apache-2.0

// Removes findings that are consequences of others: one cause, one finding.
#pragma once

#include "base/diagnostic.h"

namespace trainjobc::compile {

// All that the cluster would say, with a mark (Diagnostic::is_consequence) at what mending another finding
// would mend, too: what is inside a value of the wrong type, a field that is missing because its name is
// misspelled, a limit that an amount lacks which is refused itself, the same complaint about one value that
// is in several fields or about the runtime of several jobs; the note of the first of these names the other
// jobs. `findings` are sorted.
base::Diagnostics with_marked_consequences(base::Diagnostics findings);

// Those without the mark.
base::Diagnostics without_consequences(base::Diagnostics findings);

}  // namespace trainjobc::compile
