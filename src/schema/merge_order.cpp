// SPDX-License-Identifier: Apache-2.0

#include "schema/merge_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace trainjobc::schema {
namespace {

using yaml::Node;

using Rank = std::optional<size_t>;

Rank rank_in(ItemSpan order, const Node& element, const ElementIdentity& identity) {
  const Node& key = identity.key_of(element);
  for (size_t i = 0; i < order.size(); ++i) {
    if (identity.same_value(key, identity.key_of(*order[i]))) return i;
  }
  return std::nullopt;
}

// Whether the element has `$patch: delete`.
bool deletes(const Node& element) {
  const Node* directive = element.get("$patch");
  return directive && directive->is_string() && directive->text() == "delete";
}

// Sorts by rank. If one of two elements has none, Go's comparison returns "less" in both directions, and the
// order is that of its insertion sort; so this is that sort. (Beyond 20 elements Go merges blocks.)
// Elements with `$patch: delete` come last; only a patch that names an element twice leaves any.
void sort_by_rank(Items& items, ItemSpan order, const ElementIdentity& identity) {
  const auto kept_end =
      std::stable_partition(items.begin(), items.end(), [](const Node* item) { return !deletes(*item); });
  std::vector<std::pair<Rank, const Node*>> ranked;
  ranked.reserve(items.size());
  for (auto item = items.begin(); item != kept_end; ++item)
    ranked.emplace_back(rank_in(order, **item, identity), *item);
  const auto less = [](const Rank& a, const Rank& b) { return !a || !b || *a < *b; };
  for (size_t i = 1; i < ranked.size(); ++i) {
    for (size_t j = i; j > 0 && less(ranked[j].first, ranked[j - 1].first); --j)
      std::swap(ranked[j], ranked[j - 1]);
  }
  std::ranges::transform(ranked, items.begin(), [](const auto& entry) { return entry.second; });
}

// Two sorted lists in one.
Items weave(const Items& others, const Items& named, ItemSpan before, const ElementIdentity& identity) {
  Items woven;
  woven.reserve(others.size() + named.size());
  auto other = others.begin();
  auto wanted = named.begin();
  while (other != others.end() && wanted != named.end()) {
    const Rank a = rank_in(before, **other, identity);
    const Rank b = rank_in(before, **wanted, identity);
    woven.push_back(a && b && *a < *b ? *other++ : *wanted++);
  }
  woven.insert(woven.end(), other, others.end());
  woven.insert(woven.end(), wanted, named.end());
  return woven;
}

}  // namespace

void fail_merge(std::string message, const Node& culprit, std::string hint) {
  throw MergeFailure{{std::move(message), &culprit, std::move(hint)}};
}

bool ElementIdentity::same_value(const Node& a, const Node& b) const {
  if (a.kind() != b.kind()) return false;
  if (!a.is_scalar())
    fail_merge("elements of a merged list need a number or a string as their key", *culprit);
  return equal(a, b);
}

const Node& ElementIdentity::key_of(const Node& element) const {
  if (merge_key.empty()) return element;
  const Node* key = element.get(merge_key);
  if (!key) {
    fail_merge(fmt::format("an element of this list has no \"{}\", the list's merge key", merge_key),
               *culprit);
  }
  return *key;
}

bool ElementIdentity::contains(ItemSpan items, const Node& element) const {
  return rank_in(items, element, *this).has_value();
}

Items in_merged_order(const Items& merged, ItemSpan wanted, ItemSpan before,
                      const ElementIdentity& identity) {
  if (identity.merge_key.empty()) {
    for (const ItemSpan items : {ItemSpan(merged), wanted, before}) {
      if (std::ranges::all_of(items, &Node::is_scalar)) continue;
      fail_merge("the elements of this list have no key to order them by", *identity.culprit);
    }
  }
  for (const ItemSpan items : {wanted, before}) {
    for (const Node* item : items) identity.key_of(*item);
  }
  Items named;
  Items others;
  for (const Node* item : merged) (identity.contains(wanted, *item) ? named : others).push_back(item);
  sort_by_rank(named, wanted, identity);
  sort_by_rank(others, before, identity);
  return weave(others, named, before, identity);
}

void check_element_order(ItemSpan patch, ItemSpan order, const ElementIdentity& identity) {
  if (patch.empty() || order.empty()) return;
  auto next = order.begin();
  for (const Node* element : patch) {
    if (!identity.merge_key.empty() && !element->is_map()) {
      fail_merge("$setElementOrder needs a list of maps here", *element);
    }
    if (!identity.merge_key.empty() && deletes(*element)) continue;
    // Other directives need no place in `order`, but Go refuses them after its last one.
    if (next != order.end() && element->get("$patch")) continue;
    while (next != order.end() && !identity.same_value(identity.key_of(*element), identity.key_of(**next)))
      ++next;
    if (next == order.end()) {
      fail_merge("the elements of the patch must be in the order of its $setElementOrder", *element);
    }
    ++next;
  }
}

}  // namespace trainjobc::schema
