#include "compile/job/report.h"

#include <fmt/format.h>

namespace trainjobc::compile::job {
namespace {

constexpr size_t kMaxShown = 60;

}  // namespace

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
  if (text.size() <= kMaxShown) return fmt::format("\"{}\"", text);
  size_t end = kMaxShown - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80) --end;
  return fmt::format("\"{}…\"", text.substr(0, end));
}

}  // namespace trainjobc::compile::job
