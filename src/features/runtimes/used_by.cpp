// SPDX-License-Identifier: Apache-2.0

#include "features/runtimes/used_by.h"

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "model/runtime_id.h"

namespace trainjobc::runtimes {

std::vector<RuntimeUse> uses_of(const std::vector<compile::InputObject>& objects) {
  std::map<std::tuple<std::string, std::string, std::string>, RuntimeUse> uses;
  for (const compile::InputObject& object : objects) {
    if (object.kind != compile::InputKind::TrainJob) continue;
    const std::string ns(model::effective_namespace(object.id));
    const model::ObjectId runtime = model::runtime_of(*object.root, ns);
    if (runtime.name.empty()) continue;
    RuntimeUse& use = uses[{std::string(runtime.name), std::string(runtime.kind), std::string(runtime.ns)}];
    use.kind = runtime.kind;
    use.ns = runtime.ns;
    use.name = runtime.name;
    const base::Location at = yaml::locate(*object.root);
    use.jobs.push_back(
        {ns, std::string(object.id.name), fmt::format("{}:{}", at.file ? at.file->name() : "", at.line)});
  }
  std::vector<RuntimeUse> out;
  for (auto& [key, use] : uses) out.push_back(std::move(use));
  return out;
}

}  // namespace trainjobc::runtimes
