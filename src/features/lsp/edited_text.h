// SPDX-License-Identifier: Apache-2.0

// The text of an open document, to which a client applies one edit after the other.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "features/lsp/protocol.h"

namespace trainjobc::lsp {

struct TextChange {
  std::optional<Range> range;  // nullopt: the whole text
  std::string text;
};

// It is kept in parts, so that thousands of edits of a large text don't copy all of it each time.
class EditedText {
 public:
  explicit EditedText(std::string_view text) { set(text); }

  // Lines end with "\n", "\r\n" or "\r". Positions outside of the text are moved to its nearest place; an end
  // before the start is the start.
  void apply(const TextChange& change);
  std::string text() const;

 private:
  // The end of a line is never divided between two of them.
  struct Part {
    std::string text;
    size_t line_ends = 0;
    size_t units = 0;  // of UTF-16
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
