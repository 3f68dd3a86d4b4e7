#include "compile/schedule.h"

#include "base/parallel.h"

namespace trainjobc::compile {

void run_all(std::deque<JobUnit>& units, const Options& options) {
  constexpr size_t kWorthAThread = 16;  // fewer jobs than this are done before a thread has started
  base::parallel_for(units.size(), kWorthAThread, options.threads, [&](size_t index) {
    JobUnit& unit = units[index];
    if (unit.runtime) render_job(unit, options);
  });
}

}  // namespace trainjobc::compile
