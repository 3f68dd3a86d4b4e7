// SPDX-License-Identifier: Apache-2.0

#include "features/migrate/v1/old_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text/text.h"
#include "k8s/jobset/jobset.h"
#include "rules/rules.h"
#include "yaml/changes.h"

namespace trainjobc::migrate::v1 {
namespace {

using yaml::Entry;
using yaml::Node;

constexpr std::string_view kPrefix = "training.kubeflow.org/";
constexpr std::string_view kJobNameLabel = "training.kubeflow.org/job-name";
constexpr std::string_view kReplicaIndexLabel = "training.kubeflow.org/replica-index";
constexpr std::string_view kIndexLabel = "batch.kubernetes.io/job-completion-index";

// Labels of the operators before Training Operator 1.3 have no prefix.
constexpr std::array<std::string_view, 7> kOfJob{kJobNameLabel,      "pytorch-job-name", "tf-job-name",
                                                 "xgboost-job-name", "mpi-job-name",     "mpi_job_name",
                                                 "mxnet-job-name"};
constexpr std::array<std::string_view, 7> kOfRole{"training.kubeflow.org/replica-type",
                                                  "training.kubeflow.org/job-role",
                                                  "pytorch-replica-type",
                                                  "tf-replica-type",
                                                  "mpi_role_type",
                                                  "replica-type",
                                                  "mpi-job-role"};
constexpr std::array<std::string_view, 4> kOfIndex{kReplicaIndexLabel, "pytorch-replica-index",
                                                   "tf-replica-index", "replica-index"};
constexpr std::array<std::string_view, 6> kRoles{"master", "worker", "launcher", "chief", "ps", "evaluator"};
// Files that the MPI operators mount besides the hostfile.
constexpr std::array<std::string_view, 2> kScripts{"/etc/mpi/discover_hosts.sh", "/etc/mpi/kubexec.sh"};

bool is_in_name(char c) {
  return base::is_alnum(c) || c == '-' || c == '_';
}

bool ends_name(std::string_view text, size_t at) {
  return at >= text.size() || !is_in_name(text[at]);
}

// The number at `at`, which advances past it.
std::optional<int64_t> take_number(std::string_view text, size_t& at) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), number);
  if (at >= text.size() || text[at] < '0' || text[at] > '9' || error != std::errc()) return std::nullopt;
  at = static_cast<size_t>(end - text.data());
  return number;
}

// The labels as a selector: "a=b,c=d".
std::string selector_of(const NewNames::Labels& labels) {
  std::string text;
  for (const auto& [key, value] : labels) text += fmt::format("{}{}={}", text.empty() ? "" : ",", key, value);
  return text;
}

// The word that contains the range.
std::string_view word_around(std::string_view text, size_t begin, size_t end) {
  const auto ends = [](char c) {
    return base::kSpace.find(c) != std::string_view::npos ||
           std::string_view("\"'`;,|&").find(c) != std::string_view::npos;
  };
  while (begin > 0 && !ends(text[begin - 1])) --begin;
  while (end < text.size() && !ends(text[end])) ++end;
  return text.substr(begin, end - begin);
}

}  // namespace

bool is_old_label(std::string_view key) {
  return key.starts_with(kPrefix) || base::contains(kOfJob, key) || base::contains(kOfRole, key) ||
         base::contains(kOfIndex, key);
}

std::optional<std::string> NewNames::address_in(const PodRange& range, int64_t index) const {
  if (index < range.first || index >= range.first + range.count) return std::nullopt;
  const int64_t place = range.begin + index - range.first;
  const std::string job = k8s::jobset::job_name(job_, range.job, range.one_each ? place : 0);
  return k8s::jobset::pod_address(job, range.one_each ? 0 : place, job_);
}

std::optional<std::string> NewNames::address(std::string_view role, int64_t index) const {
  for (const PodRange& range : pods_) {
    if (range.role != role) continue;
    if (auto found = address_in(range, index)) return found;
  }
  return std::nullopt;
}

std::string NewNames::addresses(std::string_view role) const {
  std::string all;
  for (const PodRange& range : pods_) {
    if (range.role != role || range.count == 0) continue;
    const std::string first = *address_in(range, range.first);
    all += (all.empty() ? "" : ", ") + first;
    if (range.count > 1) all += " to " + *address_in(range, range.first + range.count - 1);
  }
  return all;
}

// Replaces the names in one text.
class NameScan {
 public:
  NameScan(const NewNames& names, std::string_view text, std::vector<NewNames::Unclear>& unclear)
      : names_(names), text_(text), unclear_(unclear) {}

