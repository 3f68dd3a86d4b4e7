// SPDX-License-Identifier: Apache-2.0

#include "inputs/gitops/templates.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text/text.h"

namespace trainjobc::gitops {
namespace {

using yaml::Node;

// A value of an expression: of a parameter, or a text.
struct Value {
  const Node* node = nullptr;
  std::string text;
  bool is_set = true;

  std::string str() const { return node ? std::string(node->text()) : text; }
  bool is_empty() const { return !is_set || (node ? node->is_empty_value() : text.empty()); }
};

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
    return is_number || word == "true" || word == "false" ? std::optional(Value{.text = word}) : std::nullopt;
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
    const std::string last = values.back().str();
    const auto text = [](std::string result) { return std::optional(Value{.text = std::move(result)}); };
    if (values.size() == 1) {
      if (name == "lower") return text(base::lower_case(last));
      if (name == "upper") return text(base::upper_case(last));
      if (name == "trim") return text(std::string(base::trimmed(last)));
      if (name == "quote") return text('"' + last + '"');
      if (name == "squote") return text('\'' + last + '\'');
      if (name == "toString") return text(last);
      if (name == "normalize") return text(normalized_name(last));
    }
    if (values.size() == 2) {
      const std::string first = values[0].str();
      const bool begins = last.starts_with(first);
      const bool ends = last.ends_with(first);
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

}  // namespace

std::optional<std::string> expand_go(std::string_view text, const Node* parameters, std::string& unknown) {
  std::string result;
  while (true) {
    const size_t open = text.find("{{");
    result += text.substr(0, open);
    if (open == std::string_view::npos) return result;
    const size_t close = text.find("}}", open);
    std::string_view action =
        text.substr(open + 2, close == std::string_view::npos ? close : close - open - 2);
    if (action.starts_with("- ")) {
      action.remove_prefix(2);
      result.resize(base::trimmed("x" + result).size() - 1);
    }
    const bool trims_next = action.ends_with(" -");
    if (trims_next) action.remove_suffix(2);
    const auto value = Expression(action, parameters).value();
    if (!value || close == std::string_view::npos) {
      unknown = base::trimmed(action);
      return std::nullopt;
    }
    result += value->str();
    text.remove_prefix(close + 2);
    if (trims_next) text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  }
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
