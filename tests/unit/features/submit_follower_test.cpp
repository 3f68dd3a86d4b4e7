// SPDX-License-Identifier: Apache-2.0

// What submit --wait makes of what a cluster reports: objects and events as JobSet 0.12 and Kubernetes 1.36
// make them.
#include <doctest/doctest.h>

#include "features/submit/wait.h"
#include "yaml/read/reader.h"

namespace trainjobc::submit_follower_test {
namespace {

using std::chrono::seconds;
using submit::End;
using submit::Follower;
using submit::News;

// A JobSet "demo" of two Jobs "node" with two pods each, and what is told of it.
class Told {
 public:
  Told() : object_{"jobset.x-k8s.io/v1alpha2", "JobSet", "team-a", "demo", read(job_set())} {
    follower_.emplace(std::vector<const Object*>{&object_}, Follower::Time());
  }

  Follower& follower() { return *follower_; }

  void add(const std::string& text) { follower_->take("team-a", *read(text), now_); }
  void remove() { follower_->take_missing("team-a", "demo", now_); }
  void wait(int count) {
    now_ += seconds(count);
    follower_->tick(now_);
    follower_->took_events("team-a", now_);
  }
  std::string line() {
    const auto lines = follower_->lines(now_);
    return lines.empty() ? "" : lines.front();
  }
  // A line each; ends and progress are marked.
  std::string news() {
    std::string text;
    for (const News& news : follower_->news()) {
      const char* mark = news.is_progress ? "~ " : "";
      if (news.end)
        mark = *news.end == End::Completed ? "completed " : *news.end == End::Failed ? "failed " : "deleted ";
      text += mark + news.text + "\n";
    }
    return text;
  }

  static std::string job_set(const std::string& status = "{}", const std::string& spec = "",
                             const std::string& uid = "u1", const std::string& metadata = "") {
    return R"({"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "demo", )" +
           metadata + R"("creationTimestamp": "2026-01-02T03:04:05Z", "uid": ")" + uid + R"("}, "spec": {)" +
           spec +
           R"("replicatedJobs": [{"name": "node", "replicas": 2, "template": {"spec": {"parallelism": 2, "completions": 2}}}]}, "status": )" +
           status + "}";
  }
  static std::string jobs(int active, int ready, int restarts = 0) {
    return R"({"replicatedJobsStatus": [{"active": )" + std::to_string(active) +
           R"(, "failed": 0, "name": "node", "ready": )" + std::to_string(ready) +
           R"(, "succeeded": 0, "suspended": 0}], "restarts": )" + std::to_string(restarts) + "}";
  }
  static std::string condition(const std::string& type, const std::string& reason,
                               const std::string& message) {
    return R"({"conditions": [{"type": ")" + type + R"(", "status": "True", "reason": ")" + reason +
           R"(", "message": ")" + message + R"("}]})";
  }
  static std::string pod(const std::string& name, const std::string& status) {
    return R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": ")" + name + R"("}, "status": )" +
           status + "}";
  }
  // As the event recorders of controllers write it: with an eventTime, or with a lastTimestamp.
  static std::string event(const std::string& kind, const std::string& name, const std::string& type,
                           const std::string& reason, const std::string& message,
                           const std::string& uid = "u1", const std::string& time = "2026-01-02T03:04:06") {
    const std::string when = kind == "Job"
                                 ? R"("eventTime": null, "lastTimestamp": ")" + time + R"(Z")"
                                 : R"("eventTime": ")" + time + R"(.123456Z", "lastTimestamp": null)";
    return R"({"apiVersion": "v1", "kind": "Event", "metadata": {"name": "x"}, "involvedObject": {"kind": ")" +
           kind + R"(", "name": ")" + name + R"(", "uid": ")" + uid + R"("}, "type": ")" + type +
           R"(", "reason": ")" + reason + R"(", "message": ")" + message + R"(", )" + when + "}";
  }

 private:
  const yaml::Node* read(const std::string& text) {
    files_.push_back(std::make_unique<base::SourceFile>("kubectl get", text));
    base::Diagnostics diagnostics;
    const auto documents = yaml::read(*files_.back(), arena_, diagnostics);
    REQUIRE(documents.size() == 1);
    return documents.front().root;
  }

  std::vector<std::unique_ptr<base::SourceFile>> files_;
  base::Arena arena_;
  Object object_;
  std::optional<Follower> follower_;
  Follower::Time now_{};
};

