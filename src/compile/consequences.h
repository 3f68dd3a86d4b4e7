// SPDX-License-Identifier: Apache-2.0

// Removes findings that are consequences of others: one cause, one finding.
#pragma once

#include "base/diagnostic.h"

namespace trainjobc::compile {

// All findings; those that follow from another one are marked (Diagnostic::is_consequence).
base::Diagnostics with_marked_consequences(base::Diagnostics findings);

// The findings without those that mending another one of the same object would mend, too: what is inside a
// value of the wrong type, a field that is missing because its name is misspelled, a limit that an amount
// lacks which is refused itself, the same complaint about one value that is in several fields. The same
// complaint about the runtime of several jobs is one finding, whose note names the others. `findings` are
// sorted. For people; programs get all that the cluster would say.
base::Diagnostics without_consequences(base::Diagnostics findings);

}  // namespace trainjobc::compile
