#include "compile/jobset_admission.h"

#include "compile/jobset_rules.h"
#include "schema/labels.h"

namespace trainjobc::compile {
namespace {

// The schema's rules are known as those of inputs: input/required is jobset/required here.
void append_as_job_set(schema::Violations violations, schema::Violations& out) {
  constexpr std::string_view kPrefix = "input/";
  for (base::Diagnostic& violation : violations) {
    if (violation.rule.starts_with(kPrefix)) violation.rule.replace(0, kPrefix.size(), "jobset/");
    violation.stage = base::Stage::JobSet;
    out.push_back(std::move(violation));
  }
}

// The controller takes ports without a name for one and writes the last of them again for each, so that the
// second is the same input as the first.
void explain_copied_ports(schema::Violations& violations) {
  for (base::Diagnostic& violation : violations) {
    const bool is_copy = violation.rule == "jobset/duplicate" && violation.field.ends_with("]") &&
                         violation.field.find(".ports[") != std::string::npos && !violation.notes.empty() &&
                         violation.notes.front().location == violation.location;
    if (!is_copy) continue;
    violation.message =
        "the controller takes ports without a name for one, and writes the last of them twice";
    violation.hint = "give each port a name";
    violation.notes.clear();
  }
}

}  // namespace

schema::Violations validate_job_set(const yaml::Node& admitted, const schema::Schema& schema,
                                    const JobSetBehaviour& behaviour) {
  schema::Violations out;
  schema::Validation structure = schema::validate_structure(admitted, schema);
  append_as_job_set(std::move(structure.violations), out);
  explain_copied_ports(out);
  if (!structure.types_fit) return out;
  jobset::check_written_nulls(admitted, schema, out);
  // Its name is checked as that of the job; labels and annotations come from the runtime's template.
  append_as_job_set(schema::validate_labels(*admitted.get("metadata")), out);
  append_as_job_set(schema::validate_cel(admitted, schema), out);

  const jobset::JobSetView job_set = jobset::view_job_set(admitted);
  if (!job_set.spec) return out;
  jobset::check_names(job_set, out);
  jobset::check_pod_counts(job_set, out);
  jobset::check_depends_on(job_set, out);
  jobset::check_success_policy(job_set, out);
  jobset::check_failure_policy(job_set, behaviour, out);
  jobset::check_coordinator(job_set, behaviour, out);
  jobset::check_volume_claims(job_set, out);
  return out;
}

}  // namespace trainjobc::compile
