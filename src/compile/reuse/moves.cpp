// SPDX-License-Identifier: Apache-2.0

#include "compile/reuse/moves.h"

#include <algorithm>
#include <utility>

#include "compile/reuse/read_cache.h"

namespace trainjobc::compile {

void Moves::add(std::shared_ptr<const ReadFile> before, const ReadFile& after) {
  std::map<uint64_t, uint32_t> lines;  // by number
  for (const ReadDocument& document : after.documents) lines[document.number] = document.document.first_line;
  File file{.before = before, .after = after.file.get(), .parts = {}};
  for (const ReadDocument& document : before->documents) {
    const auto found = lines.find(document.number);
    const bool is_there = found != lines.end();
    file.parts.push_back({document.document.first_line, is_there, is_there ? found->second : 0});
  }
  files_.insert_or_assign(before->file.get(), std::move(file));
}

Moves::Outcome Moves::move(base::Location& at) const {
  const auto file = files_.find(at.file);
  if (file == files_.end()) return Outcome::Stays;
  if (at.line != 0) {
    const std::vector<Part>& parts = file->second.parts;
    const auto next = std::ranges::upper_bound(parts, at.line, {}, &Part::first_line);
    if (next == parts.begin() || !std::prev(next)->is_there) return Outcome::Gone;
    const Part& part = *std::prev(next);
    if (at.end_line != 0) at.end_line = at.end_line - part.first_line + part.new_line;
    at.line = at.line - part.first_line + part.new_line;
  }
  at.file = file->second.after;
  return Outcome::Moved;
}

Moves::Outcome Moves::move(base::Diagnostic& found) const {
  Outcome outcome = move(found.location);
  for (base::Note& note : found.notes) outcome = std::max(outcome, move(note.location));
  for (base::Edit& edit : found.fix) outcome = std::max(outcome, move(edit.range));
  return outcome;
}

}  // namespace trainjobc::compile
