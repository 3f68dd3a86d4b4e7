// SPDX-License-Identifier: Apache-2.0

// A rendered job as a file of the Compose specification: each pod is a service.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compile/compile.h"

namespace trainjobc::compose {

// A folder of the machine in the containers that train.
struct Mount {
  std::string source;
  std::string target;
  bool read_only = false;
};

// "DIR:/PATH" or "DIR:/PATH:ro"; nullopt for anything else.
std::optional<Mount> read_mount(std::string_view text);

struct ComposeOptions {
  bool cpu = false;   // without devices
  std::string image;  // of the containers that train; "": their own
  std::vector<Mount> mounts;
};

struct Composition {
  std::string text;                // "" if there is an error
  std::vector<std::string> notes;  // what one machine doesn't have
  std::string error;               // why there can be no file
};

// `objects` are those of one TrainJob, compiled with_defaults, and the ConfigMaps, Secrets and Services of
// the inputs.
Composition compose_job(std::span<const Object> objects, const ComposeOptions& options);

}  // namespace trainjobc::compose
