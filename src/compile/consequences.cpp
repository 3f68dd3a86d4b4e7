// SPDX-License-Identifier: Apache-2.0

#include "compile/consequences.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
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

// The findings that are kept. Of the same complaint about the same text of an input only the first is,
// whether it is repeated for another field of its object, or for other objects, such as the jobs of one
// runtime.
class Kept {
 public:
  // The findings stay where they are until take().
  void add(Diagnostic& found) {
    const base::Location& at = found.location;
    if (at.file && at.line != 0) {
      const Place place(at.file, at.line, at.column, found.rule, found.severity, complaint(found));
      const auto [known, is_first] = places_.try_emplace(place, firsts_.size());
      if (!is_first && firsts_[known->second].is_repeated_by(found)) return;
    }
    firsts_.push_back({&found, {}});
  }

  base::Diagnostics take() {
    places_.clear();
    base::Diagnostics all;
    for (const First& first : firsts_) all.add(first.with_note());
    return all;
  }

 private:
  struct First {
    Diagnostic* finding = nullptr;
    std::set<std::string> others;  // objects

    bool is_repeated_by(const Diagnostic& found) {
      if (finding->object == found.object) return finding->field != found.field;
      others.insert(found.object);
      return true;
    }

    Diagnostic with_note() const {
      Diagnostic noted = std::move(*finding);
      if (!others.empty()) noted.notes.push_back({"the same for " + names(), {}});
      return noted;
    }

    std::string names() const {
      constexpr size_t kNamed = 3;
      const auto end =
          std::next(others.begin(), static_cast<std::ptrdiff_t>(std::min(kNamed, others.size())));
      std::string text = fmt::format("{}", fmt::join(others.begin(), end, ", "));
      if (others.size() > kNamed) text += fmt::format(" and {} more", others.size() - kNamed);
      return text;
    }
  };
  using Place = std::tuple<const base::SourceFile*, uint32_t, uint32_t, std::string_view, base::Severity,
                           std::string_view>;

  std::vector<First> firsts_;
  std::map<Place, size_t> places_;  // index of the first
};

}  // namespace

base::Diagnostics without_consequences(base::Diagnostics findings) {
  std::vector<Diagnostic> all = findings.take();
  std::map<std::pair<std::string_view, base::Stage>, Causes> causes;
  for (const Diagnostic& found : all) note_cause(found, causes[{found.object, found.stage}]);
  Kept kept;
  for (Diagnostic& found : all) {
    if (!is_consequence(found, causes[{found.object, found.stage}])) kept.add(found);
  }
  return kept.take();
}

}  // namespace trainjobc::compile
