// SPDX-License-Identifier: Apache-2.0

// Which place of a template each place of its output comes from. Helm does not say, so the lines of both are
// compared: text must be equal, what an action puts out can be anything.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "inputs/helm/chart.h"

namespace trainjobc::helm {

struct Place {
  const base::SourceFile* file = nullptr;
  uint32_t line = 0;
  uint32_t column = 0;  // of the text, or of the action that put it out
  bool is_text = false;
};

// The lines of one document in helm's output, aligned with the template, and with the definitions that it
// includes.
class Alignment {
 public:
  Alignment(const Chart& chart, const base::SourceFile& source, std::string_view output);

  // Of a line of the output and a byte of it, both counted from 1. Of a line that nothing matches, the place
  // of the one before; the beginning of the template if there is none.
  Place at(uint32_t line, uint32_t column) const;

  // A part of a line of a template: text, or the action that puts something out.
  struct Part {
    std::string_view text;  // "" for an action
    uint32_t column = 0;
    bool is_action = false;
  };

  // A line of a template that puts something out.
  struct Slot {
    const base::SourceFile* file = nullptr;
    uint32_t line = 0;
    std::vector<Part> parts;
    bool is_in_loop = false;
    bool is_conditional = false;
    bool has_action = false;
    int weight = 0;  // of its text
  };

 private:
  const base::SourceFile& source_;
  std::vector<Slot> slots_;
  std::vector<std::string_view> lines_;  // without indentation
  std::vector<size_t> indentations_;
  std::vector<const Slot*> matches_;  // by line; nullptr: none
};

}  // namespace trainjobc::helm
