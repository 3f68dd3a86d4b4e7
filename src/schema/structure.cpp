// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "base/text/suggest.h"
#include "base/text/text.h"
#include "k8s/name_syntax.h"
#include "rules/rules.h"
#include "schema/validate.h"
#include "secret/secret.h"
#include "yaml/rewrite/edits.h"
#include "yaml/write/writer.h"

namespace trainjobc::schema {
namespace {

using yaml::Node;

std::string_view type_words(const Schema& schema) {
  if (schema.quantity) return "a quantity";
  switch (schema.type) {
    case Type::Object: return "a map";
    case Type::Array: return "a list";
    case Type::String: return "a string";
    case Type::Integer: return "an integer";
    case Type::Number: return "a number";
    case Type::Boolean: return "true or false";
    case Type::IntOrString: return "an integer or a string";
    case Type::Any: return "anything";
  }
  return "";
}

// To the API server, 2.0 and 1e3 are integers, up to what a float holds exactly.
std::optional<int64_t> whole_number(const Node& node) {
  if (!node.is_number()) return std::nullopt;
  if (const auto value = node.as_int()) return value;
  double value = 0;
  if (base::read_double(node.text(), value) != std::errc()) return std::nullopt;
  if (std::trunc(value) != value || std::abs(value) >= 0x1p53) return std::nullopt;
  return static_cast<int64_t>(value);
}

bool has_type(const Node& node, const Schema& schema) {
  switch (schema.type) {
    case Type::Any: return true;
    case Type::Object: return node.is_map();
    case Type::Array: return node.is_list();
    case Type::String: return node.is_string();
    case Type::Integer: return whole_number(node).has_value();
    case Type::Number: return node.is_number();
    case Type::Boolean: return node.is_bool();
    case Type::IntOrString: return node.is_string() || whole_number(node).has_value();
  }
  return true;
}

// Whether the number fits its format; an Int always fits 64 bits.
bool has_width(const Node& node, const Schema& schema) {
  if (schema.type != Type::Integer || schema.format != Format::Int32) return true;
  const int64_t value = whole_number(node).value_or(0);
  return INT32_MIN <= value && value <= INT32_MAX;
}

// Describes a value: "the string "4"", "the boolean true", "a list".
std::string given_words(const Node& node) {
  if (!node.is_scalar() || node.is_null()) return std::string(k8s::kind_words(node));
  const std::string_view kind = k8s::kind_words(node);
  return fmt::format("the {} {}", kind.substr(kind.find(' ') + 1), k8s::shown(node));
}

class Validator {
 public:
  Validation result;

  void validate(const Node& node, const Schema& schema, const k8s::Path& path) {
    if (!has_type(node, schema)) {
      report_type(node, schema, path);
      return;
    }
    check_enum(node, schema, path);
    check_format(node, schema, path);
    if (schema.bounds) check_bounds(node, *schema.bounds, path);
    if (node.is_map()) validate_map(node, schema, path);
    if (node.is_list()) validate_list(node, schema, path);
  }

 private:
  base::Diagnostic& add(std::string_view rule, const Node& node, const k8s::Path& path, std::string message,
                        std::string hint = "") {
    base::Diagnostic diagnostic =
        rules::finding(rule, std::move(message), std::move(hint), yaml::locate(node));
    diagnostic.field = path.str();
    result.violations.push_back(std::move(diagnostic));
    return result.violations.back();
  }

