// SPDX-License-Identifier: Apache-2.0

#include "k8s/path.h"

#include <fmt/format.h>

namespace trainjobc::k8s {

std::string Path::str() const {
  if (!parent_) return "";
  std::string path = parent_->str();
  if (is_index_) return path + fmt::format("[{}]", index_);
  if (!path.empty()) path += '.';
  return path.append(key_);
}

}  // namespace trainjobc::k8s
