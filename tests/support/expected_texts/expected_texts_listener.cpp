// SPDX-License-Identifier: Apache-2.0

// Hands each failed assert to ExpectedTexts if TRAINJOBC_UPDATE_GOLDEN is set.
#include <doctest/doctest.h>

#include <cstdlib>
#include <iostream>

#include "support/expected_texts/expected_texts.h"

namespace {

class Listener final : public doctest::IReporter {
 public:
  explicit Listener(const doctest::ContextOptions&) {}

  void log_assert(const doctest::AssertData& data) override {
    if (!updates_ || !data.m_failed) return;
    texts_.add_failure(data.m_file, static_cast<size_t>(data.m_line), data.m_decomp.c_str());
  }
  void test_run_end(const doctest::TestRunStats&) override { std::cerr << texts_.rewrite(); }

  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_case_start(const doctest::TestCaseData&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}

 private:
  const bool updates_ = std::getenv("TRAINJOBC_UPDATE_GOLDEN") != nullptr;
  trainjobc::base::RealFileSystem files_;
  trainjobc::test::ExpectedTexts texts_{files_};
};

REGISTER_LISTENER("expected texts", 1, Listener);

}  // namespace
