// SPDX-License-Identifier: Apache-2.0

#include "webhook/review.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "webhook/metrics.h"

namespace trainjobc::review_test {
namespace {

using nlohmann::json;
using Lines = std::vector<std::string>;

const json kJob = json::parse(R"({
  "apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob",
  "metadata": {"name": "bert", "namespace": "team-a", "uid": "7", "generation": 1,
    "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}"}},
  "spec": {"runtimeRef": {"name": "torch"}, "trainer": {"numNodes": 4, "command": ["python", "train.py"]}},
  "status": {"conditions": []}})");

const json kRuntime = json::parse(R"({
  "apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "ClusterTrainingRuntime",
  "metadata": {"name": "torch", "labels": {"trainer.kubeflow.org/framework": "torch"}},
  "spec": {"mlPolicy": {"numNodes": 1, "torch": {}}, "template": {"spec": {"replicatedJobs": [{"name": "node",
    "template": {"metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}},
    "spec": {"template": {"spec": {"containers": [{"name": "node", "image": "team/train:1"}]}}}}}]}}}})");

json request_of(const json& object, const json& old = nullptr) {
  return {{"apiVersion", "admission.k8s.io/v1"},
          {"kind", "AdmissionReview"},
          {"request",
           {{"uid", "u"},
            {"kind", {{"group", "trainer.kubeflow.org"}, {"version", "v1alpha1"}, {"kind", object["kind"]}}},
            {"operation", old.is_null() ? "CREATE" : "UPDATE"},
            {"namespace", object["metadata"].value("namespace", "")},
            {"name", object["metadata"]["name"]},
            {"object", object},
            {"oldObject", old}}}};
}

webhook::Review read(const json& request) {
  auto review = webhook::read_review(request.dump());
  REQUIRE(std::holds_alternative<webhook::Review>(review));
  return std::get<webhook::Review>(review);
}

std::string problem_of(std::string_view body) {
  const auto review = webhook::read_review(body);
  const auto* bad = std::get_if<webhook::BadReview>(&review);
  return bad ? bad->message : "";
}

}  // namespace

TEST_CASE("review: the object as its author wrote it, and its runtime") {
  const webhook::Review review = read(request_of(kJob));
  CHECK(
      review.object ==
      R"({"apiVersion":"trainer.kubeflow.org/v1alpha1","kind":"TrainJob","metadata":{"name":"bert","namespace":"team-a"},)"
      R"("spec":{"runtimeRef":{"name":"torch"},"trainer":{"command":["python","train.py"],"numNodes":4}}})");
  CHECK(review.runtime == webhook::ObjectName{"ClusterTrainingRuntime", "", "torch"});
  json namespaced = kJob;
  namespaced["spec"]["runtimeRef"]["kind"] = "TrainingRuntime";
  CHECK(read(request_of(namespaced)).runtime == webhook::ObjectName{"TrainingRuntime", "team-a", "torch"});
}

