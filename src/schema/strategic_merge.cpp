// SPDX-License-Identifier: Apache-2.0

#include "schema/strategic_merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "yaml/changes.h"

namespace trainjobc::schema {
namespace {

using yaml::Entry;
using yaml::Maker;
using yaml::Node;

// Lists under strategic merge: which elements count as the same, and the order of a merged list.

using Items = std::vector<const Node*>;
using ItemSpan = std::span<const Node* const>;

// Ends the merge: thrown inside, caught by strategic_merge().
struct MergeFailure {
  MergeError error;
};

[[noreturn]] void fail_merge(std::string message, const Node& culprit, std::string hint = "") {
  throw MergeFailure{{std::move(message), &culprit, std::move(hint)}};
}

// How the elements of one list are identified. `culprit` is the node of the patch to name in an error.
struct ElementIdentity {
  std::string_view merge_key;  // "" for a list of scalars
  const Node* culprit = nullptr;

  // Fails for two lists or two maps, which Go can't compare.
  bool same_value(const Node& a, const Node& b) const {
    if (a.kind() != b.kind()) return false;
    if (!a.is_scalar())
      fail_merge("elements of a merged list need a number or a string as their key", *culprit);
    return equal(a, b);
  }

  // The element's merge key; fails if it has none. An element of a list of scalars is its own key.
  const Node& key_of(const Node& element) const {
    if (merge_key.empty()) return element;
    const Node* key = element.get(merge_key);
    if (!key) {
      fail_merge(fmt::format("an element of this list has no \"{}\", the list's merge key", merge_key),
                 *culprit);
    }
    return *key;
  }

  // Whether the element has that key.
  bool has_key(const Node& element, const Node& key) const {
    const Node* own = element.get(merge_key);
    return own && same_value(*own, key);
  }
};

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
  return string_at(element, "$patch") == "delete";
}

// Sorts by rank. If one of two elements has none, Go's comparison returns "less" in both directions, and the
// result is that of its insertion sort, which this repeats. (Beyond 20 elements Go merges blocks.) Elements
// with `$patch: delete` come last; only a patch that names an element twice leaves any.
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

// Merges two sorted lists.
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

// The elements of `merged`: those in `wanted`, in that order, interleaved with the others, in the order of
// `before`. Of the two next candidates the wanted one goes first, unless both are in `before` and the other
// one is earlier there.
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
  for (const Node* item : merged) (rank_in(wanted, *item, identity) ? named : others).push_back(item);
  sort_by_rank(named, wanted, identity);
  sort_by_rank(others, before, identity);
  return weave(others, named, before, identity);
}

// For $setElementOrder: fails unless `order` names every element of `patch`, in that order.
void check_element_order(ItemSpan patch, ItemSpan order, const ElementIdentity& identity) {
  if (patch.empty() || order.empty()) return;
  auto next = order.begin();
  for (const Node* element : patch) {
    if (!identity.merge_key.empty() && !element->is_map()) {
      fail_merge("$setElementOrder needs a list of maps here", *element);
    }
    if (!identity.merge_key.empty() && deletes(*element)) continue;
    // Elements with other directives need no place in `order`, but Go refuses them after its last one.
    if (next != order.end() && element->get("$patch")) continue;
    while (next != order.end() && !identity.same_value(identity.key_of(*element), identity.key_of(**next)))
      ++next;
    if (next == order.end()) {
      fail_merge("the elements of the patch must be in the order of its $setElementOrder", *element);
    }
    ++next;
  }
}

// Merging

constexpr std::string_view kDirective = "$patch";
constexpr std::string_view kRetainKeys = "$retainKeys";
constexpr std::string_view kDeletePrefix = "$deleteFromPrimitiveList";
constexpr std::string_view kOrderPrefix = "$setElementOrder";

using Entries = std::vector<Entry>;

Entries::iterator find(Entries& entries, std::string_view key) {
  return std::ranges::find(entries, key, &Entry::key);
}

// The field that a "$directive/field" key is about.
std::string_view directed_field(std::string_view key, std::string_view prefix, const Node& culprit) {
  if (key.size() == prefix.size() || key[prefix.size()] != '/') {
    fail_merge(fmt::format("\"{}\" must name a list: {}/<list>", key, prefix), culprit);
  }
  return key.substr(prefix.size() + 1);
}

