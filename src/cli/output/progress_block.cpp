// SPDX-License-Identifier: Apache-2.0

#include "cli/output/progress_block.h"

#include <fmt/format.h>

#include <utility>

#include "base/text/layout.h"
#include "base/text/printable.h"

namespace trainjobc::cli {
namespace {

constexpr size_t kMostLines = 12;
constexpr std::string_view kLineUp = "\033[A";

}  // namespace

ProgressBlock::ProgressBlock(Console& console)
    : console_(console), width_(console.stderr_is_terminal() ? console.stderr_width() : 0) {}

void ProgressBlock::show(std::vector<std::string> lines) {
  if (!is_shown()) return;
  if (lines.size() > kMostLines) {
    const size_t rest = lines.size() - kMostLines + 1;
    lines.resize(kMostLines - 1);
    lines.push_back(fmt::format("… and {} more", rest));
  }
  // A line that fills the last column would wrap.
  for (std::string& line : lines) line = base::cut(base::one_line(line), width_ - 1);
  if (lines == shown_) return;
  if (lines.size() < shown_.size()) clear();
  for (size_t i = 1; i < shown_.size(); ++i) console_.send_stderr(kLineUp);
  for (const std::string& line : lines) {
    if (&line != &lines.front()) console_.send_stderr("\n");
    console_.write_progress(line);
  }
  shown_ = std::move(lines);
}

void ProgressBlock::clear() {
  for (size_t i = 1; i < shown_.size(); ++i) {
    console_.write_progress("");
    console_.send_stderr(kLineUp);
  }
  if (!shown_.empty()) console_.write_progress("");
  shown_.clear();
}

}  // namespace trainjobc::cli
