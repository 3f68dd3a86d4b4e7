// SPDX-License-Identifier: Apache-2.0
// What the fields of Kubernetes' and JobSet's own types mean, in our words.
#pragma once

#include <string_view>

#include "features/lsp/features/cursor.h"

namespace trainjobc::lsp {

// Of a field of a TrainJob or a runtime; "" for those of Trainer's own types, and for rare ones.
std::string_view kubernetes_description(std::string_view kind, const CursorPath& path);

}  // namespace trainjobc::lsp
