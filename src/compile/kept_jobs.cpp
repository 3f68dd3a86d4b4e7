// SPDX-License-Identifier: Apache-2.0

#include "compile/kept_jobs.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "yaml/write/writer.h"

namespace trainjobc {

void for_each_object(const Compilation& compiled, unsigned threads,
                     const std::function<void(std::span<const Object>)>& use) {
  constexpr size_t kAtOnce = 64;
  constexpr size_t kWorthAThread = 4;
  use(compiled.objects);
  const std::span<const CollectedJob> jobs = compiled.collected;
  for (size_t begin = 0; begin < jobs.size(); begin += kAtOnce) {
    const auto some = jobs.subspan(begin, std::min(kAtOnce, jobs.size() - begin));
    std::vector<RemadeJob> remade(some.size());
    base::parallel_for(some.size(), kWorthAThread, threads,
                       [&](size_t i) { remade[i] = some[i].make_again(); });
    for (const RemadeJob& job : remade) use(job.objects);
  }
}

JobContents::JobContents(const base::Digester& digester)
    : digests_([&digester](std::span<const Object> objects) {
        std::string text;
        if (const yaml::Node* job = objects.empty() ? nullptr : objects.front().train_job)
          yaml::write_json(*job, yaml::KeyOrder::AsIs, 0, text);
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
