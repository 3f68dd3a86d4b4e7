// SPDX-License-Identifier: Apache-2.0

#include "support/properties/planning.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "base/text/text.h"
#include "compile/compile.h"
#include "features/graph/graph.h"
#include "features/plan/plan.h"
#include "features/plan/quota/admit.h"
#include "features/plan/quota/capacity.h"

namespace trainjobc::test {
namespace {

using plan::Units;

Compilation compile_text(const std::string& text) {
  Options options;
  options.trainer_version = "2.3";
  options.with_defaults = true;
  options.threads = 1;
  options.policy.ssh_key.source = policy::SshKeySource::Seed;
  options.policy.ssh_key.material = "any sixteen bytes";
  return compile_sources({{"in.yaml", text}}, {}, options);
}

// The objects of each TrainJob that has a JobSet.
std::vector<std::span<const Object>> by_job(const Compilation& compiled) {
  std::vector<std::span<const Object>> jobs;
  const std::span<const Object> all(compiled.objects);
  for (size_t begin = 0; begin < all.size();) {
    size_t end = begin + 1;
    while (end < all.size() && all[end].train_job == all[begin].train_job) ++end;
    const std::span<const Object> job = all.subspan(begin, end - begin);
    if (job.front().train_job && std::ranges::count(job, "JobSet", &Object::kind) == 1) jobs.push_back(job);
    begin = end;
  }
  return jobs;
}

// What Kueue's rules say of cohorts, by walking the whole tree for each question.
class PlainCapacity {
 public:
  explicit PlainCapacity(const plan::Quota& quota) : quota_(quota) {}

  // Some cohort above is one of its own parents.
  bool is_endless(std::string name) const {
    std::set<std::string> seen;
    while (!name.empty()) {
      if (!seen.insert(name).second) return true;
      const plan::Cohort* cohort = cohort_named(name);
      name = cohort ? cohort->parent : "";
    }
    return false;
  }

  Units most(const plan::ClusterQueue& queue, const plan::FlavorResource& of) const {
    const plan::ResourceQuota own = find(queue.quotas, of);
    return queue.cohort.empty() ? own.nominal : usable(own, own.nominal, most_of(queue.cohort, of));
  }

 private:
  // nullptr if the cohort has no object.
  const plan::Cohort* cohort_named(const std::string& name) const {
    const auto found = quota_.cohorts.find(name);
    return found != quota_.cohorts.end() ? &found->second : nullptr;
  }

  static plan::ResourceQuota find(const plan::Quotas& quotas, const plan::FlavorResource& of) {
    const auto found = quotas.find(of);
    return found != quotas.end() ? found->second : plan::ResourceQuota{};
  }

  static Units kept(const plan::ResourceQuota& quota, Units subtree) {
    return quota.lending_limit ? std::max<Units>(0, subtree - *quota.lending_limit) : 0;
  }

  static Units usable(const plan::ResourceQuota& quota, Units subtree, Units of_parent) {
    const Units all = plan::added(kept(quota, subtree), of_parent);
    return quota.borrowing_limit ? std::min(all, plan::added(subtree, *quota.borrowing_limit)) : all;
  }

  Units subtree(const std::string& name, const plan::FlavorResource& of) const {
    const plan::Cohort* own = cohort_named(name);
    Units sum = own ? find(own->quotas, of).nominal : 0;
    for (const auto& [child, cohort] : quota_.cohorts) {
      if (cohort.parent != name) continue;
      const Units below = subtree(child, of);
      sum = plan::added(sum, below - kept(find(cohort.quotas, of), below));
    }
    for (const auto& [child, queue] : quota_.cluster_queues) {
      if (queue.cohort != name) continue;
      const plan::ResourceQuota quota = find(queue.quotas, of);
      sum = plan::added(sum, quota.nominal - kept(quota, quota.nominal));
    }
    return sum;
  }

  Units most_of(const std::string& name, const plan::FlavorResource& of) const {
    const plan::Cohort* cohort = cohort_named(name);
    const Units own = subtree(name, of);
    if (!cohort || cohort->parent.empty()) return own;
    return usable(find(cohort->quotas, of), own, most_of(cohort->parent, of));
  }