  std::string run() {
    const std::string prefix = names_.job_ + "-";
    size_t copied = 0;
    for (size_t at = text_.find('-'); at != std::string_view::npos; at = text_.find('-', at + 1)) {
      const size_t begin = begin_of(prefix, at);
      if (begin < copied) continue;
      const size_t end =
          names_.job_.empty() || begin == std::string_view::npos ? at : take_name(begin, at + 1);
      if (end > at) {
        out_ += text_.substr(copied, begin - copied);
        out_ += address_;
        copied = end;
        at = end - 1;
      } else if (begin == std::string_view::npos) {
        check_variable(at);
      }
    }
    out_ += text_.substr(copied);
    return std::move(out_);
  }

 private:
  // Where the job's name begins, if it ends before the dash at `at`.
  size_t begin_of(const std::string& prefix, size_t at) const {
    if (prefix.size() == 1 || at + 1 < prefix.size()) return std::string_view::npos;
    const size_t begin = at + 1 - prefix.size();
    if (text_.substr(begin, prefix.size()) != prefix) return std::string_view::npos;
    return begin == 0 || (!is_in_name(text_[begin - 1]) && text_[begin - 1] != '.') ? begin
                                                                                    : std::string_view::npos;
  }

  std::string_view role_at(size_t at) const {
    for (const std::string_view role : kRoles) {
      if (text_.substr(at).starts_with(role)) return role;
    }
    return "";
  }

  // Reads a pod's name that begins at `begin`, with its role at `at`, and sets address_. Returns the name's
  // end; 0 for other names.
  size_t take_name(size_t begin, size_t at) {
    const std::string_view role = role_at(at);
    if (role.empty()) return 0;
    size_t end = at + role.size();
    std::optional<int64_t> index;
    if (end < text_.size() && text_[end] == '-') {
      size_t number = end + 1;
      index = take_number(text_, number);
      if (!index) {
        report_unclear(begin, end, role);
        return 0;
      }
      end = number;
    } else if (role == "launcher") {
      index = 0;
    }
    if (!index || !ends_name(text_, end)) return 0;
    const auto address = names_.address(role, *index);
    // After a single slash, the name is part of a path; after two, part of a URL.
    const bool is_path = begin > 0 && text_[begin - 1] == '/' && (begin < 2 || text_[begin - 2] != '/');
    if (!address || is_path || !has_domain(end)) {
      report_unclear(begin, end, role);
      return 0;
    }
    address_ = *address;
    return end;
  }

  // Whether a domain, or nothing, follows a pod's name; `end` advances past the service's name.
  bool has_domain(size_t& end) const {
    if (end >= text_.size() || text_[end] != '.') return true;
    const auto follows = [&](std::string_view word) {
      return !word.empty() && text_.substr(end + 1).starts_with(word) &&
             ends_name(text_, end + 1 + word.size());
    };
    if (follows(names_.job_)) {
      end += 1 + names_.job_.size();
      return true;
    }
    const bool ends_sentence =
        end + 1 >= text_.size() || base::kSpace.find(text_[end + 1]) != std::string_view::npos;
    return ends_sentence || follows(names_.ns_) || follows("default") || follows("svc") ||
           text_.substr(end + 1).starts_with('$') || text_.substr(end + 1).starts_with('{');
  }

  // Reports a name that comes from a variable: "$(NAME)-worker-0" or "${JOB}-worker-".
  void check_variable(size_t at) {
    const std::string_view role = role_at(at + 1);
    if (role.empty() || at == 0) return;
    const size_t after = at + 1 + role.size();
    const bool has_index = after < text_.size() && text_[after] == '-';
    if (!has_index) return;
    const char before = text_[at - 1];
    size_t begin = at;
    while (begin > 0 && (base::is_alnum(text_[begin - 1]) || text_[begin - 1] == '_')) --begin;
    const bool is_variable =
        before == ')' || before == '}' || (begin < at && begin > 0 && text_[begin - 1] == '$');
    if (is_variable) report_unclear(begin, after, role);
  }

  void report_unclear(size_t begin, size_t end, std::string_view role) {
    const std::string now = names_.addresses(role);
    unclear_.push_back({std::string(word_around(text_, begin, end)),
                        now.empty() ? fmt::format("the job has no {}", role)
                                    : fmt::format("the address of {} is now {}", role, now)});
  }

  const NewNames& names_;
  std::string_view text_;
  std::vector<NewNames::Unclear>& unclear_;
  std::string out_;
  std::string address_;
};