TEST_CASE("review: what is not checked has no object") {
  CHECK(read(request_of(kJob, kJob)).object.empty());
  json suspended = kJob;
  suspended["spec"]["suspend"] = true;
  suspended["metadata"]["managedFields"] = json::array({1});
  suspended["status"] = {{"jobsStatus", json::array()}};
  CHECK(read(request_of(suspended, kJob)).object.empty());
  json labelled = kJob;
  labelled["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] = "q";
  CHECK(!read(request_of(labelled, kJob)).object.empty());
  json removal = request_of(kJob);
  removal["request"]["operation"] = "DELETE";
  CHECK(read(removal).object.empty());
  json status = request_of(kJob);
  status["request"]["subResource"] = "status";
  CHECK(read(status).object.empty());
}

TEST_CASE("review: bodies that are none") {
  const std::string_view kNoJson = "the body is not JSON";
  CHECK(problem_of("") == kNoJson);
  CHECK(problem_of("[]") == kNoJson);
  CHECK(problem_of("{\"a\":" + std::string(100000, '[')) == kNoJson);
  CHECK(problem_of("{}") == "the body is not an AdmissionReview of admission.k8s.io/v1");
  CHECK(problem_of(R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"})") ==
        "the AdmissionReview has no request.uid");
}

TEST_CASE("review: what the cluster's namespaces and policies refuse") {
  const webhook::StoredObject runtime{kRuntime.dump(), "1"};
  const auto stored = [](const char* head, const char* spec) {
    return webhook::StoredObject{fmt::format("{{{},{}}}", head, spec), "1"};
  };
  const auto quota_in = [&](const char* ns, const char* pods) {
    return stored(
        R"("apiVersion":"v1","kind":"ResourceQuota")",
        fmt::format(R"("metadata":{{"name":"pods","namespace":"{}"}},"spec":{{"hard":{{"pods":{}}}}})", ns,
                    pods)
            .c_str());
  };
  const char* const kAdmission = R"("apiVersion":"admissionregistration.k8s.io/v1")";
  const auto policy_with = [&](const char* spec) {
    return stored(
        kAdmission,
        fmt::format(
            R"("kind":"ValidatingAdmissionPolicy","metadata":{{"name":"p"}},"spec":{{"matchConstraints":)"
            R"({{"resourceRules":[{{"apiGroups":["jobset.x-k8s.io"],"apiVersions":["*"],)"
            R"("operations":["CREATE"],"resources":["jobsets"]}}]}},{}}})",
            spec)
            .c_str());
  };
  webhook::ObjectStore store;
  webhook::Policy policy;
  policy.trainer_version = "2.3";
  policy.surroundings = &store;
  json torchrun = kJob;
  torchrun["spec"]["trainer"]["command"][0] = "torchrun";
  const webhook::Review review = read(request_of(torchrun));
  const auto warnings = [&] {
    return fmt::format("{}", fmt::join(check_job(review, &runtime, policy).warnings, "\n"));
  };
  store.put({"ResourceQuota", "team-b", "pods"}, quota_in("team-b", "1"));
  store.put({"ResourceQuota", "team-a", "pods"}, quota_in("team-a", "3"));
  CHECK(warnings() == "");  // while nobody knows whether there are others
  store.trust("ResourceQuota");
  const std::string quota =
      "spec.replicatedJobs[0].template.spec.template: the job takes pods: 4; the ResourceQuota \"pods\" of "
      "the "
      "namespace \"team-a\" allows 3; its last pods are refused, and the others wait for them (job/quota)";
  CHECK(warnings() == quota);
  const auto bind = [&](const char* more) {
    store.put({"ValidatingAdmissionPolicyBinding", "", "p"},
              stored(kAdmission,
                     fmt::format(R"("kind":"ValidatingAdmissionPolicyBinding","metadata":{{"name":"p"}},)"
                                 R"("spec":{{"policyName":"p","validationActions":["Deny"]{}}})",
                                 more)
                         .c_str()));
  };
  bind("");
  store.put(
      {"ValidatingAdmissionPolicy", "", "p"},
      policy_with(R"x("validations":[{"expression":"has(object.metadata.labels)","message":"no labels"}])x"));
  store.trust("ValidatingAdmissionPolicy");
  store.trust("ValidatingAdmissionPolicyBinding");
  CHECK(warnings() ==
        "metadata.labels: the ValidatingAdmissionPolicy \"p\" denies the JobSet \"bert\": no labels; Trainer "
        "can't "
        "create the JobSet (jobset/admission-policy)\n" +
            quota);
  // What depends on objects that are not watched is not shown.
  bind(R"(,"paramRef":{"name":"limits","namespace":"platform","parameterNotFoundAction":"Deny"})");
  store.put(
      {"ValidatingAdmissionPolicy", "", "p"},
      policy_with(
          R"("paramKind":{"apiVersion":"v1","kind":"ConfigMap"},"validations":[{"expression":"false"}])"));
  CHECK(warnings() == quota);
}

TEST_CASE("review: findings are warnings unless they are denied") {
  const webhook::Review review = read(request_of(kJob));
  const webhook::StoredObject runtime{kRuntime.dump(), "1"};
  webhook::Policy policy;
  policy.trainer_version = "2.3";
  const std::string line =
      "spec.trainer.command[0]: python starts one process on each node, and does not read PET_*: the 4 nodes "
      "train alone, each the whole job; start it with torchrun: [torchrun, train.py, …] (advice/no-launcher)";
  webhook::Answer answer = check_job(review, &runtime, policy);
  CHECK(answer.allowed);
  CHECK(answer.warnings == Lines{line});
  CHECK(answer.rules == Lines{"advice/no-launcher"});
  policy.deny = {"error", "advice/no-launcher"};
  answer = check_job(review, &runtime, policy);
  CHECK(
      write_answer(review.uid, answer) ==
      R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"allowed":false,"status":{"code":403,)"
      R"("message":")" +
          line + R"("},"uid":"u"}})");
  policy.deny = {"error"};
  CHECK(check_job(review, &runtime, policy).allowed);
  CHECK(check_job(review, nullptr, policy).rules.empty());
}

