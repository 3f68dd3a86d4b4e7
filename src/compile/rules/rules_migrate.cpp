// Rules of `trainjobc migrate`.
#include <array>

#include "compile/rules/rules_tables.h"

namespace trainjobc::compile::rules {
namespace {

using enum base::Severity;
using base::Stage;

constexpr std::array kRules = std::to_array<Rule>({
    {"migrate/in-place", Stage::Input, Error, "The document can't be rewritten without losing something",
     "migrate changes what has to change and keeps every other byte. Where that would lose a comment, or the "
     "result would not read back as it is meant, because of anchors, merge keys or JSON's own escapes, the "
     "document stays as it is. Write the part that the message points at in plain block style, or change it "
     "by "
     "hand."},
    {"migrate/lost", Stage::Input, Error, "Something has no counterpart in the other Trainer version",
     "A field of one version can say what no field of the other one can. The object stays as it is, so that "
     "nothing is dropped silently. Write it another way, most often into the runtime's template, or remove "
     "it, "
     "and migrate again."},
});

}  // namespace

std::span<const Rule> migrate() {
  return kRules;
}

}  // namespace trainjobc::compile::rules