  const plan::Quota& quota_;
};

std::string wrong_with_capacity(const plan::Quota& quota, const plan::Capacity& capacity) {
  const PlainCapacity plain(quota);
  for (const auto& [name, queue] : quota.cluster_queues) {
    const bool is_endless = plain.is_endless(queue.cohort);
    if (is_endless == capacity.cycle_from(queue.cohort).empty())
      return fmt::format("whether the cohorts of {} are a tree", name);
    if (is_endless) continue;
    for (const auto& [of, own] : queue.quotas) {
      const Units most = plain.most(queue, of);
      if (capacity.most(queue, of) != most)
        return fmt::format("{} can use {}, not another amount", name, most);
      if (plan::Usage(capacity).reach(queue, of, own.nominal).height != 0)
        return name + " borrows its own quota";
    }
  }
  return "";
}

std::string wrong_with_admission(const plan::Admission& admission) {
  const bool is_admitted = admission.verdict == plan::Verdict::Admitted;
  if (admission.verdict == plan::Verdict::Never && admission.obstacles.empty())
    return "a refusal without a reason";
  if (is_admitted && !admission.obstacles.empty()) return "an admission in spite of an obstacle";
  if (is_admitted && admission.cluster_queue.empty()) return "an admission by no ClusterQueue";
  return !is_admitted && !admission.flavors.empty() ? "flavors without an admission" : "";
}

std::string wrong_with_boxes(const graph::JobGraph& drawn) {
  std::set<std::pair<size_t, std::vector<std::string>>> seen;
  for (const graph::Box& box : drawn.boxes) {
    if (box.lines.empty()) return "a box without words";
    // Pods may be alike, and volumes that differ in what is not drawn.
    const bool is_shared =
        box.shape != graph::Shape::Pods && box.lines[0] != "CSI volume" && box.lines[0] != "ephemeral volume";
    if (is_shared && !seen.insert({static_cast<size_t>(box.shape), box.lines}).second)
      return "two boxes are the same";
  }
  for (const graph::Arrow& arrow : drawn.arrows) {
    if (std::max(arrow.from, arrow.to) >= drawn.boxes.size()) return "an arrow to nowhere";
  }
  return "";
}

// Quotes are around labels only: an even number on each line, and what is between them has none of these.
std::string wrong_with_quotes(std::string_view text, std::string_view never, bool escapes) {
  for (const std::string_view line : base::Lines(text)) {
    bool is_open = false;
    for (size_t i = 0; i < line.size(); ++i) {
      if (escapes && is_open && line[i] == '\\') {
        ++i;
      } else if (line[i] == '"') {
        is_open = !is_open;
      } else if (is_open && never.find(line[i]) != std::string_view::npos) {
        return fmt::format("a label is not escaped: {}", line);
      }
    }
    if (is_open) return fmt::format("a label is not closed: {}", line);
  }
  return "";
}

}  // namespace

std::string queued_jobs() {
  std::string text;
  for (const char* queue : {"lq", "", "other"}) {
    const std::string label = *queue ? fmt::format(", labels: {{kueue.x-k8s.io/queue-name: {}}}", queue) : "";
    text += fmt::format(
        "---\napiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\n"
        "metadata: {{name: a{}, namespace: team{}}}\n"
        "spec:\n  runtimeRef: {{name: torch-distributed}}\n"
        "  trainer: {{numNodes: 2, resourcesPerNode: {{requests: {{cpu: 2, memory: 1Gi}}}}}}\n",
        queue, label);
  }
  return text;
}

std::string wrong_with_quota(const std::string& text) {
  static const Compilation compiled = compile_text(queued_jobs());
  base::Diagnostics problems;
  const plan::Quota quota = plan::read_quota({{"quota.yaml", text}}, problems);
  const plan::Capacity capacity(quota);
  if (std::string wrong = wrong_with_capacity(quota, capacity); !wrong.empty()) return wrong;
  std::vector<plan::JobPlan> jobs;
  for (const std::span<const Object> objects : by_job(compiled)) {
    jobs.push_back(plan::plan_job(objects, {.capacity = &capacity}));
    if (!jobs.back().admission) return "a job without a verdict";
    if (std::string wrong = wrong_with_admission(*jobs.back().admission); !wrong.empty()) return wrong;
  }
  if (jobs.size() != 3) return "the jobs are not planned";
  const plan::Plan planned = plan::add_totals(std::move(jobs));
  const plan::PlanFormat format{false, true, 80};
  const std::string shown = plan::format_text(planned, format) + plan::format_markdown(planned, format);
  return shown.empty() || plan::format_json(planned, format).empty() ? "a format is empty" : "";
}

std::string wrong_with_graph(const std::string& text) {
  const Compilation compiled = compile_text(text);
  std::vector<graph::JobGraph> drawn;
  for (const std::span<const Object> objects : by_job(compiled)) {
    drawn.push_back(graph::draw_job(objects));
    if (std::string wrong = wrong_with_boxes(drawn.back()); !wrong.empty()) return wrong;
  }
  const std::string mermaid = graph::format_mermaid(drawn);
  if (mermaid.find("%%{") != std::string::npos) return "a directive of Mermaid";
  if (std::string wrong = wrong_with_quotes(mermaid, "\"`\\", false); !wrong.empty()) return wrong;
  return wrong_with_quotes(graph::format_dot(drawn), "", true);
}

}  // namespace trainjobc::test
