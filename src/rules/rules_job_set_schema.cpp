// SPDX-License-Identifier: Apache-2.0

// The schema's rules for the rendered JobSet; rules_input.cpp has those for the inputs.
#include <array>

#include "rules/rules_tables.h"

namespace trainjobc::rules::tables {
namespace {

using enum base::Severity;
using base::Stage;

constexpr std::array kJobSetSchemaRules = std::to_array<Rule>({
    {"jobset/annotation", Stage::JobSet, Error, "An annotation of the JobSet is invalid",
     "spec.template.metadata of the runtime becomes the metadata of the JobSet, and nothing checks it "
     "earlier: the API server stores the runtime and refuses the JobSet of each job. An annotation's key "
     "is a name of at most 63 characters after an optional DNS prefix; all annotations of an object "
     "together hold at most 256 KiB."},
    {"jobset/bounds", Stage::JobSet, Error,
     "A value of the JobSet is too small, too large, too short or too long",
     "The rendered JobSet has its own schema, which limits numbers, strings and lists, and the API server "
     "refuses values outside these limits. Values of the runtime's template and of patches get there "
     "unchanged; empty names are the usual cause. Correct the value where it was written, which is the "
     "place shown."},
    {"jobset/cel", Stage::JobSet, Error, "A validation rule of JobSet's CRD fails",
     "JobSet's CRD contains rules in the Common Expression Language: for example, a startup policy "
     "InOrder excludes dependsOn, and claim templates have no namespace. The API server refuses the "
     "rendered JobSet, although it stored the runtime. Change one of the fields that the message names."},
    {"jobset/duplicate", Stage::JobSet, Error, "A list of the JobSet contains the same key twice",
     "replicatedJobs, containers, ports and other lists are maps with a key, and the rendered JobSet "
     "contains an element twice. Besides plain copies, ports without names cause this: the controller "
     "treats them as one and writes the last one twice. Rename or remove one, and give ports names."},
    {"jobset/enum", Stage::JobSet, Error, "A value of the JobSet is not one of the allowed values",
     "Fields such as operator, completionMode and restartStrategy accept only certain words, and they are "
     "case-sensitive. The API server refuses the rendered JobSet, with the value that comes from the "
     "runtime's template or a patch. Use a value from the list in the message."},
    {"jobset/format", Stage::JobSet, Error, "A string of the JobSet does not have the format of its field",
     "The field is a date and time in RFC 3339 format, with a time zone, and the API server can't decode "
     "anything else in the rendered JobSet. Correct it where it was written, which is the place shown."},
    {"jobset/label", Stage::JobSet, Error, "A label of the JobSet is invalid",
     "spec.template.metadata of the runtime becomes the metadata of the JobSet, and nothing checks it "
     "earlier: the API server stores the runtime and refuses the JobSet of each job. A label's value is "
     "at most 63 letters, digits, dashes, dots and underscores. Free text belongs in an annotation."},
    {"jobset/pattern", Stage::JobSet, Error, "A string of the JobSet does not match the pattern of its field",
     "JobSet's schema has a regular expression for this string, and the API server refuses the rendered "
     "JobSet. Correct the string in the runtime's template or the patch that it comes from; the message "
     "says what is allowed."},
    {"jobset/quantity", Stage::JobSet, Error, "A value of the JobSet is not a valid quantity",
     "Amounts of CPU, memory and devices are a number with at most one suffix: m, k, M, G, T, P, E, or "
     "Ki, Mi, Gi, Ti, Pi, Ei. The rendered JobSet contains an amount in another format, and the API "
     "server refuses it.\n\n"
     "    memory: 16Gi"},
    {"jobset/required", Stage::JobSet, Error, "A required field of the JobSet is missing",
     "The runtime's template and the patches together leave out a field that JobSet's schema requires, "
     "and the API server refuses the JobSet. The usual cause is a patch for a misspelt replicatedJob or "
     "container: merging adds a new one that has little more than its name. Compare the names with those "
     "of the runtime."},
    {"jobset/type", Stage::JobSet, Error, "A value of the JobSet has the wrong type for its field",
     "The rendered JobSet has a value of another type than its schema says, such as a number instead of a "
     "string, and the API server refuses it. It comes unchanged from the runtime's template or a patch. "
     "Quote strings that look like numbers or booleans; write numbers without quotes. A claim's "
     "dataSource without an apiGroup and a projected volume without sources are refused too: JobSet's "
     "webhook writes null for them.\n\n"
     "    dataSource: {apiGroup: \"\", kind: PersistentVolumeClaim, name: weights}"},
});

}  // namespace

std::span<const Rule> job_set_schema() {
  return kJobSetSchemaRules;
}

}  // namespace trainjobc::rules::tables