constexpr const char* kReady =
    R"({"phase": "Running", "conditions": [{"type": "PodScheduled", "status": "True"}, {"type": "Ready", "status": "True"}]})";
constexpr const char* kPending = R"({"phase": "Pending", "qosClass": "Burstable"})";
constexpr const char* kUnschedulable =
    R"({"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/4 nodes are available: 4 Insufficient cpu."}]})";

std::string waiting(const std::string& reason, const std::string& message) {
  return R"({"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "True"}], "containerStatuses": [{"name": "node", "state": {"waiting": {"reason": ")" +
         reason + R"(", "message": ")" + message + R"("}}}]})";
}

}  // namespace

TEST_CASE("follower: from nothing to all pods ready, and to the end") {
  Told told;
  told.add(Told::job_set("null"));
  CHECK(told.line() == "0:00  JobSet team-a/demo: not started");
  CHECK(told.news() == "");
  told.wait(1);
  told.add(Told::job_set(Told::jobs(2, 0)));
  CHECK(told.news() == "~ 0:01  JobSet team-a/demo: running, 0/4 pods ready\n");
  for (const char* name : {"demo-node-0-0-aaaaa", "demo-node-0-1-bbbbb", "demo-node-1-0-ccccc"}) {
    told.add(Told::pod(name, kPending));
    told.add(Told::pod(name, kReady));
  }
  CHECK(told.news() == "");
  told.wait(60);
  told.add(Told::pod("demo-node-1-1-ddddd", waiting("ContainerCreating", "")));
  CHECK(told.line() == "1:01  JobSet team-a/demo: running, 3/4 pods ready");
  told.add(Told::pod("demo-node-1-1-ddddd", kReady));
  CHECK(told.news() == "~ 1:01  JobSet team-a/demo: running, 4/4 pods ready\n");
  told.add(Told::pod("demo-node-1-1-ddddd", R"({"phase": "Succeeded"})"));
  CHECK(told.line() == "1:01  JobSet team-a/demo: running, 3/4 pods ready, 1 completed");
  told.wait(3600);
  told.add(Told::job_set(Told::jobs(2, 0, 1)));
  CHECK(told.news() == "~ 1:01:01  JobSet team-a/demo: running, 3/4 pods ready, 1 completed, 1 restart\n");
  told.add(Told::job_set(Told::condition("Completed", "AllJobsCompleted", "jobset completed successfully")));
  CHECK(told.news() == "completed jobset completed successfully\n");
  CHECK(told.follower().is_done());
  told.remove();
  CHECK(told.news() == "");
}

