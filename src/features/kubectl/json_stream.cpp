// SPDX-License-Identifier: Apache-2.0

#include "features/kubectl/json_stream.h"

namespace trainjobc::kubectl {

std::optional<std::string> JsonStream::next() {
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (in_string_) {
      if (c == '\\') {
        if (at_ + 1 == text_.size()) return std::nullopt;  // the escaped character isn't here yet
        ++at_;
      }
      if (c == '"') in_string_ = false;
    } else if (c == '"') {
      in_string_ = depth_ > 0;
    } else if (c == '{' && depth_++ == 0) {
      text_.erase(0, at_);
      at_ = 0;
    } else if (c == '}' && depth_ > 0 && --depth_ == 0) {
      std::string object = text_.substr(0, at_ + 1);
      text_.erase(0, at_ + 1);
      at_ = 0;
      return object;
    }
  }
  return std::nullopt;
}

}  // namespace trainjobc::kubectl
