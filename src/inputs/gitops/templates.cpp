// SPDX-License-Identifier: Apache-2.0

#include "inputs/gitops/templates.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "base/text/text.h"
#include "yaml/write/writer.h"

namespace trainjobc::gitops {
namespace {

using yaml::Node;

// A value of an expression: of a parameter, or a text.
struct Value {
  const Node* node = nullptr;
  std::string text;
  bool is_set = true;
  bool is_plain = false;  // a text that is a number or boolean

  std::string str() const { return node ? std::string(node->text()) : text; }
  bool is_empty() const {
    if (!is_set) return true;
    return node ? node->is_empty_value() : text.empty() || (is_plain && (text == "false" || text == "0"));
  }
  bool is_string() const { return node ? node->is_string() : !is_plain; }
};

Value truth(bool is_true) {
  return {.text = is_true ? "true" : "false", .is_plain = true};
}

// Evaluates one action without control structures.
class Expression {
 public:
  Expression(std::string_view text, const Node* parameters) : parameters_(parameters) { split(text); }

  // nullopt if it has something else.
  std::optional<Value> value() {
    std::optional<Value> value = pipeline();
    return at_ == words_.size() ? value : std::nullopt;
  }

 private:
  void split(std::string_view text) {
    for (size_t at = 0; at < text.size();) {
      const char c = text[at];
      if (base::is_blank(c) || c == '\n') {
        ++at;
      } else if (c == '|' || c == '(' || c == ')') {
        words_.emplace_back(1, c);
        ++at;
      } else if (c == '"' || c == '`') {
        const size_t end = std::min(text.find(c, at + 1), text.size() - 1);
        words_.emplace_back(text.substr(at, end + 1 - at));
        at = end + 1;
      } else {
        const size_t end = std::min(text.find_first_of(" \t\n|()\"`", at), text.size());
        words_.emplace_back(text.substr(at, end - at));
        at = end;
      }
    }
  }

  bool is_next(std::string_view word) const { return at_ < words_.size() && words_[at_] == word; }

  std::optional<Value> pipeline() {
    std::optional<Value> value = command(std::nullopt);
    while (value && is_next("|")) {
      ++at_;
      value = command(std::move(value));
    }
    return value;
  }

  std::optional<Value> command(std::optional<Value> piped) {
    std::vector<Value> values;
    std::string function;
    if (at_ < words_.size() && base::is_letter(words_[at_].front()) && words_[at_] != "true" &&
        words_[at_] != "false")
      function = words_[at_++];
    while (at_ < words_.size() && !is_next("|") && !is_next(")")) {
      auto value = operand();
      if (!value) return std::nullopt;
      values.push_back(std::move(*value));
    }
    if (piped) values.push_back(std::move(*piped));
    if (function.empty()) return values.size() == 1 ? std::optional(values.front()) : std::nullopt;
    return call(function, values);
  }

  std::optional<Value> operand() {
    const std::string word = words_[at_++];
    if (word == "(") {
      auto value = pipeline();
      if (!is_next(")")) return std::nullopt;
      ++at_;
      return value;
    }
    if (word.front() == '"' || word.front() == '`') return Value{.text = word.substr(1, word.size() - 2)};
    if (word.front() == '.') return field(word);
    const bool is_number = std::ranges::all_of(word, base::is_digit);
    if (!is_number && word != "true" && word != "false") return std::nullopt;
    return Value{.text = word, .is_plain = true};
  }

  std::optional<Value> field(std::string_view path) const {
    const Node* node = parameters_;
    for (const std::string_view key : base::non_empty_parts(path, "."))
      node = node ? node->get(key) : nullptr;
    return Value{node, node ? "" : "<no value>", node != nullptr};
  }

