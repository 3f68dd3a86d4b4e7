// JSON objects that come one after the other, cut anywhere.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace trainjobc::kubectl {

class JsonStream {
 public:
  void add(std::string_view text) { text_ += text; }
  // The next whole object; what is between objects is left out.
  std::optional<std::string> next();

 private:
  std::string text_;
  size_t at_ = 0;     // what is before was looked at
  size_t depth_ = 0;  // of braces
  bool in_string_ = false;
};

}  // namespace trainjobc::kubectl
