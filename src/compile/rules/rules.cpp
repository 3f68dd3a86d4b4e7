#include "compile/rules/rules.h"

#include <algorithm>
#include <vector>

#include "compile/rules/rules_tables.h"

namespace trainjobc::compile {
namespace {

std::vector<Rule> collect() {
  std::vector<Rule> all;
  for (const std::span<const Rule> table :
       {rules::advice(), rules::input(), rules::input_policy(), rules::job(), rules::job_container(),
        rules::job_set(), rules::job_set_schema(), rules::migrate(), rules::render(), rules::yaml()}) {
    all.insert(all.end(), table.begin(), table.end());
  }
  std::ranges::sort(all, {}, &Rule::id);
  return all;
}

}  // namespace

std::span<const Rule> all_rules() {
  static const std::vector<Rule> kAll = collect();
  return kAll;
}

const Rule* find_rule(std::string_view id) {
  const std::span<const Rule> all = all_rules();
  const auto found = std::ranges::lower_bound(all, id, {}, &Rule::id);
  return found != all.end() && found->id == id ? &*found : nullptr;
}

}  // namespace trainjobc::compile
