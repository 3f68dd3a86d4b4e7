// SPDX-License-Identifier: Apache-2.0

// Asks ValidatingAdmissionPolicies, for the test that compares with an API server's own plugin: each line of
// the input is a request, with the objects that the cluster has; each line of the output is the answer.
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "platform/policies.h"
#include "support/reading.h"
#include "yaml/node.h"

int main() {
  using namespace trainjobc;
  std::string line;
  while (std::getline(std::cin, line)) {
    const test::Reading reading(line);
    const yaml::Node& asked = reading.root();
    const yaml::Node& object = *asked.get("object");
    const auto policies = platform::read_policies(
        {asked.get("objects")->items().begin(), asked.get("objects")->items().end()}, {});
    const platform::Subject subject{platform::find_kind(yaml::text_at(object, "kind")),
                                    &object,
                                    std::string(yaml::text_at(object, {"metadata", "namespace"})),
                                    std::string(yaml::text_at(object, {"metadata", "name"})),
                                    "",
                                    1,
                                    false,
                                    asked.get("oldObject")};
    base::Diagnostics found;
    policies->check(subject, "object", found);
    nlohmann::json answer = nlohmann::json::array();
    for (const base::Diagnostic& one : policies->problems().items())
      answer.push_back({{"rule", one.rule}, {"message", one.message}});
    for (const base::Diagnostic& one : found.items())
      answer.push_back({{"rule", one.rule}, {"message", one.message}});
    std::cout << answer.dump() << '\n';
  }
}