  void report_type(const Node& node, const Schema& schema, const k8s::Path& path) {
    result.types_fit = false;
    if (node.is_int() && schema.type == Type::Integer) {
      report_width(node, 64, path);
      return;
    }
    base::Diagnostic& diagnostic =
        add("input/type", node, path,
            fmt::format("{} must be {}, not {}", path.str(), type_words(schema), given_words(node)));
    const bool is_quotable = node.is_bool() || node.is_number();
    const bool takes_text = schema.type == Type::String || schema.type == Type::IntOrString;
    if (schema.quantity && is_quotable && !path.is_index() && k8s::is_extended_resource(path.key())) {
      diagnostic.message = fmt::format("{} must be a whole number, not {}", path.str(), k8s::shown(node));
      diagnostic.hint = "extended resources must be whole numbers";
    } else if (takes_text && is_quotable) {
      rewrite(diagnostic, "quote it", fmt::format("\"{}\"", k8s::source_text(node)), node);
    } else if (node.is_string() && reads_as(node.text(), schema.type)) {
      rewrite(diagnostic, "leave the quotes out", std::string(node.text()), node);
    } else if (node.is_string() && reads_as(plain(node), schema.type)) {
      base::suggest_fix(diagnostic, yaml::replace_scalar(node, plain(node)));
      diagnostic.hint = fmt::format("write {}", plain(node));
    } else if (takes_text && is_pair(node)) {
      advise_quoting(diagnostic, node);
    } else if (schema.type == Type::Array) {
      advise_on_list(diagnostic, node, schema, path);
    } else if (schema.type == Type::Object) {
      advise_on_map(diagnostic, node, schema);
    }
    if (const std::string odd = node.is_string() ? base::odd_space_in(node.text()) : ""; !odd.empty()) {
      diagnostic.hint = fmt::format("it contains {}: type a space", odd);
      base::suggest_fix(diagnostic,
                        yaml::replace_scalar(node, base::with_plain_spaces(k8s::source_text(node))));
    }
    diagnostic.hint = secret::without_keys(diagnostic.hint);
    diagnostic.hide_source = node.is_string() && secret::may_hold_secret(node.text());
  }

  void report_width(const Node& node, int bits, const k8s::Path& path) {
    add("input/type", node, path,
        fmt::format("{} must fit in {} bits, {} does not", path.str(), bits, node.text()));
  }

  // Suggests the only possible spelling of the scalar, and offers it as a fix.
  static void rewrite(base::Diagnostic& diagnostic, std::string_view what, const std::string& text,
                      const Node& node) {
    diagnostic.hint = node.origin().is_secret() ? std::string(what) : fmt::format("{}: {}", what, text);
    const base::Location& at = diagnostic.location;
    if (node.origin().file() && at.line != 0 && at.end_line == at.line) diagnostic.fix.push_back({at, text});
  }

  // Whether the text, without quotes, would be a value of the type.
  static bool reads_as(std::string_view text, Type type) {
    if (type == Type::Boolean) return text == "true" || text == "false";
    if (type != Type::Integer || text.empty() || text.size() > 18) return false;
    if (text.size() > 1 && text.starts_with('0')) return false;
    return std::ranges::all_of(text, base::is_digit);
  }

  // Whether the value is text with ": ", which was read as a map: --learning-rate: 0.1.
  static bool is_pair(const Node& node) {
    return node.is_map() && node.size() == 1 && node.entries().front().value->is_scalar();
  }

  // The text without curly quotes and odd spaces, which were copied along.
  static std::string plain(const Node& node) {
    const std::string text = base::with_plain_spaces(base::without_curly_quotes(node.text()));
    return std::string(base::trimmed(text));
  }

  static void advise_quoting(base::Diagnostic& diagnostic, const Node& node) {
    const yaml::Entry& pair = node.entries().front();
    const Node& value = *pair.value;
    diagnostic.hint = "quote it";
    if (value.is_null() || value.origin().is_secret()) return;
    diagnostic.hint += fmt::format(": \"{}: {}\"", pair.key, k8s::source_text(value));
    base::suggest_fix(diagnostic, yaml::pair_to_text(node));
  }

  static bool is_pair_schema(const Schema& schema) {
    return schema.property("name") && schema.property("value");
  }

  // Whether the map needs nothing but a name.
  static bool needs_only_name(const Schema& schema) {
    return schema.property("name") &&
           std::ranges::all_of(schema.required, [](std::string_view field) { return field == "name"; });
  }

