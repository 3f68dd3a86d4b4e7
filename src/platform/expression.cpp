// SPDX-License-Identifier: Apache-2.0

#include "platform/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "base/text/text.h"
#include "platform/team.h"
#include "rules/rules.h"
#include "yaml/rewrite/edits.h"

namespace trainjobc::platform {
namespace {

using yaml::Node;

constexpr size_t kLongestMessage = 5 * 1024;  // bytes that an API server takes

// Of the value that an expression has read; nullopt if it is of no file.
std::optional<Place> place_of_read(const cel::Read& read, const Node& object) {
  if (!read.node) return std::nullopt;
  if (read.is_missing && read.node == &object) {
    return Place{std::string(read.expr->name), place_of_object(object)};
  }
  Place place = find_place(object, *read.node);
  if (!place.location.file) return std::nullopt;
  const bool is_field = read.expr->op != cel::Op::Index && read.expr->op != cel::Op::OptIndex;
  if (read.is_missing && is_field && !read.expr->name.empty()) {
    if (!place.field.empty()) place.field += '.';
    place.field += read.expr->name;
  }
  return place;
}

}  // namespace

void report_issues(const Node& text, std::span<const cel::Issue> issues, std::string_view rule,
                   base::Diagnostics& problems) {
  const yaml::WrittenText written(text);
  for (const cel::Issue& issue : issues) {
    const size_t end = text.text().size();
    const size_t begin = std::min<size_t>(issue.begin, end > 0 ? end - 1 : 0);
    const size_t length = std::max<size_t>(1, issue.end > begin ? issue.end - begin : 1);
    problems.add(rules::finding(rule, issue.message, "", written.place_or_all(begin, length)));
  }
}

std::optional<Expression> Expression::compile(const Node& text, std::span<const cel::Variable> variables,
                                              const cel::Type* result, std::string_view rule,
                                              base::Diagnostics& problems) {
  std::vector<cel::Issue> issues;
  auto program = cel::Program::compile(text.text(), variables, issues);
  if (program && result && !cel::is_same(program->type(), *result) &&
      program->type().kind != cel::TypeKind::Dyn) {
    issues.push_back({0, static_cast<uint32_t>(text.text().size()),
                      fmt::format("must evaluate to {}, not to {}", cel::to_string(*result),
                                  cel::to_string(program->type()))});
    program.reset();
  }
  report_issues(text, issues, rule, problems);
  if (!program) return std::nullopt;
  return Expression(text, std::move(program));
}

std::string Expression::text() const {
  return on_one_line(text_->text());
}

Place place_of_failure(const cel::Failure& failure, const Node& object,
                       std::initializer_list<const Node*> others) {
  std::optional<Place> of_others;
  for (const cel::Read& read : failure.reads | std::views::reverse) {
    auto place = place_of_read(read, object);
    if (!place) continue;
    const bool is_other = std::ranges::any_of(others, [&](const Node* other) {
      return other && (read.node == other || !find_place(*other, *read.node).field.empty());
    });
    if (!is_other) return std::move(*place);
    if (!of_others) of_others = std::move(place);
  }
  return of_others.value_or(Place{"", place_of_object(object)});
}

std::string failing_part(const Expression& expression, const cel::Failure& failure) {
  const std::string_view text = expression.node().text();
  const cel::Expr& part = *failure.expr;
  if (part.begin >= part.end || part.end > text.size()) return "";
  std::string shown = on_one_line(text.substr(part.begin, part.end - part.begin));
  return shown == expression.text() ? "" : shown;
}

std::optional<std::string> message_in(const cel::Value& value) {
  if (value.kind != cel::Kind::String) return std::nullopt;
  const std::string_view text = base::trimmed(value.text());
  if (text.empty() || text.size() > kLongestMessage || text.find('\n') != std::string_view::npos)
    return std::nullopt;
  return std::string(text);
}

}  // namespace trainjobc::platform