TEST_CASE("review: the queue that Kueue copies to spec.labels is not the author's") {
  json job = kJob;
  job["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] = "team";
  const std::string written = read(request_of(job)).object;
  json copied = job;
  copied["spec"]["labels"]["kueue.x-k8s.io/queue-name"] = "team";
  CHECK(read(request_of(copied)).object == written);
  for (const json& own : {json{{"kueue.x-k8s.io/queue-name", "other"}}, json{{"stage", "trial"}}, json(3)}) {
    json kept = job;
    kept["spec"]["labels"] = own;
    CHECK(json::parse(read(request_of(kept)).object)["spec"]["labels"] == own);
  }
}

TEST_CASE("review: what Kueue patches in a job is not the author's change") {
  json queued = kJob;
  queued["spec"]["suspend"] = true;
  queued["spec"]["runtimePatches"] = {{{"manager", "kueue.x-k8s.io/manager"}, {"trainingRuntimeSpec", {}}}};
  json admitted = queued;
  admitted["spec"].erase("suspend");
  admitted["spec"]["runtimePatches"][0]["trainingRuntimeSpec"] = {{"template", {{"spec", {}}}}};
  CHECK(read(request_of(admitted, queued)).object == "");
  for (const json& other :
       {json{{"manager", "example.com/team"}}, json{{"manager", 3}}, json("kueue.x-k8s.io/manager")}) {
    json changed = queued;
    changed["spec"]["runtimePatches"].push_back(other);
    CHECK(json::parse(read(request_of(changed, queued)).object)["spec"] == changed["spec"]);
  }
}

TEST_CASE("review: a job is told why its runtime keeps it from running") {
  json broken = kRuntime;
  broken["spec"]["template"]["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
        ["containers"][0]["volumeMounts"] = json::array({{{"name", "data"}, {"mountPath", "/data"}}});
  json job = kJob;
  job["spec"]["trainer"]["command"] = {"torchrun", "train.py"};
  const webhook::StoredObject runtime{broken.dump(), "1"};
  webhook::Policy policy;
  policy.trainer_version = "2.3";
  CHECK(
      check_job(read(request_of(job)), &runtime, policy).warnings.front() ==
      R"(in the runtime torch: spec.replicatedJobs[0].template.spec.template.spec.containers[0].volumeMounts[0].name: the pod has no volume "data"; add a volume of that name to the pod's volumes (job/volume-mount))");
  // As the settings see it, the finding is in the runtime.
  auto config = std::make_shared<inputs::Config>();
  config->suppressions.push_back({"job/volume-mount", {"-/ClusterTrainingRuntime/torch"}, "known", {}, {}});
  policy.config = config;
  CHECK(check_job(read(request_of(job)), &runtime, policy).warnings.empty());
}

TEST_CASE("review: rules and policies of the settings") {
  base::MemoryFileSystem files;
  files.files["settings.yaml"] =
      "policies:\n"
      "- {id: nodes, kinds: [TrainJob], expression: plan.nodes < 4, message: at most 3 nodes}\n"
      "- {id: image, kinds: [ClusterTrainingRuntime], expression: \"object.metadata.name != 'torch'\", "
      "message: "
      "taken}\n"
      "- apiVersion: admissionregistration.k8s.io/v1\n"
      "  kind: ValidatingAdmissionPolicy\n"
      "  metadata: {name: owner}\n"
      "  spec:\n"
      "    matchConstraints: {resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], "
      "resources: [trainjobs]}]}\n"
      "    validations: [{expression: has(object.metadata.labels), message: no labels}]\n";
  inputs::ConfigResult read_settings = inputs::load_config(files, "settings.yaml");
  REQUIRE(std::holds_alternative<inputs::Config>(read_settings));
  webhook::Policy policy;
  policy.trainer_version = "2.3";
  policy.deny = {"team/nodes", "input/admission-policy"};
  policy.config = std::make_shared<inputs::Config>(std::get<inputs::Config>(std::move(read_settings)));
  json job = kJob;
  job["spec"]["trainer"]["command"] = {"torchrun", "train.py"};
  const webhook::StoredObject runtime{kRuntime.dump(), "1"};
  CHECK(
      check_job(read(request_of(job)), &runtime, policy).message ==
      R"(metadata.labels: the ValidatingAdmissionPolicy "owner" denies the TrainJob "bert": no labels (input/admission-policy)
at most 3 nodes (team/nodes))");
  const webhook::Answer allowed = check_runtime(read(request_of(kRuntime)), policy);
  CHECK(allowed.allowed);
  CHECK(allowed.warnings.front() == R"(metadata.name: taken (team/image))");
}

TEST_CASE("review: warnings are cut if the API server would not pass on all of them") {
  const webhook::StoredObject runtime{kRuntime.dump(), "1"};
  json job = kJob;
  job["spec"]["trainer"]["command"] = {"torchrun", "train.py"};
  const auto add = [&](int count) {
    for (int i = 0; i < count; ++i)
      job["spec"]["trainer"][std::string(300, 'x') + "\xC3\xA4" + std::to_string(i)] = 1;
    return check_job(read(request_of(job)), &runtime, {}).warnings;
  };
  Lines warnings = add(1);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].size() > 300);
  CHECK(warnings[0].ends_with("(input/unknown-field)"));
  warnings = add(14);
  REQUIRE(warnings.size() == 14);
  CHECK(warnings[0].size() == 250);
  CHECK(warnings[0].ends_with("xxx..."));
  warnings = add(40);
  REQUIRE(warnings.size() == 16);
  CHECK(warnings[15] == "and 25 more findings");
}

