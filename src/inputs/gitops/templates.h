// SPDX-License-Identifier: Apache-2.0

// The templates of ApplicationSets: {{name}} of fasttemplate, and Go's with the functions of sprig that such
// templates use. Source of the rules: applicationset/utils of Argo CD 3.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "yaml/node.h"

namespace trainjobc::gitops {

// The parameters of one Application.
struct Parameters {
  const yaml::Node* tree = nullptr;         // a map, as Go's templates see them
  std::map<std::string, std::string> flat;  // as fasttemplate does: "path.basename"
};

// Replaces the expressions of the text. Returns nullopt, and sets `unknown` to the expression, if one is not
// supported.
std::optional<std::string> expand_go(std::string_view text, const yaml::Node* parameters,
                                     std::string& unknown);
// Leaves placeholders for unknown parameters as they are.
std::string expand_fast(std::string_view text, const std::map<std::string, std::string>& parameters);

// Argo CD's function `normalize`: makes a valid DNS name of the text.
std::string normalized_name(std::string_view text);

}  // namespace trainjobc::gitops
