// SPDX-License-Identifier: Apache-2.0

// Checks pods for the test that compares with Pod Security itself. Each line of the input is LEVEL VERSION
// FILE; each line of the output has the names of the checks that refuse the pod in the file, if any do.
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "platform/pod_security.h"
#include "support/reading.h"

int main() {
  using namespace trainjobc;
  std::string level;
  std::string version;
  std::string path;
  while (std::cin >> level >> version >> path) {
    std::ifstream in(path);
    const test::Reading pod(std::string(std::istreambuf_iterator<char>(in), {}));
    for (const platform::SecurityViolation& one : platform::security_violations(
             pod.root(), *platform::read_level(level), *platform::read_level_version(version)))
      std::cout << one.check << ' ';
    std::cout << '\n';
  }
}