  static std::optional<Value> call(const std::string& name, const std::vector<Value>& values) {
    if (name == "index") return index(values);
    if (name == "default" && values.size() == 2) return values[1].is_empty() ? values[0] : values[1];
    if (values.empty()) return std::nullopt;
    if (auto decided = logic(name, values)) return decided;
    const std::string last = values.back().str();
    const auto text = [](std::string result) { return std::optional(Value{.text = std::move(result)}); };
    if (values.size() == 1) {
      if (name == "lower") return text(base::lower_case(last));
      if (name == "upper") return text(base::upper_case(last));
      if (name == "trim") return text(std::string(base::trimmed(last)));
      if (name == "quote") return text(json_of({.text = last}));  // as Go's %q
      if (name == "squote") return text('\'' + last + '\'');
      if (name == "toString") return text(last);
      if (name == "normalize") return text(normalized_name(last));
      if (name == "toJson") return text(json_of(values.front()));
    }
    if (values.size() == 2) {
      const std::string first = values[0].str();
      const bool begins = last.starts_with(first);
      const bool ends = last.ends_with(first);
      if (name == "hasPrefix") return truth(begins);
      if (name == "hasSuffix") return truth(ends);
      if (name == "contains") return truth(last.find(first) != std::string::npos);
      if (name == "trimPrefix") return text(begins ? last.substr(first.size()) : last);
      if (name == "trimSuffix") return text(ends ? last.substr(0, last.size() - first.size()) : last);
    }
    if (values.size() == 3 && name == "replace" && !values[0].str().empty()) {
      std::string result = last;
      const std::string from = values[0].str();
      const std::string to = values[1].str();
      for (size_t at = result.find(from); at != std::string::npos; at = result.find(from, at + to.size()))
        result.replace(at, from.size(), to);
      return text(std::move(result));
    }
    return std::nullopt;
  }

  static std::string json_of(const Value& value) {
    std::string json;
    if (value.node) {
      yaml::write_json(*value.node, yaml::KeyOrder::AsIs, 0, json);
    } else if (value.is_plain) {
      json = value.text;
    } else {
      yaml::write_json_string(value.text, json);
    }
    return json;
  }

  // Go's own functions. A comparison of different kinds is an error there.
  static std::optional<Value> logic(const std::string& name, const std::vector<Value>& values) {
    const auto is_empty = [](const Value& value) { return value.is_empty(); };
    if (name == "and" || name == "or") {
      const auto decides =
          name == "and" ? std::ranges::find_if(values, is_empty) : std::ranges::find_if_not(values, is_empty);
      return decides != values.end() ? *decides : values.back();
    }
    if (values.size() == 1 && (name == "not" || name == "empty")) return truth(values.front().is_empty());
    if (values.size() < 2 || (name != "eq" && name != "ne")) return std::nullopt;
    const Value& first = values.front();
    const auto others = std::span(values).subspan(1);
    const bool is_known = std::ranges::all_of(others, [&](const Value& other) {
      return first.is_set && other.is_set && other.is_string() == first.is_string();
    });
    if (!is_known || (name == "ne" && others.size() > 1)) return std::nullopt;
    const bool has_equal =
        std::ranges::any_of(others, [&](const Value& other) { return other.str() == first.str(); });
    return truth(has_equal == (name == "eq"));
  }

  static std::optional<Value> index(const std::vector<Value>& values) {
    if (values.empty() || !values.front().node) return std::nullopt;
    const Node* node = values.front().node;
    for (size_t i = 1; i < values.size(); ++i) {
      const std::string key = values[i].str();
      if (node->is_list()) {
        const auto number = base::read_integer(key);
        if (!number || *number < 0 || static_cast<size_t>(*number) >= node->size()) return std::nullopt;
        node = node->items()[static_cast<size_t>(*number)];
      } else {
        node = node->get(key);
      }
      if (!node) return Value{nullptr, "<no value>", false};
    }
    return Value{node};
  }

  const Node* parameters_;
  std::vector<std::string> words_;
  size_t at_ = 0;
};

// Writes a template with `if`, `else if`, `else` and `end`.
class TemplateWriter {
 public:
  explicit TemplateWriter(const Node* parameters) : parameters_(parameters) {}

