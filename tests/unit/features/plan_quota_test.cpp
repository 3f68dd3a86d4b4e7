// SPDX-License-Identifier: Apache-2.0

// Kueue's rules in small; tests/kueue/verdicts.json has what Kueue itself did with whole jobs.
#include <doctest/doctest.h>

#include "features/plan/quota/admit.h"
#include "features/plan/quota/quota.h"
#include "k8s/object_meta.h"
#include "support/diff.h"
#include "yaml/read/reader.h"

namespace trainjobc::plan_quota_test {
namespace {

constexpr const char* kKueue = "apiVersion: kueue.x-k8s.io/v1beta2\n";

std::string kueue_object(const std::string& kind, const std::string& name, const std::string& spec) {
  return kKueue + ("kind: " + kind) + "\nmetadata: {name: " + name + "}\nspec: {" + spec + "}\n---\n";
}

std::string cpu_groups(const std::string& quota) {
  return "resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, " + quota +
         "}]}]}]";
}

plan::Quota quota_of(const std::string& text) {
  base::Diagnostics diagnostics;
  plan::Quota quota = plan::read_quota({{"quota.yaml", text}}, diagnostics);
  CHECK(diagnostics.empty());
  return quota;
}

struct Parsed {
  base::SourceFile file;
  base::Arena arena;
  const yaml::Node* root = nullptr;

