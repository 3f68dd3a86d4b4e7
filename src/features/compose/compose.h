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

// A folder of the machine that is mounted into the training containers.
struct Mount {
  std::string source;
  std::string target;
  bool read_only = false;
};

// Reads "DIR:/PATH" or "DIR:/PATH:ro"; nullopt for anything else.
std::optional<Mount> read_mount(std::string_view text);
// Returns "/data is mounted twice"; "" if the folders can be mounted together.
std::string check_mounts(std::span<const Mount> mounts);

// Upper limit for --nodes and for processes per node.
inline constexpr int64_t kMostOfAScale = 256;

// Whether the text may be an image's name, which has no blanks.
bool is_image(std::string_view text);

struct ComposeOptions {
  bool cpu = false;   // without devices
  std::string image;  // for the training containers; "": their own
  std::vector<Mount> mounts;
};

struct Composition {
  std::string text;                // "" if `error` is set
  std::vector<std::string> notes;  // what is left out on one machine
  std::string error;               // why no file can be written
};

// Returns "" if the objects are those of one TrainJob, otherwise what is wrong. `wanted` is the job that was
// asked for, if any; `way` says how to ask for one.
std::string check_one_job(std::span<const Object> objects, std::string_view wanted, std::string_view way);

// `objects` are those of one TrainJob, compiled with_defaults, and the inputs' ConfigMaps, Secrets and
// Services.
Composition compose_job(std::span<const Object> objects, const ComposeOptions& options);

}  // namespace trainjobc::compose
