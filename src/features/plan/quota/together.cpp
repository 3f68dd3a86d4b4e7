// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/text/text.h"
#include "features/plan/quota/admit.h"
#include "features/plan/quota/displace.h"

namespace trainjobc::plan {
namespace {

// Source of the rules: Kueue 0.15, pkg/scheduler/scheduler.go, pkg/cache/queue/cluster_queue.go.

// Cycles without an admission, for queues whose heads cycle through their flavors.
constexpr size_t kMostIdleCycles = 4096;
constexpr size_t kNever = static_cast<size_t>(-1);

struct Job {
  size_t number = 0;
  const Workload* workload = nullptr;
  size_t arrival = 0;  // jobs that are created in the same second come together
  Rival rival;
  Assignment assigned;
  Positions begin;        // where its next try begins
  size_t cycle = kNever;  // of its first try
  int height = 0;         // of the cohort that it would have borrowed from in that try
  bool is_admitted = false;
  size_t whole_round =
      kNever;  // the value of changes_ since which its flavors are tried from the first one on
  size_t went_round = kNever;  // the value of changes_ since which all flavors were tried without success
  const Job* displaced_by = nullptr;
  std::vector<const Rival*> targets;
};

// The waiting jobs of a ClusterQueue.
class Line {
 public:
  explicit Line(const ClusterQueue& queue) : queue_(&queue) {}

  const ClusterQueue& queue() const { return *queue_; }
  bool has_head() const { return !waiting_.empty(); }

  void push(Job& job) { waiting_.insert(key(job)); }
  void set_aside(Job& job) { aside_.push_back(&job); }
  // Keeps a job that displaces others at the head until it is admitted.
  void stick(const Job& job) { sticky_ = key(job); }
  void unstick(const Job& job) {
    if (sticky_ == key(job)) sticky_.reset();
  }

  size_t pop() {
    auto at = sticky_ ? waiting_.find(*sticky_) : waiting_.end();
    if (at == waiting_.end()) at = waiting_.begin();
    const size_t number = std::get<2>(*at);
    waiting_.erase(at);
    return number;
  }

  void take_back_all() {
    for (Job* job : aside_) push(*job);
    aside_.clear();
  }

  std::optional<size_t> head() const {
    return waiting_.empty() ? std::nullopt : std::optional(std::get<2>(*waiting_.begin()));
  }

  std::vector<size_t> waiting() const {
    std::vector<size_t> numbers;
    for (const Key& key : waiting_) numbers.push_back(std::get<2>(key));
    return numbers;
  }

 private:
  using Key = std::tuple<int64_t, size_t, size_t>;  // {negated priority, age, number}

  static Key key(const Job& job) { return {-job.rival.priority, job.rival.age, job.number}; }

  const ClusterQueue* queue_;
  std::set<Key> waiting_;
  std::vector<Job*> aside_;  // not tried again until something is released
  std::optional<Key> sticky_;
};

// The ClusterQueues in one tree of cohorts, or a single one without a cohort.
class Tree {
 public:
  Tree(const Capacity& capacity, std::vector<Job>& jobs, std::span<const size_t> numbers)
      : jobs_(jobs),
        numbers_(numbers.begin(), numbers.end()),
        usage_(capacity),
        most_displaced_(numbers.size() * 2 + 16) {
    std::ranges::stable_sort(numbers_, {}, [&](size_t number) { return jobs_[number].arrival; });
    std::map<std::string_view, size_t> lines;
    for (const size_t number : numbers) {
      const ClusterQueue& queue = *jobs_[number].workload->queue;
      const auto [at, is_new] = lines.try_emplace(queue.name, lines_.size());
      if (is_new) lines_.emplace_back(queue);
      line_of_[&queue] = at->second;
    }
  }

  // Kueue is done with the jobs of one second before those of a later one come.
  void run() {
    for (size_t next = 0; next < numbers_.size();) {
      const size_t arrival = jobs_[numbers_[next]].arrival;
      for (; next < numbers_.size() && jobs_[numbers_[next]].arrival == arrival; ++next)
        line_of(jobs_[numbers_[next]]).push(jobs_[numbers_[next]]);
      active_.resize(lines_.size());
      std::iota(active_.begin(), active_.end(), size_t{0});
      settle();
    }
  }

  const Usage& usage() const { return usage_; }
  const RivalsByQueue& admitted() const { return admitted_; }

