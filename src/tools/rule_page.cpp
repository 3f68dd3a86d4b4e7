// SPDX-License-Identifier: Apache-2.0

#include "tools/rule_page.h"

#include <fmt/format.h>

namespace trainjobc::tools {

// As tools/docs/generate.py names pages and their parts.
std::string page_of_rule(std::string_view id) {
  const size_t slash = id.find('/');
  return fmt::format("{}reference/rules/{}/#{}", TRAINJOBC_DOCUMENTATION, id.substr(0, slash),
                     id.substr(slash + 1));
}

}  // namespace trainjobc::tools
