// SPDX-License-Identifier: Apache-2.0

#include "k8s/kueue/webhook.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "base/text/text.h"
#include "k8s/jobset/jobset.h"
#include "k8s/name_syntax.h"
#include "rules/rules.h"

namespace trainjobc::k8s::kueue {
namespace {

using yaml::Node;

constexpr std::string_view kRule = "advice/kueue-webhook";

constexpr std::string_view kRequired = "kueue.x-k8s.io/podset-required-topology";
constexpr std::string_view kPreferred = "kueue.x-k8s.io/podset-preferred-topology";
constexpr std::string_view kUnconstrained = "kueue.x-k8s.io/podset-unconstrained-topology";
constexpr std::string_view kSliceTopology = "kueue.x-k8s.io/podset-slice-required-topology";
constexpr std::string_view kSliceSize = "kueue.x-k8s.io/podset-slice-size";
constexpr std::string_view kGroup = "kueue.x-k8s.io/podset-group-name";

// Labels of the TrainJob whose values are names of objects.
constexpr std::array<std::string_view, 2> kNames{"kueue.x-k8s.io/queue-name",
                                                 "kueue.x-k8s.io/prebuilt-workload-name"};
constexpr std::string_view kMostSeconds = "kueue.x-k8s.io/max-exec-time-seconds";

// The words that Go's strconv.ParseBool accepts.
constexpr std::array<std::string_view, 12> kBooleans{"1", "t", "T", "TRUE", "true", "True",
                                                     "0", "f", "F", "FALSE", "false", "False"};

std::optional<int32_t> number_of(const Node& node) {
  const auto number = base::read_integer(node.text());
  if (!number || *number < std::numeric_limits<int32_t>::min() ||
      *number > std::numeric_limits<int32_t>::max())
    return std::nullopt;
  return static_cast<int32_t>(*number);
}

class Checks {
 public:
  explicit Checks(Violations& out) : out_(out) {}

  void check_labels(const Node& train_job) {
    const Node* labels = train_job.at({"metadata", "labels"});
    if (!labels) return;
    const auto field_of = [](std::string_view key) { return fmt::format("metadata.labels[{}]", key); };
    for (const std::string_view key : kNames) {
      const Node* name = labels->get(key);
      if (name && !is_dns_subdomain(name->text()))
        add(field_of(key), *name, fmt::format("{} is not the name of an object", quoted(*name)),
            suggest_dns_name(name->text(), true, true));
    }
    const Node* seconds = labels->get(kMostSeconds);
    if (!seconds) return;
    const auto number = number_of(*seconds);
    if (!number || *number <= 0)
      add(field_of(kMostSeconds), *seconds, fmt::format("{} is not a number of seconds above 0", quoted(*seconds)),
          "");
  }

  void check_pods(const jobset::ReplicatedJob& job) {
    annotations_ = job.job_spec ? job.job_spec->at({"template", "metadata", "annotations"}) : nullptr;
    if (!annotations_) return;
    field_ = job.field + ".template.spec.template.metadata.annotations";
    const int64_t parallelism = job.parallelism.value_or(1);
    const int64_t pods = job.replicas * std::min(parallelism, job.completions.value_or(parallelism));
    check_one_topology();
    for (const std::string_view key : {kRequired, kPreferred, kSliceTopology}) check_level(key);
    check_group();
    if (const Node* value = find(kUnconstrained); value && !base::contains(kBooleans, value->text()))
      add_at(kUnconstrained, *value, "is true or false");
    check_slices(pods);
  }

 private:
  const Node* find(std::string_view key) const { return annotations_->get(key); }

  base::Diagnostic& add(std::string field, const Node& where, std::string message, std::string_view better) {
    base::Diagnostic& found = out_.emplace_back(rules::finding(
        kRule, fmt::format("Kueue refuses the TrainJob: {}", message), "", yaml::locate(where)));
    found.field = std::move(field);
    if (!better.empty()) found.hint = fmt::format("such as {}", quoted(better));
    return found;
  }

  base::Diagnostic& add_at(std::string_view key, const Node& where, std::string_view problem) {
    return add(fmt::format("{}[{}]", field_, key), where, fmt::format("annotation {} {}", key, problem), "");
  }

  void check_one_topology() {
    const Node* first = nullptr;
    std::string_view first_key;
    for (const std::string_view key : {kRequired, kPreferred, kUnconstrained}) {
      const Node* value = find(key);
      if (value && first) {
        add_at(key, *value, fmt::format("can't stand beside {}", first_key)).hint = "keep one of them";
        return;
      }
      if (!value) continue;
      first = value;
      first_key = key;
    }
  }

  // Checks the node label that names the level.
  void check_level(std::string_view key) {
    const Node* level = find(key);
    if (!level) return;
    const std::string_view text = level->text();
    const size_t slash = text.find('/');
    const bool fits = slash == std::string_view::npos
                          ? is_name_part(text)
                          : is_dns_subdomain(text.substr(0, slash)) && is_name_part(text.substr(slash + 1));
    if (!fits) add_at(key, *level, fmt::format("must be the key of a label, not {}", quoted(*level)));
  }

  void check_group() {
    const Node* group = find(kGroup);
    if (!group) return;
    const bool is_number = !group->text().empty() && std::ranges::all_of(group->text(), base::is_digit);
    if (is_number) add_at(kGroup, *group, "can't be a number");
    for (const std::string_view other : {kSliceSize, kSliceTopology}) {
      if (find(other)) add_at(kGroup, *group, fmt::format("can't stand beside {}", other));
    }
    if (!find(kRequired) && !find(kPreferred))
      add_at(kGroup, *group, fmt::format("needs {} or {}", kRequired, kPreferred));
  }

  void check_slices(int64_t pods) {
    const Node* topology = find(kSliceTopology);
    const Node* size = find(kSliceSize);
    if (topology && !size) add_at(kSliceTopology, *topology, fmt::format("needs {}", kSliceSize));
    if (size && !topology) add_at(kSliceSize, *size, fmt::format("needs {}", kSliceTopology));
    if (!size) return;
    const auto number = number_of(*size);
    if (!number) {
      add_at(kSliceSize, *size, fmt::format("must be a number, not {}", quoted(*size)));
    } else if (*number < 1) {
      add_at(kSliceSize, *size, fmt::format("must be at least 1, not {}", *number));
    } else if (*number > pods) {
      add_at(kSliceSize, *size,
             fmt::format("must not be above the number of pods: {} of {}", *number, base::counted(pods, "pod")));
    }
  }

  Violations& out_;
  const Node* annotations_ = nullptr;  // the pods' annotations
  std::string field_;
};

}  // namespace

Violations check_train_job(const Node& train_job, const Node& job_set) {
  Violations out;
  Checks checks(out);
  checks.check_labels(train_job);
  for (const jobset::ReplicatedJob& job : jobset::view_job_set(job_set).jobs) checks.check_pods(job);
  return out;
}

}  // namespace trainjobc::k8s::kueue