  // The job at the head of a strict queue; nullptr if that is the job itself, or the queue is not strict.
  const Job* ahead_of(const Job& job) const {
    const ClusterQueue& queue = *job.workload->queue;
    if (!queue.is_strict) return nullptr;
    const std::optional<size_t> head = lines_[line_of_.at(&queue)].head();
    return head && *head != job.number ? &jobs_[*head] : nullptr;
  }
  const Job* reserver() const { return reserver_; }

 private:
  void settle() {
    for (size_t idle = 0; idle < kMostIdleCycles;) {
      std::erase_if(active_, [&](size_t line) { return !lines_[line].has_head(); });
      if (active_.empty()) return;
      has_changed_ = false;
      run_cycle();
      ++cycle_;
      if (has_changed_) {
        idle = 0;
        continue;
      }
      ++idle;
      if (std::ranges::all_of(heads_, [&](const Job* job) { return job->went_round == changes_; })) return;
    }
  }

  void run_cycle() {
    heads_.clear();
    for (const size_t line : active_) heads_.push_back(&jobs_[lines_[line].pop()]);
    for (Job* job : heads_) nominate(*job);
    std::ranges::sort(heads_, {}, [](const Job* job) {
      return std::tuple(job->assigned.height, -job->rival.priority, job->rival.age);
    });
    reserver_ = nullptr;
    for (Job* job : heads_) process(*job);
    for (const auto& [queue, of, amount] : reserved_) usage_.remove(*queue, of, amount);
    reserved_.clear();
    displace_all();
  }

  Line& line_of(const Job& job) { return lines_[line_of_.at(job.workload->queue)]; }

  void nominate(Job& job) {
    Displacer displacer(admitted_, usage_, job.rival);
    const PreemptionPolicy& policy = job.workload->queue->preemption;
    const bool may_displace = displaced_ < most_displaced_ && (policy.within_queue != Preemption::Never ||
                                                               policy.within_cohort != Preemption::Never);
    Displacing* displacing = may_displace ? &displacer : nullptr;
    job.assigned =
        assign_flavors({usage_, *job.workload->queue, job.workload->sets, displacing, nullptr}, job.begin);
    job.targets.clear();
    if (job.begin.empty()) job.whole_round = changes_;
    if (job.cycle == kNever) {
      job.cycle = cycle_;
      job.height = job.assigned.height;
    }
    if (job.assigned.fit == Fit::Never || job.assigned.fit == Fit::Now || !displacing) return;
    std::set<FlavorResource> lacking;
    for (const Placed& one : job.assigned.placed) {
      if (one.need.fit != Fit::Now) lacking.insert({std::string(one.flavor), std::string(one.resource)});
    }
    job.targets = displacer.targets(lacking, job.assigned.amounts);
  }

  void process(Job& job) {
    const ClusterQueue& queue = *job.workload->queue;
    const bool displaces = job.assigned.fit != Fit::Now;
    if (job.assigned.fit == Fit::Never || (displaces && job.targets.empty())) {
      if (job.assigned.fit != Fit::Never && queue.preemption.within_cohort != Preemption::Any) reserve(job);
      put_back(job);
    } else if (!fits_still(job)) {
      pass(job);
    } else if (displaces) {
      for (const auto& [of, amount] : job.assigned.amounts) reserve(job, of, amount);
      for (const Rival* target : job.targets) {
        displaced_now_.push_back(target);
        jobs_[target->number].displaced_by = &job;
      }
      job.begin.clear();
      if (!queue.is_strict) line_of(job).stick(job);
      line_of(job).push(job);
    } else {
      admit(job);
    }
  }

  // Whether the job still fits: others may have got its share in this cycle.
  bool fits_still(const Job& job) {
    const auto is_taken = [&](const Rival* target) { return base::contains(displaced_now_, target); };
    if (std::ranges::any_of(job.targets, is_taken)) return false;
    std::vector<const Rival*> gone = displaced_now_;
    gone.insert(gone.end(), job.targets.begin(), job.targets.end());
    remove_all(usage_, gone);
    const bool fits = std::ranges::all_of(job.assigned.amounts, [&](const auto& entry) {
      return entry.second <= usage_.available(*job.workload->queue, entry.first);
    });
    add_all(usage_, gone);
    return fits;
  }

  void pass(Job& job) {
    job.begin.clear();
    job.went_round = changes_;
    line_of(job).push(job);
  }

