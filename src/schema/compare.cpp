// SPDX-License-Identifier: Apache-2.0

#include "schema/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>

#include "base/text/text.h"
#include "k8s/quantity.h"
#include "secret/secret.h"

namespace trainjobc::schema {
namespace {

using yaml::Entry;
using yaml::Node;

// List maps whose order matters: containers and Jobs start in it, or the JobSet webhook compares it.
constexpr std::array<std::string_view, 2> kOrdered{"replicatedJobs", "initContainers"};
// The order of variables matters to those that are expanded in others: $(NAME).
constexpr std::string_view kEnv = "env";

const Node* without_null(const Node* node) {
  return node && !node->is_null() ? node : nullptr;
}

std::string_view unquoted(std::string_view json) {
  return json.starts_with('"') ? json.substr(1, json.size() - 2) : json;
}

bool same_scalar(const Node& rendered, const Node& live, const Schema* schema) {
  if (yaml::equal(rendered, live)) return true;
  if (!schema || !rendered.is_scalar() || !live.is_scalar()) return false;
  if (schema->quantity) {
    const auto a = k8s::Quantity::parse(rendered.text());
    const auto b = k8s::Quantity::parse(live.text());
    return a && b && *a == *b;
  }
  return schema->type == Type::IntOrString && rendered.text() == live.text();
}

// Whether a field on only one side has no meaning: Go's encoder would have dropped or added it.
bool says_nothing(const Node& value, const Property* property) {
  return property && property->wire != Wire::Pointer && value.is_empty_value();
}

// Whether the fields of a map that only one side has are compared one by one.
bool counts_apart(const Node& value, const Property* property) {
  if (!value.is_map() || !property || property->schema->atomic_map) return false;
  return property->wire == Wire::Struct || (property->schema->additional && value.size() > 0);
}

// Which live item corresponds to each rendered item.
struct Pairs {
  std::vector<size_t> live_of;    // by rendered index; kNone if there is none
  std::vector<size_t> only_live;  // the other live items, in order
};

Pairs pair_by(const Node& rendered, const Node& live, auto&& identity) {
  std::multimap<std::string, size_t, std::less<>> unpaired;
  for (size_t i = 0; i < live.size(); ++i) unpaired.emplace(identity(*live.items()[i]), i);
  Pairs pairs;
  for (const Node* item : rendered.items()) {
    const auto found = unpaired.find(identity(*item));
    pairs.live_of.push_back(found != unpaired.end() ? found->second : Step::kNone);
    if (found != unpaired.end()) unpaired.erase(found);
  }
  for (const auto& [key, index] : unpaired) pairs.only_live.push_back(index);
  std::ranges::sort(pairs.only_live);
  return pairs;
}

// At the same position, items with different keys count as one item with a changed key if they have something
// in common, or consist of keys only.
bool same_but_key(const Node& rendered, const Node& live, const Schema& list) {
  if (!rendered.is_map() || !live.is_map()) return true;
  const auto has_in_common = [&](const Entry& entry) {
    const Node* other = live.get(entry.key);
    return other && yaml::equal(*entry.value, *other);
  };
  const auto is_key = [&](const Entry& entry) { return base::contains(list.list_keys, entry.key); };
  return std::ranges::any_of(rendered.entries(), has_in_common) ||
         (std::ranges::all_of(rendered.entries(), is_key) && std::ranges::all_of(live.entries(), is_key));
}

void pair_in_place(const Node& rendered, const Node& live, const Schema& list, Pairs& pairs) {
  std::erase_if(pairs.only_live, [&](size_t index) {
    if (index >= pairs.live_of.size() || pairs.live_of[index] != Step::kNone) return false;
    if (!same_but_key(*rendered.items()[index], *live.items()[index], list)) return false;
    pairs.live_of[index] = index;
    return true;
  });
}

bool refers_to(const Node& variable, const Node& other) {
  const Node* value = variable.get("value");
  const Node* name = other.get("name");
  return value && name && value->text().find(fmt::format("$({})", name->text())) != std::string_view::npos;
}

bool order_matters(std::string_view list, const Node& a, const Node& b) {
  if (list == kEnv) return refers_to(a, b) || refers_to(b, a);
  return base::contains(kOrdered, list);
}

// Whether two items changed places, and that matters.
bool reordered(std::string_view list, const Node& rendered, const Pairs& pairs) {
  if (list != kEnv && !base::contains(kOrdered, list)) return false;
  std::vector<size_t> both;
  for (size_t i = 0; i < pairs.live_of.size(); ++i) {
    if (pairs.live_of[i] != Step::kNone) both.push_back(i);
  }
  const auto live_place = [&](size_t i) { return pairs.live_of[i]; };
  if (std::ranges::is_sorted(both, {}, live_place)) return false;
  for (size_t a = 0; a < both.size(); ++a) {
    for (size_t b = a + 1; b < both.size(); ++b) {
      if (live_place(both[a]) > live_place(both[b]) &&
          order_matters(list, *rendered.items()[both[a]], *rendered.items()[both[b]])) {
        return true;
      }
    }
  }
  return false;
}

class Comparer {
 public:
  std::vector<FieldDifference> found;