  void add_text(std::string_view text) {
    if (is_active()) result_ += text;
  }
  // False if the action is not supported.
  bool run(std::string_view action) {
    const size_t end = std::min(action.find_first_of(" \t("), action.size());
    const std::string_view word = action.substr(0, end);
    const std::string_view rest = base::trimmed(action.substr(end));
    if (word == "if") return open(rest);
    if (word == "else") return otherwise(rest);
    if (word == "end") return close();
    if (!is_active()) {
      if (word == "range" || word == "with") branches_.push_back({false, false});
      return true;
    }
    if (action.starts_with("/*")) return true;
    const auto value = Expression(action, parameters_).value();
    if (value) result_ += value->str();
    return value.has_value();
  }
  std::optional<std::string> take() {
    return branches_.empty() ? std::optional(std::move(result_)) : std::nullopt;
  }

 private:
  struct Branch {
    bool is_active = false;
    bool can_follow = true;  // whether one of the branches to come may be taken
  };

  bool is_active() const { return std::ranges::all_of(branches_, &Branch::is_active); }

  bool open(std::string_view condition) {
    branches_.push_back({false, is_active()});
    return otherwise("if " + std::string(condition));
  }

  bool otherwise(std::string_view condition) {
    if (branches_.empty()) return false;
    Branch& branch = branches_.back();
    branch.is_active = false;
    if (!branch.can_follow) return true;
    bool is_true = condition.empty();
    if (!is_true) {
      if (!condition.starts_with("if ")) return false;
      const auto value = Expression(condition.substr(3), parameters_).value();
      if (!value) return false;
      is_true = !value->is_empty();
    }
    branch.is_active = is_true;
    branch.can_follow = !is_true;
    return true;
  }

  bool close() {
    if (branches_.empty()) return false;
    branches_.pop_back();
    return true;
  }

  const Node* parameters_;
  std::string result_;
  std::vector<Branch> branches_;
};

}  // namespace

std::optional<std::string> expand_go(std::string_view text, const Node* parameters, std::string& unknown) {
  constexpr std::string_view kSpaces =
      " \t\r\n";  // that the markers {{- and -}} take from the text beside them
  TemplateWriter writer(parameters);
  while (true) {
    const size_t open = text.find("{{");
    std::string_view before = text.substr(0, open);
    if (open == std::string_view::npos) {
      writer.add_text(before);
      break;
    }
    const size_t close = text.find("}}", open);
    std::string_view action =
        text.substr(open + 2, close == std::string_view::npos ? close : close - open - 2);
    if (action.starts_with("- ")) {
      action.remove_prefix(2);
      before = before.substr(0, before.find_last_not_of(kSpaces) + 1);
    }
    writer.add_text(before);
    const bool trims_next = action.ends_with(" -");
    if (trims_next) action.remove_suffix(2);
    unknown = base::trimmed(action);
    if (close == std::string_view::npos || !writer.run(base::trimmed(action))) return std::nullopt;
    text.remove_prefix(close + 2);
    if (trims_next) text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
  }
  unknown = "if";
  return writer.take();
}

std::string expand_fast(std::string_view text, const std::map<std::string, std::string>& parameters) {
  std::string result;
  while (true) {
    const size_t open = text.find("{{");
    const size_t close = open == std::string_view::npos ? open : text.find("}}", open);
    result += text.substr(0, close == std::string_view::npos ? close : open);
    if (close == std::string_view::npos) return result;
    const auto found = parameters.find(std::string(base::trimmed(text.substr(open + 2, close - open - 2))));
    result += found != parameters.end() ? found->second : std::string(text.substr(open, close + 2 - open));
    text.remove_prefix(close + 2);
  }
}

std::string normalized_name(std::string_view text) {
  constexpr size_t kLongest = 253;
  std::string name = base::lower_case(text);
  for (char& c : name) {
    if (!base::is_lower_alnum(c) && c != '-' && c != '.') c = '-';
  }
  name = name.substr(0, kLongest);
  const size_t begin = std::min(name.find_first_not_of("-."), name.size());
  name.erase(0, begin);
  name.resize(name.find_last_not_of("-.") + 1);
  return name;
}

}  // namespace trainjobc::gitops
