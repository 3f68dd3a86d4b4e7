#include "k8s/check/violation_report.h"

#include "k8s/value_text.h"

namespace trainjobc::k8s::job {
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
  return k8s::quoted(text);
}

std::string quoted(const Field& field) {
  return field ? k8s::quoted(*field.node()) : "\"\"";
}

}  // namespace trainjobc::k8s::job
