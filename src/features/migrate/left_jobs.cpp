// SPDX-License-Identifier: Apache-2.0

#include "features/migrate/left_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/text/text.h"
#include "features/migrate/v1/old_names.h"
#include "inputs/kustomize/kustomization.h"
#include "model/train_job.h"
#include "model/v1_kinds.h"
#include "rules/rules.h"

namespace trainjobc::migrate {
namespace {

using yaml::Node;

// What to do with a job inside an object of this kind.
std::string_view hint_for(std::string_view kind) {
  if (kind == "AppWrapper")
    return "take it out of the AppWrapper: Kueue admits TrainJobs themselves, "
           "by the label kueue.x-k8s.io/queue-name";
  if (kind.ends_with("Workflow") || kind.ends_with("WorkflowTemplate"))
    return "migrate the manifest in a file of its own, put the TrainJob here, and let successCondition and "
           "failureCondition read the status of a TrainJob";
  if (kind == "Experiment")
    return "write it as kubeflow.org/v1beta1, with the job in trialTemplate.trialSpec, and migrate that";
  return "migrate it in a file of its own, and put the TrainJob here";
}

constexpr std::string_view kNameTrainJob = "name TrainJob instead, and fields of a TrainJob";

std::string named_in_kustomization(std::string_view kind) {
  return fmt::format("the kustomization names the kind {}, which becomes TrainJob", kind);
}

// The value in a line of YAML or JSON with `key: value`; "" for other lines.
std::string_view value_in(std::string_view line, std::string_view key) {
  constexpr std::string_view kAround = " \t\r\"',-{";
  line = base::trimmed(line, kAround);
  if (!line.starts_with(key)) return {};
  line = line.substr(key.size());
  line = line.substr(std::min(line.find_first_not_of("\"' "), line.size()));
  if (!line.starts_with(':')) return {};
  line = base::trimmed(line.substr(1), " \t\r\"',}");
  return line.substr(0, line.find_first_of(" #\"'"));
}

// A line of a text that names the kind of a v1 job.
struct NamedJob {
  std::string_view kind;
  uint32_t line = 0;  // counted from 0
};

std::vector<NamedJob> jobs_in_text(std::string_view text) {
  std::vector<NamedJob> jobs;
  if (text.find("kubeflow.org/") == std::string_view::npos) return jobs;
  const std::vector<std::string_view> lines = base::split(text, "\n");
  constexpr size_t kNear = 2;  // most lines between apiVersion and kind
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string_view kind = value_in(lines[i], "kind");
    if (kind.empty()) continue;
    for (size_t j = i > kNear ? i - kNear : 0; j < std::min(i + kNear + 1, lines.size()); ++j) {
      if (!model::is_v1_kind_of(value_in(lines[j], "apiVersion"), kind)) continue;
      jobs.push_back({kind, static_cast<uint32_t>(i)});
      break;
    }
  }
  return jobs;
}

class LeftJobs {
 public:
  LeftJobs(const Node& object, const std::set<const Node*>& seen)
      : object_(object), seen_(seen), kind_(yaml::string_at(object, "kind")) {
    const base::Location at = yaml::locate(object);
    const std::string file = at.file ? at.file->name() : "";
    is_kustomization_ = kind_ == "Kustomization" || kind_ == "Component" || kustomize::is_kustomization(file);
    if (is_kustomization_) {
      id_ = kustomization_id(file);
    } else if (!kind_.empty()) {
      id_ = model::identify(object).str();
    } else {
      kind_ = "document";
    }
  }

  base::Diagnostics run() {
    if (is_job(object_)) {
      add("kind", yaml::locate(*object_.get("kind")),
          fmt::format("{} of {} stays as it is: Trainer has nothing like it", kind_,
                      yaml::string_at(object_, "apiVersion")),
          "keep the old operator for it, or write a runtime and a TrainJob by hand");
    } else {
      for (const yaml::Entry& entry : object_.entries()) walk(*entry.value, std::string(entry.key));
    }
    return std::move(found_);
  }

