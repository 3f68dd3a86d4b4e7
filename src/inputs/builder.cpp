// SPDX-License-Identifier: Apache-2.0

#include "inputs/builder.h"

#include <fmt/format.h>

#include "base/text/text.h"

namespace trainjobc::builder {
namespace {

// Puts what the program wrote to standard error on indented lines below a sentence of ours.
std::string indented(std::string_view said) {
  std::string text;
  for (const std::string_view line : base::Lines(said)) {
    const std::string_view words = base::trimmed(line);
    if (!words.empty()) text += fmt::format("\n    {}", words);
  }
  return text;
}

}  // namespace

std::variant<std::string, BuildFailure> output_of(std::string_view call,
                                                  base::IoResult<base::ProcessResult> answer,
                                                  const FindSecrets& secrets) {
  if (const auto* error = std::get_if<base::IoError>(&answer))
    return BuildFailure{false, fmt::format("{}: {}", call, error->message)};
  auto& result = std::get<base::ProcessResult>(answer);
  if (result.status != 0)
    return BuildFailure{false,
                        fmt::format("{} failed:{}", call,
                                    indented(secret::without_secret_lines(secrets().hide(result.err))))};
  return std::move(result.out);
}

}  // namespace trainjobc::builder
