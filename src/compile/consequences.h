// One cause, one finding.
#pragma once

#include "schema/validate.h"

namespace trainjobc::compile {

// The violations without those that mending another one of them would mend, too: what is inside a value of
// the wrong type, a field that is missing because its name is misspelled, the same complaint about one value
// that stands in several fields.
schema::Violations without_consequences(schema::Violations violations);

}  // namespace trainjobc::compile
