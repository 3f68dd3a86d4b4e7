// SPDX-License-Identifier: Apache-2.0

// kubectl get --watch: changes of objects as they happen.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/process_reader.h"
#include "features/kubectl/json_stream.h"
#include "features/kubectl/kubectl.h"

namespace trainjobc::kubectl {

struct WatchNews {
  enum class Kind { Nothing, Event, Ended, Interrupted };
  Kind kind = Kind::Nothing;
  size_t watch = 0;
  std::string event;  // {"type": "ADDED", "object": {…}}
  Failure failure;    // of Ended; cause None if the API server closed the watch, as it does now and then
  int signal = 0;     // of Interrupted
};

// Watches that run in parallel. Each begins with the existing objects. Signals that ask this process to end
// are events, and take effect when this object is destroyed.
class Watches {
 public:
  explicit Watches(const Kubectl& kubectl) : kubectl_(kubectl), reader_(kubectl.runner().make_reader()) {}

  // Watches all objects of a kind in a namespace that match `selectors`, flags of kubectl get. A kubectl that
  // can't be started is a watch that has ended.
  size_t start(const std::string& resource, const std::string& ns,
               const std::vector<std::string>& selectors = {});
  WatchNews next(std::chrono::milliseconds timeout);

 private:
  struct Watch {
    Call call;
    size_t program = 0;
    JsonStream stream;
  };
  size_t of_program(size_t program) const;

  const Kubectl& kubectl_;
  std::unique_ptr<base::ProcessReader> reader_;
  std::map<size_t, Watch> watches_;
  std::vector<WatchNews> stillborn_;
  size_t last_ = 0;
};

}  // namespace trainjobc::kubectl