 private:
  static bool is_job(const Node& node) {
    const Node* spec = node.get("spec");
    return spec && spec->is_map() && v1::is_v1(node);
  }

  void walk(const Node& node, const std::string& field) {
    if (seen_.contains(&node)) return;
    if (is_kustomization_) {
      // This is a patch of v1 jobs, or a rule about them, which would no longer find any object.
      if (v1::names_v1(node)) add_found(field, yaml::locate(*node.get("kind")), node.get("kind")->text());
    } else if (is_job(node)) {
      add_found(field, yaml::locate(*node.get("kind")), yaml::string_at(node, "kind"));
      return;
    }
    for (size_t i = 0; i < node.items().size(); ++i) walk(*node.items()[i], fmt::format("{}[{}]", field, i));
    for (const yaml::Entry& entry : node.entries())
      walk(*entry.value, fmt::format("{}.{}", field, entry.key));
    if (!node.is_string()) return;
    for (const NamedJob& job : jobs_in_text(node.text()))
      add_found(field, v1::locate_in(node, job.kind), job.kind);
  }

  void add_found(const std::string& field, base::Location at, std::string_view job) {
    if (is_kustomization_) {
      add(field, at, named_in_kustomization(job), kNameTrainJob);
    } else {
      add(field, at, fmt::format("the {} in this {} stays as it is", job, kind_), hint_for(kind_));
    }
  }

  void add(const std::string& field, base::Location at, std::string message, std::string_view hint) {
    base::Diagnostic left = rules::finding(kLeftRule, std::move(message), std::string(hint), at);
    left.object = id_;
    left.field = field;
    found_.add(std::move(left));
  }

  const Node& object_;
  const std::set<const Node*>& seen_;
  std::string_view kind_;
  bool is_kustomization_ = false;
  std::string id_;
  base::Diagnostics found_;
};

}  // namespace

std::string fill_in_hint(std::string_view text, const std::string& file) {
  const auto has = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
  if (!has("{{")) return fmt::format("fill it in first: envsubst < {} | trainjobc migrate -", file);
  const bool is_chart = has(".Values") || has(".Release") || has(".Chart") || has("include \"");
  return is_chart ? "fill it in first: helm template CHART | trainjobc migrate -"
                  : "fill it in first, and migrate the result: … | trainjobc migrate -";
}

std::string kustomization_id(const std::string& file) {
  return "Kustomization/" + file;
}

base::Diagnostic left_in_kustomization(std::string message, std::string hint, const Node& where) {
  const base::Location at = yaml::locate(where);
  base::Diagnostic left = rules::finding(kLeftRule, std::move(message), std::move(hint), at);
  if (at.file) left.object = kustomization_id(at.file->name());
  return left;
}

base::Diagnostic left_in_kustomization(const Node& kind) {
  return left_in_kustomization(named_in_kustomization(kind.text()), std::string(kNameTrainJob), kind);
}

base::Diagnostics find_left_jobs(const Node& object, const std::set<const Node*>& seen) {
  return LeftJobs(object, seen).run();
}

base::Diagnostics find_left_jobs(const base::SourceFile& file, std::string_view text) {
  base::Diagnostics found;
  const bool is_template =
      text.find("{{") != std::string_view::npos || text.find("${") != std::string_view::npos;
  const std::string hint = is_template ? fill_in_hint(text, file.name()) : "correct the document first";
  for (const NamedJob& job : jobs_in_text(text)) {
    const size_t column = file.line(job.line + 1).find(job.kind);
    const base::Location at{&file, job.line + 1, static_cast<uint32_t>(column + 1), job.line + 1,
                            static_cast<uint32_t>(column + 1 + job.kind.size())};
    found.add(rules::finding(kLeftRule,
                             fmt::format("the {} in this {} stays as it is", job.kind,
                                         is_template ? "template" : "document, which can't be read,"),
                             hint, at));
  }
  return found;
}

}  // namespace trainjobc::migrate
