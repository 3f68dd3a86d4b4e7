// SPDX-License-Identifier: Apache-2.0

#include "inputs/helm/alignment.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "base/text/text.h"

namespace trainjobc::helm {
namespace {

using base::SourceFile;
using Slot = Alignment::Slot;
using Part = Alignment::Part;

// Limits for hostile charts.
constexpr size_t kDeepestInclude = 8;
constexpr size_t kMostIncludes = 2000;
constexpr size_t kMostSlots = 20'000;
constexpr size_t kMostPairs = 8'000'000;  // lines of output times lines of templates

// A {{ range }}: the slots from `begin` to `end` may repeat.
struct Loop {
  size_t begin = 0;
  size_t end = 0;
  size_t number = 0;  // as in Slot::loop
};

struct Model {
  std::vector<Slot> slots;
  std::vector<Loop> loops;
  size_t includes = 0;
};

void trim_end(std::string_view& text, std::string_view blanks) {
  text = text.substr(0, text.find_last_not_of(blanks) + 1);
}

// Adds a slot for each line of a part of a template that produces output, with those of the definitions that
// it includes.
class SlotReader {
 public:
  // `loop` is the innermost loop around the part, `conditions` the number of other blocks within it.
  SlotReader(const Chart& chart, Model& model, size_t conditions, size_t loop, size_t depth)
      : chart_(chart), model_(model), conditions_(conditions), loop_(loop), depth_(depth) {}

  void read(const Chart::Body& body) {
    file_ = body.file;
    const std::string_view text = file_->text();
    const std::vector<Piece> pieces = split_template(text, body.begin, body.end);
    const std::vector<size_t> ends = block_ends(pieces);
    for (size_t i = 0; i < pieces.size() && model_.slots.size() < kMostSlots; ++i) {
      const Piece& piece = pieces[i];
      if (ends[i] < pieces.size() && is_on_one_line(piece, pieces[ends[i]])) {
        add_action(piece);
        i = ends[i];
      } else if (piece.kind == Piece::Kind::Open && word_of(piece.action) == "define") {
        i = std::min(ends[i], pieces.size() - 1);
      } else {
        add(piece);
      }
    }
    while (!opened_.empty()) close();
    finish_line();
  }

 private:
  // For each piece that opens a block, the index of the one that closes it; the number of pieces for others,
  // and for blocks that nothing closes.
  static std::vector<size_t> block_ends(const std::vector<Piece>& pieces) {
    std::vector<size_t> ends(pieces.size(), pieces.size());
    std::vector<size_t> open;
    for (size_t i = 0; i < pieces.size(); ++i) {
      if (pieces[i].kind == Piece::Kind::Open) open.push_back(i);
      if (pieces[i].kind != Piece::Kind::Close || open.empty()) continue;
      ends[open.back()] = i;
      open.pop_back();
    }
    return ends;
  }

  bool is_on_one_line(const Piece& open, const Piece& close) const {
    return file_->line_at(open.begin) == file_->line_at(close.begin);
  }

  void add(const Piece& piece) {
    switch (piece.kind) {
      case Piece::Kind::Text: add_text(piece); return;
      case Piece::Kind::Output: add_action(piece); break;
      case Piece::Kind::Open: open(piece); break;
      case Piece::Kind::Close:
        if (!opened_.empty()) close();
        break;
      case Piece::Kind::Else:
        // That of a loop is there only if the loop has no round.
        ++conditions_;
        break;
      case Piece::Kind::Silent: break;
    }
    trims_next_ = file_->text()[piece.end - 3] == '-';
  }

  void open(const Piece& piece) {
    const bool is_loop = word_of(piece.action) == "range";
    opened_.push_back({is_loop, conditions_, loop_});
    if (!is_loop) {
      ++conditions_;
      return;
    }
    finish_line();
    conditions_ = 0;
    loop_ = model_.loops.size();
    model_.loops.push_back({model_.slots.size(), 0, loop_});
  }

  void close() {
    if (opened_.back().is_loop) {
      finish_line();
      model_.loops[loop_].end = model_.slots.size();
    }
    conditions_ = opened_.back().conditions;
    loop_ = opened_.back().loop;
    opened_.pop_back();
  }

