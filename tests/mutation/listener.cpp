// SPDX-License-Identifier: Apache-2.0

// Writes a line into the file TRAINJOBC_REACHED for each test case: its seconds, its name, and which mutants
// it reached. What is reached before it, when the program starts, is on a line without a name.
#include <doctest/doctest.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>

#include "mutation.h"

namespace {

using Clock = std::chrono::steady_clock;

nlohmann::json take_reached() {
  nlohmann::json out = nlohmann::json::array();
  for (size_t i = 0; i < mutation::reached.size(); ++i) {
    if (mutation::reached[i].exchange(false)) out.push_back(i);
  }
  return out;
}

struct Listener : doctest::IReporter {
  explicit Listener(const doctest::ContextOptions&) {
    if (const char* path = std::getenv("TRAINJOBC_REACHED")) file.open(path);
  }

  void test_case_start(const doctest::TestCaseData& test) override {
    write("", 0);
    name = test.m_name;
    begin = Clock::now();
  }
  void test_case_end(const doctest::CurrentTestCaseStats&) override {
    write(name, std::chrono::duration<double>(Clock::now() - begin).count());
  }

  void write(const char* test, double seconds) {
    if (!file.is_open()) return;
    file << nlohmann::json{{"test", test}, {"seconds", seconds}, {"reached", take_reached()}} << "\n";
  }

  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}

  std::ofstream file;
  const char* name = "";
  Clock::time_point begin;
};

DOCTEST_REGISTER_LISTENER("mutation", 1, Listener);

}  // namespace
