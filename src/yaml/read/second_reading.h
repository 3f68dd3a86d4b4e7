// SPDX-License-Identifier: Apache-2.0

// A second, independent reading of text before it is written: yaml-cpp shares no code with libyaml.
#pragma once

#include <span>

#include "base/source.h"
#include "yaml/read/reader.h"

namespace trainjobc::yaml {

// Whether yaml-cpp finds the same values in the text as the reader, which found `documents`. It refuses some
// YAML that Kubernetes accepts; a text that it can't read is not the same.
bool reads_the_same(const base::SourceFile& file, std::span<const Document> documents);

}  // namespace trainjobc::yaml