TEST_CASE("follower: each reason once, whatever pod or Job has it") {
  Told told;
  told.add(Told::job_set(Told::jobs(2, 0)));
  told.news();
  told.add(Told::pod("demo-node-0-0-gxqsn", kUnschedulable));
  told.add(Told::pod("demo-node-1-0-ltp28", kUnschedulable));
  told.add(
      Told::event("Pod", "demo-node-0-0-gxqsn", "Warning", "FailedScheduling", "0/4 nodes are available"));
  CHECK(told.news() ==
        "JobSet team-a/demo: pod demo-node-0-0-gxqsn is unschedulable: 0/4 nodes are available: 4 "
        "Insufficient cpu.\n");
  CHECK(told.line() == "0:00  JobSet team-a/demo: running, 0/4 pods ready; unschedulable");
  const std::string quota =
      "is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1";
  told.add(Told::event("Job", "demo-node-0", "Warning", "FailedCreate",
                       R"(Error creating: pods \"demo-node-0-0-qhnsg\" )" + quota));
  told.add(Told::event("Job", "demo-node-1", "Warning", "FailedCreate",
                       R"(Error creating: pods \"demo-node-1-0-c4r6g\" )" + quota));
  CHECK(told.news() ==
        "JobSet team-a/demo: pods of Job demo-node-0 are refused: exceeded quota: q, requested: pods=1, "
        "used: pods=1, "
        "limited: pods=1\n");
  told.add(
      Told::event("Job", "demo-node-0", "Warning", "FailedCreate",
                  R"(Error creating: Pod \"demo-node-0-0-qhnsg\" is invalid: spec.x: Invalid value: 1)"));
  CHECK(told.news() ==
        "JobSet team-a/demo: pods of Job demo-node-0 are refused: Pod \"demo-node-0-0-qhnsg\" is invalid: "
        "spec.x: "
        "Invalid value: 1\n");
  told.add(
      Told::event("JobSet", "demo", "Warning", "JobCreationFailed", "job creation failed with error: x"));
  told.add(Told::event("JobSet", "demo", "Warning", "PVCCreationFailed", "y"));
  told.add(Told::event("JobSet", "demo", "Warning", "HeadlessServiceCreationFailed", "z"));
  CHECK(told.news() ==
        "JobSet team-a/demo: Jobs are refused: job creation failed with error: x\n"
        "JobSet team-a/demo: claims are refused: y\n"
        "JobSet team-a/demo: HeadlessServiceCreationFailed: z\n");
  told.add(Told::pod("demo-node-0-0-gxqsn", kReady));
  told.add(Told::pod("demo-node-1-0-ltp28", kReady));
  CHECK(told.line() == "0:00  JobSet team-a/demo: running, 2/4 pods ready; HeadlessServiceCreationFailed");
  told.add(Told::job_set(Told::jobs(0, 2)));
  CHECK(told.line() == "0:00  JobSet team-a/demo: running, 2/4 pods ready");
}

TEST_CASE("follower: images, containers that fail, evictions") {
  Told told;
  told.add(Told::job_set(Told::jobs(2, 0)));
  told.news();
  const std::string pod = "demo-node-0-0-gxqsn";
  told.add(Told::pod(pod, waiting("ContainerCreating", "")));
  told.add(Told::event("Pod", pod, "Normal", "Pulling", R"(Pulling image \"r.example/train:1\")"));
  CHECK(told.news() == "JobSet team-a/demo: Pulling image \"r.example/train:1\"\n");
  CHECK(told.line() == "0:00  JobSet team-a/demo: running, 0/4 pods ready; pulling images");
  told.add(Told::pod(pod, waiting("ErrImagePull", "not found")));
  told.add(Told::event("Pod", pod, "Warning", "Failed", "Error: ErrImagePull"));
  told.add(Told::pod(pod, waiting("ImagePullBackOff", "Back-off pulling image")));
  CHECK(told.news() ==
        "JobSet team-a/demo: container node of pod demo-node-0-0-gxqsn is waiting: ErrImagePull: not found\n"
        "JobSet team-a/demo: container node of pod demo-node-0-0-gxqsn is waiting: ImagePullBackOff: "
        "Back-off pulling image\n");
  CHECK(told.line() == "0:00  JobSet team-a/demo: running, 0/4 pods ready; images can't be pulled");
  told.add(Told::pod(
      pod,
      R"({"phase": "Failed", "containerStatuses": [{"name": "node", "state": {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}}]})"));
  told.add(Told::pod("demo-node-0-1-xxxxx",
                     R"({"phase": "Failed", "reason": "Evicted", "message": "the node was low on memory"})"));
  CHECK(told.news() ==
        "JobSet team-a/demo: container node of pod demo-node-0-0-gxqsn failed: OOMKilled, exit status 137\n"
        "JobSet team-a/demo: pod demo-node-0-1-xxxxx failed: Evicted: the node was low on memory\n");
  told.follower().keep_pods("team-a", {});
  CHECK(told.line() == "0:00  JobSet team-a/demo: running, 0/4 pods ready");
}

