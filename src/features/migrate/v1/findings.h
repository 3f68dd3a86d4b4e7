// SPDX-License-Identifier: Apache-2.0

// What is said about one job of the v1 API while it is converted.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "yaml/node.h"

namespace trainjobc::migrate::v1 {

class V1Findings {
 public:
  // The job can't be converted: nothing of Trainer means the same.
  void lose(std::string field, std::string message, std::string hint, const yaml::Node* where);
  // The job is converted, and this part of it means something else afterwards.
  void change(std::string field, std::string message, std::string hint, const yaml::Node* where);
  // The v1 API ignores this field.
  void ignore(base::Diagnostic diagnostic);

  bool refused() const { return refused_; }
  const std::vector<base::Diagnostic>& items() const { return items_; }

 private:
  void add(std::string_view rule, std::string field, std::string message, std::string hint,
           const yaml::Node* where);

  std::vector<base::Diagnostic> items_;
  bool refused_ = false;
};

}  // namespace trainjobc::migrate::v1
