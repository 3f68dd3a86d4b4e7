// SPDX-License-Identifier: Apache-2.0

#include "features/diff/updates/merged.h"

#include <algorithm>
#include <vector>

namespace trainjobc::diff {
namespace {

using schema::Step;
using yaml::Entry;
using yaml::Maker;
using yaml::Node;

using Edits = std::vector<const Difference*>;

class Merger {
 public:
  explicit Merger(const Maker& make) : make_(make) {}

  // `node` is the live value at this depth, nullptr if there is none; the result is nullptr if the field
  // goes.
  const Node* value(const Node* node, const Edits& edits, size_t depth) const {
    if (edits.empty()) return node;
    for (const Difference* edit : edits) {
      if (edit->path.size() == depth) return edit->rendered;
    }
    return edits.front()->path[depth].is_item() ? list(*node, edits, depth) : map(node, edits, depth);
  }

 private:
  template <class Matches>
  static Edits choose(const Edits& edits, Matches matches) {
    Edits chosen;
    std::ranges::copy_if(edits, std::back_inserter(chosen), matches);
    return chosen;
  }

  const Node* map(const Node* node, const Edits& edits, size_t depth) const {
    const auto below = [&](std::string_view key) {
      return choose(edits, [&](const Difference* edit) { return edit->path[depth].key == key; });
    };
    std::vector<Entry> entries;
    const auto add = [&](Entry entry) {
      entry.value = value(entry.value, below(entry.key), depth + 1);
      if (entry.value) entries.push_back(entry);
    };
    if (node) {
      for (const Entry& entry : node->entries()) add(entry);
    }
    for (const Difference* edit : edits) {
      const std::string_view key = edit->path[depth].key;
      const bool added = std::ranges::find(entries, key, &Entry::key) != entries.end();
      if (!added && !(node && node->get(key))) add({key, nullptr, {}});
    }
    return make_.map(entries, node ? node->origin() : yaml::Origin{});
  }

  const Node* list(const Node& node, const Edits& edits, size_t depth) const {
    std::vector<const Node*> items;
    for (size_t i = 0; i < node.size(); ++i) {
      const Edits below =
          choose(edits, [&](const Difference* edit) { return edit->path[depth].live_index == i; });
      if (const Node* item = value(node.items()[i], below, depth + 1)) items.push_back(item);
    }
    for (const Difference* edit : edits) {
      if (edit->path[depth].live_index == Step::kNone) items.push_back(edit->rendered);
    }
    return make_.list(items, node.origin());
  }

  const Maker& make_;
};

}  // namespace

const Node* apply_differences(const Node& live, std::span<const Difference> differences, const Maker& make) {
  Edits edits;
  for (const Difference& difference : differences) {
    if (difference.kind == DifferenceKind::Changed) edits.push_back(&difference);
  }
  return Merger(make).value(&live, edits, 0);
}

}  // namespace trainjobc::diff
