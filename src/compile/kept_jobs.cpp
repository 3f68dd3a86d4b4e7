// SPDX-License-Identifier: Apache-2.0

#include "compile/kept_jobs.h"

#include <string>
#include <vector>

#include "yaml/write/writer.h"

namespace trainjobc {

JobContents::JobContents(const base::Digester& digester)
    : digests_([&digester](std::span<const Object> objects) {
        std::string text;
        for (const Object& object : objects) {
          yaml::write_json(*object.root, yaml::KeyOrder::AsIs, 0, text);
          text += '\n';
        }
        return digester.of(text);
      }) {}

void JobContents::add_to(Compilation& compiled) {
  const std::vector<base::Digest> digests = digests_.take(compiled);
  for (size_t i = 0; i < digests.size(); ++i) compiled.collected[i].content = digests[i];
}

}  // namespace trainjobc