  void add_text(const Piece& piece) {
    const std::string_view text = file_->text();
    for (size_t at = piece.begin; at < piece.end;) {
      const size_t line_end = std::min(text.find('\n', at), piece.end);
      if (line_end > at) add_part(at, {text.substr(at, line_end - at), 0, false});
      if (line_end < piece.end) {
        finish_line();
        trims_next_ = false;
      }
      at = line_end + 1;
    }
  }

  void add_action(const Piece& piece) {
    const std::string_view text = file_->text();
    if (text[piece.begin + 2] == '-' && !current_.parts.empty() && !current_.parts.back().is_action)
      trim_end(current_.parts.back().text, base::kBlanks);
    add_part(piece.begin, {{}, 0, true});
    trims_next_ = text[piece.end - 3] == '-';
    const Chart::Body body = chart_.find_definition(name_in(piece.action));
    if (body.file && depth_ < kDeepestInclude) included_.push_back(body);
  }

  void add_part(size_t offset, Part part) {
    const uint32_t line = file_->line_at(offset);
    part.column = static_cast<uint32_t>(offset - file_->line_start(line) + 1);
    if (!part.is_action && (current_.parts.empty() || trims_next_)) {  // without indentation
      const size_t blanks = std::min(part.text.find_first_not_of(base::kBlanks), part.text.size());
      part.text.remove_prefix(blanks);
      part.column += static_cast<uint32_t>(blanks);
      if (part.text.empty()) return;
    }
    if (current_.parts.empty()) {
      current_.file = file_;
      current_.line = line;
      current_.is_conditional = conditions_ > 0;
      current_.loop = loop_;
    }
    current_.parts.push_back(part);
  }

  void finish_line() {
    if (!current_.parts.empty() && !current_.parts.back().is_action) {
      trim_end(current_.parts.back().text, base::kSpace);
      if (current_.parts.back().text.empty()) current_.parts.pop_back();
    }
    if (!current_.parts.empty()) {
      for (const Part& part : current_.parts) {
        current_.has_action = current_.has_action || part.is_action;
        current_.weight += static_cast<int>(part.text.size());
      }
      model_.slots.push_back(std::move(current_));
    }
    current_ = {};
    for (const Chart::Body& body : std::exchange(included_, {})) {
      if (++model_.includes > kMostIncludes) return;
      SlotReader(chart_, model_, conditions_ + 1, loop_, depth_ + 1).read(body);
    }
  }

  // A block, and what was around it.
  struct Opened {
    bool is_loop = false;
    size_t conditions = 0;
    size_t loop = Alignment::kNoLoop;
  };

  const Chart& chart_;
  Model& model_;
  const SourceFile* file_ = nullptr;
  std::vector<Opened> opened_;
  std::vector<Chart::Body> included_;  // by line
  size_t conditions_;
  size_t loop_;
  size_t depth_;
  bool trims_next_ = false;
  Slot current_;
};

// Where in the line the parts of a slot begin; nullopt if the slot can't have produced the line.
std::optional<std::vector<size_t>> match_parts(std::string_view line, const Slot& slot) {
  std::vector<size_t> begins;
  size_t at = 0;
  for (size_t i = 0; i < slot.parts.size(); ++i) {
    const Part& part = slot.parts[i];
    if (part.is_action) {
      begins.push_back(at);
      continue;
    }
    // "env: {{ toYaml .Values.env | nindent 4 }}" puts "env:" on this line, and the rest on others.
    const bool ends_here = i + 2 == slot.parts.size() && slot.parts.back().is_action;
    std::string_view text = part.text;
    if (ends_here) trim_end(text, base::kSpace);
    if (ends_here && !text.empty() && line.substr(std::min(at, line.size())) == text) {
      begins.insert(begins.end(), {at, line.size()});
      return begins;
    }
    const bool is_after_action = i > 0 && slot.parts[i - 1].is_action;
    const bool is_last = i + 1 == slot.parts.size();
    size_t found = at;
    if (is_after_action && is_last) {
      if (line.size() < at + part.text.size()) return std::nullopt;
      found = line.size() - part.text.size();
    } else if (is_after_action) {
      found = line.find(part.text, at);
    }
    if (found == std::string_view::npos || line.substr(found, part.text.size()) != part.text)
      return std::nullopt;
    begins.push_back(found);
    at = found + part.text.size();
  }
  if (at < line.size() && (slot.parts.empty() || !slot.parts.back().is_action)) return std::nullopt;
  return begins;
}

constexpr int kNever = std::numeric_limits<int>::min() / 2;
constexpr int kSkipped = 4;   // a template line outside of conditions that is missing, in a round of its loop
constexpr int kRepeated = 2;  // the next round of a loop
constexpr int kUnmatched = -6;  // an output line that no slot produced

int score_of(std::string_view line, const Slot& slot) {
  if (!slot.has_action) {
    const bool is_equal = slot.parts.size() == 1 && slot.parts.front().text == line;
    if (!is_equal && (slot.parts.size() == 1 || !match_parts(line, slot))) return kNever;
    return 4 + 2 * slot.weight;
  }
  if (slot.parts.size() == 1) return 1;
  return match_parts(line, slot) ? 2 + 2 * slot.weight : kNever;
}

// Scores one more line from the same slot: an action may produce several, most likely if it is alone on its
// line.
int score_of_next_line(const Slot& slot) {
  if (!slot.parts.back().is_action) return kUnmatched;
  return slot.parts.size() == 1 ? 1 : 0;
}

// Finds the best way through the slots: for each output line, the slot that produced it.
class Search {
 public:
  Search(const std::vector<Slot>& slots, std::vector<Loop> loops, const std::vector<std::string_view>& lines)
      : slots_(slots), loops_(std::move(loops)), lines_(lines) {
    std::erase_if(loops_, [](const Loop& loop) { return loop.begin >= loop.end; });
  }

