// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include "support/advice.h"

namespace trainjobc::advice_jax_test {
using trainjobc::test::advice;
using trainjobc::test::job;
using trainjobc::test::runtime;
using trainjobc::test::trainer;

TEST_CASE("advice/jax-initialize: a script that does not pass the numbers") {
  const auto script = [](const std::string& trainer_fields, const std::string& policy = "{jax: {}}") {
    return advice("advice/jax-initialize",
                  runtime(policy, trainer()) + job("  trainer: {" + trainer_fields + "}\n"));
  };
  CHECK(
      script("numNodes: 2, command: [python, -c, 'import jax; jax.distributed.initialize()']") ==
      R"(in.yaml:28:48: warning: jax.distributed.initialize() reads JAX_COORDINATOR_ADDRESS only: without arguments it does not know how many processes there are [advice/jax-initialize]
   28 |   trainer: {numNodes: 2, command: [python, -c, 'import jax; jax.distributed.initialize()']}
      |                                                ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ pass num_processes=int(os.environ["JAX_NUM_PROCESSES"]), process_id=int(os.environ["JAX_PROCESS_ID"])
)");
  CHECK(
      script("command: [bash, -c], args: ['TOKEN=hunter2 python -c \"jax.distributed.initialize( )\"']") ==
      R"(in.yaml:28:41: warning: jax.distributed.initialize() reads JAX_COORDINATOR_ADDRESS only: without arguments it does not know how many processes there are [advice/jax-initialize]
  hint: pass num_processes=int(os.environ["JAX_NUM_PROCESSES"]), process_id=int(os.environ["JAX_PROCESS_ID"])
)");
  for (const char* fields :
       {"command: [python, -c, 'jax.distributed.initialize(num_processes=2, process_id=0)']",
        "command: [python, -c, 'jax.distributed.initialized']", "command: [python, train.py]", ""})
    CHECK_MESSAGE(script(fields) == "", fields);
  CHECK(script("command: [python, -c, 'jax.distributed.initialize()']", "{torch: {}}") == "");
}

}  // namespace trainjobc::advice_jax_test
