// SPDX-License-Identifier: Apache-2.0

// What else is wrong with an object that is refused: findings that don't depend on what it is refused for.
// The object is mended in two ways, and checked again: without what is refused, and with the names that were
// most likely meant. What is found in both is independent; where no name was meant, only rules that look at
// one value alone are.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "yaml/node.h"

namespace trainjobc::compile {

// Whether the rule looks at a value, or at a container, alone: secrets, command lines, images and resources.
bool looks_at_one_value(std::string_view rule);

enum class Mend : uint8_t { Without, AsMeant };
inline constexpr std::array<Mend, 2> kMends{Mend::Without, Mend::AsMeant};

struct Mended {
  const yaml::Node* root = nullptr;
  bool changed = false;
  bool is_known = true;  // a name was meant for everything that is refused
};

// `refusals` are those of the object, among other findings.
Mended mend(const yaml::Node& root, const std::vector<base::Diagnostic>& refusals, Mend how,
            const yaml::Maker& make);

// The findings on the mended objects: one list for each way of mending.
using MendedFindings = std::array<std::optional<std::vector<base::Diagnostic>>, kMends.size()>;

// Returns the independent findings that are not among the `known` ones. For `is_known`, see Mended.
std::vector<base::Diagnostic> independent_findings(MendedFindings findings, bool is_known,
                                                   const std::vector<base::Diagnostic>& known);

}  // namespace trainjobc::compile
