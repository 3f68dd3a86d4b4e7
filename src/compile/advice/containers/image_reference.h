// SPDX-License-Identifier: Apache-2.0

// References to images, as container runtimes read them.
// Source of the grammar: github.com/distribution/reference.
#pragma once

#include <string>
#include <string_view>

namespace trainjobc::compile::advice {

struct ImageComplaint {
  std::string message;  // "" if the reference is valid
  std::string hint;
};

// Why a container runtime can't parse the reference. Never quotes more of it than a character, a tag or a
// part of its path.
ImageComplaint image_complaint(std::string_view image);

}  // namespace trainjobc::compile::advice
