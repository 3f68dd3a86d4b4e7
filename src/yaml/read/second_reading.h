// A second, independent reading of a text that is about to be written: yaml-cpp shares no code with libyaml.
#pragma once

#include <span>

#include "base/source.h"
#include "yaml/read/reader.h"

namespace trainjobc::yaml {

// Whether yaml-cpp finds the same values in the text as the reader did, whose `documents` of it these are. It
// refuses some YAML that Kubernetes takes; what it can't read does not count as the same.
bool reads_the_same(const base::SourceFile& file, std::span<const Document> documents);

}  // namespace trainjobc::yaml
