// SPDX-License-Identifier: Apache-2.0

// The text of an open document, to which a client applies one edit after another.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "features/lsp/protocol.h"

namespace trainjobc::lsp {

struct TextChange {
  std::optional<Range> range;  // nullopt for the whole text
  std::string text;
};

// Keeps the text in parts, so that thousands of edits of a large text don't each copy all of it.
class EditedText {
 public:
  explicit EditedText(std::string_view text) { set(text); }

  // Lines end with "\n", "\r\n" or "\r". A position outside of the text means the nearest one inside; an end
  // before the start means the start.
  void apply(const TextChange& change);
  std::string text() const;

 private:
  // A part of the text. A line end is never divided between two parts.
  struct Part {
    std::string text;
    size_t line_ends = 0;
    size_t units = 0;  // UTF-16 code units
  };
  struct Place {
    size_t part = 0;
    size_t offset = 0;

    auto operator<=>(const Place&) const = default;
  };

  static Part make_part(std::string text);
  static std::vector<Part> split(std::string_view text);
  void set(std::string_view text) { parts_ = split(text); }
  void replace(Place begin, Place end, std::string_view text);
  void join_line_end(size_t part);
  Place place_of(Position position) const;
  Place begin_of_line(uint32_t line) const;

  std::vector<Part> parts_;  // never empty
};

}  // namespace trainjobc::lsp