std::string shown(const Node& scalar) {
  return scalar.is_string()
             ? fmt::format("\"{}\"", scalar.text())
             : fmt::format("{}", scalar.is_scalar() ? scalar.text() : to_string(scalar.kind()));
}

// Whether the lists hold maps. All elements must be of one kind.
bool hold_maps(ItemSpan original, ItemSpan patch, const Node& culprit) {
  const Node& first = original.empty() ? *patch.front() : *original.front();
  if (first.is_list() || first.is_null()) {
    fail_merge(fmt::format("a list that contains a {} can't be merged", to_string(first.kind())), culprit);
  }
  const auto same_kind = [&](const Node* item) { return item->kind() == first.kind(); };
  if (!std::ranges::all_of(original, same_kind) || !std::ranges::all_of(patch, same_kind)) {
    fail_merge("the elements of a merged list must all have the same type, including the runtime's", culprit);
  }
  return first.is_map();
}

// How a list is merged.
struct ListField {
  const Schema* items = nullptr;
  bool merges = false;  // otherwise the patch's list replaces the original's
  std::string_view merge_key;
};

class Merger {
 public:
  explicit Merger(const Maker& make) : make_(make) {}

  const Node* merge_map(const Node* original, const Node& patch, const Schema* schema) {
    if (const Node* directive = patch.get(kDirective)) return apply_directive(*directive, patch);
    Entries merged;
    if (original) merged.assign(original->entries().begin(), original->entries().end());
    Entries changes(patch.entries().begin(), patch.entries().end());
    retain_keys(merged, changes);
    merge_ordered_lists(merged, changes, schema);
    for (const Entry& change : changes) merge_entry(merged, change, schema);
    return make_.map(merged, original ? original->origin() : patch.origin());
  }

 private:
  const Node* apply_directive(const Node& directive, const Node& patch) {
    const std::string_view word = directive.is_string() ? directive.text() : "";
    if (word == "replace") return make_.with(&patch, kDirective, nullptr);
    if (word == "delete") return make_.map({}, patch.origin());
    fail_merge(fmt::format("$patch must be \"replace\" or \"delete\", not {}", shown(directive)), directive);
  }

  static const Property& field_of(const Schema* schema, std::string_view key, const Node& culprit) {
    const Property* property = schema ? schema->property(key) : nullptr;
    if (!property) fail_merge(fmt::format("\"{}\" is not a field that can be merged here", key), culprit);
    return *property;
  }

  static ListField list_field_of(const Schema* schema, std::string_view key, const Node& culprit) {
    const Property& property = field_of(schema, key, culprit);
    const Schema& type = *property.schema;
    if (type.type == Type::Array) return {type.items, property.patch_merge, property.patch_merge_key};
    if (property.wire == Wire::Pointer) return {&type, false, ""};
    fail_merge(fmt::format("\"{}\" is not a list", key), culprit);
  }

  // Applies $retainKeys: keeps only the listed keys of the original.
  static void retain_keys(Entries& merged, Entries& changes) {
    const auto directive = find(changes, kRetainKeys);
    if (directive == changes.end()) return;
    const Node& keys = *directive->value;
    changes.erase(directive);
    if (!keys.is_list() || !std::ranges::all_of(keys.items(), &Node::is_scalar)) {
      fail_merge("$retainKeys must be a list of field names", keys);
    }
    const auto listed = [&](std::string_view key) {
      return std::ranges::any_of(keys.items(),
                                 [&](const Node* item) { return item->is_string() && item->text() == key; });
    };
    for (const Entry& change : changes) {
      const bool is_directive = change.key.starts_with(kDeletePrefix) || change.key.starts_with(kOrderPrefix);
      if (change.value->is_null() || is_directive || listed(change.key)) continue;
      fail_merge(fmt::format("the patch sets \"{}\", which its $retainKeys does not list", change.key),
                 *change.value, fmt::format("add {} to $retainKeys", change.key));
    }
    std::erase_if(merged, [&](const Entry& entry) { return !listed(entry.key); });
  }