  // Reserves the amounts until the end of the cycle, so that no later job takes them first.
  void reserve(const Job& job) {
    const ClusterQueue& queue = *job.workload->queue;
    for (const auto& [of, amount] : job.assigned.amounts) {
      const ResourceQuota quota = base::value_or(queue.quotas, of);
      const Units left = quota.nominal - usage_.used(queue, of);
      if (job.assigned.height == 0) {
        reserve(job, of, std::max<Units>(0, std::min(amount, left)));
      } else {
        reserve(job, of, quota.borrowing_limit ? std::min(amount, left + *quota.borrowing_limit) : amount);
      }
    }
    if (!reserver_) reserver_ = &job;
  }

  void reserve(const Job& job, const FlavorResource& of, Units amount) {
    usage_.add(*job.workload->queue, of, amount);
    reserved_.emplace_back(job.workload->queue, of, amount);
  }

  void put_back(Job& job) {
    job.begin = std::move(job.assigned.next);
    if (job.begin.empty() && job.whole_round == changes_) job.went_round = changes_;
    if (job.workload->queue->is_strict || !job.begin.empty()) {
      line_of(job).push(job);
    } else {
      line_of(job).set_aside(job);
      changed();
    }
  }

  void admit(Job& job) {
    job.is_admitted = true;
    job.displaced_by = nullptr;
    job.rival.amounts = job.assigned.amounts;
    job.rival.since = ++admissions_;
    for (const auto& [of, amount] : job.rival.amounts) usage_.add(*job.workload->queue, of, amount);
    admitted_[job.workload->queue].push_back(&job.rival);
    line_of(job).unstick(job);
    changed();
  }

  void changed() {
    has_changed_ = true;
    ++changes_;
  }

  // Displaced jobs wait again, and all jobs of the tree get another chance.
  void displace_all() {
    if (displaced_now_.empty()) return;
    remove_all(usage_, displaced_now_);
    std::set<const ClusterQueue*> queues;
    for (const Rival* rival : displaced_now_) {
      std::erase(admitted_[rival->queue], rival);
      Job& job = jobs_[rival->number];
      job.is_admitted = false;
      job.begin.clear();
      line_of(job).push(job);
      queues.insert(rival->queue);
    }
    displaced_ += displaced_now_.size();
    displaced_now_.clear();
    active_.clear();
    for (size_t i = 0; i < lines_.size(); ++i) {
      lines_[i].take_back_all();
      active_.push_back(i);
      if (!queues.contains(&lines_[i].queue())) continue;
      for (const size_t number : lines_[i].waiting()) jobs_[number].begin.clear();
    }
    changed();
  }

  std::vector<Job>& jobs_;
  std::vector<size_t> numbers_;  // of its jobs, as they arrive
  Usage usage_;
  std::vector<Line> lines_;
  std::unordered_map<const ClusterQueue*, size_t> line_of_;
  std::vector<size_t> active_;  // indexes of lines that have a head
  RivalsByQueue admitted_;
  std::vector<Job*> heads_;  // in the current cycle
  std::vector<std::tuple<const ClusterQueue*, FlavorResource, Units>> reserved_;
  std::vector<const Rival*> displaced_now_;
  const Job* reserver_ = nullptr;
  size_t cycle_ = 0;
  size_t changes_ = 0;  // number of changes to admitted and waiting jobs
  size_t admissions_ = 0;
  size_t displaced_ = 0;
  size_t most_displaced_;  // a limit, as jobs could displace each other forever
  bool has_changed_ = false;
};

struct Times {
  std::vector<size_t> ages;      // by job; 0 is the oldest
  std::vector<size_t> arrivals;  // the same for jobs of the same second
};

// "2026-11-27T19:07:44", without what is finer; "" if the job has no time.
std::string_view second_of(const Contender& job) {
  constexpr size_t kLength = 19;
  return std::string_view(job.workload->created).substr(0, kLength);
}

Times times_of(std::span<const Contender> jobs) {
  std::vector<size_t> order(jobs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) {
    const std::string_view created = jobs[i].workload->created;
    return std::pair(created.empty(), created);
  });
  Times times{std::vector<size_t>(jobs.size()), std::vector<size_t>(jobs.size())};
  size_t arrival = 0;
  for (size_t age = 0; age < order.size(); ++age) {
    times.ages[order[age]] = age;
    if (age > 0 && second_of(jobs[order[age]]) != second_of(jobs[order[age - 1]])) ++arrival;
    times.arrivals[order[age]] = arrival;
  }
  return times;
}

// Builds the report for the jobs of one cohort tree.
class Account {
 public:
  Account(const Tree& tree, std::span<const Contender> contenders) : tree_(tree), contenders_(contenders) {
    for (const auto& [queue, rivals] : tree.admitted()) {
      for (const Rival* rival : rivals) {
        for (const auto& [of, amount] : rival->amounts) {
          if (amount > 0) users_[of].push_back(rival);
        }
      }
    }
    for (auto& [of, users] : users_) std::ranges::sort(users, {}, &Rival::since);
  }

