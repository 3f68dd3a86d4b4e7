#include "policy/train_job_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/ascii.h"

namespace trainjobc::policy {
namespace {

using base::is_lower;
using base::is_lower_alnum;

constexpr size_t kMaxLabel = 63;

// RFC 1035, in lower case.
bool is_dns_label(std::string_view text) {
  if (text.empty() || text.size() > kMaxLabel || !is_lower(text.front()) || !is_lower_alnum(text.back()))
    return false;
  return std::ranges::all_of(text, [](char c) { return is_lower_alnum(c) || c == '-'; });
}

}  // namespace

void validate_train_job(const model::TrainJob& job, const model::Behaviours& behaviours, Findings& findings) {
  if (!behaviours.webhook_checks_name || is_dns_label(job.id.name)) return;
  findings.error("input/name", "metadata.name", fmt::format("\"{}\" is not a DNS label", job.id.name),
                 job.root->at({"metadata", "name"}),
                 "begin with a lower-case letter, go on with lower-case letters, digits and -, at most 63");
}

}  // namespace trainjobc::policy
