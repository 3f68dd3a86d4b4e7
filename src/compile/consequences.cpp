#include "compile/consequences.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace trainjobc::compile {
namespace {

using base::Diagnostic;

// What the findings of one object and stage explain.
struct Causes {
  std::set<std::string, std::less<>> of_wrong_type;  // fields
  std::set<std::string, std::less<>> misspelled;     // fields that are missing for it
  std::set<std::string, std::less<>> amounts;        // refused: fields of resources, and the resource
};

constexpr std::string_view kResources = ".resources.";

// "…containers[0].resources.requests[nvidia.com/gpu]" to "…containers[0] nvidia.com/gpu"; "" for other
// fields.
std::string amount_key(std::string_view field) {
  const size_t at = field.rfind(kResources);
  if (at == std::string_view::npos) return "";
  const std::string_view entry = field.substr(at + kResources.size());  // requests[nvidia.com/gpu]
  const size_t begin = entry.find_first_of("[.");
  if (begin == std::string_view::npos) return "";
  std::string_view resource = entry.substr(begin + 1);
  if (resource.ends_with(']')) resource.remove_suffix(1);
  return std::string(field.substr(0, at)).append(" ").append(resource);
}

void note_cause(const Diagnostic& found, Causes& causes) {
  if (found.rule.ends_with("/type")) causes.of_wrong_type.insert(found.field);
  if (!found.meant.empty()) causes.misspelled.insert(found.meant);
  if (found.rule == "job/resources") causes.amounts.insert(amount_key(found.field));
}

// Whether the field is inside one of these.
bool is_below(std::string_view field, const std::set<std::string, std::less<>>& outer) {
  for (size_t at = field.find_last_of(".["); at != std::string_view::npos && at > 0;
       at = field.find_last_of(".[", at - 1)) {
    if (outer.contains(field.substr(0, at))) return true;
  }
  return false;
}

// Whether it is about the limit of an amount that is itself refused.
bool lacks_refused_amount(const Diagnostic& found, const Causes& causes) {
  if (found.rule != "job/gpu-limit") return false;
  const std::string amount = amount_key(found.meant);
  return !amount.empty() && causes.amounts.contains(amount);
}

bool is_consequence(const Diagnostic& found, const Causes& causes) {
  const bool is_missing = found.rule.ends_with("/required") && causes.misspelled.contains(found.field);
  return is_missing || is_below(found.field, causes.of_wrong_type) || lacks_refused_amount(found, causes);
}

// The message without the name of its field.
std::string_view complaint(const Diagnostic& found) {
  const std::string_view field = found.field;
  const std::string_view name = field.substr(field.find_last_of('.') + 1);  // npos + 1 is 0
  std::string_view message = found.message;
  if (!name.empty() && message.starts_with(name)) message.remove_prefix(name.size());
  return message;
}

// The same complaint about the same text of an input: about another field of an object, which is not kept, or
// about other objects, such as the jobs of one runtime, which the first finding names.
class Repetitions {
 public:
  // Whether the finding repeats one that is kept.
  bool take(const Diagnostic& found) {
    const base::Location& at = found.location;
    if (!at.file || at.line == 0) return false;
    const auto [first, is_first] = firsts_.try_emplace(
        Place(at.file, at.line, at.column, found.rule, found.severity, complaint(found)), First{&found, {}});
    if (is_first) return false;
    const Diagnostic& kept = *first->second.finding;
    if (kept.object != found.object) first->second.others.insert(found.object);
    return kept.object != found.object || kept.field != found.field;
  }

  // The objects that a kept finding is about, too.
  std::string others_of(const Diagnostic& kept) const {
    constexpr size_t kNamed = 3;
    const base::Location& at = kept.location;
    const auto first =
        firsts_.find(Place(at.file, at.line, at.column, kept.rule, kept.severity, complaint(kept)));
    if (first == firsts_.end() || first->second.finding != &kept) return "";
    const std::set<std::string>& others = first->second.others;
    std::string names;
    size_t named = 0;
    for (const std::string& other : others) {
      if (named == kNamed) return fmt::format("{} and {} more", names, others.size() - named);
      names += (named++ == 0 ? "" : ", ") + other;
    }
    return names;
  }

 private:
  using Place =
      std::tuple<const base::SourceFile*, uint32_t, uint32_t, std::string, base::Severity, std::string>;
  struct First {
    const Diagnostic* finding = nullptr;
    std::set<std::string> others;
  };
  std::map<Place, First> firsts_;
};

}  // namespace

base::Diagnostics without_consequences(const base::Diagnostics& findings) {
  std::map<std::pair<std::string_view, base::Stage>, Causes> causes;
  for (const Diagnostic& found : findings.items()) note_cause(found, causes[{found.object, found.stage}]);
  Repetitions repetitions;
  std::vector<const Diagnostic*> firsts;
  for (const Diagnostic& found : findings.items()) {
    if (!is_consequence(found, causes[{found.object, found.stage}]) && !repetitions.take(found))
      firsts.push_back(&found);
  }
  base::Diagnostics kept;
  for (const Diagnostic* first : firsts) {
    Diagnostic finding = *first;
    const std::string others = repetitions.others_of(*first);
    if (!others.empty()) finding.notes.push_back({"the same for " + others, {}});
    kept.add(std::move(finding));
  }
  return kept;
}

}  // namespace trainjobc::compile
