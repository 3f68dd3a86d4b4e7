// SPDX-License-Identifier: Apache-2.0

// Variables of Flux's postBuild, as its kustomize-controller replaces them.
// Source of the rules: github.com/fluxcd/pkg, envsubst (a fork of drone/envsubst) and
// kustomize.SubstituteVariables.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainjobc::gitops {

using Variables = std::map<std::string, std::string, std::less<>>;

struct Substituted {
  std::string text;
  // The variables that have neither a value nor a default, each once; they became "". Variables of an unused
  // default count only in strict mode.
  std::vector<std::string> unset;
  std::string error;  // "bad substitution", as Flux says it; "" if there is none
};

enum class Strictness {
  Lax,
  Strict,  // kustomize-controller's feature gate StrictPostBuildSubstitutions
};

// Replaces ${name}, ${name:=default}, ${name:-default}, ${name=default}, ${name:position:length},
// ${name/old/new}, ${name//old/new}, ${name/#old/new}, ${name/%old/new}, ${name#glob}, ${name##glob},
// ${name%glob}, ${name%%glob}, ${name^}, ${name^^}, ${name,}, ${name,,} and ${#name}; $$ is a dollar sign.
// Source: github.com/fluxcd/pkg/envsubst 1.8.0.
Substituted substitute(std::string_view text, const Variables& variables,
                       Strictness strictness = Strictness::Lax);

// Upper and lower case of all letters, as in ${name^} and the like.
enum class LetterCase { Upper, Lower };

// Each character in the other case, if that is one character; all others, and bytes that are not UTF-8, stay.
std::string in_case(std::string_view text, LetterCase wanted);
// The same for the first character only.
std::string with_first_in_case(std::string_view text, LetterCase wanted);

// Whether Flux accepts the name.
bool is_variable_name(std::string_view name);

}  // namespace trainjobc::gitops
