// SPDX-License-Identifier: Apache-2.0

#include "launch/mpirun.h"

#include <array>

#include "base/text/text.h"
#include "launch/words.h"

namespace trainjobc::launch {

std::optional<Mpirun> mpirun_of(const std::vector<std::string_view>& words) {
  constexpr std::array<std::string_view, 5> kNumbers{"-np", "--np", "-n", "--n", "-c"};
  constexpr std::array<std::string_view, 4> kHosts{"-H", "-host", "--host", "-hosts"};
  constexpr std::array<std::string_view, 12> kPlacements{"--map-by", "-map-by", "--rank-by", "-rank-by",
                                                         "--bynode", "-bynode", "-npernode", "--npernode",
                                                         "-pernode", "-ppn",    "-perhost",  "--rankfile"};
  const size_t script = script_index(words);
  for (const Words& program : programs_of(words)) {
    const std::string_view name = base_name(program.front());
    if (!name.starts_with("mpirun") && !name.starts_with("mpiexec")) continue;
    Mpirun run;
    // The index of the program's word, or of the script that contains it.
    const auto index_of = [&](size_t i) {
      return script < words.size() ? script : words.size() - program.size() + i;
    };
    for (size_t i = 1; i < program.size(); ++i) {
      const std::string& word = program[i];
      if (base::contains(kPlacements, word)) run.is_in_order = false;
      if (word.find("oversubscribe") != std::string::npos) run.may_exceed_slots = true;
      if (i + 1 == program.size()) break;
      const std::string& value = program[i + 1];
      if (base::contains(kNumbers, word) && !run.processes) {
        run.processes = base::read_integer(value);
        run.processes_word = index_of(i + 1);
      }
      if (base::contains(kHosts, word) && run.hosts.empty()) {
        run.hosts_flag = word;
        run.hosts_word = index_of(i);
        for (const std::string_view host : base::split(value, ",")) run.hosts.emplace_back(host);
      }
    }
    return run;
  }
  return std::nullopt;
}

}  // namespace trainjobc::launch