  void maps(const Node& rendered, const Node& live, const Schema* schema) {
    for (const Entry& entry : rendered.entries()) field(entry.key, entry.value, live.get(entry.key), schema);
    for (const Entry& entry : live.entries()) {
      if (!rendered.get(entry.key)) field(entry.key, nullptr, entry.value, schema);
    }
  }

 private:
  void field(std::string_view key, const Node* rendered, const Node* live, const Schema* map) {
    const Property* property = map ? map->property(key) : nullptr;
    const Schema* schema = property ? property->schema : map ? map->additional : nullptr;
    Step step;
    step.schema = map;
    step.key = key;
    path_.push_back(step);
    rendered = without_null(rendered);
    live = without_null(live);
    if (rendered && live) {
      values(*rendered, *live, schema);
    } else if (const Node* only = rendered ? rendered : live) {
      one_sided(*only, rendered != nullptr, property, schema);
    }
    path_.pop_back();
  }

  void one_sided(const Node& only, bool is_rendered, const Property* property, const Schema* schema) {
    if (says_nothing(only, property)) return;
    if (!counts_apart(only, property)) {
      report(is_rendered ? &only : nullptr, is_rendered ? nullptr : &only);
    } else if (is_rendered) {
      maps(only, empty_, schema);
    } else {
      maps(empty_, only, schema);
    }
  }

  void values(const Node& rendered, const Node& live, const Schema* schema) {
    if (&rendered == &live) return;
    if (rendered.is_map() && live.is_map()) {
      maps(rendered, live, schema);
    } else if (rendered.is_list() && live.is_list()) {
      lists(rendered, live, schema);
    } else if (!same_scalar(rendered, live, schema)) {
      report(&rendered, &live);
    }
  }

  void lists(const Node& rendered, const Node& live, const Schema* schema) {
    if (schema && schema->list_type == ListType::Map) {
      paired(rendered, live, *schema,
             pair_by(rendered, live, [&](const Node& item) { return item_keys(item, *schema); }));
    } else if (schema && schema->list_type == ListType::Set) {
      paired(rendered, live, *schema,
             pair_by(rendered, live, [](const Node& item) { return std::string(item.text()); }));
    } else if (rendered.size() != live.size()) {
      report(&rendered, &live);
    } else {
      for (size_t i = 0; i < rendered.size(); ++i) item(rendered.items()[i], live.items()[i], i, i, schema);
    }
  }

  void paired(const Node& rendered, const Node& live, const Schema& schema, Pairs pairs) {
    pair_in_place(rendered, live, schema, pairs);
    if (!path_.empty() && reordered(path_.back().key, rendered, pairs)) {
      report(&rendered, &live);
      found.back().order = true;
    }
    for (size_t i = 0; i < rendered.size(); ++i) {
      const size_t at = pairs.live_of[i];
      item(rendered.items()[i], at != Step::kNone ? live.items()[at] : nullptr, i, at, &schema);
    }
    size_t index = rendered.size();
    for (const size_t at : pairs.only_live) item(nullptr, live.items()[at], index++, at, &schema);
  }

  void item(const Node* rendered, const Node* live, size_t index, size_t live_index, const Schema* list) {
    Step step;
    step.schema = list;
    step.item = live ? live : rendered;
    step.index = index;
    step.live_index = live_index;
    path_.push_back(step);
    if (rendered && live) {
      values(*rendered, *live, list ? list->items : nullptr);
    } else {
      report(rendered, live);
    }
    path_.pop_back();
  }

  void report(const Node* rendered, const Node* live) { found.push_back({path_, live, rendered, false}); }

  base::Arena arena_;
  const Node& empty_ = *yaml::Maker(arena_).map({});
  FieldPath path_;
};

void append_key(std::string_view key, std::string& out) {
  if (key.empty() || key.find_first_of("./[]") != std::string_view::npos) {
    out += fmt::format("[{}]", key);
  } else {
    if (!out.empty()) out += '.';
    out += key;
  }
}

std::string written(const FieldPath& path, bool by_keys) {
  std::string out;
  for (const Step& step : path) {
    if (!step.is_item()) {
      append_key(step.key, out);
      continue;
    }
    const bool has_keys = by_keys && step.schema;
    const std::string keys = has_keys ? secret::without_keys(item_keys(*step.item, *step.schema)) : "";
    out += keys.empty() ? fmt::format("[{}]", step.index) : fmt::format("[{}]", keys);
  }
  return out;
}

}  // namespace

const Schema* value_schema(const Step& step) {
  if (!step.schema) return nullptr;
  return step.is_item() ? step.schema->items : step.schema->child(step.key);
}

std::string item_keys(const Node& item, const Schema& list) {
  std::string keys;
  for (const std::string_view key : list.list_keys) {
    if (!keys.empty()) keys += '/';
    const Property* property = list.items ? list.items->property(key) : nullptr;
    if (const Node* value = without_null(item.get(key))) {
      keys += value->text();
    } else if (property) {
      keys += unquoted(property->schema->default_json);
    }
  }
  return keys;
}

std::string to_string(const FieldPath& path) {
  return written(path, false);
}

std::string to_keyed_string(const FieldPath& path) {
  return written(path, true);
}

std::vector<FieldDifference> compare(const Node& rendered, const Node& live, const Schema* schema) {
  Comparer comparer;
  comparer.maps(rendered, live, schema);
  return std::move(comparer.found);
}

}  // namespace trainjobc::schema
