// SPDX-License-Identifier: Apache-2.0

// Trainer versions as people write them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainjobc::model {

// The values of flags for a Trainer version: "2.0", …
std::vector<std::string> trainer_versions();

// "2.3" for 2.3, v2.3, 2.3.0 or v2.3.1; "auto" for auto. nullopt for anything but a known version.
std::optional<std::string> read_trainer_version(std::string_view text);

}  // namespace trainjobc::model