  Outcome of(const Job& job) const {
    Outcome outcome;
    const std::vector<QueuedPodSet>& sets = job.workload->sets;
    if (job.is_admitted) {
      outcome.flavors = assigned_flavors(job.assigned, sets);
      return outcome;
    }
    Obstacles obstacles;
    const Assignment rest = assign_flavors({tree_.usage(), *job.workload->queue, sets, nullptr, &obstacles});
    if (const Job* ahead = tree_.ahead_of(job)) {
      outcome.pending = Pending::Behind;
      name(outcome, ahead->number);
    } else if (rest.fit == Fit::Now) {
      outcome.pending = Pending::Reserved;
      if (tree_.reserver()) name(outcome, tree_.reserver()->number);
    } else {
      outcome.pending = job.displaced_by ? Pending::Displaced : Pending::Quota;
      outcome.obstacles = obstacles.take();
      if (job.displaced_by) {
        name(outcome, job.displaced_by->number);
      } else {
        name_users(outcome);
      }
    }
    return outcome;
  }

 private:
  void name(Outcome& outcome, size_t number) const {
    outcome.other = contenders_[number].name;
    outcome.others = 1;
  }

  // Names the users of the first flavor that is in use.
  void name_users(Outcome& outcome) const {
    for (const Obstacle& obstacle : outcome.obstacles) {
      const auto users = users_.find({obstacle.flavor, obstacle.resource});
      if (obstacle.unused.empty() || users == users_.end()) continue;
      name(outcome, users->second.front()->number);
      outcome.others = users->second.size();
      return;
    }
  }

  const Tree& tree_;
  std::span<const Contender> contenders_;
  std::map<FlavorResource, std::vector<const Rival*>> users_;  // in the order of their admissions
};

// Numbers the turns; the cycles of all trees coincide.
void number_turns(const std::vector<Job>& jobs, std::vector<Outcome>& outcomes) {
  std::vector<size_t> order(jobs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t i) {
    return std::tuple(jobs[i].cycle == kNever, jobs[i].arrival, jobs[i].cycle, jobs[i].height,
                      -jobs[i].rival.priority, jobs[i].rival.age);
  });
  for (size_t turn = 0; turn < order.size(); ++turn) outcomes[order[turn]].turn = turn + 1;
}

}  // namespace

std::string_view to_string(Pending pending) {
  switch (pending) {
    case Pending::No: return "";
    case Pending::Quota: return "quota";
    case Pending::Behind: return "behind";
    case Pending::Reserved: return "reserved";
    case Pending::Displaced: return "displaced";
  }
  return "";
}

std::vector<Outcome> admit_together(const Capacity& capacity, std::span<const Contender> contenders) {
  const Times times = times_of(contenders);
  std::vector<Job> jobs(contenders.size());
  std::map<std::pair<std::string_view, std::string_view>, std::vector<size_t>> trees;
  for (size_t i = 0; i < jobs.size(); ++i) {
    const Workload& workload = *contenders[i].workload;
    jobs[i].number = i;
    jobs[i].workload = &workload;
    jobs[i].arrival = times.arrivals[i];
    jobs[i].rival = {i, workload.queue, workload.priority, times.ages[i], 0, {}};
    const std::string_view root = capacity.root_of(*workload.queue);
    const std::string_view alone = root.empty() ? std::string_view(workload.queue->name) : "";
    trees[{root, alone}].push_back(i);
  }
  std::vector<Outcome> outcomes(jobs.size());
  for (const auto& [root, numbers] : trees) {
    Tree tree(capacity, jobs, numbers);
    tree.run();
    const Account account(tree, contenders);
    for (const size_t number : numbers) outcomes[number] = account.of(jobs[number]);
  }
  number_turns(jobs, outcomes);
  return outcomes;
}

}  // namespace trainjobc::plan
