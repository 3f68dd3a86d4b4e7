// SPDX-License-Identifier: Apache-2.0

// The names and labels of the v1 operators' pods: no pod has them after the migration.
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

// A job's pods before and after, by name.
class NewNames {
 public:
  NewNames(std::string job, std::string ns, std::vector<PodRange> pods)
      : job_(std::move(job)), ns_(std::move(ns)), pods_(std::move(pods)) {}

  const std::string& job() const { return job_; }
  // "mnist-node-0-0.mnist" of "worker" and 0; nullopt if there was no such pod.
  std::optional<std::string> address(std::string_view role, int64_t index) const;
  // "mnist-node-0-0.mnist to mnist-node-0-3.mnist": of all pods of the role; "" if it has none.
  std::string addresses(std::string_view role) const;

  // A name that stands in a text but can't be replaced: what it is called now depends on something else.
  struct Unclear {
    std::string text;
    std::string hint;
  };
  // The text with the new names for those that are exactly a pod's; appends the others.
  std::string renamed(std::string_view text, std::vector<Unclear>& unclear) const;

  using Labels = std::vector<std::pair<std::string, std::string>>;
  // What selects the same pods as the label; nullopt if no labels do.
  std::optional<Labels> labels(std::string_view key, std::string_view value) const;

 private:
  std::optional<std::string> address_in(const PodRange& range, int64_t index) const;
  // The pods of the role, if they are all of a replicatedJob's, or one pod.
  std::optional<Labels> labels_of_role(std::string_view role) const;

  friend class NameScan;
  std::string job_;
  std::string ns_;
  std::vector<PodRange> pods_;
};

// JobSet's, of a pod.
inline constexpr std::string_view kReplicatedJobLabel = "jobset.sigs.k8s.io/replicatedjob-name";

// Whether it is a label that an operator of v1 gives to its pods, or selects them by.
bool is_old_label(std::string_view key);

// Replaces the names and labels in a tree: texts, selectors, keys of the Downward API. What can't be replaced
// is a finding, at its line.
class Renamer {
 public:
  // `names` is nullptr if no job in particular is meant.
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

// The place of `part` in a text of one or several lines; the text's own if it can't be seen there.
base::Location locate_in(const yaml::Node& text, std::string_view part);

// The pods of a draft with the new names, in what its user wrote.
void rename_pods(Conversion& conversion);

}  // namespace trainjobc::migrate::v1
