#include "compile/job/report.h"

#include "schema/words.h"

namespace trainjobc::compile::job {
base::Diagnostic& Report::add_at(base::Location place, std::string_view rule, const Field& field,
                                 std::string message, std::string hint) {
  base::Diagnostic& diagnostic = violations_->emplace_back();
  diagnostic.rule = rule;
  diagnostic.stage = base::Stage::Job;
  diagnostic.field = field.path();
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  diagnostic.location = place;
  return diagnostic;
}

std::string quoted(std::string_view text) {
  return schema::quoted(text);
}

std::string quoted(const Field& field) {
  return field ? schema::quoted(*field.node()) : "\"\"";
}

}  // namespace trainjobc::compile::job
