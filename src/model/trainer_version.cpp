// SPDX-License-Identifier: Apache-2.0

#include "model/trainer_version.h"

#include <algorithm>

#include "base/text/ascii.h"
#include "model/behaviours.h"

namespace trainjobc::model {

std::vector<std::string> trainer_versions() {
  std::vector<std::string> words;
  for (const model::Behaviours& row : model::all_behaviours()) words.emplace_back(row.trainer);
  return words;
}

std::optional<std::string> read_trainer_version(std::string_view text) {
  if (text == "auto") return "auto";
  if (text.starts_with('v')) text.remove_prefix(1);
  const size_t dot = text.find('.');
  const size_t patch = dot == std::string_view::npos ? dot : text.find('.', dot + 1);
  if (patch != std::string_view::npos) {
    const std::string_view number = text.substr(patch + 1);
    if (number.empty() || !std::ranges::all_of(number, base::is_digit)) return std::nullopt;
    text = text.substr(0, patch);
  }
  return model::find_behaviours(text) ? std::optional<std::string>(text) : std::nullopt;
}

}  // namespace trainjobc::model
