// SPDX-License-Identifier: Apache-2.0

// Which queues the inputs define. What they don't define can't be checked, and that is worth a finding only
// if nothing is known of the namespace's queues, and only once; or if one of these has a similar name.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "inputs/groups.h"

namespace trainjobc::lint {

class KnownQueues {
 public:
  KnownQueues() = default;
  explicit KnownQueues(const std::vector<inputs::InputGroup>& groups);

  // Adds those of the sources; objects that name no namespace are in `ns`.
  void add(const std::vector<Source>& sources, std::string_view ns);

  // Leaves one advice/queue for each queue whose namespace has none in the inputs, or has one with a similar
  // name; one in all if the inputs have no queues.
  void narrow(base::Diagnostics& findings) const;

 private:
  void read(const Source& source, std::string_view ns);

  // The queue of the finding's namespace that was most likely meant; nullopt if it has the queue.
  std::optional<std::string_view> meant(const base::Diagnostic& found) const;

  std::map<std::string, std::vector<std::string>> names_;  // Kueue's LocalQueues, by namespace
  bool has_volcano_ = false;                               // a Queue of Volcano
};

}  // namespace trainjobc::lint
