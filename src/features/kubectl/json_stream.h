// SPDX-License-Identifier: Apache-2.0

// Reads a stream of JSON objects that arrives in arbitrary pieces.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace trainjobc::kubectl {

class JsonStream {
 public:
  void add(std::string_view text) { text_ += text; }
  // The next complete object; text between objects is skipped.
  std::optional<std::string> next();

 private:
  std::string text_;
  size_t at_ = 0;     // what has been scanned
  size_t depth_ = 0;  // of braces
  bool in_string_ = false;
};

}  // namespace trainjobc::kubectl
