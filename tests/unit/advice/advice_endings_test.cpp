// SPDX-License-Identifier: Apache-2.0

// Advice on jobs that never end, or start again.
#include <doctest/doctest.h>

#include "support/advice.h"

namespace trainjobc::advice_endings_test {
using trainjobc::test::advice;
using trainjobc::test::fixed;
using trainjobc::test::job;
using trainjobc::test::replicated_job;
using trainjobc::test::runtime;
using trainjobc::test::trainer;

namespace {

// A runtime of MPI whose nodes run these words.
std::string mpi(const std::string& node, const std::string& job_set = "") {
  return runtime("{mpi: {runLauncherAsNode: true}}",
                 job_set + "      replicatedJobs:\n" +
                     replicated_job("launcher", "trainer", "                  command: [mpirun, a]\n") +
                     replicated_job("node", "", "                  command: " + node + "\n"));
}

}  // namespace

TEST_CASE("advice/never-ends: nobody stops sshd") {
  CHECK(advice("advice/never-ends", mpi("[/usr/sbin/sshd, -De]")) ==
        "in.yaml:22:15: warning: jobs never end: \"node\" runs sshd, which does not exit, and without "
        "successPolicy the JobSet waits for it [advice/never-ends]\n"
        "   22 |       - name: node\n"
        "      |               ^~~~ add successPolicy: {operator: All, targetReplicatedJobs: [launcher]}\n");
  CHECK(
      advice("advice/never-ends",
             mpi("[bash, -c, 'mkdir -p /run/sshd; exec sshd -D']",
                 "      successPolicy: {operator: All, targetReplicatedJobs: [launcher, node]}\n")) ==
      "in.yaml:11:7: warning: jobs never end: \"node\" runs sshd, which does not exit, and the successPolicy "
      "waits for it [advice/never-ends]\n"
      "   11 |       successPolicy: {operator: All, targetReplicatedJobs: [launcher, node]}\n"
      "      |       ^~~~~~~~~~~~~ write successPolicy: {operator: All, targetReplicatedJobs: [launcher]}\n");
  CHECK(advice("advice/never-ends", mpi("[bash, -c, '/usr/sbin/sshd && sleep infinity']")) ==
        "in.yaml:22:15: warning: jobs never end: \"node\" runs sleep, which does not exit, and without "
        "successPolicy the JobSet waits for it [advice/never-ends]\n"
        "   22 |       - name: node\n"
        "      |               ^~~~ add successPolicy: {operator: All, targetReplicatedJobs: [launcher]}\n");
  for (const char* wait : {"tail -f /dev/null", "sleep inf", "sshd -D"})
    CHECK_MESSAGE(
        advice("advice/never-ends", mpi("[bash, -c, '/usr/sbin/sshd && " + std::string(wait) + "']")) != "",
        wait);
  for (const char* ends : {"tail /dev/null", "tail -f /var/log/sshd", "sleep 5 inf"})
    CHECK_MESSAGE(
        advice("advice/never-ends", mpi("[bash, -c, '/usr/sbin/sshd && " + std::string(ends) + "']")) == "",
        ends);
  CHECK(advice("advice/never-ends", fixed("advice/never-ends", mpi("[sshd, -D]"))) == "");
}

TEST_CASE("advice/never-ends: a successPolicy, or other programs") {
  for (const char* policy : {"{operator: All, targetReplicatedJobs: [launcher]}", "{operator: Any}"})
    CHECK(advice("advice/never-ends",
                 mpi("[sshd, -D]", std::string("      successPolicy: ") + policy + "\n")) == "");
  for (const char* words :
       {"[train]", "[/usr/sbin/sshd]", "[/usr/sbin/sshd, -oDenyUsers=a]", "[./start.sh]", "[sleep, '600']"})
    CHECK_MESSAGE(advice("advice/never-ends", mpi(words)) == "", words);
}

TEST_CASE("advice/mpi-sshd") {
  CHECK(advice("advice/mpi-sshd", mpi("[sleep, infinity]")) ==
        "in.yaml:30:19: warning: the launcher can't start processes in \"node\": it runs sleep, and no sshd "
        "[advice/mpi-sshd]\n"
        "   30 |                   command: [sleep, infinity]\n"
        "      |                   ^~~~~~~ write command: [/usr/sbin/sshd, -De], with the configuration that "
        "the image needs\n");
  CHECK(advice("advice/mpi-sshd", mpi("[/usr/sbin/sshd, -e]")) ==
        "in.yaml:30:19: warning: the launcher can't start processes in \"node\": without -D, sshd goes to "
        "the background, and the container ends [advice/mpi-sshd]\n"
        "   30 |                   command: [/usr/sbin/sshd, -e]\n"
        "      |                   ^~~~~~~ add -D\n");
  for (const char* words :
       {"[/usr/sbin/sshd, -De]", "[/usr/sbin/sshd, -e, -d]", "[./start.sh]",
        "[bash, -c, 'service ssh start; sleep infinity']", "[bash, -c, './setup && sleep infinity']"})
    CHECK_MESSAGE(advice("advice/mpi-sshd", mpi(words)) == "", words);
}

TEST_CASE("advice/ttl-restart: by version") {
  const std::string text = runtime("{torch: {}}", "      ttlSecondsAfterFinished: 60\n" + trainer());
  CHECK(advice("advice/ttl-restart", text) ==
        "in.yaml:11:7: warning: a job that failed runs again each time the TTL has deleted its JobSet: "
        "Trainer 2.3 creates the JobSet anew [advice/ttl-restart]\n"
        "   11 |       ttlSecondsAfterFinished: 60\n"
        "      |       ^~~~~~~~~~~~~~~~~~~~~~~ remove it, and delete TrainJobs that have ended: their "
        "JobSets go with them\n");
  CHECK(advice("advice/ttl-restart", text, {}, "2.1") ==
        "in.yaml:11:7: warning: a job that has ended runs again each time the TTL has deleted its JobSet: "
        "Trainer 2.1 creates the JobSet anew [advice/ttl-restart]\n"
        "   11 |       ttlSecondsAfterFinished: 60\n"
        "      |       ^~~~~~~~~~~~~~~~~~~~~~~ remove it, and delete TrainJobs that have ended: their "
        "JobSets go with them\n");
  CHECK(advice("advice/ttl-restart", text, {}, "2.2") != "");
  CHECK(advice("advice/ttl-restart", text, {}, "2.0") == "");
}

}  // namespace trainjobc::advice_endings_test