TEST_CASE("follower: old events, and those of other objects, are ignored") {
  Told told;
  told.add(Told::job_set(Told::jobs(0, 2)));
  told.news();
  const std::string pod = "demo-node-0-0-gxqsn";
  told.add(Told::event("Job", "demo-node-0", "Warning", "FailedCreate", "all Jobs are under way"));
  told.add(Told::event("Pod", pod, "Warning", "FailedMount", "a pod that comes later"));
  told.add(Told::event("Pod", "other-0-x", "Warning", "FailedMount", "of another"));
  told.add(Told::pod(pod, kReady));
  CHECK(told.news() == "");
  told.add(Told::job_set(Told::jobs(1, 0)));
  told.add(Told::event("JobSet", "demo", "Warning", "JobCreationFailed", "before", "u0"));
  told.add(
      Told::event("Job", "demo-node-0", "Warning", "FailedCreate", "before", "u0", "2026-01-02T03:04:04"));
  told.add(Told::event("JobSet", "demo", "Normal", "SuspendedJobs", "no news"));
  told.add(Told::event("JobSet", "demo", "Warning", "ReachedMaxRestarts", "its condition says so"));
  CHECK(told.news() == "");
  told.add(Told::event("Pod", "demo-node-1-0-ltp28", "Warning", "FailedMount", "no such Secret"));
  CHECK(told.news() == "");
  told.add(Told::pod("demo-node-1-0-ltp28", kPending));
  CHECK(told.news() == "JobSet team-a/demo: Pod demo-node-1-0-ltp28: FailedMount: no such Secret\n");
}

TEST_CASE("follower: users who may not read pods get their news from events") {
  Told told;
  told.follower().hide_pods();
  told.add(Told::job_set(Told::jobs(1, 0)));
  told.news();
  told.add(
      Told::event("Pod", "demo-node-0-0-gxqsn", "Warning", "FailedScheduling", "0/4 nodes are available"));
  CHECK(told.news() ==
        "JobSet team-a/demo: pod demo-node-0-0-gxqsn is unschedulable: 0/4 nodes are available\n");
  CHECK(told.line() == "0:00  JobSet team-a/demo: running, 0/4 pods ready");
}

TEST_CASE("follower: a job of another controller") {
  Told told;
  told.add(Told::job_set("{}", R"("managedBy": "kueue.x-k8s.io/multikueue", )"));
  CHECK(told.news() ==
        "JobSet team-a/demo: its spec.managedBy leaves it to kueue.x-k8s.io/multikueue: JobSet's own "
        "controller ignores it\n");
  told.wait(60);
  CHECK(told.news() == "");
  CHECK(told.line() == "1:00  JobSet team-a/demo: not started; left to kueue.x-k8s.io/multikueue");
  Told own;
  own.add(Told::job_set("{}", R"("managedBy": "jobset.sigs.k8s.io/jobset-controller", )"));
  CHECK(own.news() == "");
  own.wait(60);
  CHECK(own.news() ==
        "JobSet team-a/demo: no controller has picked it up yet: is JobSet's controller running?\n");
}

