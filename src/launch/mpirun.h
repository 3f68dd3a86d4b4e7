// SPDX-License-Identifier: Apache-2.0

// What mpirun's command line says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainjobc::launch {

struct Mpirun {
  std::optional<int64_t> processes;  // nullopt: one for each slot
  bool is_in_order = true;           // fills the hosts one after the other
  bool may_exceed_slots = false;
  size_t processes_word = 0;       // the index of the word with the number
  std::vector<std::string> hosts;  // those of -H and --host; empty: those of the hostfile
  std::string hosts_flag;          // the flag as it is written
  size_t hosts_word = 0;           // the index of that flag, before the hosts; or of the script
};

// Returns nullopt if the words don't start mpirun or mpiexec.
std::optional<Mpirun> mpirun_of(const std::vector<std::string_view>& words);

}  // namespace trainjobc::launch
