// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "k8s/check/field_checks.h"
#include "k8s/pod/pod_parts.h"

namespace trainjobc::k8s::job {
namespace {

// Limits of the C library's resolver.
constexpr size_t kMaxNameservers = 3;
constexpr size_t kMaxSearches = 32;
constexpr size_t kMaxSearchBytes = 2048;

void check_searches(const Field& searches, Report& report) {
  size_t bytes = searches.size() > 0 ? searches.size() - 1 : 0;  // the spaces between
  for_each_item(searches, [&](const Field& search) {
    bytes += search.text().size();
    std::string_view domain = search.text();
    if (domain == ".") return;
    if (domain.ends_with('.')) domain.remove_suffix(1);
    check_text(search, domain, Form::UnderscoredSubdomain, rule::kDns, "search domain", report);
  });
  if (!check_count(searches, kMaxSearches, "search domains", rule::kDns, report)) return;
  if (bytes > kMaxSearchBytes) {
    report.add(rule::kDns, searches,
               fmt::format("the search domains have {} characters in total, at most {} are allowed", bytes,
                           kMaxSearchBytes));
  }
}

}  // namespace

void check_dns(const Field& spec, Report& report) {
  constexpr std::string_view kPolicies[] = {"ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"};
  const Field policy = spec.child("dnsPolicy");
  check_defaulted_one_of(policy, kPolicies, rule::kDns, report);
  const Field config = spec.child("dnsConfig");
  const Field servers = config.child("nameservers");
  if (policy.text() == "None" && servers.size() == 0) {
    report.add_at(config ? servers.location() : policy.location(), rule::kDns, config ? servers : config,
                  "dnsPolicy None needs a nameserver in dnsConfig",
                  "add dnsConfig: {nameservers: [10.0.0.10]}");
    return;
  }
  check_count(servers, kMaxNameservers, "nameservers", rule::kDns, report);
  for_each_item(servers, [&](const Field& server) { check_ip(server, rule::kDns, report); });
  check_searches(config.child("searches"), report);
  for_each_item(config.child("options"), [&](const Field& option) {
    if (!option.child("name").text().empty()) return;
    report.add(rule::kDns, option, "a DNS option needs a name");
  });
}

}  // namespace trainjobc::k8s::job
