// SPDX-License-Identifier: Apache-2.0

// Finds out which place of a template each place of its output comes from. Helm doesn't tell, so the lines of
// both are compared: text must be equal, and an action can produce anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "inputs/helm/chart.h"

namespace trainjobc::helm {

struct Place {
  const base::SourceFile* file = nullptr;
  uint32_t line = 0;
  uint32_t column = 0;  // where the text begins, or the action that produced it
  bool is_text = false;
};

// The lines of one document in helm's output, aligned with the template, and with the definitions that it
// includes.
class Alignment {
 public:
  Alignment(const Chart& chart, const base::SourceFile& source, std::string_view output);

  // The place of a byte in a line of the output, both counted from 1. For a line that matches nothing, the
  // place of the line before it; the beginning of the template if there is none.
  Place at(uint32_t line, uint32_t column) const;

  // A part of a template's line: text, or an action that produces output.
  struct Part {
    std::string_view text;  // "" for an action
    uint32_t column = 0;
    bool is_action = false;
  };

  static constexpr size_t kNoLoop = std::numeric_limits<size_t>::max();

  // A line of a template that produces output.
  struct Slot {
    const base::SourceFile* file = nullptr;
    uint32_t line = 0;
    std::vector<Part> parts;
    size_t loop = kNoLoop;        // the innermost one around it
    bool is_conditional = false;  // within that loop
    bool has_action = false;
    int weight = 0;  // length of its text
  };

 private:
  const base::SourceFile& source_;
  std::vector<Slot> slots_;
  std::vector<std::string_view> lines_;  // the output's, without indentation
  std::vector<size_t> indentations_;
  std::vector<const Slot*> matches_;  // by line; nullptr if no slot matches
};

}  // namespace trainjobc::helm
