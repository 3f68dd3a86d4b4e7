// A second, independent reading of a text that is about to be written: yaml-cpp shares no code with libyaml.
#pragma once

#include "base/source.h"

namespace trainjobc::yaml {

// Whether yaml-cpp finds the same values in the text as the reader does. It refuses some YAML that Kubernetes
// takes; what it can't read does not count as the same.
bool reads_the_same(const base::SourceFile& file);

}  // namespace trainjobc::yaml
