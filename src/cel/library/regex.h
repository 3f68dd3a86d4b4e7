// SPDX-License-Identifier: Apache-2.0

// Regular expressions, in the syntax that Go and RE2 share. They take time that is linear in the text's
// length.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace trainjobc::cel {

class Regex {
 public:
  explicit Regex(std::string_view pattern);
  ~Regex();
  Regex(const Regex&) = delete;
  Regex& operator=(const Regex&) = delete;

  // What is wrong with the pattern; "" if nothing is.
  std::string problem() const;
  bool is_found_in(std::string_view text) const;
  // The matches that don't overlap, at most `most` of them if that is not negative.
  std::vector<std::string_view> find_all(std::string_view text, int64_t most) const;

 private:
  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace trainjobc::cel