  // {name: A}, or {name: A, value: b} for A=b if the map has both fields.
  static std::string named(const Node& node, const Schema& schema) {
    const std::string_view text = node.text();
    const auto at = yaml::written_scalar(node);
    const bool as_json = at && node.origin().in_flow() && yaml::is_json_at(*at);
    const auto key = [&](std::string_view name) { return yaml::inline_text(name, as_json); };
    const size_t equals = is_pair_schema(schema) ? text.find('=') : std::string_view::npos;
    if (equals == std::string_view::npos || equals == 0)
      return fmt::format("{{{}: {}}}", key("name"), yaml::inline_text(text, as_json));
    return fmt::format("{{{}: {}, {}: {}}}", key("name"), yaml::inline_text(text.substr(0, equals), as_json),
                       key("value"), yaml::inline_text(text.substr(equals + 1), as_json));
  }

  // Says what to write to turn the value into a list.
  static void advise_on_list(base::Diagnostic& diagnostic, const Node& node, const Schema& list,
                             const k8s::Path& path) {
    if (node.is_null()) return;
    const Schema& items = *list.items;
    if (node.origin().is_secret()) {
      diagnostic.hint = "write a list";
    } else if (node.is_scalar() && items.type == Type::String) {
      const auto most = list.bounds ? list.bounds->max_items : std::nullopt;
      const auto words = words_of(node.text(), path, most);
      diagnostic.hint = fmt::format("write a list: [{}]", words.value_or("..."));
      if (words) base::suggest_fix(diagnostic, yaml::replace_scalar(node, fmt::format("[{}]", *words)));
    } else if (node.is_string() && needs_only_name(items)) {
      diagnostic.hint = fmt::format("write a list: [{}]", named(node, items));
      base::suggest_fix(diagnostic, yaml::replace_scalar(node, fmt::format("[{}]", named(node, items))));
    } else if (node.is_map() && items.type == Type::Object && node.size() > 0) {
      advise_on_elements(diagnostic, node, items);
    }
  }

  // Says what to write to turn a map into a list of maps.
  static void advise_on_elements(base::Diagnostic& diagnostic, const Node& map, const Schema& items) {
    const yaml::Entry& first = map.entries().front();
    if (items.property(first.key)) {
      diagnostic.hint = fmt::format("begin each element with a dash: - {}:", first.key);
      base::suggest_fix(diagnostic, yaml::map_to_element(map));
    } else if (is_pair_schema(items)) {
      const bool is_shown =
          first.value->is_scalar() && !first.value->is_null() && !first.value->origin().is_secret();
      diagnostic.hint =
          fmt::format("write a list: - {{name: {}, value: {}}}", first.key,
                      is_shown ? yaml::inline_text(first.value->text(), !first.value->is_string()) : "…");
      base::suggest_fix(diagnostic, yaml::entries_to_pairs(map, {"name", "value"}));
    } else if (items.property("name")) {
      diagnostic.hint = fmt::format("write a list: - name: {}", first.key);
    }
  }

  // The words of a command line: "python", "train.py"; a script is one string, for a shell to split. nullopt
  // if it is not clear what the words are, or if there are more of them than the list may have.
  static std::optional<std::string> words_of(std::string_view text, const k8s::Path& path,
                                             std::optional<int64_t> most) {
    auto words = base::split_words(text);
    const bool is_command = !path.is_index() && path.key() == "command";
    if (!words && is_command && text.find('\n') == std::string_view::npos)
      words = {"sh", "-c", std::string(text)};
    if (!words) return std::nullopt;
    if (words->empty()) words->emplace_back();
    if (most && std::cmp_greater(words->size(), *most)) return std::nullopt;
    std::string out;
    for (const std::string& word : *words) {
      out += out.empty() ? "" : ", ";
      yaml::write_json_string(word, out);
    }
    return out;
  }

