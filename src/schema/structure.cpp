#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/suggest.h"
#include "schema/pattern.h"
#include "schema/validate.h"

namespace trainjobc::schema {
namespace {

using yaml::Kind;
using yaml::Node;

std::string_view type_name(const Schema& schema) {
  if (schema.format == Format::Int32) return "int32";
  switch (schema.type) {
    case Type::Object: return "object";
    case Type::Array: return "array";
    case Type::String: return "string";
    case Type::Integer: return "integer";
    case Type::Number: return "number";
    case Type::Boolean: return "boolean";
    case Type::IntOrString: return "integer or string";
    case Type::Any: return "anything";
  }
  return "";
}

bool has_type(const Node& node, const Schema& schema) {
  switch (schema.type) {
    case Type::Any: return true;
    case Type::Object: return node.is_map();
    case Type::Array: return node.is_list();
    case Type::String: return node.is_string();
    case Type::Integer: return node.is_int() && node.as_int().has_value();
    case Type::Number: return node.is_number();
    case Type::Boolean: return node.is_bool();
    case Type::IntOrString: return node.is_int() || node.is_string();
  }
  return true;
}

std::string quoted_list(std::span<const std::string_view> words) {
  std::string out;
  for (const std::string_view word : words) out += fmt::format("{}\"{}\"", out.empty() ? "" : ", ", word);
  return out;
}

// A short spelling of a value for messages.
std::string shown(const Node& node) {
  if (node.is_map()) return "an object";
  if (node.is_list()) return "an array";
  if (!node.is_string()) return std::string(node.text());
  const std::string_view text = node.text();
  return text.size() <= 60 ? fmt::format("\"{}\"", text) : fmt::format("\"{}…\"", text.substr(0, 57));
}

class Validator {
 public:
  Validation result;

  void validate(const Node& node, const Schema& schema, const Path& path) {
    if (!has_type(node, schema)) {
      report_type(node, schema, path);
      check_enum(node, schema, path);
      return;
    }
    check_enum(node, schema, path);
    if (schema.format == Format::Int32 && !fits_int32(node)) report_type(node, schema, path);
    if (schema.format == Format::DateTime && !is_date_time(node.text())) {
      add("input/format", node, path, fmt::format("{} is not a date-time", shown(node)), "write it as 2026-01-31T08:00:00Z");
    }
    if (schema.bounds) check_bounds(node, *schema.bounds, path);
    if (node.is_map()) validate_map(node, schema, path);
    if (node.is_list()) validate_list(node, schema, path);
  }

 private:
  base::Diagnostic& add(std::string_view rule, const Node& node, const Path& path, std::string message,
                        std::string hint = "") {
    base::Diagnostic diagnostic;
    diagnostic.rule = rule;
    diagnostic.field = path.str();
    diagnostic.message = std::move(message);
    diagnostic.hint = std::move(hint);
    diagnostic.location = yaml::locate(node);
    result.violations.push_back(std::move(diagnostic));
    return result.violations.back();
  }

  static bool fits_int32(const Node& node) {
    const auto value = node.as_int();
    return value && *value >= INT32_MIN && *value <= INT32_MAX;
  }

  // 2026-01-31T08:00:00Z, with a fraction or an offset.
  static bool is_date_time(std::string_view text) {
    return matches_pattern("date-time", text);
  }

  void report_type(const Node& node, const Schema& schema, const Path& path) {
    result.types_fit = false;
    std::string hint;
    if (schema.type == Type::String && (node.is_bool() || node.is_number())) {
      hint = fmt::format("quote it: \"{}\"", source_text(node));
    } else if (schema.quantity && node.kind() == Kind::Float) {
      hint = fmt::format("quote it: \"{}\"", source_text(node));
    } else if (node.is_string() && !node.text().empty() &&
               (schema.type == Type::Integer || schema.type == Type::Boolean)) {
      hint = "write it without quotes";
    } else if (schema.type == Type::Array && node.is_scalar()) {
      hint = fmt::format("write a list: [{}]", source_text(node));
    }
    const std::string_view given = node.is_int() && schema.type == Type::Integer ? "out of range" : to_string(node.kind());
    add("input/type", node, path, fmt::format("{} must be of type {}, not {}", path.str(), type_name(schema), given),
        hint);
  }

  // As it is written, so that 007 and yes are quoted as they stand.
  static std::string source_text(const Node& node) {
    const base::Location at = yaml::locate(node);
    if (!at.file || at.end_line != at.line || !node.origin().file()) return std::string(node.text());
    return std::string(at.file->line(at.line).substr(at.column - 1, at.end_column - at.column));
  }

  void check_enum(const Node& node, const Schema& schema, const Path& path) {
    if (schema.enums.empty()) return;
    if (node.is_string() && std::ranges::find(schema.enums, node.text()) != schema.enums.end()) return;
    std::string hint = fmt::format("one of {}", quoted_list(schema.enums));
    if (const auto meant = base::closest(node.text(), schema.enums)) {
      hint = fmt::format("did you mean \"{}\"? ({})", *meant, hint);
    }
    add("input/enum", node, path, fmt::format("{} can't be {}", path.str(), shown(node)), hint);
  }

