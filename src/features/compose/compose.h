// SPDX-License-Identifier: Apache-2.0

// A rendered job as a file of the Compose specification: each pod is a service.
#pragma once

#include <cstdint>
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
// "/data is mounted twice"; "" if the folders can be mounted together.
std::string check_mounts(std::span<const Mount> mounts);

// Of nodes, and of processes of a node, that a job can be scaled to.
inline constexpr int64_t kMostOfAScale = 256;

// The name of an image has no blanks.
bool is_image(std::string_view text);

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

// "" if the objects are those of one TrainJob, otherwise what is wrong. `wanted` is the one that was asked
// for, if any; `way` is how to ask for one.
std::string check_one_job(std::span<const Object> objects, std::string_view wanted, std::string_view way);

// `objects` are those of one TrainJob, compiled with_defaults, and the ConfigMaps, Secrets and Services of
// the inputs.
Composition compose_job(std::span<const Object> objects, const ComposeOptions& options);

}  // namespace trainjobc::compose
