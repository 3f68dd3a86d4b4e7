// SPDX-License-Identifier: Apache-2.0

#include "cli/output/mask.h"

#include "yaml/read/reader.h"

namespace trainjobc::cli {

const yaml::Node* mask_secrets(const yaml::Node& object, const yaml::Maker& make) {
  return schema::masked(*schema::mark_secrets(object, make), make);
}

schema::SecretTexts secrets_of(const std::vector<Object>& objects) {
  schema::SecretTexts secrets;
  base::Arena arena;
  for (const Object& object : objects)
    secrets.collect(*schema::mark_secrets(*object.root, yaml::Maker(arena)));
  return secrets;
}

std::string without_secrets(const std::string& diff, const std::string& file_text) {
  const base::SourceFile file("", file_text);
  base::Arena arena;
  base::Diagnostics ignored;
  schema::SecretTexts secrets;
  for (const yaml::Document& document : yaml::read(file, arena, ignored))
    secrets.collect(*schema::mark_secrets(*document.root, yaml::Maker(arena)));
  return secrets.hide(diff);
}

}  // namespace trainjobc::cli
