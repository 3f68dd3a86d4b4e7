// SPDX-License-Identifier: Apache-2.0

// Objects that are too large for etcd.
#include <fmt/format.h>

#include "compile/advice/checks.h"

namespace trainjobc::compile::advice {
namespace {

using yaml::Node;

constexpr size_t kMaxRequest = size_t{1536} * 1024;  // etcd's --max-request-bytes

// The size of the object as JSON, without escapes.
size_t json_size(const Node& node) {
  size_t size = 2;  // brackets, braces, quotes
  for (const yaml::Entry& entry : node.entries()) size += entry.key.size() + 4 + json_size(*entry.value);
  for (const Node* item : node.items()) size += 1 + json_size(*item);
  if (!node.is_scalar()) return size;
  return node.is_string() ? size + node.text().size() : node.text().size();
}

void check_size(const Node& object, std::string_view what, Advisor& advisor) {
  const size_t size = json_size(object);
  if (size <= kMaxRequest) return;
  advisor.warn(
      "advice/object-size", "",
      fmt::format("{} can't be stored: it has {:.1f} MiB, and etcd accepts requests of at most 1.5 MiB", what,
                  static_cast<double>(size) / (1024.0 * 1024.0)),
      yaml::locate(object), "move scripts and data into images, ConfigMaps or volumes");
}

}  // namespace

void check_runtime_size(const RuntimeContext& context, Advisor& advisor) {
  check_size(*context.runtime.root, "the runtime", advisor);
}

void check_job_size(const AdviceContext& context, Advisor& advisor) {
  check_size(*context.job.root, "the job", advisor);
  check_size(context.admitted_job_set, "the JobSet", advisor);
}

}  // namespace trainjobc::compile::advice
