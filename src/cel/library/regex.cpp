// SPDX-License-Identifier: Apache-2.0

#include "cel/library/regex.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <optional>

#include "base/text/text.h"
#include "cel/library/library.h"

namespace trainjobc::cel {

struct Regex::Compiled {
  re2::RE2 regex;
};

namespace {

// The pattern of a call: compiled before, if it is a constant.
class Pattern {
 public:
  explicit Pattern(const Call& call) {
    regex_ = static_cast<const Regex*>(call.expr.regex);
    if (!regex_) regex_ = &own_.emplace(call.text(1));
  }
  const Regex* operator->() const { return regex_; }

 private:
  std::optional<Regex> own_;
  const Regex* regex_ = nullptr;
};

}  // namespace

Regex::Regex(std::string_view pattern)
    : compiled_(new Compiled{re2::RE2(re2::StringPiece(pattern.data(), pattern.size()), re2::RE2::Quiet)}) {}

Regex::~Regex() = default;

std::string Regex::problem() const {
  return compiled_->regex.ok() ? "" : compiled_->regex.error();
}

bool Regex::is_found_in(std::string_view text) const {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), compiled_->regex);
}

std::vector<std::string_view> Regex::find_all(std::string_view text, int64_t most) const {
  std::vector<std::string_view> found;
  const re2::StringPiece whole(text.data(), text.size());
  size_t at = 0;
  size_t last_end = std::string_view::npos;
  while (at <= text.size() && (most < 0 || static_cast<int64_t>(found.size()) < most)) {
    re2::StringPiece match;
    if (!compiled_->regex.Match(whole, at, text.size(), re2::RE2::UNANCHORED, &match, 1)) break;
    const size_t begin = static_cast<size_t>(match.data() - text.data());
    const size_t end = begin + match.size();
    // An empty match right after another one does not count, as in Go.
    if (!match.empty() || begin != last_end) found.push_back(text.substr(begin, match.size()));
    last_end = end;
    at = match.empty() ? end + std::max<size_t>(base::decode_utf8(text.substr(end)).length, 1) : end;
  }
  return found;
}

Value matches(const Call& call) {
  const Pattern pattern(call);
  const std::string problem = pattern->problem();
  if (!problem.empty()) return call.context.fail(fmt::format("error parsing regexp: {}", problem));
  return Value::boolean_of(pattern->is_found_in(call.text(0)));
}

Value find(const Call& call) {
  const Pattern pattern(call);
  const std::string problem = pattern->problem();
  if (!problem.empty()) return call.context.fail(fmt::format("Illegal regex: {}", problem));
  const auto found = pattern->find_all(call.text(0), 1);
  return Value::text_of(found.empty() ? "" : found.front());
}

Value find_all(const Call& call) {
  const Pattern pattern(call);
  const std::string problem = pattern->problem();
  if (!problem.empty()) return call.context.fail(fmt::format("Illegal regex: {}", problem));
  std::vector<Value> items;
  for (const std::string_view text :
       pattern->find_all(call.text(0), call.args.size() == 3 ? call[2].integer : -1))
    items.push_back(Value::text_of(text));
  return call.context.list(items);
}

}  // namespace trainjobc::cel
