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

bool may_be_cause(const Diagnostic& found) {
  return found.rule.ends_with("/type") || !found.meant.empty() || found.rule == "job/resources";
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

// What explains the findings, by object and stage. Valid until the findings are changed.
class AllCauses {
 public:
  explicit AllCauses(const std::vector<Diagnostic>& findings) {
    for (const Diagnostic& found : findings) {
      if (may_be_cause(found)) note_cause(found, causes_[{found.object, found.stage}]);
    }
  }

  bool explain(const Diagnostic& found) const {
    const auto causes = causes_.find({found.object, found.stage});
    return causes != causes_.end() && is_consequence(found, causes->second);
  }

 private:
  std::map<std::pair<std::string_view, base::Stage>, Causes> causes_;
};

// Of the same complaint about the same text of an input only the first is kept, whether it is repeated for
// another field of its object, or for other objects, such as the jobs of one runtime.
class Firsts {
 public:
  // Whether it is the first; the findings are asked for in order, and stay where they are until then.
  bool add(const Diagnostic& found) {
    const base::Location& at = found.location;
    if (!at.file || at.line == 0) return true;
    if (!last_ || !is_same_place(last_->location, at)) of_place_.clear();
    last_ = &found;
    const Complaint key(at.file, found.rule, found.severity, complaint(found));
    const auto [first, is_first] = of_place_.try_emplace(key, &found);
    if (is_first) return true;
    if (first->second->object == found.object) return first->second->field == found.field;
    others_[first->second].insert(found.object);
    return false;
  }

  // "the same for …", for each first finding that is repeated for other objects.
  std::map<const Diagnostic*, std::string> notes() const {
    std::map<const Diagnostic*, std::string> notes;
    for (const auto& [first, objects] : others_) notes[first] = "the same for " + names(objects);
    return notes;
  }

 private:
  using Complaint = std::tuple<const base::SourceFile*, std::string_view, base::Severity, std::string_view>;

  static bool is_same_place(const base::Location& one, const base::Location& other) {
    return one.line == other.line && one.column == other.column && one.file->name() == other.file->name();
  }

  static std::string names(const std::set<std::string>& objects) {
    constexpr size_t kNamed = 3;
    const auto end =
        std::next(objects.begin(), static_cast<std::ptrdiff_t>(std::min(kNamed, objects.size())));
    std::string text = fmt::format("{}", fmt::join(objects.begin(), end, ", "));
    if (objects.size() > kNamed) text += fmt::format(" and {} more", objects.size() - kNamed);
    return text;
  }

  const Diagnostic* last_ = nullptr;
  std::map<Complaint, const Diagnostic*> of_place_;
  std::map<const Diagnostic*, std::set<std::string>> others_;
};

}  // namespace

base::Diagnostics without_consequences(base::Diagnostics findings) {
  std::vector<bool> is_kept;
  std::map<const Diagnostic*, std::string> notes;
  {
    const AllCauses causes(findings.items());
    Firsts firsts;
    for (const Diagnostic& found : findings.items())
      is_kept.push_back(!causes.explain(found) && firsts.add(found));
    notes = firsts.notes();
  }
  auto kept = is_kept.begin();
  findings.retain([&](Diagnostic& found) {
    const auto note = notes.find(&found);
    if (note != notes.end()) found.notes.push_back({note->second, {}});
    return static_cast<bool>(*kept++);
  });
  return findings;
}

}  // namespace trainjobc::compile
