// SPDX-License-Identifier: Apache-2.0

#include "inputs/kustomize/patching.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/text/text.h"

namespace trainjobc::kustomize {
namespace {

using yaml::Entry;
using yaml::Maker;
using yaml::Node;

constexpr std::string_view kDirective = "$patch";

bool has_directive(const Node& node) {
  return node.get(kDirective) ||
         std::ranges::any_of(node.entries(),
                             [](const Entry& entry) { return has_directive(*entry.value); }) ||
         std::ranges::any_of(node.items(), [](const Node* item) { return has_directive(*item); });
}

const Node* without_nulls(const Node& node, const Maker& make) {
  if (!node.is_map()) return &node;
  const Node* rest = &node;
  for (const Entry& entry : node.entries())
    rest = make.with(rest, entry.key, entry.value->is_null() ? nullptr : without_nulls(*entry.value, make));
  return rest;
}

const Node* merged(const Node& object, const Node& patch, const Maker& make) {
  const Node* result = &object;
  for (const Entry& entry : patch.entries()) {
    const Node* there = object.get(entry.key);
    const Node* value = entry.value;
    if (value->is_null()) {
      value = nullptr;
    } else if (value->is_map()) {
      value = there && there->is_map() ? merged(*there, *value, make) : without_nulls(*value, make);
    }
    result = make.with(result, entry.key, value);
  }
  return result;
}

std::string escaped(std::string_view key) {
  std::string out;
  for (const char c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

std::optional<size_t> index_of(std::string_view step, size_t end) {
  const auto index = base::read_integer(step);
  if (step.starts_with('-') || !index || static_cast<size_t>(*index) >= end) return std::nullopt;
  return static_cast<size_t>(*index);
}

enum class How { Add, Replace, Remove };

const Node* changed(const Node& node, std::span<const std::string> steps, How how, const Node* value,
                    const Maker& make);

const Node* changed_list(const Node& list, std::span<const std::string> steps, How how, const Node* value,
                         const Maker& make) {
  std::vector<const Node*> items = yaml::copied_items(&list);
  const bool inserts = how == How::Add && steps.size() == 1;
  const auto index = inserts && steps.front() == "-"
                         ? std::optional(items.size())
                         : index_of(steps.front(), items.size() + (inserts ? 1 : 0));
  if (!index) return nullptr;
  const auto at = items.begin() + static_cast<std::ptrdiff_t>(*index);
  if (inserts) {
    items.insert(at, value);
  } else if (steps.size() > 1) {
    *at = changed(**at, steps.subspan(1), how, value, make);
    if (!*at) return nullptr;
  } else if (how == How::Remove) {
    items.erase(at);
  } else {
    *at = value;
  }
  return make.list(items, list.origin());
}

// nullptr if the path doesn't exist.
const Node* changed(const Node& node, std::span<const std::string> steps, How how, const Node* value,
                    const Maker& make) {
  if (node.is_list()) return changed_list(node, steps, how, value, make);
  if (!node.is_map()) return nullptr;
  const std::string_view key = make.copied(steps.front())->text();
  const Node* there = node.get(key);
  if (!there && (how != How::Add || steps.size() > 1)) return nullptr;
  if (steps.size() == 1) return make.with(&node, key, how == How::Remove ? nullptr : value);
  const Node* inner = changed(*there, steps.subspan(1), how, value, make);
  return inner ? make.with(&node, key, inner) : nullptr;
}

const Node* apply_operation(const Node& object, const Node& operation, const Maker& make) {
  const std::string_view op = yaml::string_at(operation, "op");
  const FieldPath steps = parse_pointer(yaml::string_at(operation, "path"));
  const Node* value = operation.get("value");
  if (steps.empty()) return nullptr;
  if (op == "remove") return changed(object, steps, How::Remove, nullptr, make);
  if (!value || (op != "add" && op != "replace")) return nullptr;
  return changed(object, steps, op == "add" ? How::Add : How::Replace, value, make);
}

const Node* operation(std::string_view op, const std::string& path, const Node* value, const Maker& make) {
  return make.map({{"op", make.string(op), {}}, {"path", make.copied(path), {}}, {"value", value, {}}});
}

class Operations {
 public:
  explicit Operations(const Maker& make) : make_(make) {}

  void compare(const Node& before, const Node& after, const std::string& path) {
    if (yaml::equal(before, after)) return;
    if (before.is_map() && after.is_map()) {
      compare_maps(before, after, path);
    } else if (before.is_list() && after.is_list() && before.size() == after.size()) {
      for (size_t i = 0; i < before.size(); ++i)
        compare(*before.items()[i], *after.items()[i], fmt::format("{}/{}", path, i));
    } else if (before.is_list() && after.is_list() && begins_with(after, before)) {
      for (const Node* item : after.items().subspan(before.size()))
        made.push_back(operation("add", path + "/-", item, make_));
    } else {
      made.push_back(operation("replace", path, &after, make_));
    }
  }

  std::vector<const Node*> made;

 private:
  static bool begins_with(const Node& list, const Node& start) {
    return start.size() > 0 && list.size() > start.size() &&
           std::ranges::equal(start.items(), list.items().first(start.size()),
                              [](const Node* a, const Node* b) { return yaml::equal(*a, *b); });
  }

  void compare_maps(const Node& before, const Node& after, const std::string& path) {
    for (const Entry& entry : before.entries()) {
      const std::string inner = fmt::format("{}/{}", path, escaped(entry.key));
      if (const Node* now = after.get(entry.key)) {
        compare(*entry.value, *now, inner);
      } else {
        made.push_back(operation("remove", inner, nullptr, make_));
      }
    }
    for (const Entry& entry : after.entries()) {
      if (!before.get(entry.key))
        made.push_back(operation("add", fmt::format("{}/{}", path, escaped(entry.key)), entry.value, make_));
    }
  }

  const Maker& make_;
};

// The index of the item that the step names by an index or [key=value].
std::optional<size_t> item_of(const Node& list, std::string_view step) {
  if (!step.starts_with('[')) return index_of(step, list.size());
  const size_t equals = step.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  const std::string_view key = step.substr(1, equals - 1);
  const std::string_view value = step.substr(equals + 1, step.size() - equals - 2);
  const auto found = std::ranges::find_if(
      list.items(), [&](const Node* item) { return yaml::text_at(*item, key) == value; });
  return found != list.items().end() ? std::optional(static_cast<size_t>(found - list.items().begin()))
                                     : std::nullopt;
}

void collect_paths(const Node& node, const Node& value, const std::string& path,
                   std::vector<std::string>& paths) {
  const auto inner = [&](std::string_view step) {
    return path.empty() ? std::string(step) : fmt::format("{}.{}", path, step);
  };
  if (yaml::equal(node, value)) paths.push_back(path);
  for (const Entry& entry : node.entries()) {
    std::string key(entry.key);
    if (key.find('.') != std::string::npos) key = fmt::format("[{}]", key);
    collect_paths(*entry.value, value, inner(key), paths);
  }
  for (size_t i = 0; i < node.items().size(); ++i) {
    const Node& item = *node.items()[i];
    const std::string_view name = yaml::string_at(item, "name");
    collect_paths(item, value, inner(name.empty() ? std::to_string(i) : fmt::format("[name={}]", name)),
                  paths);
  }
}

}  // namespace

const Node* apply_patch(const Node& object, const Node& body, const Maker& make) {
  if (body.is_map()) return has_directive(body) ? nullptr : merged(object, body, make);
  const Node* result = &object;
  for (const Node* one : body.items()) {
    result = apply_operation(*result, *one, make);
    if (!result) return nullptr;
  }
  return result;
}

const Node* merge_patch(const Node& before, const Node& after, const Maker& make) {
  if (yaml::equal(before, after)) return nullptr;
  if (!before.is_map() || !after.is_map()) return &after;
  const Node* patch = nullptr;
  for (const Entry& entry : before.entries()) {
    const Node* now = after.get(entry.key);
    const Node* value = now ? merge_patch(*entry.value, *now, make) : make.null();
    if (value) patch = make.with(patch, entry.key, value);
  }
  for (const Entry& entry : after.entries()) {
    if (!before.get(entry.key)) patch = make.with(patch, entry.key, entry.value);
  }
  return patch;
}

std::vector<const Node*> operations(const Node& before, const Node& after, const std::string& prefix,
                                    const Maker& make) {
  Operations all(make);
  all.compare(before, after, prefix);
  return std::move(all.made);
}

FieldPath parse_pointer(std::string_view pointer) {
  FieldPath steps;
  while (pointer.starts_with('/')) {
    pointer.remove_prefix(1);
    std::string& step = steps.emplace_back(pointer.substr(0, pointer.find('/')));
    pointer.remove_prefix(step.size());
    for (size_t at = step.find('~'); at != std::string::npos; at = step.find('~', at + 1))
      step.replace(at, 2, step.substr(at, 2) == "~1" ? "/" : "~");
  }
  return steps;
}

std::optional<FieldPath> parse_field_path(std::string_view text) {
  FieldPath path;
  std::string step;
  bool in_brackets = false;
  for (size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : '.';
    if (i < text.size() && c == '\\' && i + 1 < text.size()) {
      step += text[++i];
    } else if (c == '.' && (!in_brackets || i == text.size())) {
      const bool is_key = step.starts_with('[') && step.find('=') == std::string::npos;
      if (is_key && step.ends_with(']')) step = step.substr(1, step.size() - 2);
      if (step.empty() || step == "*" || step == "-") return std::nullopt;
      path.push_back(std::move(step));
      step.clear();
    } else {
      if (c == '[') in_brackets = true;
      if (c == ']') in_brackets = false;
      step += c;
    }
  }
  return path;
}

const Node* find_field(const Node& root, const FieldPath& path) {
  const Node* node = &root;
  for (const std::string& step : path) {
    if (node->is_list()) {
      const auto index = item_of(*node, step);
      node = index ? node->items()[*index] : nullptr;
    } else {
      node = node->get(step);
    }
    if (!node) return nullptr;
  }
  return node;
}

const Node* with_field(const Node& node, std::span<const std::string> path, const Node* value,
                       const Maker& make) {
  if (path.empty()) return value;
  if (node.is_list()) {
    const auto index = item_of(node, path.front());
    if (!index) return &node;
    std::vector<const Node*> items = yaml::copied_items(&node);
    items[*index] = with_field(*items[*index], path.subspan(1), value, make);
    return make.list(items, node.origin());
  }
  const Node* there = node.get(path.front());
  return there ? make.with(&node, make.copied(path.front())->text(),
                           with_field(*there, path.subspan(1), value, make))
               : &node;
}

std::vector<std::string> field_paths_of(const Node& root, const Node& value) {
  std::vector<std::string> paths;
  collect_paths(root, value, "", paths);
  return paths;
}

}  // namespace trainjobc::kustomize
