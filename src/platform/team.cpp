// SPDX-License-Identifier: Apache-2.0

#include "platform/team.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/text.h"

namespace trainjobc::platform {

std::string on_one_line(std::string_view expression) {
  return fmt::format("{}", fmt::join(base::non_empty_parts(expression, " \t\r\n"), " "));
}

std::string TeamRule::expression_text() const {
  return on_one_line(expression->text());
}

std::string TeamRule::summary() const {
  return message ? std::string(message->text()) : expression_text();
}

}  // namespace trainjobc::platform
