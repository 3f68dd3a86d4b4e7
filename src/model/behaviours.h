// What differs between Trainer versions, one row a version. No version comparison stands anywhere else.
#pragma once

#include <span>
#include <string_view>

namespace trainjobc::model {

struct Behaviours {
  std::string_view trainer;  // "2.3"
};

// Every version that trainjobc compiles for, oldest first.
std::span<const Behaviours> all_behaviours();
const Behaviours* find_behaviours(std::string_view trainer);
const Behaviours& newest_behaviours();

}  // namespace trainjobc::model