  // Says what to write to turn the value into a map.
  static void advise_on_map(base::Diagnostic& diagnostic, const Node& node, const Schema& schema) {
    if (node.is_list() && node.size() == 1 && node.items().front()->is_map()) {
      diagnostic.hint = "leave the dash out";
      base::suggest_fix(diagnostic, yaml::element_to_map(node));
    } else if (node.is_string() && needs_only_name(schema) && !node.origin().is_secret()) {
      diagnostic.hint = fmt::format("write {}", named(node, schema));
      base::suggest_fix(diagnostic, yaml::replace_scalar(node, named(node, schema)));
    }
  }

  void check_enum(const Node& node, const Schema& schema, const k8s::Path& path) {
    if (schema.enums.empty() || base::contains(schema.enums, node.text())) return;
    result.types_fit = false;
    base::Diagnostic& found =
        add("input/enum", node, path, fmt::format("{} can't be {}", path.str(), k8s::shown(node)));
    const std::string choices = fmt::format("one of {}", k8s::quoted_list(schema.enums));
    found.hint = choices;
    if (const auto meant = base::closest(plain(node), schema.enums)) {
      k8s::suggest(found, &node, *meant);
      found.hint += fmt::format(" ({})", choices);
    }
  }

  void check_format(const Node& node, const Schema& schema, const k8s::Path& path) {
    if (!has_width(node, schema)) {
      result.types_fit = result.types_fit && !schema.bounds;  // a quirk of the API server
      report_width(node, 32, path);
    }
    if (schema.format != Format::DateTime || matches_pattern("date-time", node.text())) return;
    result.types_fit = false;
    add("input/format", node, path,
        fmt::format("{} must be a date-time, not {}", path.str(), k8s::shown(node)),
        "such as 2026-01-31T08:00:00Z");
  }

  void check_bounds(const Node& node, const Bounds& bounds, const k8s::Path& path) {
    if (const auto value = whole_number(node)) {
      if (bounds.minimum && *value < *bounds.minimum) {
        add("input/bounds", node, path,
            fmt::format("{} must be at least {}, not {}", path.str(), *bounds.minimum, node.text()));
      }
      if (bounds.maximum && *value > *bounds.maximum) {
        add("input/bounds", node, path,
            fmt::format("{} must be at most {}, not {}", path.str(), *bounds.maximum, node.text()));
      }
    }
    if (node.is_string()) check_string(node, bounds, path);
    const auto size = static_cast<int64_t>(node.size());
    if (node.is_list()) check_length(node, size, bounds.min_items, bounds.max_items, "item", path);
  }

  void check_string(const Node& node, const Bounds& bounds, const k8s::Path& path) {
    const auto length = static_cast<int64_t>(std::ranges::count_if(
        node.text(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; }));
    check_length(node, length, bounds.min_length, bounds.max_length, "character", path);
    if (bounds.pattern.empty() || matches_pattern(bounds.pattern, node.text())) return;
    const PatternAdvice advice = explain_pattern(bounds.pattern);
    base::Diagnostic& found =
        add(advice.rule, node, path,
            fmt::format("{} must be {}, not {}", path.str(), advice.what, k8s::shown(node)),
            std::string(advice.hint));
    const std::string better = corrected(bounds.pattern, node.text());
    if (!better.empty()) k8s::suggest(found, &node, better);
  }

  // The API server evaluates CEL rules on values that are too short, but not on those that are too long.
  void check_length(const Node& node, int64_t length, const std::optional<int64_t>& least,
                    const std::optional<int64_t>& most, std::string_view what, const k8s::Path& path) {
    if (least && length < *least) {
      add("input/bounds", node, path,
          length == 0 && *least == 1 ? fmt::format("{} can't be empty", path.str())
                                     : fmt::format("{} must have at least {}, it has {}", path.str(),
                                                   base::counted(*least, what), length));
    }
    if (most && length > *most) {
      result.types_fit = false;
      add("input/bounds", node, path,
          fmt::format("{} must have at most {}, it has {}", path.str(), base::counted(*most, what), length));
    }
  }

