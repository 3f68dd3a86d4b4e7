// SPDX-License-Identifier: Apache-2.0

// Which queues the inputs define. What they don't define can't be checked, and that is worth a finding only
// if nothing is known of the namespace's queues, and only once.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "inputs/groups.h"

namespace trainjobc::lint {

class KnownQueues {
 public:
  explicit KnownQueues(const std::vector<inputs::InputGroup>& groups);

  // Leaves one advice/queue for each queue whose namespace has none in the inputs; one in all if the inputs
  // have no queues.
  void narrow(base::Diagnostics& findings) const;

 private:
  void read(const Source& source, const std::string& ns);

  std::set<std::string> namespaces_;  // that have a LocalQueue of Kueue
  bool has_volcano_ = false;          // a Queue of Volcano
};

}  // namespace trainjobc::lint
