// SPDX-License-Identifier: Apache-2.0

// Writes which mutants each test case reaches into the file TRAINJOBC_REACHED: the name, then their numbers.
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>

#include "base/mutation_runtime.h"

namespace {

class Reached final : public doctest::IReporter {
 public:
  explicit Reached(const doctest::ContextOptions&) {
    if (const char* path = std::getenv("TRAINJOBC_REACHED")) out_.open(path);
  }

  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_start(const doctest::TestCaseData& test) override {
    if (!out_.is_open()) return;
    out_ << test.m_name << "\n";
    trainjobc::mutation::forget_reached();
  }
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {
    if (!out_.is_open()) return;
    for (int number = 0; number < trainjobc::mutation::kMost; ++number) {
      if (trainjobc::mutation::reached()[number] != 0) out_ << number << " ";
    }
    out_ << "\n";
  }
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}

 private:
  std::ofstream out_;
};

}  // namespace

DOCTEST_REGISTER_LISTENER("reached", 1, Reached);
