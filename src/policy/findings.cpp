#include <algorithm>

#include "policy/plugin.h"

namespace trainjobc::policy {

base::Diagnostic& Findings::add(base::Severity severity, base::Stage stage, std::string_view rule,
                                std::string field, std::string message, const yaml::Node* where,
                                std::string hint) {
  base::Diagnostic diagnostic;
  diagnostic.rule = rule;
  diagnostic.stage = stage;
  diagnostic.severity = severity;
  diagnostic.field = std::move(field);
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  if (where) diagnostic.location = yaml::locate(*where);
  found_.push_back(std::move(diagnostic));
  return found_.back();
}

base::Diagnostic& Findings::error(std::string_view rule, std::string field, std::string message,
                                  const yaml::Node* where, std::string hint) {
  return add(base::Severity::Error, base::Stage::Input, rule, std::move(field), std::move(message), where,
             std::move(hint));
}

base::Diagnostic& Findings::warning(std::string_view rule, std::string field, std::string message,
                                    const yaml::Node* where, std::string hint) {
  return add(base::Severity::Warning, base::Stage::Advice, rule, std::move(field), std::move(message), where,
             std::move(hint));
}

bool Findings::has_errors() const {
  return std::ranges::any_of(found_,
                             [](const base::Diagnostic& d) { return d.severity == base::Severity::Error; });
}

void Findings::flush(const std::string& object) {
  for (base::Diagnostic& diagnostic : found_) {
    diagnostic.object = object;
    out_->add(std::move(diagnostic));
  }
  found_.clear();
}

}  // namespace trainjobc::policy
