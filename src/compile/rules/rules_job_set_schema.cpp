// The schema's rules where the rendered JobSet breaks them; rules_input.cpp has those of the inputs.
#include <array>

#include "compile/rules/rules_tables.h"

namespace trainjobc::compile::rules {
namespace {

using enum base::Severity;
using base::Stage;

constexpr std::array kRules = std::to_array<Rule>({
    {"jobset/annotation", Stage::JobSet, Error, "An annotation of the JobSet is malformed",
     "spec.template.metadata of the runtime becomes the metadata of the JobSet, and nobody looks at it "
     "before: the API server stores the runtime and refuses each job's JobSet. An annotation's key is a "
     "name of at most 63 characters with an optional DNS prefix; all of an object hold at most 256 KiB."},
    {"jobset/bounds", Stage::JobSet, Error,
     "A value of the JobSet is too small, too large, too short or too long",
     "The rendered JobSet has its own schema with limits to numbers, texts and lists, and the API server "
     "refuses what lies outside. Values of the runtime's template and of patches get there unchanged; "
     "empty names are the usual cause. Correct the value where it was written, which is the place shown."},
    {"jobset/cel", Stage::JobSet, Error, "A validation rule of JobSet's CRD does not hold",
     "JobSet's CRD carries rules in the Common Expression Language: a startup policy InOrder excludes "
     "dependsOn, for instance, and claim templates have no namespace. The API server refuses the rendered "
     "JobSet, although it stored the runtime. Change one of the fields that the message names."},
    {"jobset/duplicate", Stage::JobSet, Error, "A list of the JobSet holds the same key twice",
     "replicatedJobs, containers, ports and other lists are maps by a key, and the rendered JobSet has an "
     "element twice. Besides plain copies, ports without names cause it: the controller takes them for "
     "one and writes the last one twice. Rename or remove one, and give ports names."},
    {"jobset/enum", Stage::JobSet, Error, "A value of the JobSet is none of those allowed",
     "Fields such as operator, completionMode and restartStrategy take one of a few words, and upper and "
     "lower case matter. The API server refuses the rendered JobSet, with the value that it got from the "
     "runtime's template or a patch. Pick one from the list in the message."},
    {"jobset/format", Stage::JobSet, Error, "A text of the JobSet does not have the form of its field",
     "The field holds a date and time as RFC 3339 writes it, with a time zone, and the API server can't "
     "decode anything else in the rendered JobSet. Correct it where it was written, which is the place "
     "shown."},
    {"jobset/label", Stage::JobSet, Error, "A label of the JobSet is malformed",
     "spec.template.metadata of the runtime becomes the metadata of the JobSet, and nobody looks at it "
     "before: the API server stores the runtime and refuses each job's JobSet. A label's value is at most "
     "63 letters, digits, dashes, dots and underscores. Free text belongs into an annotation."},
    {"jobset/pattern", Stage::JobSet, Error, "A text of the JobSet does not match the pattern of its field",
     "JobSet's schema gives a regular expression for this text, and the API server refuses the rendered "
     "JobSet. Correct the text in the runtime's template or the patch that it comes from; the message "
     "says what is allowed."},
    {"jobset/quantity", Stage::JobSet, Error, "A value of the JobSet is not a quantity",
     "Amounts of CPU, memory and devices are a number with at most one suffix: m, k, M, G, T, P, E, or "
     "Ki, Mi, Gi, Ti, Pi, Ei. The rendered JobSet holds one that is written otherwise, and the API server "
     "refuses it.\n\n"
     "    memory: 16Gi"},
    {"jobset/required", Stage::JobSet, Error, "The JobSet lacks a required field",
     "What the runtime's template and the patches add up to leaves a field out that JobSet's schema "
     "demands, and the API server refuses it. The usual cause is a patch for a misspelt replicatedJob or "
     "container: merging adds a new one that has little more than its name. Compare the names with those "
     "of the runtime."},
    {"jobset/type", Stage::JobSet, Error, "A value of the JobSet is of another type than its field",
     "The rendered JobSet has a value of another type than its schema says, such as a number where text "
     "belongs, and the API server refuses it. It comes unchanged from the runtime's template or a patch. "
     "Quote texts that look like numbers or booleans; write numbers without quotes. A claim's dataSource "
     "without an apiGroup and a projected volume without sources are refused, too: JobSet's webhook writes "
     "null for them.\n\n"
     "    dataSource: {apiGroup: \"\", kind: PersistentVolumeClaim, name: weights}"},
});

}  // namespace

std::span<const Rule> job_set_schema() {
  return kRules;
}

}  // namespace trainjobc::compile::rules