TEST_CASE("follower: suspended, and Kueue's reasons") {
  Told told;
  const std::string queue = R"("labels": {"kueue.x-k8s.io/queue-name": "team-a"}, )";
  const std::string suspended = Told::condition("Suspended", "SuspendedJobs", "jobset is suspended");
  told.add(Told::job_set(suspended, R"("suspend": true, )", "u1", queue));
  CHECK(told.news() == "JobSet team-a/demo: suspended until Kueue admits it from the queue team-a\n");
  CHECK(told.line() == "0:00  JobSet team-a/demo: suspended; waits for Kueue");
  CHECK(told.follower().waits_for_a_queue("team-a"));
  CHECK_FALSE(told.follower().waits_for_a_queue("team-b"));
  const auto workload = [](const std::string& conditions) {
    return R"({"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "Workload", "metadata": {"name": "jobset-demo-7f1c2", "ownerReferences": [{"kind": "JobSet", "name": "demo"}]}, "status": {"conditions": [)" +
           conditions + "]}}";
  };
  told.add(workload(
      R"({"type": "QuotaReserved", "status": "False", "reason": "Pending", "message": "couldn't assign flavors to pod set node: insufficient unused quota for cpu in flavor default, 4 more needed"})"));
  told.add(workload(
      R"({"type": "QuotaReserved", "status": "True", "message": "Quota reserved in ClusterQueue all"}, {"type": "Admitted", "status": "False", "message": "The workload has not all checks ready"})"));
  CHECK(told.news() ==
        "JobSet team-a/demo: waits for Kueue: couldn't assign flavors to pod set node: insufficient unused "
        "quota for "
        "cpu in flavor default, 4 more needed\n"
        "JobSet team-a/demo: waits for Kueue's admission checks: The workload has not all checks ready\n");
  told.add(workload(
      R"({"type": "QuotaReserved", "status": "True"}, {"type": "Admitted", "status": "True", "message": "The workload is admitted"})"));
  told.add(Told::job_set(Told::jobs(1, 0), R"("suspend": false, )", "u1", queue));
  CHECK(told.line() == "0:00  JobSet team-a/demo: running, 0/4 pods ready");
  told.news();
  told.add(workload(
      R"({"type": "Evicted", "status": "True", "reason": "Preempted", "message": "Preempted to accommodate a workload"})"));
  CHECK(told.news() == "JobSet team-a/demo: Kueue evicted it: Preempted to accommodate a workload\n");
  Told alone;
  alone.add(Told::job_set(suspended, R"("suspend": true, )"));
  CHECK(alone.news() ==
        "JobSet team-a/demo: suspended: it can finish only after someone resumes it (spec.suspend: false)\n");
  CHECK(alone.line() == "0:00  JobSet team-a/demo: suspended");
}

TEST_CASE("follower: how a deleted JobSet ended") {
  Told told;
  told.add(Told::job_set(Told::jobs(1, 0)));
  told.news();
  SUBCASE("it had ended before") {
    told.add(Told::job_set(Told::condition("Completed", "AllJobsCompleted", "well")));
    told.remove();
    CHECK(told.news() == "completed well\n");
  }
  SUBCASE("an event said so") {
    told.add(Told::event("JobSet", "demo", "Warning", "ReachedMaxRestarts", "too often"));
    told.remove();
    CHECK(told.news() == "failed too often\n");
  }
  SUBCASE("an event says so afterwards") {
    told.remove();
    told.wait(1);
    CHECK(told.news() == "");
    told.add(Told::event("JobSet", "demo", "Normal", "AllJobsCompleted", "well"));
    CHECK(told.news() == "completed well\n");
  }
  SUBCASE("nothing does") {
    told.remove();
    told.wait(1);
    CHECK(told.news() == "");
    told.wait(1);
    CHECK(told.news() == "deleted \n");
  }
  SUBCASE("another of that name is there") {
    told.add(Told::job_set("{}", "", "u2"));
    told.wait(2);
    CHECK(told.news() == "deleted \n");
  }
  SUBCASE("events can't be seen") {
    told.follower().hide_events();
    told.remove();
    CHECK(told.news() == "deleted \n");
  }
  CHECK(told.follower().is_done());
}

TEST_CASE("follower: what is fetched again and again is told of once") {
  Told told;
  told.add(Told::job_set(Told::jobs(1, 0)));
  told.news();
  const std::string event =
      Told::event("Job", "demo-node-0", "Warning", "FailedCreate", "of the first attempt");
  told.add(event);
  CHECK(told.line() == "0:00  JobSet team-a/demo: running, 0/4 pods ready; pods are refused");
  told.add(Told::job_set(Told::jobs(0, 2)));
  CHECK(told.line() == "0:00  JobSet team-a/demo: running, Jobs: node 2/2 ready");
  told.add(Told::job_set(Told::jobs(1, 0, 1)));
  told.add(event);
  CHECK(told.line() == "0:00  JobSet team-a/demo: running, 0/4 pods ready, 1 restart");
  told.news();
  const std::string pod = "demo-node-0-0-gxqsn";
  std::string versioned = Told::pod(pod, kPending);
  versioned.replace(versioned.find("\"metadata\": {"), 13, "\"metadata\": {\"resourceVersion\": \"7\", ");
  told.add(versioned);
  told.add(Told::event("Pod", pod, "Warning", "FailedMount", "no such Secret"));
  told.add(versioned);
  CHECK(told.line() ==
        "0:00  JobSet team-a/demo: running, 0/4 pods ready, 1 restart; volumes can't be mounted");
  told.add(Told::pod(pod, kReady));
  CHECK(told.line() == "0:00  JobSet team-a/demo: running, 1/4 pods ready, 1 restart");
}

}  // namespace trainjobc::submit_follower_test
