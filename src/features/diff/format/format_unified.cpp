// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>

#include "base/text/lines.h"
#include "base/text/unified_diff.h"
#include "k8s/namespaces.h"
#include "features/diff/format/formats.h"
#include "features/diff/live/live.h"
#include "features/diff/manifest.h"
#include "yaml/write/writer.h"

namespace trainjobc::diff {
namespace {

std::string coloured(std::string_view text) {
  std::string out;
  for (const std::string_view line : base::Lines(text)) {
    const std::string_view code = line.starts_with("@@")                                 ? "36"
                                  : line.starts_with("diff ")                            ? "1"
                                  : line.starts_with("--- ") || line.starts_with("+++ ") ? "1"
                                  : line.starts_with('-')                                ? "31"
                                  : line.starts_with('+')                                ? "32"
                                                                                         : "";
    out += code.empty() ? fmt::format("{}\n", line) : fmt::format("\033[{}m{}\033[0m\n", code, line);
  }
  return out;
}

}  // namespace

std::string manifest_name(const ObjectDiff& object) {
  const std::string_view group = group_of(object.api_version);
  const std::string_view version =
      std::string_view(object.api_version).substr(group.empty() ? 0 : group.size() + 1);
  std::string name = fmt::format("{}{}{}.{}.{}.{}", group, group.empty() ? "" : ".", version, object.kind,
                                 k8s::effective_namespace(object.ns), object.name);
  // No object in a cluster has a slash in its name, but a saved file may.
  std::ranges::replace(name, '/', '_');
  return name;
}

std::string manifest_of(const yaml::Node* object) {
  std::string text;
  if (object) yaml::write_yaml(*object, yaml::KeyOrder::Kubernetes, text);
  return text;
}

std::string format_unified(const Report& report, const FormatOptions& options) {
  const SideNames sides = side_names(options.files);
  std::string out;
  for (const ObjectDiff& object : report.objects) {
    if (!object.differs()) continue;
    const std::string name = manifest_name(object);
    out +=
        fmt::format("diff -u -N {1}/{0} {2}/{0}\n--- {1}/{0}\n+++ {2}/{0}\n{3}", name, sides.before,
                    sides.after, base::unified_hunks(manifest_of(object.live), manifest_of(object.merged)));
  }
  return options.colour ? coloured(out) : out;
}

}  // namespace trainjobc::diff
