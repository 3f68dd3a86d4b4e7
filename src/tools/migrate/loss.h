// What can't be carried over to another Trainer version.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "yaml/node.h"

namespace trainjobc::migrate {

// Part of one object, whose name the caller adds.
inline base::Diagnostic lost(std::string field, std::string message, std::string hint,
                             const base::Location& location) {
  base::Diagnostic diagnostic;
  diagnostic.rule = "migrate/lost";
  diagnostic.field = std::move(field);
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  diagnostic.location = location;
  return diagnostic;
}

using Losses = std::vector<base::Diagnostic>;

}  // namespace trainjobc::migrate