  // Applies $setElementOrder/<list>: merges that list and puts it in the given order.
  void merge_ordered_lists(Entries& merged, Entries& changes, const Schema* schema) {
    const auto is_order = [](const Entry& entry) { return entry.key.starts_with(kOrderPrefix); };
    for (auto at = std::ranges::find_if(changes, is_order); at != changes.end();
         at = std::ranges::find_if(changes, is_order)) {
      const Entry order = *at;
      changes.erase(at);
      merge_ordered_list(merged, changes, order, schema);
    }
  }

  void merge_ordered_list(Entries& merged, Entries& changes, const Entry& order, const Schema* schema) {
    const std::string_view key = directed_field(order.key, kOrderPrefix, *order.value);
    const auto change = find(changes, key);
    const auto current = find(merged, key);
    const Node* patch = change != changes.end() ? change->value : nullptr;
    const Node* original = current != merged.end() ? current->value : nullptr;
    if (!order.value->is_list() || (patch && !patch->is_list()) || (original && !original->is_list())) {
      fail_merge(fmt::format("{} and \"{}\" must both be lists", order.key, key), *order.value);
    }
    const ListField field = list_field_of(schema, key, *order.value);
    const ElementIdentity identity{field.merge_key, order.value};
    const Items wanted = copied_items(order.value);
    check_element_order(copied_items(patch), wanted, identity);
    if (!patch && !original) return;
    Items before = copied_items(original);
    if (before.empty() && items_of(patch).empty()) {
      fail_merge(fmt::format("{} orders a list that has no elements", order.key), *order.value);
    }
    Items list = before;
    if (patch)
      list = original ? merge_list(before, *patch, field, false)
                      : copied_items(without_directives(*patch, Nulls::Keep));
    hold_maps(before, copied_items(patch), *order.value);
    const Node* sorted =
        make_.list(in_merged_order(list, wanted, before, identity), (original ? original : patch)->origin());
    yaml::put(merged, {key, sorted, patch ? change->key_origin : current->key_origin});
    if (patch) changes.erase(find(changes, key));
  }

  void merge_entry(Entries& merged, const Entry& change, const Schema* schema) {
    const bool is_delete_list = change.key.starts_with(kDeletePrefix);
    std::string_view key = change.key;
    if (is_delete_list) key = directed_field(key, kDeletePrefix, *change.value);
    const auto current = find(merged, key);
    if (change.value->is_null()) {
      if (current != merged.end()) merged.erase(current);
      return;
    }
    if (current == merged.end() || current->value->kind() != change.value->kind()) {
      if (!is_delete_list) put_new(merged, change);
      return;
    }
    if (change.value->is_map()) {
      current->value = merge_map(current->value, *change.value, field_of(schema, key, *change.value).schema);
    } else if (change.value->is_list()) {
      Items original = copied_items(current->value);
      const ListField field = list_field_of(schema, key, *change.value);
      current->value =
          make_.list(merge_list(original, *change.value, field, is_delete_list), current->value->origin());
    } else {
      *current = {key, change.value, change.key_origin};
    }
  }

  // Adds a value that has nothing to merge into: drops its nulls and directives; a map that is itself a
  // directive leaves nothing.
  void put_new(Entries& merged, const Entry& entry) const {
    const Node* value = without_directives(*entry.value, Nulls::Drop);
    if (value) {
      yaml::put(merged, {entry.key, value, entry.key_origin});
    } else {
      std::erase_if(merged, [&](const Entry& old) { return old.key == entry.key; });
    }
  }

  enum class Nulls { Keep, Drop };

  // Returns nullptr for a map with $patch. A $patch without a value is dropped like other nulls, if these
  // are.
  const Node* without_directives(const Node& node, Nulls nulls) const {
    const bool drops_nulls = nulls == Nulls::Drop;
    if (node.is_list()) {
      Items kept;
      for (const Node* item : node.items()) {
        if (const Node* value = without_directives(*item, nulls)) kept.push_back(value);
      }
      return make_.list(kept, node.origin());
    }
    if (!node.is_map()) return &node;
    const Node* directive = node.get(kDirective);
    if (directive && !(drops_nulls && directive->is_null())) return nullptr;
    yaml::ChangedMap kept(node);
    for (const Entry& entry : node.entries()) {
      const bool is_dropped = drops_nulls && entry.value->is_null();
      kept.take(is_dropped ? nullptr : without_directives(*entry.value, nulls));
    }
    return kept.node(make_);
  }