TEST_CASE("review: what a change of a runtime means for new jobs") {
  json changed = kRuntime;
  json& node = changed["spec"]["template"]["spec"]["replicatedJobs"][0];
  node["template"]["spec"]["backoffLimit"] = 3;
  node["template"]["spec"]["template"]["spec"]["containers"][0]["env"] =
      json::array({{{"name", "HF_TOKEN"}, {"value", "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH"}}});
  const webhook::Answer answer = check_runtime(read(request_of(changed, kRuntime)), {});
  const std::string all = write_answer("u", answer);
  CHECK(all.find("hf_abc") == std::string::npos);
  CHECK(
      all.find(
          R"(new jobs: spec.replicatedJobs[node].template.spec.backoffLimit changes from nothing to \"3\")") !=
      std::string::npos);
  CHECK(check_runtime(read(request_of(kRuntime)), {}).warnings.empty());
}

namespace {

std::string list_of(const Lines& names, const std::string& more) {
  json items = json::array();
  for (const std::string& name : names)
    items.push_back({{"metadata", {{"name", name}, {"resourceVersion", "5"}}}});
  return json{{"metadata", {{"resourceVersion", "9"}, {"continue", more}}}, {"items", items}}.dump();
}

std::string event_of(const std::string& type, const std::string& name, const std::string& version) {
  return json{{"type", type}, {"object", {{"metadata", {{"name", name}, {"resourceVersion", version}}}}}}
      .dump();
}

constexpr webhook::WatchedKind kClusterRuntimes{"ClusterTrainingRuntime", "trainer.kubeflow.org/v1alpha1",
                                                "clustertrainingruntimes"};
const std::string kPath = "/apis/trainer.kubeflow.org/v1alpha1/clustertrainingruntimes";

}  // namespace

TEST_CASE("watch: pages of a list, then events; 410 begins again") {
  webhook::ObjectStore store;
  webhook::ObjectWatch watch(store, kClusterRuntimes);
  const auto has = [&](const char* name) {
    return store.find({"ClusterTrainingRuntime", "", name}) != nullptr;
  };
  CHECK(watch.next_request() == kPath + "?limit=20");
  CHECK(watch.take_list(200, list_of({"a"}, "token")) == "");
  CHECK(store.size() == 0);
  CHECK(watch.next_request() == kPath + "?limit=20&continue=token");
  CHECK(watch.take_list(200, list_of({"b"}, "")) == "");
  CHECK(watch.next_request() ==
        kPath + "?watch=1&allowWatchBookmarks=true&resourceVersion=9&timeoutSeconds=290");
  CHECK(!store.is_known("ClusterTrainingRuntime"));
  watch.start_watch();
  CHECK(store.is_known("ClusterTrainingRuntime"));
  CHECK(watch.take_event(event_of("ADDED", "c", "10")));
  CHECK(watch.take_event(event_of("DELETED", "a", "11")));
  CHECK(watch.take_event(event_of("BOOKMARK", "", "12")));
  CHECK((!has("a") && has("b") && has("c")));
  watch.end_watch(200);
  CHECK(!store.is_known("ClusterTrainingRuntime"));
  CHECK(watch.next_request() ==
        kPath + "?watch=1&allowWatchBookmarks=true&resourceVersion=12&timeoutSeconds=290");
  CHECK(!watch.take_event(R"({"type":"ERROR","object":{"code":410}})"));
  CHECK(watch.next_request() == kPath + "?limit=20");
  CHECK(watch.take_list(200, list_of({"d"}, "")) == "");
  CHECK((!has("b") && has("d")));
}

