// SPDX-License-Identifier: Apache-2.0

// Advice on references to variables that nothing sets.
#include <doctest/doctest.h>

#include "support/advice.h"

namespace trainjobc::advice_variables_test {
using trainjobc::test::advice;
using trainjobc::test::job;
using trainjobc::test::runtime;
using trainjobc::test::trainer;

namespace {

constexpr const char* kUndefined = "advice/undefined-reference";
constexpr const char* kShell = "advice/shell-variable";
constexpr const char* kUnset = "advice/unset-variable";

std::string with_trainer(const std::string& lines, const std::string& policy = "{torch: {}}",
                         const std::string& container = "") {
  return runtime(policy, trainer(container)) + job("  trainer:\n" + lines);
}

std::string env_of(const std::string& rule, const std::string& env) {
  return advice(rule, with_trainer("    env: " + env + "\n"));
}

std::string script(const std::string& rule, const std::string& text, const std::string& more = "") {
  return advice(rule, with_trainer("    command: [bash, -c, '" + text + "']\n" + more));
}

}  // namespace

TEST_CASE("advice/undefined-reference: in command and args") {
  CHECK(
      advice(kUndefined,
             with_trainer("    command: [torchrun, '--a=$(A):$(A):$(PET_NNODES)']\n    args: ['$(B)']\n")) ==
      R"(in.yaml:29:30: warning: $(A) stays as it is: the container has no variable A [advice/undefined-reference]
   29 |     command: [torchrun, '--a=$(A):$(A):$(PET_NNODES)']
      |                              ^~~~ define A in env, or escape it: $$(A)
in.yaml:30:13: warning: $(B) stays as it is: the container has no variable B [advice/undefined-reference]
   30 |     args: ['$(B)']
      |             ^~~~ define B in env, or escape it: $$(B)
)");
  // What v1 called them, Trainer has under other names.
  CHECK(
      advice(kUndefined, with_trainer("    command: [python, t.py, $(RANK), $(LOCAL_RANK)]\n")) ==
      R"(in.yaml:29:29: warning: $(RANK) stays as it is: the container has no variable RANK [advice/undefined-reference]
   29 |     command: [python, t.py, $(RANK), $(LOCAL_RANK)]
      |                             ^~~~~~~ write $(PET_NODE_RANK)
in.yaml:29:38: warning: $(LOCAL_RANK) stays as it is: the container has no variable LOCAL_RANK [advice/undefined-reference]
   29 |     command: [python, t.py, $(RANK), $(LOCAL_RANK)]
      |                                      ^~~~~~~~~~~~~ define LOCAL_RANK in env, or escape it: $$(LOCAL_RANK)
)");
  // In scripts, $(name) runs a program.
  CHECK(
      script(kUndefined, "torchrun --a=$(hostname) --b=$(MASTER_ADDR)") ==
      R"(in.yaml:29:55: warning: no variable defines MASTER_ADDR: the shell looks for a program of that name [advice/undefined-reference]
   29 |     command: [bash, -c, 'torchrun --a=$(hostname) --b=$(MASTER_ADDR)']
      |                                                       ^~~~~~~~~~~~~~ write $PET_MASTER_ADDR
)");
  CHECK(script(kUndefined, "torchrun --a=$(date) $PET_NNODES") == "");
}

TEST_CASE("advice/undefined-reference: in env, the order counts") {
  CHECK(env_of(kUndefined, "[{name: A, value: $(B)}, {name: B, value: x}, {name: C, value: '$(C):$(B)'}]") ==
        R"(in.yaml:29:28: warning: $(B) stays as it is: B is defined after A [advice/undefined-reference]
   29 |     env: [{name: A, value: $(B)}, {name: B, value: x}, {name: C, value: '$(C):$(B)'}]
      |                            ^~~~ move B before it
in.yaml:29:74: warning: $(C) stays as it is: no variable before C defines C [advice/undefined-reference]
   29 |     env: [{name: A, value: $(B)}, {name: B, value: x}, {name: C, value: '$(C):$(B)'}]
      |                                                                          ^~~~ define C in env, or escape it: $$(C)
)");
  CHECK(
      env_of(kUndefined,
             "[{name: V, value: $(PET_NODE_RANK)}, {name: W, value: $(JOB_COMPLETION_INDEX)}, {name: PATH, "
             "value: '/x:$(PATH)'}]") ==
      R"(in.yaml:29:28: warning: $(PET_NODE_RANK) stays as it is: PET_NODE_RANK is defined after V [advice/undefined-reference]
   29 |     env: [{name: V, value: $(PET_NODE_RANK)}, {name: W, value: $(JOB_COMPLETION_INDEX)}, {name: PATH, value: '/x:$(PATH)'}]
      |                            ^~~~~~~~~~~~~~~~ refer to it in command or args, or write $PET_NODE_RANK in a script
in.yaml:29:64: warning: $(JOB_COMPLETION_INDEX) stays as it is: JOB_COMPLETION_INDEX is defined after W [advice/undefined-reference]
   29 |     env: [{name: V, value: $(PET_NODE_RANK)}, {name: W, value: $(JOB_COMPLETION_INDEX)}, {name: PATH, value: '/x:$(PATH)'}]
      |                                                                ^~~~~~~~~~~~~~~~~~~~~~~ refer to it in command or args, or write $JOB_COMPLETION_INDEX in a script
in.yaml:29:114: warning: $(PATH) stays as it is: no variable before PATH defines PATH [advice/undefined-reference]
   29 |     env: [{name: V, value: $(PET_NODE_RANK)}, {name: W, value: $(JOB_COMPLETION_INDEX)}, {name: PATH, value: '/x:$(PATH)'}]
      |                                                                                                                  ^~~~~~~ write the whole value: that of the image is not known here
)");
  // Its own variables come before the job's in a JAX runtime.
  CHECK(advice(kUndefined,
               with_trainer("    env: [{name: V, value: $(JAX_NUM_PROCESSES)}]\n", "{jax: {}}")) == "");
}

TEST_CASE("advice/undefined-reference: what is or may be defined") {
  CHECK(
      advice(kUndefined,
             with_trainer(
                 "    command: [a, '$(A)', '$$(B)', '$(C', '$(params.d)', '$(JOB_COMPLETION_INDEX)', "
                 "'$(KUBERNETES_SERVICE_HOST)', '$(DB_SERVICE_PORT)']\n    env: [{name: A, value: b}]\n")) ==
      "");
  CHECK(advice(kUndefined, with_trainer("    command: [a, '$(A)']\n", "{torch: {}}",
                                        "                  envFrom: [{configMapRef: {name: c}}]\n")) == "");
}

TEST_CASE("advice/undefined-reference: of the runtime") {
  CHECK(
      advice(kUndefined,
             with_trainer("    numNodes: 2\n", "{torch: {}}", "                  args: ['$(TEAM)']\n")) ==
      R"(in.yaml:21:27: warning: $(TEAM) stays as it is: the container has no variable TEAM [advice/undefined-reference]
   21 |                   args: ['$(TEAM)']
      |                           ^~~~~~~ define TEAM in env, or escape it: $$(TEAM)
)");
}

TEST_CASE("advice/undefined-reference: the field is the job's if it sets the value, otherwise the JobSet's") {
  CHECK(
      test::advised_fields(
          kUndefined,
          with_trainer("    command: [a, '$(C)']\n    args: [b, '$(D)']\n    env: [{name: V, value: $(W)}]\n",
                       "{torch: {}}", "                  env: [{name: X, value: $(Y)}]\n")) ==
      R"(spec.replicatedJobs[0].template.spec.template.spec.containers[0].env[0].value: $(Y) stays as it is: no variable before X defines Y
spec.trainer.command[1]: $(C) stays as it is: the container has no variable C
spec.trainer.args[1]: $(D) stays as it is: the container has no variable D
spec.trainer.env[0].value: $(W) stays as it is: no variable before V defines W
)");
  CHECK(
      test::advised_fields(kUndefined, with_trainer("    numNodes: 2\n", "{torch: {}}",
                                                    "                  args: [b, '$(D)']\n"
                                                    "                  env: [{name: X, value: $(Y)}]\n")) ==
      R"(spec.replicatedJobs[0].template.spec.template.spec.containers[0].args[1]: $(D) stays as it is: the container has no variable D
spec.replicatedJobs[0].template.spec.template.spec.containers[0].env[0].value: $(Y) stays as it is: no variable before X defines Y
)");
}

TEST_CASE("advice/shell-variable") {
  CHECK(
      env_of(kShell,
             "[{name: PATH, value: '$PATH:/x'}, {name: B, value: '/y:${HOME}'}, {name: C, value: $B}]") ==
      R"(in.yaml:29:32: warning: PATH contains "$PATH" as it is: no shell reads the values of env [advice/shell-variable]
   29 |     env: [{name: PATH, value: '$PATH:/x'}, {name: B, value: '/y:${HOME}'}, {name: C, value: $B}]
      |                                ^~~~~ write its value, or set PATH in a script
in.yaml:29:65: warning: B contains "${HOME}" as it is: no shell reads the values of env [advice/shell-variable]
   29 |     env: [{name: PATH, value: '$PATH:/x'}, {name: B, value: '/y:${HOME}'}, {name: C, value: $B}]
      |                                                                 ^~~~~~~ write its value, or set B in a script
in.yaml:29:93: warning: C contains "$B" as it is: no shell reads the values of env [advice/shell-variable]
   29 |     env: [{name: PATH, value: '$PATH:/x'}, {name: B, value: '/y:${HOME}'}, {name: C, value: $B}]
      |                                                                                             ^~ write $(B)
)");
  CHECK(env_of(kShell,
               "[{name: A, value: '${PLACEHOLDER}'}, {name: B, value: 'torchrun --n=$PET_NNODES'}, {name: C, "
               "value: a$b}, "
               "{name: D, value: 'costs $5'}, {name: E, value: $(A)}, {name: F, value: '$$PATH'}]") == "");
}

TEST_CASE("advice/shell-variable: in the words of a program without a shell") {
  const auto words = [](const std::string& command, const std::string& policy = "{torch: {}}") {
    const std::string lines = "    command: [" + command + "]\n    env: [{name: OUT, value: /out}]\n";
    return advice(kShell, with_trainer(lines, policy));
  };
  CHECK(
      words("python, t.py, --out, $OUT, '--log=${OUT}/log', '$RANK'") ==
      R"(in.yaml:29:36: warning: t.py gets the text $OUT: without a shell, nothing expands it [advice/shell-variable]
   29 |     command: [python, t.py, --out, $OUT, '--log=${OUT}/log', '$RANK']
      |                                    ^~~~ write $(OUT)
in.yaml:29:63: warning: t.py gets the text $RANK: without a shell, nothing expands it [advice/shell-variable]
   29 |     command: [python, t.py, --out, $OUT, '--log=${OUT}/log', '$RANK']
      |                                                               ^~~~~ write $(PET_NODE_RANK)
)");
  CHECK(
      words("torchrun, t.py, out=$OUT, --rank, $RANK, --node=$NODE_RANK") ==
      R"(in.yaml:29:35: warning: t.py gets the text $OUT: without a shell, nothing expands it [advice/shell-variable]
   29 |     command: [torchrun, t.py, out=$OUT, --rank, $RANK, --node=$NODE_RANK]
      |                                   ^~~~ write $(OUT)
in.yaml:29:49: warning: t.py gets the text $RANK: without a shell, nothing expands it [advice/shell-variable]
   29 |     command: [torchrun, t.py, out=$OUT, --rank, $RANK, --node=$NODE_RANK]
      |                                                 ^~~~~ let the program read RANK from its environment
in.yaml:29:63: warning: t.py gets the text $NODE_RANK: without a shell, nothing expands it [advice/shell-variable]
   29 |     command: [torchrun, t.py, out=$OUT, --rank, $RANK, --node=$NODE_RANK]
      |                                                               ^~~~~~~~~~ write $(PET_NODE_RANK)
)");
  CHECK(words("mpirun, -np, $N, python, t.py, $OUT/a:b, $N", "{mpi: {}}") == R"(in.yaml:29:28: warning: mpirun gets the text $N: without a shell, nothing expands it [advice/shell-variable]
   29 |     command: [mpirun, -np, $N, python, t.py, $OUT/a:b, $N]
      |                            ^~ write its value
in.yaml:29:46: warning: mpirun gets the text $OUT: without a shell, nothing expands it [advice/shell-variable]
   29 |     command: [mpirun, -np, $N, python, t.py, $OUT/a:b, $N]
      |                                              ^~~~ write $(OUT)
)");
  // What may be expanded, or is no variable of the container.
  for (const std::string command : {"bash, -c, 'python t.py $OUT'", "bash, t.sh, $OUT", "ssh, host, $OUT",
                                    "horovodrun, -np, '2', python, t.py, $OUT", "./run, $OUT",
                                    "mpirun, bash, -c, 'python t.py $OUT'", "python, -c, 'print(1)', $OUT",
                                    "python, t.py, $OTHER, '^a$', 'a$OUT', '{\"a\": \"$OUT\"}', '$OUT|b', "
                                    "'hydra.dir=${OUT}', '$OUT b', $$OUT"})
    CHECK(words(command) == "");
  CHECK(advice(kShell, with_trainer("    args: [$OUT]\n    env: [{name: OUT, value: /out}]\n")) == "");
}

TEST_CASE("advice/shell-variable: in a runtime without jobs") {
  const std::string container =
      "                  env: [{name: PATH, value: '/a:$PATH'}, {name: A, value: $(B)}]\n";
  CHECK(
      advice(kShell, runtime("{torch: {}}", trainer(container))) ==
      R"(in.yaml:21:49: warning: PATH contains "$PATH" as it is: no shell reads the values of env [advice/shell-variable]
   21 |                   env: [{name: PATH, value: '/a:$PATH'}, {name: A, value: $(B)}]
      |                                                 ^~~~~ write its value, or set PATH in a script
)");
  // A job may define B.
  CHECK(advice(kUndefined, runtime("{torch: {}}", trainer(container))) == "");
}

TEST_CASE("advice/unset-variable: a program's flag is no test") {
  CHECK(
      script(kUnset, "mpirun -n $WORLD_SIZE t") ==
      R"(in.yaml:29:36: warning: Trainer does not set $WORLD_SIZE: the shell replaces it by nothing [advice/unset-variable]
   29 |     command: [bash, -c, 'mpirun -n $WORLD_SIZE t']
      |                                    ^~~~~~~~~~~ write $PET_NNODES, or leave the flags out: torchrun reads PET_* itself
)");
  for (const std::string test : {"[ -n $RANK ] && echo $RANK", "test -z \"$RANK\" || echo $RANK",
                                 "[[ -n ${RANK} && -n $WORLD_SIZE ]] && echo $RANK $WORLD_SIZE",
                                 "if ! [ ! -z \"${RANK}\" ]; then echo $RANK; fi"}) {
    CAPTURE(test);
    CHECK(script(kUnset, test) == "");
  }
}

TEST_CASE("advice/unset-variable: of a framework with one process for each node") {
  CHECK(
      advice(kUnset, with_trainer("    numNodes: 2\n    command: [bash, -c, 'python t.py $WORLD_SIZE "
                                  "$NPROC_PER_NODE']\n",
                                  "{jax: {}}")) ==
      R"(in.yaml:30:38: warning: Trainer does not set $WORLD_SIZE and $NPROC_PER_NODE: the shell replaces them by nothing [advice/unset-variable]
   30 |     command: [bash, -c, 'python t.py $WORLD_SIZE $NPROC_PER_NODE']
      |                                      ^~~~~~~~~~~ write $JAX_NUM_PROCESSES, or leave the flags out: jax.distributed reads JAX_* itself
)");
}

TEST_CASE("advice/unset-variable: in an init container") {
  const std::string init =
      "                initContainers: [{name: wait, image: 'a/b:1', command: [sh, -c, 'ping "
      "$MASTER_ADDR']}]\n";
  std::string text = runtime("{torch: {}}", trainer());
  text.insert(text.find("                containers:\n"), init);
  CHECK(
      advice(kUnset, text + job("  trainer: {numNodes: 2}\n")) ==
      R"(in.yaml:18:87: warning: Trainer does not set $MASTER_ADDR: the shell replaces it by nothing [advice/unset-variable]
   18 |                 initContainers: [{name: wait, image: 'a/b:1', command: [sh, -c, 'ping $MASTER_ADDR']}]
      |                                                                                       ^~~~~~~~~~~~ set it in the container's env
)");
}

TEST_CASE("advice/unset-variable: only the container that trains gets spec.trainer.env") {
  const std::string side =
      "                - {name: side, image: 'a/b:1', command: [sh, -c, 'ping $MASTER_ADDR']}\n";
  const std::string script = "    numNodes: 2\n    command: [bash, -c, 'run $RANK']\n";
  CHECK(
      advice(kUnset, runtime("{numNodes: 2}", trainer() + side) + job("  trainer:\n" + script)) ==
      R"(in.yaml:21:72: warning: Trainer does not set $MASTER_ADDR: the shell replaces it by nothing [advice/unset-variable]
   21 |                 - {name: side, image: 'a/b:1', command: [sh, -c, 'ping $MASTER_ADDR']}
      |                                                                        ^~~~~~~~~~~~ set it in the container's env
in.yaml:31:30: warning: Trainer does not set $RANK: the shell replaces it by nothing [advice/unset-variable]
   31 |     command: [bash, -c, 'run $RANK']
      |                              ^~~~~ set it in spec.trainer.env
)");
  CHECK(
      advice(kUnset, runtime("{numNodes: 2}",
                             trainer() + test::replicated_job(
                                             "other", "",
                                             "                  command: [sh, -c, 'ping $MASTER_ADDR']\n")) +
                         job("  trainer: {numNodes: 2}\n")) ==
      R"(in.yaml:29:43: warning: Trainer does not set $MASTER_ADDR: the shell replaces it by nothing [advice/unset-variable]
   29 |                   command: [sh, -c, 'ping $MASTER_ADDR']
      |                                           ^~~~~~~~~~~~ set it in the container's env
)");
}

TEST_CASE("advice/unset-variable: variables of v1 in a script") {
  CHECK(
      script(kUnset,
             "torchrun --nnodes=$WORLD_SIZE --node_rank=\"${RANK}\" --master_addr $MASTER_ADDR a.py") ==
      R"(in.yaml:29:44: warning: Trainer does not set $WORLD_SIZE, $RANK and $MASTER_ADDR: the shell replaces them by nothing [advice/unset-variable]
   29 |     command: [bash, -c, 'torchrun --nnodes=$WORLD_SIZE --node_rank="${RANK}" --master_addr $MASTER_ADDR a.py']
      |                                            ^~~~~~~~~~~ write $PET_NNODES, $PET_NODE_RANK and $PET_MASTER_ADDR, or leave the flags out: torchrun reads PET_* itself
)");
  CHECK(
      advice(kUnset, with_trainer("    command: [sh, -c, 'python a.py --rank $RANK']\n", "{mpi: {}}")) ==
      R"(in.yaml:29:43: warning: Trainer does not set $RANK: the shell replaces it by nothing [advice/unset-variable]
   29 |     command: [sh, -c, 'python a.py --rank $RANK']
      |                                           ^~~~~ set it in spec.trainer.env
)");
}

TEST_CASE("advice/unset-variable: quotes and comments of the shell") {
  const auto in = [](const std::string& text) {
    return test::advised_fields(
        kUnset, with_trainer("    command:\n    - bash\n    - -c\n    - |\n      " + text + "\n"));
  };
  CHECK(
      in("run '$RANK' \"it's $WORLD_SIZE # $RANK\" # $LOCAL_RANK") ==
      R"(spec.trainer.command[2]: Trainer does not set $WORLD_SIZE and $RANK: the shell replaces them by nothing
)");
  CHECK(in("run \"'\" $RANK '\"' '$WORLD_SIZE'") ==
        R"(spec.trainer.command[2]: Trainer does not set $RANK: the shell replaces it by nothing
)");
  CHECK(in("cd $HOME; run $RANK") ==
        R"(spec.trainer.command[2]: Trainer does not set $RANK: the shell replaces it by nothing
)");
  for (const char* set :
       {"read RANK; ", "read -r RANK; ", "for RANK in 1 2; do ", "unset RANK; ", "RANK=1; ", "RANK+=1; "})
    CHECK_MESSAGE(in(set + std::string("run $RANK")) == "", set);
  CHECK(in("echo RANK; run $RANK") ==
        R"(spec.trainer.command[2]: Trainer does not set $RANK: the shell replaces it by nothing
)");
  // A program may set what the shell reads; one whose name only ends like that does not.
  CHECK(in("resource a; my-eval b; run $RANK") ==
        R"(spec.trainer.command[2]: Trainer does not set $RANK: the shell replaces it by nothing
)");
  for (const char* other :
       {"source env.sh; ", ". /etc/profile; ", ". ./env.sh; ", "eval $(env); ", "resource a; source b; "})
    CHECK_MESSAGE(in(other + std::string("run $RANK")) == "", other);
  CHECK(in("run '$RANK' \\' $WORLD_SIZE") ==
        R"(spec.trainer.command[2]: Trainer does not set $WORLD_SIZE: the shell replaces it by nothing
)");
}

TEST_CASE("advice/unset-variable: set, replaced later, or handled") {
  for (const char* text :
       {"RANK=$PET_NODE_RANK; echo $RANK", "export RANK=1 && echo $RANK", "echo ${RANK:-0}",
        "echo ${RANK-0} $RANK", "source env.sh; echo $RANK", ". ./env.sh && echo $RANK", "eval x; echo $RANK",
        "read -r RANK < f; echo $RANK", "echo \\$RANK", "for RANK in 1 2; do echo $RANK; done",
        "if [ -z \"$RANK\" ]; then exit; fi", "true # $RANK", "echo $RANKS $MY_RANK $PET_NODE_RANK",
        "cat <<\"EOF\"\n $RANK\n EOF"})
    CHECK_MESSAGE(script(kUnset, text) == "", text);
  CHECK(script(kUnset, "torchrun --no-python bash -c ''echo $RANK''") == "");
  CHECK(script(kUnset, "echo $RANK", "    env: [{name: RANK, value: x}]\n") == "");
  CHECK(advice(kUnset, with_trainer("    command: [torchrun, $RANK]\n")) == "");
}

}  // namespace trainjobc::advice_variables_test