  void check_bounds(const Node& node, const Bounds& bounds, const Path& path) {
    if (const auto value = node.as_int()) {
      if (bounds.minimum && *value < *bounds.minimum) {
        add("input/bounds", node, path, fmt::format("{} must be at least {}, not {}", path.str(), *bounds.minimum, *value));
      }
      if (bounds.maximum && *value > *bounds.maximum) {
        add("input/bounds", node, path, fmt::format("{} must be at most {}, not {}", path.str(), *bounds.maximum, *value));
      }
    }
    if (node.is_string()) check_string(node, bounds, path);
    if (node.is_list()) check_size(node, bounds.min_items, bounds.max_items, "items", path);
    if (node.is_map()) check_size(node, bounds.min_properties, std::nullopt, "fields", path);
  }

  void check_string(const Node& node, const Bounds& bounds, const Path& path) {
    const auto length = static_cast<int64_t>(std::ranges::count_if(
        node.text(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; }));
    if (bounds.min_length && length < *bounds.min_length) {
      add("input/bounds", node, path,
          length == 0 ? fmt::format("{} can't be empty", path.str())
                      : fmt::format("{} must have at least {} characters", path.str(), *bounds.min_length));
    }
    if (bounds.max_length && length > *bounds.max_length) {
      add("input/bounds", node, path,
          fmt::format("{} must have at most {} characters, it has {}", path.str(), *bounds.max_length, length));
    }
    if (!bounds.pattern.empty() && !matches_pattern(bounds.pattern, node.text())) {
      const PatternAdvice advice = explain_pattern(bounds.pattern);
      add(advice.rule, node, path, fmt::format("{} is not {}", shown(node), advice.what), std::string(advice.hint));
    }
  }

  void check_size(const Node& node, std::optional<int64_t> least, std::optional<int64_t> most, std::string_view what,
                  const Path& path) {
    const auto size = static_cast<int64_t>(node.size());
    if (least && size < *least) {
      add("input/bounds", node, path, fmt::format("{} must have at least {} {}", path.str(), *least, what));
    }
    if (most && size > *most) {
      add("input/bounds", node, path, fmt::format("{} must have at most {} {}, it has {}", path.str(), *most, what, size));
    }
  }

  void validate_map(const Node& map, const Schema& schema, const Path& path) {
    for (const std::string_view name : schema.required) {
      if (!map.get(name)) report_required(map, name, path);
    }
    for (const yaml::Entry& entry : map.entries()) {
      const Property* property = schema.property(entry.key);
      const Schema* child = property ? property->schema : schema.additional;
      if (child) validate(*entry.value, *child, path.child(entry.key));
    }
  }

  void report_required(const Node& map, std::string_view name, const Path& path) {
    const Path child = path.child(name);
    const std::string where = path.str();
    base::Diagnostic& diagnostic =
        add("input/required", map, child, fmt::format("{} is required", child.str()));
    diagnostic.hint = fmt::format("add {}:", name);
  }

  void validate_list(const Node& list, const Schema& schema, const Path& path) {
    size_t index = 0;
    if (schema.items) {
      for (const Node* item : list.items()) validate(*item, *schema.items, path.child(index++));
    }
    if (schema.list_type == ListType::Map || schema.list_type == ListType::Set) check_keys(list, schema, path);
  }

  // The identity of an element: its keys' values, or for a set itself.
  static bool same_keys(const Node& a, const Node& b, const Schema& list) {
    if (list.list_type == ListType::Set) return equal(a, b);
    return std::ranges::all_of(list.list_keys, [&](std::string_view key) {
      const Node* x = a.get(key);
      const Node* y = b.get(key);
      return x && y ? equal(*x, *y) : x == y;
    });
  }

  static std::string key_text(const Node& item, const Schema& list) {
    if (list.list_type == ListType::Set) return shown(item);
    std::string out;
    for (const std::string_view key : list.list_keys) {
      const Node* value = item.get(key);
      if (!value) continue;
      out += fmt::format("{}{} {}", out.empty() ? "" : " and ", key, shown(*value));
    }
    return out.empty() ? "no key" : out;
  }

  void check_keys(const Node& list, const Schema& schema, const Path& path) {
    const auto items = list.items();
    for (size_t i = 0; i < items.size(); ++i) {
      if (schema.list_type == ListType::Map && !items[i]->is_map()) continue;  // its type was reported
      for (size_t j = 0; j < i; ++j) {
        if (!same_keys(*items[i], *items[j], schema)) continue;
        base::Diagnostic& duplicate =
            add("input/duplicate", *items[i], path.child(i),
                fmt::format("{} holds {} twice", path.str(), key_text(*items[i], schema)), "remove one of the two");
        duplicate.notes.push_back({"the first one", yaml::locate(*items[j])});
        break;
      }
    }
  }
};

}  // namespace

Validation validate_structure(const Node& node, const Schema& schema, const Path& path) {
  Validator validator;
  validator.validate(node, schema, path);
  return std::move(validator.result);
}

}  // namespace trainjobc::schema
