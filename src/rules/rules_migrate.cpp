// SPDX-License-Identifier: Apache-2.0

// Rules of `trainjobc migrate`.
#include <array>

#include "rules/rules_tables.h"

namespace trainjobc::rules::tables {
namespace {

using enum base::Severity;
using base::Stage;

constexpr std::array kMigrateRules = std::to_array<Rule>({
    {"migrate/in-place", Stage::Input, Error, "The document can't be rewritten without losing something",
     "migrate changes what must change and keeps every other byte. If that would lose a comment, or if "
     "anchors, merge keys or JSON escapes mean that the result would not read back with the same values, "
     "the document stays unchanged. Write the part that the message points at in plain block style, or "
     "change it by hand."},
    {"migrate/lost", Stage::Input, Error, "Something has no equivalent in the other Trainer version",
     "A field of one version can express something that no field of the other version can; of a job of "
     "Training Operator v1, something that no TrainJob can. The object stays unchanged, so nothing is "
     "silently dropped. Express it in another way, usually in the runtime's template, or remove it, and "
     "migrate again. For some v1 jobs, --plain writes out what Trainer does not set up."},
});

}  // namespace

std::span<const Rule> migrate() {
  return kMigrateRules;
}

}  // namespace trainjobc::rules::tables
