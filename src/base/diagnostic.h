// SPDX-License-Identifier: Apache-2.0

// Diagnostics: what is wrong, where, and what to write instead. Passes append to `Diagnostics`; they never
// print and never exit.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/source.h"

namespace trainjobc::base {

enum class Severity { Error, Warning, Info };

// Who would report it: the YAML reader, admission of an input, admission of the rendered JobSet, the
// kube-apiserver when the JobSet controller creates the Jobs, or trainjobc alone.
enum class Stage { Yaml, Input, JobSet, Job, Advice };

// The text for the severity.
constexpr std::string_view word_of(Severity severity, std::string_view error, std::string_view warning,
                                   std::string_view info) {
  switch (severity) {
    case Severity::Error: return error;
    case Severity::Warning: return warning;
    case Severity::Info: return info;
  }
  return "";
}

std::string_view to_string(Severity severity);
std::string_view to_string(Stage stage);

struct Note {
  std::string message;
  Location location;
};

// Replace the text at `range` (empty: insert before its first byte) by `text`.
struct Edit {
  Location range;
  std::string text;
};

// How certain a fix is. Safe: the text can mean nothing else, so nobody has to look. Suggested: what its
// author most likely meant, which the hint says.
enum class Certainty { Safe, Suggested };

struct Diagnostic {
  Diagnostic();
  Diagnostic(const Diagnostic&);
  Diagnostic(Diagnostic&&) noexcept;
  Diagnostic& operator=(const Diagnostic&);
  Diagnostic& operator=(Diagnostic&&) noexcept;
  ~Diagnostic();

  std::string rule;  // "input/unknown-field"; never reused for another meaning
  Stage stage = Stage::Input;
  Severity severity = Severity::Error;
  std::string object;   // "Kind/namespace/name", "" if the document has no readable identity
  std::string field;    // as the API server names it: spec.trainer.env[0].name
  std::string message;  // one sentence without a final stop
  std::string hint;     // what to write instead; shown beside the caret
  Location location;
  std::string meant;  // the path of the field that an unknown one was meant to be; "" if unknown
  std::vector<std::string> depends_on;  // fields: a finding on one of them is the cause of this one
  bool is_consequence = false;          // fixing another finding fixes this one too
  std::vector<Note> notes;
  bool hide_source = false;               // the source line contains a secret: it is not shown
  std::vector<Edit> fix;                  // edits that do what the hint says; may be empty
  Certainty certainty = Certainty::Safe;  // how certain the fix is
};

// Makes the edits the fix of a diagnostic, as what was most likely meant.
inline void suggest_fix(Diagnostic& diagnostic, std::vector<Edit> edits) {
  diagnostic.fix = std::move(edits);
  diagnostic.certainty = Certainty::Suggested;
}

// Whether the cluster would refuse the object. Errors of the Jobs come later; those of advice are trainjobc's
// own: such a job is created, and can't run.
inline bool is_refusal(const Diagnostic& diagnostic) {
  return diagnostic.severity == Severity::Error && diagnostic.stage != Stage::Job &&
         diagnostic.stage != Stage::Advice;
}

class Diagnostics {
 public:
  void add(Diagnostic diagnostic) { items_.push_back(std::move(diagnostic)); }
  void append(Diagnostics other);
  void reserve(size_t count) { items_.reserve(count); }
  // Drops the findings for which `keep` is false; it is called once for each, in order, and may change it.
  template <class Keep>
  void retain(Keep keep) {
    auto kept = items_.begin();
    for (Diagnostic& item : items_) {
      if (!keep(item)) continue;
      if (&*kept != &item) *kept = std::move(item);
      ++kept;
    }
    items_.erase(kept, items_.end());
  }
  const std::vector<Diagnostic>& items() const { return items_; }
  // Returns all findings and leaves none.
  std::vector<Diagnostic> take() { return std::exchange(items_, {}); }
  bool empty() const { return items_.empty(); }
  bool has_errors() const;
  bool has_refusals() const;
  // Sorts by file, line, column, then rule, field, message: the order of every report. Drops exact
  // duplicates.
  void sort();

 private:
  std::vector<Diagnostic> items_;
};

// How a text report looks. `colour` writes ANSI sequences; lines take at most `width` columns, 0 for no
// limit.
struct TextStyle {
  bool colour = false;
  size_t width = 0;
};

// The one formatter of diagnostics for people:
//   path:line:col: error: message [rule]
//      14 |     source line
//         |     ^~~~ hint
std::string format_text(const Diagnostic& diagnostic, TextStyle style);

// One finding per cause:

// Returns all that the cluster would report, and marks (Diagnostic::is_consequence) what fixing another
// finding would also fix: findings inside a value of the wrong type, a field that is missing because its name
// is misspelled, a limit that an amount lacks which is itself refused, the same complaint about one value
// that is in several fields or about the runtime of several jobs; the note of the first of these names the
// other jobs. `findings` must be sorted.
Diagnostics with_marked_consequences(Diagnostics findings);

// Returns the findings without the mark.
Diagnostics without_consequences(Diagnostics findings);

}  // namespace trainjobc::base
