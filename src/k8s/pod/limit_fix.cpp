// SPDX-License-Identifier: Apache-2.0

#include "k8s/pod/limit_fix.h"

#include <fmt/format.h>

#include "yaml/rewrite/insert.h"

namespace trainjobc::k8s::job {
namespace {

using yaml::Origin;

// Whether the keys belong to one map of a file: merged keys keep their origins.
bool are_beside(const Origin& a, const Origin& b) {
  if (!a.file() || a.file() != b.file() || a.in_flow() != b.in_flow()) return false;
  return a.in_flow() ? a.line() == b.line() : a.column() == b.column();
}

}  // namespace

std::vector<base::Edit> limit_fix(const yaml::Node& resources, const yaml::Entry& request) {
  const yaml::Entry* limits = resources.find("limits");
  const yaml::Entry* requests = resources.find("requests");
  const std::string as_yaml = fmt::format("{}: {}", request.key, request.value->text());
  const std::string as_json = fmt::format("\"{}\": \"{}\"", request.key, request.value->text());
  if (!limits || limits->value->is_null() || limits->value->size() == 0) {
    if (!requests) return {};
    return yaml::insert_map_before(*requests, "limits", {as_yaml, as_json});
  }
  if (!requests || !are_beside(limits->key_origin, requests->key_origin)) return {};
  return yaml::insert_first(*limits, {as_yaml, as_json});
}

}  // namespace trainjobc::k8s::job