  // In Go, a merge overwrites parts of the original list's array, and a lone $setElementOrder then reads the
  // former order from it; so `original` becomes what Go would leave there.
  Items merge_list(Items& original, const Node& patch, const ListField& field, bool is_delete_list) {
    if (!field.merges && !is_delete_list) return copied_items(&patch);
    if (original.empty() && patch.size() == 0) return {};
    const bool maps = hold_maps(original, patch.items(), patch);
    if (!maps) return merge_scalars(original, patch, field, is_delete_list);
    if (field.merge_key.empty()) fail_merge("this list has no merge key: it can only be replaced", patch);
    return merge_maps(original, patch, field);
  }

  static Items merge_scalars(Items& original, const Node& patch, const ListField& field,
                             bool is_delete_list) {
    const ElementIdentity identity{"", &patch};
    Items merged = original;
    if (is_delete_list) {
      std::erase_if(merged,
                    [&](const Node* item) { return rank_in(patch.items(), *item, identity).has_value(); });
      return merged;
    }
    merged.insert(merged.end(), patch.items().begin(), patch.items().end());
    const bool fits = merged.size() <= std::bit_ceil(original.size());
    Items array = merged;
    // The last of duplicate elements wins.
    for (size_t i = 0; i + 1 < merged.size(); ++i) {
      for (size_t j = i + 1; j < merged.size();) {
        if (!identity.same_value(*merged[i], *merged[j])) {
          ++j;
          continue;
        }
        array[j] = merged[j] = merged.back();
        merged.pop_back();
      }
    }
    if (fits) std::copy_n(array.begin(), original.size(), original.begin());
    return in_merged_order(merged, patch.items(), original, {field.merge_key, &patch});
  }

  // Returns the patch's elements without $patch directives, which it applies to `original`.
  static Items take_directives(Items& original, const Node& patch, const ElementIdentity& identity,
                               bool& replace) {
    Items changes;
    for (const Node* item : patch.items()) {
      const Node* directive = item->get(kDirective);
      if (!directive) {
        changes.push_back(item);
        continue;
      }
      const std::string_view word = directive->is_string() ? directive->text() : "";
      if (word == "replace") {
        replace = true;
      } else if (word == "delete") {
        const Node* key = item->get(identity.merge_key);
        if (!key) {
          fail_merge(
              fmt::format("$patch: delete needs the \"{}\" of the element to delete", identity.merge_key),
              *item);
        }
        std::erase_if(original, [&](const Node* old) { return identity.has_key(*old, *key); });
      } else {
        fail_merge(
            fmt::format("$patch in a list must be \"replace\" or \"delete\", not {}", shown(*directive)),
            *directive);
      }
    }
    return changes;
  }

  Items merge_maps(Items& original, const Node& patch, const ListField& field) {
    const ElementIdentity identity{field.merge_key, &patch};
    Items before = original;
    bool replace = false;
    Items changes = take_directives(before, patch, identity, replace);
    std::ranges::copy(before, original.begin());
    if (replace) {
      for (const Node* change : changes) identity.key_of(*change);
      return changes;
    }
    Items merged = before;
    for (const Node* change : changes) {
      const Node* key = change->get(field.merge_key);
      if (!key) {
        fail_merge(fmt::format("this element has no \"{}\", the list's merge key", field.merge_key), *change,
                   fmt::format("add {}:", field.merge_key));
      }
      const auto at =
          std::ranges::find_if(merged, [&](const Node* old) { return identity.has_key(*old, *key); });
      if (at == merged.end()) {
        merged.push_back(change);
      } else {
        *at = merge_map(*at, *change, field.items);
      }
    }
    std::copy_n(merged.begin(), std::min(merged.size(), original.size()), original.begin());
    return in_merged_order(merged, changes, before, identity);
  }

  const Maker& make_;
};

}  // namespace

MergeResult strategic_merge(const Node* original, const Node& patch, const Schema& schema,
                            const Maker& make) {
  try {
    return Merger(make).merge_map(original, patch, &schema);
  } catch (MergeFailure& failure) {
    return std::move(failure.error);
  }
}

}  // namespace trainjobc::schema
