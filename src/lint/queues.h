// SPDX-License-Identifier: Apache-2.0

// Which queues the inputs define. What they don't define can't be checked, and that is worth a finding only
// if nothing is known of the namespace's queues, and only once.
#pragma once

#include <set>
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

  // Leaves one advice/queue for each queue whose namespace has none in the inputs; one in all if the inputs
  // have no queues.
  void narrow(base::Diagnostics& findings) const;

 private:
  void read(const Source& source, std::string_view ns);

  std::set<std::string> namespaces_;  // that have a LocalQueue of Kueue
  bool has_volcano_ = false;          // a Queue of Volcano
};

}  // namespace trainjobc::lint
