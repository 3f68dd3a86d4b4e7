// SPDX-License-Identifier: Apache-2.0

#include "features/diff/settle.h"

#include <algorithm>
#include <utility>

#include "features/diff/live/api_defaults.h"
#include "features/diff/path_nodes.h"

namespace trainjobc::diff {
namespace {

using schema::FieldDifference;
using schema::Step;
using yaml::Entry;
using yaml::Node;

bool is_suspend(const schema::FieldPath& path) {
  return path.size() == 2 && path[0].key == "spec" && path[1].key == "suspend";
}

class Settler {
 public:
  explicit Settler(const Compared& objects) : objects_(objects) {}

  void add(FieldDifference field, std::vector<Difference>& out) const {
    if (is_default(field)) return;
    const bool only_live = field.live && !field.rendered;
    if (only_live && field.live->is_map() && field.live->size() > 0) {
      add_map(field, out);
    } else {
      out.push_back(judge(std::move(field)));
    }
  }

 private:
  bool is_default(const FieldDifference& field) const {
    if (!objects_.is_job_set || (field.live && field.rendered)) return false;
    std::vector<const Node*> parents = field.live
                                           ? nodes_along(objects_.live, field.path, Side::Live)
                                           : nodes_along(objects_.rendered, field.path, Side::Rendered);
    if (parents.size() > field.path.size()) parents.resize(field.path.size());
    return is_api_default(field.path, field.live ? *field.live : *field.rendered, parents);
  }

  void add_map(FieldDifference& map, std::vector<Difference>& out) const {
    std::vector<Difference> parts;
    for (const Entry& entry : map.live->entries()) {
      FieldDifference part{map.path, entry.value, nullptr, false};
      Step step;
      step.schema = schema::value_schema(map.path.back());
      step.key = entry.key;
      part.path.push_back(step);
      add(std::move(part), parts);
    }
    if (parts.empty()) return;
    const auto like_first = [&](const Difference& part) {
      return part.kind == parts.front().kind && part.manager == parts.front().manager &&
             part.path.size() == map.path.size() + 1;
    };
    if (parts.size() == map.live->size() && std::ranges::all_of(parts, like_first)) {
      out.push_back(judge(std::move(map)));
    } else {
      std::ranges::move(parts, std::back_inserter(out));
    }
  }

  Difference judge(FieldDifference field) const {
    Difference result;
    result.live = field.live;
    result.rendered = field.rendered;
    result.order = field.order;
    result.name = schema::to_string(field.path);
    const Ownership ownership = field.live ? objects_.owners.of(field.path) : Ownership{};
    result.manager = ownership.manager;
    const std::string_view tool = field.rendered ? std::string_view() : tool_of_key(field.path.back().key);
    if (!tool.empty()) {
      result.kind = DifferenceKind::Ignored;
      if (result.manager.empty()) result.manager = tool;
    } else if (ownership.owner == Owner::Other || (ownership.owner == Owner::Person && !field.rendered)) {
      result.kind = DifferenceKind::Ignored;
    } else if (objects_.is_queued && is_suspend(field.path)) {
      // Kueue's webhook suspends a new JobSet, which makes the creator of the JobSet the owner of the field.
      result.kind = DifferenceKind::Ignored;
      if (result.manager.empty()) result.manager = "Kueue";
    }
    result.path = std::move(field.path);
    return result;
  }

  const Compared& objects_;
};

}  // namespace

std::vector<Difference> settle(std::vector<FieldDifference> fields, const Compared& objects) {
  std::vector<Difference> out;
  const Settler settler(objects);
  for (FieldDifference& field : fields) settler.add(std::move(field), out);
  return out;
}

}  // namespace trainjobc::diff
