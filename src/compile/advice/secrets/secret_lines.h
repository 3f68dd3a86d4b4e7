// SPDX-License-Identifier: Apache-2.0

// Keeps secrets out of reports, which show source lines.
#pragma once

#include <span>

#include "base/diagnostic.h"
#include "yaml/node.h"

namespace trainjobc::compile::advice {

// Hides the source of every diagnostic whose line contains a part of a plain secret in one of the documents,
// and such secrets in its texts, if they were written without a check.
void hide_secrets(std::span<const yaml::Node* const> documents, base::Diagnostics& diagnostics);

}  // namespace trainjobc::compile::advice
