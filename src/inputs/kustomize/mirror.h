// SPDX-License-Identifier: Apache-2.0

// A folder with another kustomization than its own, for kustomize: links to everything else, with the same
// paths between them, in a temporary folder.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "base/files/file_system.h"

namespace trainjobc::kustomize {

class Mirror {
 public:
  // Mirrors a folder of the repository; both are absolute paths on a disk.
  static base::IoResult<std::shared_ptr<Mirror>> make(const std::string& repository,
                                                      const std::string& folder,
                                                      std::string_view kustomization);
  ~Mirror();
  Mirror(const Mirror&) = delete;
  Mirror& operator=(const Mirror&) = delete;

  // The path at which kustomize finds the folder.
  const std::string& folder() const { return folder_; }
  // Replaces the mirror's paths in kustomize's output by the repository's.
  std::string with_own_paths(std::string text) const;

 private:
  Mirror() = default;

  std::string root_;
  std::string repository_;
  std::string folder_;
};

}  // namespace trainjobc::kustomize
