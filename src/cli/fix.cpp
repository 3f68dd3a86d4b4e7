#include "cli/fix.h"

#include <algorithm>
#include <vector>

namespace trainjobc::cli {
namespace {

// An edit as byte offsets of its file.
struct Splice {
  size_t begin = 0;
  size_t end = 0;
  std::string text;
};

Splice to_splice(const base::Edit& edit) {
  const base::SourceFile& file = *edit.range.file;
  Splice splice;
  splice.begin = file.line_start(edit.range.line) + edit.range.column - 1;
  splice.end = file.line_start(edit.range.end_line) + edit.range.end_column - 1;
  splice.text = edit.text;
  return splice;
}

using Splices = std::map<const base::SourceFile*, std::vector<Splice>>;

bool overlaps(const std::vector<Splice>& taken, const Splice& splice) {
  return std::ranges::any_of(taken, [&](const Splice& other) {
    return splice.begin < other.end ? other.begin < splice.end || other.begin == splice.begin
                                    : splice.begin == other.begin && splice.end == other.end;
  });
}

// All edits of a diagnostic, or none.
bool take(const base::Diagnostic& diagnostic, Splices& splices) {
  Splices mine;
  for (const base::Edit& edit : diagnostic.fix) {
    if (!edit.range.file || edit.range.line == 0) return false;
    const Splice splice = to_splice(edit);
    if (overlaps(splices[edit.range.file], splice)) return false;
    mine[edit.range.file].push_back(splice);
  }
  for (auto& [file, list] : mine) {
    for (Splice& splice : list) splices[file].push_back(std::move(splice));
  }
  return !mine.empty();
}

std::string apply(const base::SourceFile& file, std::vector<Splice> splices) {
  std::ranges::sort(splices, {}, &Splice::begin);
  std::string text = file.had_byte_order_mark() ? "\xEF\xBB\xBF" : "";
  size_t at = 0;
  for (const Splice& splice : splices) {
    text += file.text().substr(at, splice.begin - at);
    text += splice.text;
    at = splice.end;
  }
  return text.append(file.text().substr(at));
}

}  // namespace

FixedFiles apply_fixes(const base::Diagnostics& diagnostics) {
  FixedFiles fixed;
  Splices splices;
  for (const base::Diagnostic& diagnostic : diagnostics.items()) {
    if (take(diagnostic, splices)) ++fixed.applied;
  }
  for (const auto& [file, list] : splices) {
    if (!list.empty()) fixed.texts[file->name()] = apply(*file, list);
  }
  return fixed;
}

}  // namespace trainjobc::cli
