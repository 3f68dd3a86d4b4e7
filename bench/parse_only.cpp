// SPDX-License-Identifier: Apache-2.0

// yaml-cpp's event parser alone on a file: the yardstick of the benchmark.
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <cstdio>
#include <fstream>

namespace {

class Counter : public YAML::EventHandler {
 public:
  size_t events = 0;

  void OnDocumentStart(const YAML::Mark& /*mark*/) override { ++events; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override { ++events; }
  void OnAlias(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override { ++events; }
  void OnScalar(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                const std::string& /*value*/) override {
    ++events;
  }
  void OnSequenceStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                       YAML::EmitterStyle::value /*style*/) override {
    ++events;
  }
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {
    ++events;
  }
  void OnMapEnd() override {}
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ifstream file(argv[1]);
  YAML::Parser parser(file);
  Counter counter;
  while (parser.HandleNextDocument(counter)) {
  }
  std::printf("%zu events\n", counter.events);
  return 0;
}
