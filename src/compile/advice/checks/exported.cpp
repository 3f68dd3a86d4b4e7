// SPDX-License-Identifier: Apache-2.0

// Fields that the server sets: an object exported from a cluster has them, but a file should not.
#include <fmt/format.h>

#include "base/text/text.h"
#include "compile/advice/checks.h"
#include "k8s/object_meta.h"
#include "secret/secret.h"
#include "yaml/rewrite/edits.h"

namespace trainjobc::compile::advice::exported {
namespace {

using yaml::Entry;
using yaml::Node;

// The fields of an object that the server sets, and the edits that remove them.
class ServerFields {
 public:
  explicit ServerFields(const Node& root) : root_(root) {
    const Node* metadata = root.get("metadata");
    for (const Entry& entry : root.entries()) {
      if (entry.value == metadata) add_metadata(*metadata);
      if (entry.key == "status") add(entry, "status", in_root_);
    }
  }

  const Entry* first() const { return first_; }
  const std::vector<std::string>& names() const { return names_; }

  // Removes all of them, or is empty.
  std::vector<base::Edit> edits() const {
    std::vector<base::Edit> all;
    const Node* metadata = root_.get("metadata");
    const bool is_done =
        take(root_, in_root_, all) && take(*metadata, in_metadata_, all) &&
        (in_annotations_.empty() || take(*metadata->get("annotations"), in_annotations_, all));
    return is_done ? all : std::vector<base::Edit>();
  }

 private:
  using Keys = std::vector<std::string_view>;

  static bool take(const Node& map, const Keys& keys, std::vector<base::Edit>& all) {
    if (keys.empty()) return true;
    const std::vector<base::Edit> edits = yaml::remove_entries(map, keys);
    all.insert(all.end(), edits.begin(), edits.end());
    return !edits.empty();
  }

  // Tools write creationTimestamp: null and status: {}, which mean nothing.
  void add(const Entry& entry, std::string name, Keys& keys) {
    if (entry.value->is_empty_value() || !entry.key_origin.file()) return;
    if (!first_) first_ = &entry;
    names_.push_back(std::move(name));
    keys.push_back(entry.key);
  }

  void add_metadata(const Node& metadata) {
    for (const Entry& entry : metadata.entries()) {
      if (k8s::is_server_metadata(entry.key)) add(entry, fmt::format("metadata.{}", entry.key), in_metadata_);
      if (entry.key == "annotations") add_annotation(entry);
    }
  }

  void add_annotation(const Entry& annotations) {
    const Entry* applied = annotations.value->find(secret::kLastApplied);
    if (!applied) return;
    add(*applied, fmt::format("metadata.annotations[{}]", applied->key), in_annotations_);
    if (annotations.value->size() > 1 || in_annotations_.empty()) return;
    in_annotations_.clear();
    in_metadata_.push_back(annotations.key);
  }

  const Node& root_;
  const Entry* first_ = nullptr;
  std::vector<std::string> names_;
  Keys in_root_;
  Keys in_metadata_;
  Keys in_annotations_;
};

void check_object(const Node& root, Advisor& advisor) {
  const ServerFields fields(root);
  if (!fields.first()) return;
  const bool is_one = fields.names().size() == 1;
  base::Diagnostic& found = advisor.warn(
      "advice/server-field", fields.names().front(),
      fmt::format("{} {} set by the server: a file with {} fits one object of one cluster",
                  base::word_list(fields.names()), is_one ? "is" : "are", is_one ? "it" : "them"),
      yaml::locate_key(*fields.first()), is_one ? "remove it" : "remove them");
  found.fix = fields.edits();
}

void check_job(const AdviceContext& context, Advisor& advisor) {
  check_object(context.source, advisor);
}

void check_runtime(const RuntimeContext& context, Advisor& advisor) {
  check_object(*context.runtime.root, advisor);
}

}  // namespace

Checks checks() {
  return {.job = {check_job}, .runtime = {check_runtime}};
}

}  // namespace trainjobc::compile::advice::exported
