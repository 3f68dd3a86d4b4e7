// SPDX-License-Identifier: Apache-2.0

// The names and labels of the v1 operators' pods, which no pod has after the migration.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "features/migrate/v1/draft.h"
#include "yaml/node.h"

namespace trainjobc::migrate::v1 {

// The old and new names of a job's pods.
class NewNames {
 public:
  NewNames(std::string job, std::string ns, std::vector<PodRange> pods)
      : job_(std::move(job)), ns_(std::move(ns)), pods_(std::move(pods)) {}

  const std::string& job() const { return job_; }
  // The new address of a pod: "mnist-node-0-0.mnist" for "worker" and 0; nullopt if there was no such pod.
  std::optional<std::string> address(std::string_view role, int64_t index) const;
  // The new addresses of all pods of the role: "mnist-node-0-0.mnist to mnist-node-0-3.mnist"; "" if it has
  // none.
  std::string addresses(std::string_view role) const;

  // A name in a text that can't be replaced, because the new name depends on something else.
  struct Unclear {
    std::string text;
    std::string hint;
  };
  // The text with new names in place of those that are exactly a pod's; appends the others to `unclear`.
  std::string renamed(std::string_view text, std::vector<Unclear>& unclear) const;

  using Labels = std::vector<std::pair<std::string, std::string>>;
  // The labels that select the same pods as the old label; nullopt if none do.
  std::optional<Labels> labels(std::string_view key, std::string_view value) const;

 private:
  std::optional<std::string> address_in(const PodRange& range, int64_t index) const;
  // Labels that select the pods of the role, if these are a single pod, or all pods of a replicatedJob.
  std::optional<Labels> labels_of_role(std::string_view role) const;

  friend class NameScan;
  std::string job_;
  std::string ns_;
  std::vector<PodRange> pods_;
};

// A label that JobSet gives to pods.
inline constexpr std::string_view kReplicatedJobLabel = "jobset.sigs.k8s.io/replicatedjob-name";

// Whether the operators of v1 give the label to pods, or select pods by it.
bool is_old_label(std::string_view key);

// Replaces the names and labels in a tree: in texts, selectors, keys of the Downward API. What can't be
// replaced becomes a finding on its line.
class Renamer {
 public:
  // `names` is nullptr if no particular job is meant.
  Renamer(const NewNames* names, const yaml::Maker& make) : names_(names), make_(make) {}

  // `field` is the path of the node.
  const yaml::Node* run(const yaml::Node& node, const std::string& field);

  const std::vector<base::Diagnostic>& findings() const { return findings_; }

 private:
  const yaml::Node* of_map(const yaml::Node& map, const std::string& field);
  const yaml::Node* of_list(const yaml::Node& list, const std::string& field);
  const yaml::Node* of_text(const yaml::Node& text, const std::string& field);
  const yaml::Node* of_labels(const yaml::Node& labels, const std::string& field);
  const yaml::Node* of_expressions(const yaml::Node& list, const std::string& field);
  const yaml::Node* of_expression(const yaml::Node& item, const std::string& field);
  const yaml::Node* of_keys(const yaml::Node& list, const std::string& field);
  void report(std::string field, std::string message, std::string hint, base::Location at);
  void report_label(const std::string& field, std::string_view key, base::Location at);

  const NewNames* names_;
  const yaml::Maker& make_;
  std::vector<base::Diagnostic> findings_;
};

// The place of `part` in a text of one or several lines; that of the text if it can't be found there.
base::Location locate_in(const yaml::Node& text, std::string_view part);

// Renames pods in what the user wrote into the draft.
void rename_pods(Conversion& conversion);

}  // namespace trainjobc::migrate::v1
