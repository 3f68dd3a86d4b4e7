// For yaml-cpp, which reads streams.
#pragma once

#include <streambuf>
#include <string_view>

namespace trainjobc::yaml {

// A stream over text that is not copied.
class TextBuffer : public std::streambuf {
 public:
  explicit TextBuffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // NOLINT: std::streambuf's interface; never written to
    setg(begin, begin, begin + text.size());
  }
};

}  // namespace trainjobc::yaml