std::string NewNames::renamed(std::string_view text, std::vector<Unclear>& unclear) const {
  std::string out = NameScan(*this, text, unclear).run();
  for (const std::string_view script : kScripts) {
    if (out.find(script) == std::string::npos) continue;
    unclear.push_back({std::string(script), "Trainer mounts /etc/mpi/hostfile only; read that"});
  }
  for (size_t at = out.find(kPrefix); at != std::string::npos; at = out.find(kPrefix, at + 1)) {
    size_t end = at + kPrefix.size();
    while (!ends_name(out, end)) ++end;
    const std::string key = out.substr(at, end - at);
    size_t value_end = std::min(end + 1, out.size());
    while (!ends_name(out, value_end)) ++value_end;
    const bool has_value = out.substr(end, 1) == "=";
    const auto now = has_value ? labels(key, out.substr(end + 1, value_end - end - 1)) : std::nullopt;
    if (now) {
      out.replace(at, value_end - at, selector_of(*now));
    } else if (key == kJobNameLabel) {
      out.replace(at, key.size(), k8s::jobset::kJobSetNameLabel);
    } else {
      unclear.push_back({key, ""});
    }
  }
  return out;
}

std::optional<NewNames::Labels> NewNames::labels_of_role(std::string_view role) const {
  const PodRange* found = nullptr;
  for (const PodRange& range : pods_) {
    if (range.role != base::lower_case(role)) continue;
    if (found) return std::nullopt;
    found = &range;
  }
  if (!found) return std::nullopt;
  const auto shares = [&](const PodRange& range) { return &range != found && range.job == found->job; };
  Labels labels{{std::string(kReplicatedJobLabel), found->job}};
  if (std::ranges::none_of(pods_, shares)) return labels;
  if (found->count != 1 || found->one_each) return std::nullopt;
  labels.emplace_back(kIndexLabel, std::to_string(found->begin));
  return labels;
}

std::optional<NewNames::Labels> NewNames::labels(std::string_view key, std::string_view value) const {
  if (base::contains(kOfJob, key)) {
    if (value != job_) return std::nullopt;
    return Labels{{std::string(k8s::jobset::kJobSetNameLabel), job_}};
  }
  return base::contains(kOfRole, key) ? labels_of_role(value) : std::nullopt;
}

void Renamer::report(std::string field, std::string message, std::string hint, base::Location at) {
  base::Diagnostic finding = rules::finding("advice/v1-difference", std::move(message), std::move(hint), at);
  finding.field = std::move(field);
  findings_.push_back(std::move(finding));
}

void Renamer::report_label(const std::string& field, std::string_view key, base::Location at) {
  std::string now = std::string(kReplicatedJobLabel);
  if (base::contains(kOfJob, key)) now = k8s::jobset::kJobSetNameLabel;
  if (base::contains(kOfIndex, key)) now = kIndexLabel;
  report(field, fmt::format("no pod has the label {} after the migration", key),
         fmt::format("Trainer's pods have {} instead", now), at);
}

const Node* Renamer::run(const Node& node, const std::string& field) {
  if (node.is_map()) return of_map(node, field);
  if (node.is_list()) return of_list(node, field);
  return node.is_string() ? of_text(node, field) : &node;
}

const Node* Renamer::of_map(const Node& map, const std::string& field) {
  constexpr std::array<std::string_view, 4> kNoText{"image", "name", "labels", "annotations"};
  yaml::ChangedMap changed(map);
  for (const Entry& entry : map.entries()) {
    const std::string place = fmt::format("{}.{}", field, entry.key);
    const Node* value = entry.value;
    const bool is_selector = entry.key == "matchLabels" || (entry.key == "selector" && field == "spec");
    if (is_selector && value->is_map() && !value->get("matchLabels") && !value->get("matchExpressions")) {
      value = of_labels(*value, place);
    } else if (entry.key == "matchExpressions") {
      value = of_expressions(*value, place);
    } else if (entry.key == "matchLabelKeys" || entry.key == "mismatchLabelKeys" ||
               entry.key == "podTargetLabels") {
      value = of_keys(*value, place);
    } else if (!base::contains(kNoText, entry.key)) {
      value = run(*value, place);
    }
    changed.take(value);
  }
  return changed.node(make_);
}

const Node* Renamer::of_list(const Node& list, const std::string& field) {
  yaml::ChangedList changed(list);
  for (size_t i = 0; i < list.size(); ++i)
    changed.take(run(*list.items()[i], fmt::format("{}[{}]", field, i)));
  return changed.node(make_);
}

