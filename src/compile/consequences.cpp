#include "compile/consequences.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

namespace trainjobc::compile {
namespace {

using base::Diagnostic;

// Whether the field is inside the other one.
bool is_below(std::string_view field, std::string_view outer) {
  return !outer.empty() && field.size() > outer.size() && field.starts_with(outer) &&
         (field[outer.size()] == '.' || field[outer.size()] == '[');
}

bool causes(const Diagnostic& cause, const Diagnostic& other) {
  if (cause.rule == "input/type") return is_below(other.field, cause.field);
  return !cause.meant.empty() && other.rule == "input/required" && other.field == cause.meant;
}

// What a message says of its field, whatever that is called.
std::string_view complaint(const Diagnostic& found) {
  const std::string_view field = found.field;
  const std::string_view name = field.substr(field.find_last_of('.') + 1);  // npos + 1 is 0
  std::string_view message = found.message;
  if (!name.empty() && message.starts_with(name)) message.remove_prefix(name.size());
  return message;
}

// The same complaint about the same text of an input; each goes with the first.
class Repetitions {
 public:
  bool is_new(const Diagnostic& found) {
    const base::Location& at = found.location;
    const bool has_place = at.file && at.line != 0;
    return !has_place || seen_.emplace(at.file, at.line, at.column, found.rule, complaint(found)).second;
  }

 private:
  std::set<std::tuple<const base::SourceFile*, uint32_t, uint32_t, std::string, std::string>> seen_;
};

}  // namespace

schema::Violations without_consequences(schema::Violations violations) {
  schema::Violations kept;
  Repetitions repetitions;
  for (const Diagnostic& found : violations) {
    const auto is_cause = [&](const Diagnostic& other) { return &other != &found && causes(other, found); };
    if (std::ranges::none_of(violations, is_cause) && repetitions.is_new(found)) kept.push_back(found);
  }
  return kept;
}

}  // namespace trainjobc::compile