  void validate_map(const Node& map, const Schema& schema, const k8s::Path& path) {
    // A constant, since compilers compare the uninitialised bytes of an empty optional before they look
    // whether it has a value.
    static constexpr std::optional<int64_t> kNoLimit;
    if (schema.bounds)
      check_length(map, count_known(map, schema), schema.bounds->min_properties, kNoLimit, "field", path);
    for (const std::string_view name : schema.required) {
      if (map.get(name)) continue;
      result.types_fit = false;
      const k8s::Path child = path.child(name);
      add("input/required", map, child, fmt::format("{} is required", child.str()),
          fmt::format("add {}:", name));
    }
    for (const yaml::Entry& entry : map.entries()) {
      if (path.is_root() && entry.key == "status") continue;
      if (const Schema* child = schema.child(entry.key))
        validate(*entry.value, *child, path.child(entry.key));
    }
  }

  // The API server drops unknown fields before it counts.
  static int64_t count_known(const Node& map, const Schema& schema) {
    return std::ranges::count_if(map.entries(),
                                 [&](const yaml::Entry& entry) { return schema.child(entry.key); });
  }

  void validate_list(const Node& list, const Schema& schema, const k8s::Path& path) {
    size_t index = 0;
    if (schema.items) {
      for (const Node* item : list.items()) validate(*item, *schema.items, path.child(index++));
    }
    if (schema.list_type == ListType::Map || schema.list_type == ListType::Set)
      check_keys(list, schema, path);
  }

  // The identity of an element as text: the values of its keys; in a set, its own value.
  static std::string identity(const Node& item, const Schema& list) {
    std::string out;
    if (list.list_type == ListType::Set) {
      yaml::write_json(item, yaml::KeyOrder::Kubernetes, 0, out);
      return out;
    }
    for (const std::string_view key : list.list_keys) {
      if (const Node* value = item.get(key)) yaml::write_json(*value, yaml::KeyOrder::Kubernetes, 0, out);
      out += '\n';
    }
    return out;
  }

  static std::string key_words(const Node& item, const Schema& list) {
    if (list.list_type == ListType::Set) return k8s::shown(item);
    std::string out;
    for (const std::string_view key : list.list_keys) {
      if (const Node* value = item.get(key)) {
        out += fmt::format("{}{} {}", out.empty() ? "" : " and ", key, k8s::shown(*value));
      }
    }
    return out.empty() ? fmt::format("an element without {}", list.list_keys.front()) : out;
  }

  // Each repeated key is reported once, at its second occurrence, as by the API server.
  void check_keys(const Node& list, const Schema& schema, const k8s::Path& path) {
    const auto items = list.items();
    const auto is_element = [](const Node* item) { return item->is_map() || item->is_null(); };
    // Wrong types have been reported; the API server stops there.
    if (schema.list_type == ListType::Map && !std::ranges::all_of(items, is_element)) return;
    if (items.size() < 2) return;
    struct Seen {
      const Node* first = nullptr;
      size_t times = 0;
    };
    std::unordered_map<std::string, Seen> seen;
    for (size_t i = 0; i < items.size(); ++i) {
      Seen& same = seen[identity(*items[i], schema)];
      if (++same.times == 1) same.first = items[i];
      if (same.times != 2) continue;
      base::Diagnostic& duplicate =
          add("input/duplicate", *items[i], path.child(i),
              fmt::format("{} contains {} twice", path.str(), key_words(*items[i], schema)),
              "remove one of the two");
      duplicate.notes.push_back({"the first one", yaml::locate(*same.first)});
    }
  }
};

}  // namespace

Validation validate_structure(const Node& node, const Schema& schema, const k8s::Path& path) {
  Validator validator;
  validator.validate(node, schema, path);
  return std::move(validator.result);
}

}  // namespace trainjobc::schema