  explicit Parsed(const std::string& text) : file("in.yaml", text) {
    base::Diagnostics diagnostics;
    root = yaml::read(file, arena, diagnostics).front().root;
  }
};

std::string taint_of(const std::string& taints, const std::string& pod, const std::string& flavor = "[]") {
  const Parsed a(taints);
  const Parsed b(pod);
  const Parsed c(flavor);
  return plan::untolerated_taint(a.root, b.root, c.root);
}

bool accepts(const std::string& pod_spec, const std::string& labels) {
  const Parsed pod(pod_spec);
  const Parsed node(labels);
  return plan::accepts_node(*pod.root, node.root, {"gpu", "size"});
}

int borrowing_height(const plan::Capacity& capacity, const plan::ClusterQueue& queue,
                     const plan::FlavorResource& of, plan::Units amount) {
  return plan::Usage(capacity).reach(queue, of, amount).height;
}

}  // namespace

TEST_CASE("amounts as Kueue counts and prints them") {
  CHECK(plan::to_units("cpu", "1500m") == 1500);
  CHECK(plan::to_units("cpu", "1.0001") == 1001);
  CHECK(plan::to_units("memory", "1Gi") == 1073741824);
  CHECK(plan::to_units("memory", "100m") == 1);
  CHECK(plan::to_units("nvidia.com/gpu", "8") == 8);
  CHECK(plan::to_units("memory", "999E") == plan::to_units("memory", "99999E"));
  CHECK(plan::units_text("cpu", 1500) == "1500m");
  CHECK(plan::units_text("cpu", 2000) == "2");
  CHECK(plan::units_text("memory", 1073741824) == "1Gi");
  CHECK(plan::units_text("nvidia.com/gpu", 2000) == "2k");
  CHECK(plan::added(plan::to_units("memory", "999E"), 1) == plan::to_units("memory", "999E"));
  CHECK(plan::to_units("memory", "20000Ti") == int64_t{20000} << 40U);
  CHECK(plan::to_units("cpu", "9P") == 9'000'000'000'000'000'000);
  CHECK(plan::to_units("cpu", "10P") == plan::kUncounted);
  const plan::Units much = plan::multiplied(plan::to_units("memory", "7Ei"), 1000);
  CHECK(much / 1000 == int64_t{7} << 60U);
  CHECK(plan::added(much, 1) - much == 1);
  CHECK(plan::units_text("memory", much) == "8070450532247928832000");
  CHECK(plan::units_text("memory", plan::to_units("memory", "20000Ti")) == "20000Ti");
  CHECK(plan::units_text("cpu", plan::kUncounted) == "more than 9223372036854775807m");
}

// Kubernetes writes 1000E as "1".
TEST_CASE("sums that Kubernetes has no suffix for are counted") {
  auto sum = *k8s::Quantity::parse("500E");
  sum.add(sum);
  CHECK(sum.to_string() == "1");
  CHECK(plan::to_units("memory", sum) == plan::kUncounted);
  CHECK(sum.exact_text() == "1e21");
  auto binary = *k8s::Quantity::parse("4Ei");
  binary.multiply(256);
  CHECK(binary.to_string() == "1");
  CHECK(binary.exact_text() == "1180591620717411303424");
  auto debt = *k8s::Quantity::parse("-1000E");
  CHECK(debt.exact_text() == "-1e21");
  CHECK(k8s::Quantity::parse("1.500")->exact_text() == "1.500");
}

TEST_CASE("capacity: quota, cohorts and their limits") {
  const plan::Quota quota =
      quota_of(kueue_object("ResourceFlavor", "f", "") +
               kueue_object("ClusterQueue", "main",
                            "cohortName: team, " + cpu_groups("nominalQuota: 2, borrowingLimit: 5")) +
               kueue_object("ClusterQueue", "lender",
                            "cohort: team, " + cpu_groups("nominalQuota: 4, lendingLimit: 1")) +
               kueue_object("Cohort", "team", "parentName: root, " + cpu_groups("nominalQuota: 1")) +
               kueue_object("Cohort", "root", cpu_groups("nominalQuota: 10")) +
               kueue_object("Cohort", "a", "parent: b") + kueue_object("Cohort", "b", "parentName: a"));
  const plan::Capacity capacity(quota);
  const plan::ClusterQueue& main = quota.cluster_queues.find("main")->second;
  const plan::FlavorResource cpu{"f", "cpu"};
  CHECK(capacity.most(main, cpu) == 7000);  // up to its borrowing limit
  CHECK(capacity.most(quota.cluster_queues.find("lender")->second, cpu) == 17000);
  CHECK(borrowing_height(capacity, main, cpu, 2000) == 0);
  CHECK(borrowing_height(capacity, main, cpu, 4000) == 1);  // of its cohort
  CHECK(borrowing_height(capacity, main, cpu, 5000) == 2);  // of the root
  CHECK(capacity.most(main, {"other", "cpu"}) == 0);
  CHECK(capacity.cycle_from("team").empty());
  CHECK(capacity.cycle_from("a") == std::vector<std::string>{"a", "b"});
}

TEST_CASE("capacity: cohorts above and below a cycle") {
  const plan::Quota quota =
      quota_of(kueue_object("Cohort", "a", "parent: b") + kueue_object("Cohort", "b", "parent: c") +
               kueue_object("Cohort", "c", "parent: b") +
               kueue_object("ClusterQueue", "q", "cohort: a, " + cpu_groups("nominalQuota: 2")));
  const plan::Capacity capacity(quota);
  const plan::ClusterQueue& queue = quota.cluster_queues.find("q")->second;
  CHECK(capacity.cycle_from("a") == std::vector<std::string>{"b", "c"});
  CHECK(capacity.cycle_from("none").empty());
  CHECK(capacity.most(queue, {"f", "cpu"}) == 2000);
  CHECK(borrowing_height(capacity, queue, {"f", "cpu"}, 3000) == 0);
}

// One that asks for each cohort what all below it lend takes hours, and one that calls itself ends the stack.
TEST_CASE("capacity: a chain of 100,000 Cohorts") {
  constexpr size_t kCount = 100'000;
  plan::Quota quota;
  const plan::FlavorResource cpu{"f", "cpu"};
  const auto name = [](size_t i) { return "c" + std::to_string(i); };
  for (size_t i = 0; i < kCount; ++i) {
    plan::Cohort cohort;
    cohort.parent = i + 1 < kCount ? name(i + 1) : "";
    cohort.quotas[cpu].nominal = 1;
    quota.cohorts[name(i)] = cohort;
  }
  plan::ClusterQueue& queue = quota.cluster_queues["q"];
  queue.cohort = name(0);
  queue.quotas[cpu].nominal = 1;
  const plan::Capacity capacity(quota);
  CHECK(capacity.most(queue, cpu) == kCount + 1);
  CHECK(borrowing_height(capacity, queue, cpu, 2) == 1);
  CHECK(borrowing_height(capacity, queue, cpu, kCount + 1) == kCount);
}

TEST_CASE("redact: keys in the place of names in Kueue's objects") {
  const std::string key = "--token=hf_aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA";
  const plan::Quota quota = quota_of(
      kueue_object("ClusterQueue", "q",
                   "cohort: " + key + ", admissionChecks: [" + key + "], " + cpu_groups("nominalQuota: 2")) +
      kueue_object("Cohort", "c", "parent: " + key) +
      kueue_object("ResourceFlavor", "f", "topologyName: " + key));
  const plan::ClusterQueue& queue = quota.cluster_queues.find("q")->second;
  CHECK(queue.cohort == "--token=***");
  CHECK(queue.admission_checks == std::vector<std::string>{"--token=***"});
  CHECK(quota.cohorts.find("c")->second.parent == "--token=***");
  CHECK(quota.flavors.find("f")->second.topology == "--token=***");
}

TEST_CASE("taints and tolerations") {
  const std::string spot = "[{key: spot, value: 'true', effect: NoSchedule}]";
  CHECK(taint_of(spot, "[]") == "spot=true:NoSchedule");
  CHECK(taint_of("[{key: spot, effect: NoExecute}]", "[]") == "spot:NoExecute");
  CHECK(taint_of("[{key: spot, effect: PreferNoSchedule}]", "[]") == "");
  CHECK(taint_of(spot, "[{key: spot, operator: Exists}]") == "");
  CHECK(taint_of(spot, "[{operator: Exists}]") == "");
  CHECK(taint_of(spot, "[{key: spot, value: 'true'}]") == "");
  CHECK(taint_of(spot, "[{key: spot, value: 'false'}]") == "spot=true:NoSchedule");
  CHECK(taint_of(spot, "[{key: spot, operator: Exists, effect: NoExecute}]") == "spot=true:NoSchedule");
  CHECK(taint_of(spot, "[]", "[{key: spot, operator: Equal, value: 'true'}]") == "");
}

TEST_CASE("node labels, selectors and affinity") {
  CHECK(accepts("{nodeSelector: {gpu: h100}}", "{gpu: h100}"));
  CHECK_FALSE(accepts("{nodeSelector: {gpu: h100}}", "{gpu: a100}"));
  CHECK(accepts("{nodeSelector: {zone: b}}", "{gpu: a100}"));  // no flavor says anything of zones
  const auto affinity = [](const std::string& terms) {
    return "{affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
           "[" +
           terms + "]}}}}";
  };
  const auto term = [](const std::string& expression) {
    return "{matchExpressions: [{" + expression + "}]}";
  };
  CHECK(accepts(affinity(term("key: gpu, operator: In, values: [a100, h100]")), "{gpu: h100}"));
  CHECK_FALSE(accepts(affinity(term("key: gpu, operator: NotIn, values: [h100]")), "{gpu: h100}"));
  CHECK(accepts(affinity(term("key: gpu, operator: NotIn, values: [h100]")), "{}"));
  CHECK_FALSE(accepts(affinity(term("key: gpu, operator: Exists")), "{}"));
  CHECK(accepts(affinity(term("key: gpu, operator: DoesNotExist")), "{}"));
  CHECK(accepts(affinity(term("key: size, operator: Gt, values: ['40']")), "{size: '80'}"));
  CHECK_FALSE(accepts(affinity(term("key: size, operator: Lt, values: ['40']")), "{size: '80'}"));
  CHECK_FALSE(accepts(affinity(term("key: size, operator: Gt, values: ['40']")), "{size: large}"));
  const std::string other = term("key: gpu, operator: In, values: [v100]");
  CHECK(accepts(affinity(other + ", " + term("key: gpu, operator: In, values: [h100]")), "{gpu: h100}"));
  CHECK(accepts(affinity(other + ", " + term("key: zone, operator: Exists")), "{gpu: h100}"));
  CHECK_FALSE(accepts(affinity(other), "{gpu: h100}"));
}

TEST_CASE("label selectors") {
  const Parsed selector(
      "{matchLabels: {team: blue}, matchExpressions: [{key: tier, operator: In, values: [a]}]}");
  const Parsed right("{team: blue, tier: a}");
  const Parsed wrong("{team: blue, tier: b}");
  CHECK(k8s::selects(selector.root, right.root));
  CHECK_FALSE(k8s::selects(selector.root, wrong.root));
  CHECK_FALSE(k8s::selects(selector.root, nullptr));
  CHECK(plan::keys_of_selector(*selector.root) == std::set<std::string, std::less<>>{"team", "tier"});
}

TEST_CASE("amounts of quotas that are not quantities are errors") {
  base::Diagnostics diagnostics;
  plan::read_quota({{"quota.yaml", kueue_object("ClusterQueue", "main", cpu_groups("nominalQuota: many"))}},
                   diagnostics);
  REQUIRE(diagnostics.items().size() == 1);
  CHECK(diagnostics.items().front().message == "\"many\" is not a quantity");
  CHECK(diagnostics.items().front().location.line == 4);
}

TEST_CASE("amounts that Kueue can't count are errors") {
  base::Diagnostics diagnostics;
  plan::read_quota({{"quota.yaml", kueue_object("ClusterQueue", "main", cpu_groups("nominalQuota: 10P"))}},
                   diagnostics);
  REQUIRE(diagnostics.items().size() == 1);
  CHECK(diagnostics.items().front().message == "\"10P\" is more cpu than Kueue can count");
  CHECK(diagnostics.items().front().hint == "write 9223372036854775807m or less");
}

// What `kueue` says to a job of one pod set with this pod, labels and annotations of the pod.
struct Question {
  std::string kueue = "0.19";
  std::string pod = "containers: [{name: node, resources: {requests: {cpu: 1}}}]";
  std::string labels;
  std::string annotations;
  std::string quota;  // more objects
  std::string queue;  // more of the ClusterQueue
  int jobs = 1;       // replicatedJobs
};

std::string answer_to(const Question& question) {
  const plan::KueueBehaviour kueue = *plan::read_kueue_version(question.kueue);
  base::Diagnostics diagnostics;
  const plan::Quota quota = plan::read_quota(
      {{"quota.yaml",
        kueue_object("ResourceFlavor", "plain", "nodeLabels: {tier: plain}") +
            kueue_object("ResourceFlavor", "spot", "nodeLabels: {zone: b}") +
            kueue_object(
                "ClusterQueue", "main",
                "namespaceSelector: {}, " + question.queue +
                    "resourceGroups: [{coveredResources: [cpu], flavors: [{name: plain, resources: [{name: "
                    "cpu, nominalQuota: 4}]}, {name: spot, resources: [{name: cpu, nominalQuota: 4}]}]}]") +
            std::string(kKueue) +
            "kind: LocalQueue\nmetadata: {name: gpus, namespace: default}\nspec: {clusterQueue: "
            "main}\n---\n" +
            question.quota}},
      diagnostics, kueue);
  REQUIRE(diagnostics.empty());
  std::string jobs;
  for (int i = 0; i < question.jobs; ++i) {
    jobs += (i > 0 ? ", " : "") + ("{name: node-" + std::to_string(i)) +
            ", replicas: 1, template: {spec: {parallelism: 1, completions: 1, template: {metadata: "
            "{annotations: {" +
            question.annotations + "}}, spec: {" + question.pod + "}}}}}";
  }
  const Parsed job_set("{metadata: {name: job}, spec: {replicatedJobs: [" + jobs + "]}}");
  const Parsed train_job("{metadata: {name: job, labels: {kueue.x-k8s.io/queue-name: gpus" +
                         (question.labels.empty() ? "" : ", " + question.labels) + "}}}");
  const plan::Capacity capacity(quota);
  const plan::Admission admission = plan::admit(capacity, {"default", *job_set.root, *train_job.root});
  std::string text(to_string(admission.verdict));
  for (const plan::AssignedFlavor& flavor : admission.flavors)
    text += " " + flavor.requested + " " + flavor.resource + " of " + flavor.flavor;
  for (const plan::Obstacle& obstacle : admission.obstacles) text += "; " + obstacle.reason;
  return text;
}

TEST_CASE("Kueue's versions: limits of a pod without requests") {
  const std::string pod =
      "resources: {limits: {cpu: 3}}, containers: [{name: node, resources: {requests: {cpu: 1}}}]";
  CHECK(answer_to({.kueue = "0.17.6", .pod = pod}) == "admitted 1 cpu of plain");
  CHECK(answer_to({.kueue = "0.17.7", .pod = pod}) == "admitted 3 cpu of plain");
  CHECK(answer_to({.kueue = "0.18.2", .pod = pod}) == "admitted 1 cpu of plain");
  CHECK(answer_to({.pod = pod}) == "admitted 3 cpu of plain");
}

TEST_CASE("Kueue's versions: labels of a flavor and of those beside it") {
  const std::string pod =
      "nodeSelector: {zone: b}, containers: [{name: node, resources: {requests: {cpu: 1}}}]";
  CHECK(answer_to({.kueue = "0.17.5", .pod = pod}) == "admitted 1 cpu of spot");
  CHECK(answer_to({.kueue = "0.17", .pod = pod}) == "admitted 1 cpu of plain");
  CHECK(answer_to({.pod = pod}) == "admitted 1 cpu of plain");
}

TEST_CASE("Kueue's versions: pod sets of a Workload") {
  const std::string pod = "containers: [{name: node}]";
  const auto answer = [&](const std::string& kueue, int jobs) {
    const std::string text = answer_to({.kueue = kueue, .pod = pod, .jobs = jobs});
    return text.substr(0, text.find(';'));
  };
  CHECK(answer("0.17", 8) == "admitted");
  CHECK(answer("0.17", 9) == "never");
  CHECK(answer("0.18", 10) == "admitted");
  CHECK(answer("0.18", 11) == "never");
  CHECK(answer("0.19", 18) == "admitted");
  CHECK(answer_to({.pod = pod, .jobs = 19}) ==
        "never; it has 19 replicatedJobs, and a Workload of Kueue 0.19 at most 18 pod sets");
}

TEST_CASE("Kueue: what makes no Workload, or an inactive queue") {
  CHECK(
      answer_to({.labels = "kueue.x-k8s.io/priority-class: high"}) ==
      "never; there is no WorkloadPriorityClass high: Kueue makes no Workload, and the job stays suspended");
  CHECK(answer_to({.labels = "kueue.x-k8s.io/priority-class: high",
                   .quota = std::string(kKueue) +
                            "kind: WorkloadPriorityClass\nmetadata: {name: high}\nvalue: 9\n"}) ==
        "admitted 1 cpu of plain");
  CHECK(answer_to({.queue = "admissionChecks: [budget], "}) ==
        "never; ClusterQueue main refers to AdmissionCheck budget, which does not exist");
}

TEST_CASE("Kueue: claims of devices") {
  const std::string own = "resourceClaims: [{name: g, resourceClaimName: gpu}], containers: [{name: node}]";
  const std::string made =
      "resourceClaims: [{name: g, resourceClaimTemplateName: gpu}], containers: [{name: node}]";
  const std::string one_template =
      "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: gpu, namespace: "
      "default}\n"
      "spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu.example.com}}]}}}\n---\n";
  const std::string mapping =
      "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nmetadata: {name: kueue}\n"
      "resources: {deviceClassMappings: [{name: gpus, deviceClassNames: [gpu.example.com]}]}\n";
  CHECK(answer_to({.kueue = "0.17", .pod = own}) == "admitted");
  CHECK(answer_to({.pod = own}) ==
        "never; Kueue admits no job that shares ResourceClaim gpu: use a ResourceClaimTemplate");
  CHECK(answer_to({.pod = made}) == "never; namespace default has no ResourceClaimTemplate gpu");
  CHECK(answer_to({.pod = made, .quota = one_template}) ==
        "never; no deviceClassMappings of Kueue's configuration name DeviceClass gpu.example.com of template "
        "gpu");
  CHECK(answer_to({.pod = made, .quota = one_template + mapping}) == "admitted");
}

TEST_CASE("Kueue's webhook for TrainJobs") {
  const auto refusal = [](const std::string& labels, const std::string& annotations) {
    return answer_to({.labels = labels, .annotations = annotations});
  };
  const std::string slice = "kueue.x-k8s.io/podset-slice-required-topology: rack";
  CHECK(refusal("kueue.x-k8s.io/max-exec-time-seconds: '60'", "") == "admitted 1 cpu of plain");
  CHECK(refusal("kueue.x-k8s.io/max-exec-time-seconds: '0'", "") ==
        R"(never; Kueue refuses the TrainJob: "0" is not a number of seconds above 0)");
  CHECK(refusal("kueue.x-k8s.io/max-exec-time-seconds: abc", "") ==
        R"(never; Kueue refuses the TrainJob: "abc" is not a number of seconds above 0)");
  CHECK(refusal("kueue.x-k8s.io/prebuilt-workload-name: A_b", "") ==
        R"(never; Kueue refuses the TrainJob: "A_b" is not the name of an object)");
  CHECK(
      refusal("", slice) ==
      R"(never; Kueue refuses the TrainJob: annotation kueue.x-k8s.io/podset-slice-required-topology needs kueue.x-k8s.io/podset-slice-size)");
  CHECK(
      refusal("", "kueue.x-k8s.io/podset-slice-size: '1'") ==
      R"(never; Kueue refuses the TrainJob: annotation kueue.x-k8s.io/podset-slice-size needs kueue.x-k8s.io/podset-slice-required-topology)");
  CHECK(
      refusal("", slice + ", kueue.x-k8s.io/podset-slice-size: '0'") ==
      R"(never; Kueue refuses the TrainJob: annotation kueue.x-k8s.io/podset-slice-size must be at least 1, not 0)");
  CHECK(
      refusal("", slice + ", kueue.x-k8s.io/podset-slice-size: '2'") ==
      R"(never; Kueue refuses the TrainJob: annotation kueue.x-k8s.io/podset-slice-size must not be above the number of pods: 2 of 1 pod)");
  CHECK(
      refusal("",
              "kueue.x-k8s.io/podset-required-topology: rack, "
              "kueue.x-k8s.io/podset-preferred-topology: rack") ==
      R"(never; Kueue refuses the TrainJob: annotation kueue.x-k8s.io/podset-preferred-topology can't stand beside kueue.x-k8s.io/podset-required-topology)");
  CHECK(
      refusal("", "kueue.x-k8s.io/podset-unconstrained-topology: maybe") ==
      R"(never; Kueue refuses the TrainJob: annotation kueue.x-k8s.io/podset-unconstrained-topology is true or false)");
}

TEST_CASE("Kueue's version, as people and images write it") {
  CHECK(plan::read_kueue_version("v0.17.3")->version == "0.17");
  CHECK_FALSE(plan::read_kueue_version("0.14"));
  CHECK_FALSE(plan::read_kueue_version("0"));
  CHECK_FALSE(plan::read_kueue_version("latest"));
  CHECK(plan::kueue_of_image("registry.k8s.io/kueue/kueue:v0.18.3@sha256:00")->version == "0.18");
  CHECK(plan::kueue_of_image("registry.k8s.io/kueue/kueue:v1.0.0")->version == "0.19");
  CHECK_FALSE(plan::kueue_of_image("registry.k8s.io/kueue/kueue:main"));
}

TEST_CASE("an impossible answer about quotas is an error") {
  test::FakeRunner runner;
  const kubectl::Kubectl kubectl(runner, {"kubectl", "", "", std::chrono::seconds(0)});
  const auto error = [&](const char* answer) {
    runner.answer = [answer](const base::ProcessRequest&) -> base::IoResult<base::ProcessResult> {
      return base::ProcessResult{0, answer, ""};
    };
    const kubectl::Failure failure = plan::fetch_quota(kubectl).failure;
    CHECK(failure.call == "kubectl get");
    return failure.said;
  };
  CHECK(error("") == "the answer is empty");
  CHECK(error("{\"a\": ") == "the answer is not JSON");
  CHECK(error("{}") == "the answer contains a map, which is neither an object nor a list of objects");
  CHECK(error(R"({"kind": "Status", "metadata": {}, "status": "Failure", "message": "no"})") ==
        "the answer is a Status: no");
  CHECK(error(R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}})") ==
        "the answer contains Pod \"a\", which was not requested");
}

