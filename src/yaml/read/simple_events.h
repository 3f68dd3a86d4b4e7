// SPDX-License-Identifier: Apache-2.0

// Reads most documents in a tenth of the time that libyaml takes: those written as people and tools write
// manifests. All others are libyaml's.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "yaml/read/event.h"

namespace trainjobc::yaml {

struct SimpleEvents {
  std::vector<Event> events;      // without End
  std::deque<std::string> texts;  // of block scalars; events refer to them
};

// The events of a document whose text check_characters accepts: exactly those of EventStream. nullopt if it
// is not sure of one: for an error, and for what manifests rarely have (anchors, aliases, tags, tabs, scalars
// and brackets of several lines other than `|`, quotes with escapes, keys that are collections, more than a
// megabyte).
std::optional<SimpleEvents> read_simple(std::string_view text);

}  // namespace trainjobc::yaml
