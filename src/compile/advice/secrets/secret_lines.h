// Keeps secrets out of reports, which show the source line that they are about.
#pragma once

#include <span>

#include "base/diagnostic.h"
#include "yaml/node.h"

namespace trainjobc::compile::advice {

// Hides the source of every diagnostic, whatever it is about, whose line holds a part of a plain secret in
// one of the documents; and such secrets in its words, if they were made without asking.
void hide_secrets(std::span<const yaml::Node* const> documents, base::Diagnostics& diagnostics);

}  // namespace trainjobc::compile::advice