TEST_CASE("plan asks a cluster for the objects of Kueue") {
  test::FakeRunner runner;
  runner.answer = [](const base::ProcessRequest& request) -> base::IoResult<base::ProcessResult> {
    const std::string& resource = request.argv[2];
    if (resource.find("cohorts") != std::string::npos)
      return base::ProcessResult{1, "", "error: the server doesn't have a resource type \"cohorts\"\n"};
    if (resource.find("namespaces") != std::string::npos)
      return base::ProcessResult{
          1, "", "Error from server (Forbidden): namespaces is forbidden: User \"a\" cannot list resource\n"};
    return base::ProcessResult{0, "{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": []}", ""};
  };
  const kubectl::Kubectl kubectl(runner, {"kubectl", "blue", "", std::chrono::seconds(0)});
  const plan::FetchedQuota fetched = plan::fetch_quota(kubectl);
  CHECK(fetched.failure.cause == kubectl::Cause::None);
  CHECK(fetched.objects->files.size() == 9);
  CHECK(
      fetched.warnings ==
      R"(warning: Namespaces could not be looked up: you are not allowed to do this in this cluster: ask for a role that allows it, or choose another context
  kubectl get namespaces -o json --namespace=kueue-system --context=blue: exit status 1
  Error from server (Forbidden): namespaces is forbidden: User "a" cannot list resource
)");
  CHECK(runner.requests.size() == 13);
  CHECK(
      runner.lines() ==
      R"(kubectl get clusterqueues.kueue.x-k8s.io,localqueues.kueue.x-k8s.io,resourceflavors.kueue.x-k8s.io,cohorts.kueue.x-k8s.io,topologies.kueue.x-k8s.io,workloadpriorityclasses.kueue.x-k8s.io,admissionchecks.kueue.x-k8s.io,resourceclaimtemplates.resource.k8s.io --all-namespaces -o json --context=blue
kubectl get priorityclasses.scheduling.k8s.io,namespaces,deployments.apps -o json --namespace=kueue-system --context=blue
kubectl get clusterqueues.kueue.x-k8s.io --all-namespaces -o json --context=blue
kubectl get localqueues.kueue.x-k8s.io --all-namespaces -o json --context=blue
kubectl get resourceflavors.kueue.x-k8s.io --all-namespaces -o json --context=blue
kubectl get cohorts.kueue.x-k8s.io --all-namespaces -o json --context=blue
kubectl get topologies.kueue.x-k8s.io --all-namespaces -o json --context=blue
kubectl get workloadpriorityclasses.kueue.x-k8s.io --all-namespaces -o json --context=blue
kubectl get admissionchecks.kueue.x-k8s.io --all-namespaces -o json --context=blue
kubectl get resourceclaimtemplates.resource.k8s.io --all-namespaces -o json --context=blue
kubectl get priorityclasses.scheduling.k8s.io -o json --namespace=kueue-system --context=blue
kubectl get namespaces -o json --namespace=kueue-system --context=blue
kubectl get deployments.apps -o json --namespace=kueue-system --context=blue
)");

  runner.answer = [](const base::ProcessRequest&) -> base::IoResult<base::ProcessResult> {
    return base::ProcessResult{1, "", "error: the server doesn't have a resource type \"clusterqueues\"\n"};
  };
  CHECK(plan::fetch_quota(kubectl).failure.cause == kubectl::Cause::NoKind);
}

}  // namespace trainjobc::plan_quota_test
