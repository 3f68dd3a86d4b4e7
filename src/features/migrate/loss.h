// SPDX-License-Identifier: Apache-2.0

// What can't be converted for another Trainer version.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "rules/rules.h"
#include "yaml/node.h"

namespace trainjobc::migrate {

// A part of an object, whose name the caller adds.
inline base::Diagnostic lost(std::string field, std::string message, std::string hint,
                             const base::Location& location) {
  base::Diagnostic diagnostic = rules::finding("migrate/lost", std::move(message), std::move(hint), location);
  diagnostic.field = std::move(field);
  return diagnostic;
}

using Losses = std::vector<base::Diagnostic>;

}  // namespace trainjobc::migrate
