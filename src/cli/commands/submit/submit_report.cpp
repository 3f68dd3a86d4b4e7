// SPDX-License-Identifier: Apache-2.0

#include "cli/commands/submit/submit_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "features/cluster/difference_text.h"
#include "features/diff/format.h"
#include "lint/report/document.h"
#include "model/trainer_names.h"

namespace trainjobc::cli {
namespace {

using submit::Item;
using submit::Outcome;
using submit::Result;
using submit::Step;
using submit::title_of;

std::string_view word_of(Result result) {
  switch (result) {
    case Result::Created: return "created";
    case Result::Changed: return "changed";
    case Result::Unchanged: return "unchanged";
    case Result::Kept: return "kept: already exists";
    case Result::Replaced: return "replaced";
    case Result::Failed:
    case Result::NotSent: break;
  }
  return "not applied";
}

std::string_view dry_run_suffix(submit::DryRun dry_run) {
  return dry_run == submit::DryRun::None ? "" : " (dry run)";
}

const yaml::Node* label_of(const yaml::Node& object, std::string_view label) {
  return object.at({"metadata", "labels", label});
}

bool is_in_place(const Outcome& outcome) {
  return outcome.result != Result::Failed && outcome.result != Result::NotSent;
}

std::string list_of(const submit::Sending& sending, bool in_place) {
  std::string text;
  for (const Outcome& outcome : sending.outcomes) {
    if (is_in_place(outcome) != in_place || outcome.result == Result::Kept) continue;
    text += fmt::format("  {}{}\n", title_of(*outcome.item->object),
                        outcome.deleted && !in_place ? " (deleted by --replace)" : "");
  }
  return text;
}

std::string losses(const submit::Plan& plan, const cluster::Report& report) {
  std::string text;
  for (const Item& item : plan.items) {
    if (item.step == Step::Replace) text += loss_of(item, report);
  }
  return text;
}

}  // namespace

std::string train_job_warnings(const cluster::LiveSet& live) {
  std::string text;
  for (const cluster::LiveObject& job : live.objects) {
    if (job.kind != model::kTrainJob) continue;
    const std::string in = job.ns.empty() ? "" : fmt::format(" -n {}", job.ns);
    text += fmt::format(
        "warning: TrainJob {}{}{} exists in the cluster: the Trainer controller owns the JobSet of that name "
        "and may revert what is submitted; apply the TrainJob instead, or delete it first (kubectl delete "
        "trainjob {}{} also deletes its JobSet)\n",
        job.ns, job.ns.empty() ? "" : "/", job.name, job.name, in);
  }
  return text;
}

std::string refusal_text(const submit::Plan& plan, const cluster::Report& report, bool colour) {
  const cluster::Report refused = submit::refused_part(report);
  std::string text = diff::format_objects(refused, {.colour = colour}) +
                     fmt::format("trainjobc: nothing was sent: the cluster would refuse to update {}",
                                 report::counted(refused.objects.size(), "object"));
  const std::string lost = losses(plan, report);
  if (lost.empty()) return text + "\n";
  return fmt::format("{}; --replace deletes and recreates {}, which loses:\n{}", text,
                     refused.objects.size() == 1 ? "it" : "them", lost);
}

std::string losses_text(const submit::Plan& plan, const cluster::Report& report) {
  const std::string lost = losses(plan, report);
  return lost.empty()
             ? ""
             : fmt::format("warning: --replace deletes and recreates objects; this is lost:\n{}", lost);
}

void note_left_out(Console& console, const submit::Plan& plan) {
  std::map<std::pair<std::string, std::string>, std::vector<const Item*>> fields;
  for (const Item& item : plan.items) {
    for (const submit::LeftOut& left : item.left_out) fields[{left.field, left.manager}].push_back(&item);
  }
  for (const auto& [field, items] : fields) {
    note(console, fmt::format("{}, owned by {}, is left unchanged in {}", field.first, field.second,
                              items.size() == 1 ? title_of(*items.front()->object)
                                                : report::counted(items.size(), "object")));
  }
}

void note_unused_queues(Console& console, const submit::Plan& plan) {
  constexpr std::string_view kLabel = model::kKueueLabel;
  for (const Item& item : plan.items) {
    if (item.object->kind != "JobSet" || !item.object->train_job) continue;
    const yaml::Node* queue = label_of(*item.object->train_job, kLabel);
    if (!queue || queue->text().empty() || label_of(*item.object->root, kLabel)) continue;
    note(console,
         fmt::format(
             "{} is not queued: its TrainJob names the Kueue queue \"{}\", but the labels of a TrainJob "
             "don't reach its JobSet; set {} in spec.template.metadata.labels of the runtime",
             title_of(*item.object), queue->text(), kLabel));
  }
}

std::string outcome_line(const Outcome& outcome, submit::DryRun dry_run) {
  return fmt::format("{} {}{}\n", title_of(*outcome.item->object), word_of(outcome.result),
                     dry_run_suffix(dry_run));
}

std::string summary_line(const submit::Sending& sending, submit::DryRun dry_run) {
  size_t jobs = 0;
  std::array<std::pair<std::string_view, size_t>, 5> counts{
      {{"created", 0}, {"changed", 0}, {"unchanged", 0}, {"replaced", 0}, {"not applied", 0}}};
  for (const Outcome& outcome : sending.outcomes) {
    if (outcome.item->object->kind != "JobSet") continue;
    ++jobs;
    for (auto& [word, count] : counts) {
      if (word == word_of(outcome.result)) ++count;
    }
  }
  std::string text = report::counted(jobs, "job");
  std::string_view mark = ": ";
  for (const auto& [word, count] : counts) {
    if (count == 0) continue;
    text += fmt::format("{}{} {}", mark, count, word);
    mark = ", ";
  }
  return fmt::format("{}{}\n", text, dry_run_suffix(dry_run));
}

std::string partial_text(const submit::Sending& sending) {
  const std::string applied = list_of(sending, true);
  return fmt::format("{}not applied:\n{}", applied.empty() ? "" : "applied:\n" + applied,
                     list_of(sending, false));
}

}  // namespace trainjobc::cli