  std::vector<const Slot*> run() {
    const size_t slots = slots_.size();
    if (slots == 0 || lines_.empty() || slots * lines_.size() > kMostPairs)
      return std::vector<const Slot*>(lines_.size(), nullptr);
    skipped_.assign(slots + 1, 0);
    for (size_t s = 0; s < slots; ++s) skipped_[s + 1] = skipped_[s] + cost_of(s);
    drop_deep_loops();
    from_.resize(slots * lines_.size());
    best_.assign(slots, kNever);
    Forward forward(*this, 0);
    for (size_t s = 0; s < slots; ++s) {
      // The output is one document: what is before it in the template costs nothing.
      if (slots_[s].parts.front().text == "---") forward.begin_at(s);
      const int score = score_of(lines_[0], slots_[s]);
      best_[s] = forward.score_at(s) + (score == kNever ? kUnmatched : score);
    }
    for (size_t row = 1; row < lines_.size(); ++row) step(row);
    return trace();
  }

 private:
  void step(size_t row) {
    const size_t slots = slots_.size();
    std::vector<int> next(slots, kNever);
    set_repeats();
    Forward forward(*this, kNever);
    for (size_t s = 0; s < slots; ++s) {
      const Slot& slot = slots_[s];
      next[s] = best_[s] + score_of_next_line(slot);
      size_t from = s;
      if (const int score = score_of(lines_[row], slot); score != kNever) {
        if (forward.score_at(s) + score > next[s]) {
          next[s] = forward.score_at(s) + score;
          from = forward.from();
        }
        if (slot.loop != Alignment::kNoLoop && repeat_[s].first - kRepeated + score > next[s]) {
          next[s] = repeat_[s].first - kRepeated + score;
          from = repeat_[s].second;
        }
      }
      from_[row * slots + s] = static_cast<uint32_t>(from);
      forward.pass(s, best_[s]);
    }
    best_ = std::move(next);
  }

  // The best way to go on from an earlier slot, while the slots are passed in order. What it skips costs, but
  // a whole loop may have no round.
  class Forward {
   public:
    Forward(const Search& search, int score) : search_(search), best_(score, 0) {}

    int score_at(size_t s) {
      enter(s);
      return best_.first - search_.skipped_[s];
    }
    size_t from() const { return best_.second; }
    void begin_at(size_t s) {
      enter(s);
      best_.first = std::max(best_.first, search_.skipped_[s]);
    }
    void pass(size_t s, int score) {
      enter(s);
      if (score + search_.skipped_[s + 1] > best_.first) best_ = {score + search_.skipped_[s + 1], s};
    }

   private:
    // Leaves the loops that end before the slot, and enters those that begin there.
    void enter(size_t s) {
      while (!around_.empty() && around_.back().end <= s) {
        const Around& loop = around_.back();
        const int without = loop.before.first - search_.skipped_[loop.begin] + search_.skipped_[loop.end];
        if (without > best_.first) best_ = {without, loop.before.second};
        around_.pop_back();
      }
      for (; next_ < search_.loops_.size() && search_.loops_[next_].begin <= s; ++next_) {
        const Loop& loop = search_.loops_[next_];
        if (loop.end > s) around_.push_back({loop.begin, loop.end, best_});
      }
    }