TEST_CASE("watch: kinds of Kubernetes' own group") {
  webhook::ObjectStore store;
  webhook::ObjectWatch watch(store, {"ResourceQuota", "v1", "resourcequotas"});
  CHECK(watch.next_request() == "/api/v1/resourcequotas?limit=20");
  CHECK(watch.take_list(200, R"({"items":[{"metadata":{"namespace":"a","name":"q","uid":"1"}}]})") == "");
  CHECK(store.find({"ResourceQuota", "a", "q"})->json ==
        R"({"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"q","namespace":"a"}})");
}

TEST_CASE("watch: answers that can't be used begin again") {
  webhook::ObjectStore store;
  webhook::ObjectWatch watch(store, {"TrainingRuntime", "trainer.kubeflow.org/v1alpha1", "trainingruntimes"});
  for (const char* body : {"", "[]", "{", R"({"items":3})"}) {
    CHECK(watch.take_list(200, body) == "the answer is not a list");
    CHECK(!watch.is_watching());
  }
  CHECK(watch.take_list(403, list_of({"a"}, "")) == "the list was refused");
  CHECK(watch.take_list(200, list_of({"a"}, "")) == "");
  for (const char* line : {"{", "3", "{}", R"({"type":"ADDED"})", R"({"type":"ADDED","object":3})"}) {
    CHECK(!watch.take_event(line));
    CHECK(watch.take_list(200, list_of({"a"}, "")) == "");
  }
  watch.end_watch(410);
  CHECK(!watch.is_watching());
}

TEST_CASE("watch: a list without an end, or of too much, begins again") {
  webhook::ObjectStore store;
  webhook::ObjectWatch watch(store, kClusterRuntimes);
  for (int page = 1; page < 500; ++page) REQUIRE(watch.take_list(200, list_of({"a"}, "token")) == "");
  CHECK(watch.take_list(200, list_of({"a"}, "token")) == "the list has more than 500 pages");
  CHECK(watch.next_request() == kPath + "?limit=20");
  CHECK(watch.take_list(200, list_of({"a"}, "token")) == "");
  const auto large = [](const std::string& name, const std::string& more) {
    return R"({"metadata":{"resourceVersion":"9","continue":")" + more +
           R"("},"items":[{"metadata":{"name":")" + name + R"("},"spec":{"text":")" +
           std::string(1'000'000, 'x') + "\"}}]}";
  };
  for (int i = 0; i < 33; ++i) REQUIRE(watch.take_list(200, large(std::to_string(i), "token")) == "");
  CHECK(watch.take_list(200, large("last", "token")) == "the objects have more than 32 MiB");
  CHECK(!watch.is_watching());
  CHECK(watch.take_list(200, large("one", "")) == "");
  CHECK(watch.is_watching());
  CHECK(store.bytes() > 1'000'000);
  store.put({"ClusterTrainingRuntime", "", "one"}, {"{}", ""});
  CHECK(store.bytes() == 2);
  store.remove({"ClusterTrainingRuntime", "", "one"});
  CHECK(store.bytes() == 0);
}

TEST_CASE("metrics: unknown kinds share a series") {
  webhook::Metrics metrics;
  metrics.count_review({.kind = "x\"y", .operation = "?"}, {}, std::chrono::milliseconds(2));
  const std::string text = metrics.text({.runtimes = 3, .watch_age = 1.5});
  CHECK(text.find("requests_total{kind=\"other\",operation=\"other\"} 1\n") != std::string::npos);
  CHECK(text.find("review_seconds_bucket{le=\"0.001\"} 0\n") != std::string::npos);
  CHECK(text.find("review_seconds_bucket{le=\"0.0025\"} 1\n") != std::string::npos);
  CHECK(text.find("watch_age_seconds 1.5\n") != std::string::npos);
}

}  // namespace trainjobc::review_test
