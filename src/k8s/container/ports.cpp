// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <set>

#include "k8s/check/field_checks.h"
#include "k8s/container/containers.h"

namespace trainjobc::k8s::job {

void check_ports(const Field& ports, Report& report) {
  constexpr std::string_view kProtocols[] = {"TCP", "UDP", "SCTP"};
  std::set<std::string_view> names;
  for_each_item(ports, [&](const Field& port) {
    const Field name = port.child("name");
    if (check_optional_name(name, Form::PortName, rule::kPort, "port name", report) && !name.text().empty() &&
        !names.insert(name.text()).second) {
      report.add(rule::kPort, name, fmt::format("two ports of the container are named {}", quoted(name)),
                 "rename one of them");
    }
    const Field number = port.child("containerPort");
    if (number.integer().value_or(0) == 0) {
      report.add(rule::kPort, number, "a port needs a containerPort from 1 to 65535");
    } else {
      check_range(number, 1, 65535, rule::kPort, report);
    }
    const Field host_port = port.child("hostPort");
    if (host_port.integer().value_or(0) != 0) check_range(host_port, 1, 65535, rule::kPort, report);
    check_defaulted_one_of(port.child("protocol"), kProtocols, rule::kPort, report);
  });
}

}  // namespace trainjobc::k8s::job