    struct Around {
      size_t begin = 0;
      size_t end = 0;
      std::pair<int, size_t> before;
    };

    const Search& search_;
    std::pair<int, size_t> best_;  // with what skipping all slots before would cost; and the slot
    std::vector<Around> around_;
    size_t next_ = 0;
  };

  int cost_of(size_t s) const { return slots_[s].is_conditional ? 0 : kSkipped; }

  // Loops inside each other to any depth would take too long: then only the outermost count.
  void drop_deep_loops() {
    constexpr size_t kUsualDepth = 8;
    size_t work = 0;
    for (const Loop& loop : loops_) work += loop.end - loop.begin;
    if (work <= kUsualDepth * slots_.size()) return;
    size_t done = 0;
    std::erase_if(loops_, [&](const Loop& loop) {
      if (loop.end <= done) return true;
      done = loop.end;
      return false;
    });
  }

  // For each slot, finds the best slot from which a loop around both can return to it: itself, or a later
  // one. What the round leaves out, and the next one before the slot, costs.
  void set_repeats() {
    repeat_.assign(slots_.size(), {kNever, 0});
    for (const Loop& loop : loops_) {
      // The lines of each round, not those of loops inside it.
      const auto own_cost = [&](size_t s) { return slots_[s].loop == loop.number ? cost_of(s) : 0; };
      int head = 0;
      for (size_t s = loop.begin; s < loop.end; ++s) head += own_cost(s);
      int tail = 0;
      std::pair<int, size_t> after{kNever, 0};
      for (size_t s = loop.end; s-- > loop.begin;) {
        after = std::max(after, std::pair(best_[s] - tail, s));
        tail += own_cost(s);
        head -= own_cost(s);
        repeat_[s] = std::max(repeat_[s], std::pair(after.first - head, after.second));
      }
    }
  }

  std::vector<const Slot*> trace() const {
    const size_t slots = slots_.size();
    std::vector<const Slot*> matches(lines_.size());
    size_t at = static_cast<size_t>(std::ranges::max_element(best_) - best_.begin());
    for (size_t row = lines_.size(); row-- > 0;) {
      matches[row] = &slots_[at];
      at = from_[row * slots + at];
    }
    return matches;
  }

  const std::vector<Slot>& slots_;
  std::vector<Loop> loops_;  // in the order of their beginnings
  const std::vector<std::string_view>& lines_;
  std::vector<int> skipped_;  // what it costs to skip the slots before this one
  std::vector<int> best_;
  std::vector<std::pair<int, size_t>> repeat_;
  std::vector<uint32_t> from_;
};

}  // namespace

Alignment::Alignment(const Chart& chart, const SourceFile& source, std::string_view output)
    : source_(source) {
  for (const std::string_view line : base::Lines(output)) {
    indentations_.push_back(std::min(line.find_first_not_of(base::kBlanks), line.size()));
    lines_.push_back(line.substr(indentations_.back()));
    trim_end(lines_.back(), base::kSpace);
  }
  Model model;
  SlotReader(chart, model, 0, kNoLoop, 0).read({&source, 0, source.text().size()});
  slots_ = std::move(model.slots);
  matches_ = Search(slots_, model.loops, lines_).run();
}

Place Alignment::at(uint32_t line, uint32_t column) const {
  const Slot* slot = line > 0 && line <= matches_.size() ? matches_[line - 1] : nullptr;
  if (!slot) return {&source_, 1, 1, false};
  const auto action = std::ranges::find_if(slot->parts, &Part::is_action);
  const Part& first = action != slot->parts.end() ? *action : slot->parts.front();
  const size_t indentation = indentations_[line - 1];
  const auto begins = match_parts(lines_[line - 1], *slot);
  if (!begins || column <= indentation) return {slot->file, slot->line, first.column, false};
  const size_t offset = column - 1 - indentation;
  size_t i = 0;
  while (i + 1 < slot->parts.size() && (*begins)[i + 1] <= offset) ++i;
  const Part& part = slot->parts[i];
  const auto within = static_cast<uint32_t>(part.is_action ? 0 : offset - (*begins)[i]);
  return {slot->file, slot->line, part.column + within, !part.is_action};
}

}  // namespace trainjobc::helm
