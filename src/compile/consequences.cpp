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
  using Fields = std::set<std::string_view>;
  Fields of_wrong_type;
  Fields misspelled;  // that are missing for it
  Fields refused;
};

void note_cause(const Diagnostic& found, Causes& causes) {
  if (found.rule.ends_with("/type")) causes.of_wrong_type.insert(found.field);
  if (!found.meant.empty()) causes.misspelled.insert(found.meant);
  if (found.severity == base::Severity::Error && found.depends_on.empty()) causes.refused.insert(found.field);
}

bool is_inside(std::string_view field, const Causes::Fields& outer) {
  for (field = base::outer_field(field); !field.empty(); field = base::outer_field(field)) {
    if (outer.contains(field)) return true;
  }
  return false;
}

bool is_consequence(const Diagnostic& found, const Causes& causes) {
  const bool is_missing = found.rule.ends_with("/required") && causes.misspelled.contains(found.field);
  const auto is_refused = [&](const std::string& field) { return causes.refused.contains(field); };
  return is_missing || is_inside(found.field, causes.of_wrong_type) ||
         std::ranges::any_of(found.depends_on, is_refused);
}

// What explains the findings, by object and stage. Valid until the findings are changed.
class AllCauses {
 public:
  explicit AllCauses(const std::vector<Diagnostic>& findings) {
    for (const Diagnostic& found : findings) note_cause(found, causes_[{found.object, found.stage}]);
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
    const Complaint key(at.file, found.rule, found.severity, found.message);
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

base::Diagnostics with_marked_consequences(base::Diagnostics findings) {
  std::vector<bool> is_cause;
  std::map<const Diagnostic*, std::string> notes;
  {
    const AllCauses causes(findings.items());
    Firsts firsts;
    for (const Diagnostic& found : findings.items())
      is_cause.push_back(!causes.explain(found) && firsts.add(found));
    notes = firsts.notes();
  }
  auto next = is_cause.begin();
  findings.retain([&](Diagnostic& found) {
    const auto note = notes.find(&found);
    if (note != notes.end()) found.notes.push_back({note->second, {}});
    found.is_consequence = !*next++;
    return true;
  });
  return findings;
}

base::Diagnostics without_consequences(base::Diagnostics findings) {
  base::Diagnostics marked = with_marked_consequences(std::move(findings));
  marked.retain([](const Diagnostic& found) { return !found.is_consequence; });
  return marked;
}

}  // namespace trainjobc::compile
