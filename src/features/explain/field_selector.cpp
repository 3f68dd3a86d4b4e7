// SPDX-License-Identifier: Apache-2.0

#include "features/explain/explain.h"

#include <fmt/format.h>

#include <charconv>

#include "yaml/fields.h"

namespace trainjobc::explain {
namespace {

using Step = FieldSelector::Step;

bool begins_json_path(std::string_view text) {
  return text.starts_with('$') || text.starts_with('.') || text.starts_with('{');
}

// Reads a JSONPath; `error` says why it can't be read.
class PathReader {
 public:
  explicit PathReader(std::string_view text) : text_(text) {
    if (text_.starts_with('{') && text_.ends_with('}')) text_ = text_.substr(1, text_.size() - 2);
    if (text_.starts_with('$')) text_.remove_prefix(1);
  }

  std::vector<Step> steps;
  std::string error;

  void read() {
    while (at_ < text_.size() && error.empty()) {
      if (text_[at_] == '[') {
        read_bracket();
      } else if (text_.substr(at_).starts_with("..")) {
        steps.emplace_back(FieldSelector::Below{});
        at_ += at_ + 2 < text_.size() && text_[at_ + 2] == '[' ? 2 : 1;
      } else if (text_[at_] == '.') {
        ++at_;
        read_name();
      } else {
        fail("a step must begin with . or [");
      }
    }
    if (error.empty() && steps.empty()) fail("it selects nothing");
  }

 private:
  void fail(std::string_view why) {
    error = fmt::format("at \"{}\": {}", text_.substr(std::min(at_, text_.size())), why);
  }

  void read_name() {
    std::string name;
    for (; at_ < text_.size() && text_[at_] != '.' && text_[at_] != '['; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      name += text_[at_];
    }
    if (name.empty()) {
      if (at_ < text_.size()) fail("a name is missing");
      return;  // a final dot is the field itself
    }
    if (name == "*") {
      steps.emplace_back(FieldSelector::Any{});
    } else {
      steps.emplace_back(FieldSelector::Key{std::move(name)});
    }
  }

  void read_bracket() {
    const size_t close = end_of_bracket();
    if (close == std::string_view::npos) return fail("] is missing");
    const std::string_view inner = text_.substr(at_ + 1, close - at_ - 1);
    if (inner == "*") {
      steps.emplace_back(FieldSelector::Any{});
    } else if (inner.starts_with("?(") && inner.ends_with(')')) {
      read_filter(inner.substr(2, inner.size() - 3));
    } else if (inner.size() >= 2 && (inner.front() == '\'' || inner.front() == '"') &&
               inner.back() == inner.front()) {
      steps.emplace_back(FieldSelector::Key{std::string(inner.substr(1, inner.size() - 2))});
    } else {
      int64_t index = 0;
      const auto [end, failure] = std::from_chars(inner.data(), inner.data() + inner.size(), index);
      if (failure != std::errc() || end != inner.data() + inner.size())
        return fail("write a number, *, 'key' or ?(@.name==\"value\")");
      steps.emplace_back(FieldSelector::Index{index});
    }
    at_ = close + 1;
  }

  // Brackets in quotes don't count.
  size_t end_of_bracket() const {
    char quote = 0;
    for (size_t i = at_ + 1; i < text_.size(); ++i) {
      if (quote != 0) {
        if (text_[i] == quote) quote = 0;
      } else if (text_[i] == '\'' || text_[i] == '"') {
        quote = text_[i];
      } else if (text_[i] == ']') {
        return i;
      }
    }
    return std::string_view::npos;
  }

  // @.name=="node"
  void read_filter(std::string_view inner) {
    const size_t is_equal = inner.find("==");
    const size_t differs = inner.find("!=");
    const size_t op = std::min(is_equal, differs);
    if (!inner.starts_with("@.") || op == std::string_view::npos)
      return fail("a filter is ?(@.name==\"value\")");
    FieldSelector::Filter filter;
    filter.equal = op == is_equal;
    const std::string_view field = trimmed(inner.substr(2, op - 2));
    for (size_t begin = 0; begin <= field.size();) {
      const size_t end = std::min(field.find('.', begin), field.size());
      filter.field.emplace_back(field.substr(begin, end - begin));
      begin = end + 1;
    }
    std::string_view value = trimmed(inner.substr(op + 2));
    if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front())
      value = value.substr(1, value.size() - 2);
    filter.value = value;
    steps.emplace_back(std::move(filter));
  }

  static std::string_view trimmed(std::string_view text) {
    const size_t begin = std::min(text.find_first_not_of(' '), text.size());
    return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
  }

  std::string_view text_;
  size_t at_ = 0;
};

bool passes(const FieldSelector::Filter& filter, const yaml::Node& item) {
  const yaml::Node* value = &item;
  for (const std::string& key : filter.field) value = value ? value->get(key) : nullptr;
  return (value && value->is_scalar() && value->text() == filter.value) == filter.equal;
}

// `size` is that of the map or list.
bool fits_step(const Step& wanted, const schema::Step& step, size_t size) {
  if (std::holds_alternative<FieldSelector::Any>(wanted)) return true;
  if (const auto* key = std::get_if<FieldSelector::Key>(&wanted))
    return !step.is_item() && step.key == key->name;
  if (!step.is_item()) return false;
  if (const auto* filter = std::get_if<FieldSelector::Filter>(&wanted))
    return step.item && passes(*filter, *step.item);
  const auto* index = std::get_if<FieldSelector::Index>(&wanted);
  if (!index) return false;
  const int64_t from_begin = index->index < 0 ? index->index + static_cast<int64_t>(size) : index->index;
  return static_cast<int64_t>(step.index) == from_begin;
}

}  // namespace

std::string FieldSelector::check(std::string_view text) {
  if (!begins_json_path(text)) return "";
  PathReader reader(text);
  reader.read();
  return reader.error;
}

FieldSelector::FieldSelector(std::string_view text) {
  if (!begins_json_path(text)) {
    text_ = text;
    return;
  }
  PathReader reader(text);
  reader.read();
  steps_ = std::move(reader.steps);
}

bool FieldSelector::selects(const Place& place) const {
  if (!steps_.empty()) return matches(place, 0, 0);
  return place.indexed.find(text_) != std::string_view::npos ||
         place.keyed.find(text_) != std::string_view::npos;
}

bool FieldSelector::matches(const Place& place, size_t at, size_t step) const {
  if (step == steps_.size()) return true;
  if (std::holds_alternative<Below>(steps_[step])) {
    for (size_t from = at; from <= place.path.size(); ++from) {
      if (matches(place, from, step + 1)) return true;
    }
    return false;
  }
  return at < place.path.size() && fits_step(steps_[step], place.path[at], place.sizes[at]) &&
         matches(place, at + 1, step + 1);
}

}  // namespace trainjobc::explain