const Node* Renamer::of_text(const Node& text, const std::string& field) {
  if (!names_ || !text.origin().file()) return &text;
  std::vector<NewNames::Unclear> unclear;
  const std::string renamed = names_->renamed(text.text(), unclear);
  for (const NewNames::Unclear& name : unclear) {
    const base::Location at = locate_in(text, name.text);
    if (is_old_label(name.text)) {
      report_label(field, name.text, at);
    } else if (base::contains(kScripts, name.text)) {
      report(field, fmt::format("there is no {} after the migration", name.text), name.hint, at);
    } else {
      report(field, fmt::format("{} is not a pod's name after the migration", name.text), name.hint, at);
    }
  }
  return renamed == text.text() ? &text : make_.copied(renamed, text.origin());
}

const Node* Renamer::of_labels(const Node& labels, const std::string& field) {
  std::vector<Entry> entries;
  bool changed = false;
  for (const Entry& entry : labels.entries()) {
    if (!is_old_label(entry.key)) {
      entries.push_back(entry);
      continue;
    }
    const auto now = names_ ? names_->labels(entry.key, entry.value->text()) : std::nullopt;
    if (!now) {
      report_label(field, entry.key, yaml::locate_key(entry));
      entries.push_back(entry);
      continue;
    }
    changed = true;
    for (const auto& [key, value] : *now)
      entries.push_back({make_.copied(key)->text(), make_.copied(value, entry.value->origin()), {}});
  }
  return changed ? make_.map(entries, labels.origin()) : &labels;
}

const Node* Renamer::of_expressions(const Node& list, const std::string& field) {
  yaml::ChangedList changed(list);
  for (const Node* item : list.items()) changed.take(of_expression(*item, field));
  return changed.node(make_);
}

const Node* Renamer::of_expression(const Node& item, const std::string& field) {
  const std::string_view key = yaml::string_at(item, "key");
  if (!is_old_label(key)) return &item;
  const auto values = yaml::items_at(item, "values");
  const auto now = names_ && values.size() == 1 ? names_->labels(key, values[0]->text()) : std::nullopt;
  const bool is_any = base::contains(kOfJob, key) && values.empty();
  if ((!now || now->size() != 1) && !is_any) {
    report_label(field, key, yaml::locate(*item.get("key")));
    return &item;
  }
  const std::string new_key = is_any ? std::string(k8s::jobset::kJobSetNameLabel) : now->front().first;
  const Node* renamed = make_.with(&item, "key", make_.copied(new_key, item.get("key")->origin()));
  if (is_any) return renamed;
  const Node* value = make_.copied(now->front().second, values[0]->origin());
  return make_.with(renamed, "values", make_.list({value}, item.get("values")->origin()));
}

const Node* Renamer::of_keys(const Node& list, const std::string& field) {
  yaml::ChangedList changed(list);
  for (const Node* item : list.items()) {
    const bool is_job = base::contains(kOfJob, item->text());
    if (!is_job && is_old_label(item->text())) report_label(field, item->text(), yaml::locate(*item));
    changed.take(is_job ? make_.copied(k8s::jobset::kJobSetNameLabel, item->origin()) : item);
  }
  return changed.node(make_);
}

base::Location locate_in(const Node& text, std::string_view part) {
  base::Location at = yaml::locate(text);
  if (!at.file) return at;
  const auto lines = static_cast<uint32_t>(std::ranges::count(text.text(), '\n'));
  const uint32_t last = std::min(at.file->line_count(), std::max(at.end_line, at.line + lines + 1));
  for (uint32_t line = at.line; line <= last; ++line) {
    const std::string_view written = at.file->line(line);
    const size_t found = written.find(part, line == at.line ? at.column - 1 : 0);
    if (found == std::string_view::npos) continue;
    return {at.file, line, static_cast<uint32_t>(found + 1), line,
            static_cast<uint32_t>(found + 1 + part.size())};
  }
  return at;
}

void rename_pods(Conversion& conversion) {
  const Job& job = conversion.job;
  const NewNames names(std::string(job.id.name), std::string(job.id.ns), conversion.draft.pods);
  for (DraftRole& role : conversion.draft.roles) {
    Renamer renamer(&names, conversion.make);
    const Node* spec = role.pods.node->get("spec");
    const Node* renamed = renamer.run(*spec, "spec.template.spec");
    if (renamed != spec) role.pods.node = conversion.make.with(role.pods.node, "spec", renamed);
    for (const base::Diagnostic& finding : renamer.findings()) conversion.findings.take(finding);
  }
}

}  // namespace trainjobc::migrate::v1
