// SPDX-License-Identifier: Apache-2.0

// The order in which people expect the fields of Kubernetes objects.
#include "yaml/write/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text/text.h"
#include "yaml/scalar.h"

namespace trainjobc::yaml {
namespace {

struct Rank {
  std::string_view key;
  int rank = 0;
  uint64_t prefix = base::prefix_of(key);
};

// Sorted by key. Fields that identify an object rank first, its contents last.
constexpr std::array kRanks = std::to_array<Rank>({
    {"annotations", 24},    {"apiVersion", 0},      {"args", 34},      {"binaryData", 92},
    {"command", 33},        {"containers", 95},     {"data", 91},      {"env", 36},
    {"envFrom", 35},        {"generateName", 21},   {"image", 31},     {"imagePullPolicy", 32},
    {"initContainers", 94}, {"items", 97},          {"key", 19},       {"kind", 1},
    {"labels", 23},         {"metadata", 2},        {"name", 20},      {"namespace", 22},
    {"ports", 37},          {"replicatedJobs", 96}, {"resources", 38}, {"spec", 90},
    {"status", 99},         {"stringData", 93},     {"template", 95},  {"type", 25},
    {"value", 40},          {"valueFrom", 41},      {"volumes", 96},
});
static_assert(std::ranges::is_sorted(kRanks, {}, &Rank::key));

constexpr int kOther = 50;

}  // namespace

int key_rank(std::string_view key) {
  const uint64_t prefix = base::prefix_of(key);
  for (auto found = std::ranges::lower_bound(kRanks, prefix, {}, &Rank::prefix);
       found != kRanks.end() && found->prefix == prefix; ++found) {
    if (found->key == key) return found->rank;
  }
  return kOther;
}

namespace {

// The escape of quotes, backslashes, tabs and line breaks between double quotes, in YAML and JSON alike; ""
// for other characters.
constexpr std::string_view short_escape(char c) {
  switch (c) {
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: return "";
  }
}

// The entries of maps in the writer's order, as a stack: while the writer is in a map's values, the entries
// of the maps around it lie below.
class OrderedEntries {
 public:
  explicit OrderedEntries(KeyOrder order) : order_(order) {}

  template <class Visit>
  void for_each(const Node& map, Visit visit) {
    if (order_ == KeyOrder::AsIs) {
      for (const Entry& entry : map.entries()) visit(entry);
      return;
    }
    const size_t begin = ranked_.size();
    for (const Entry& entry : map.entries())
      ranked_.push_back({order_ == KeyOrder::Kubernetes ? key_rank(entry.key) : 0, &entry});
    std::ranges::sort(std::span(ranked_).subspan(begin), [](const Ranked& a, const Ranked& b) {
      return a.rank != b.rank ? a.rank < b.rank : a.entry->key < b.entry->key;
    });
    for (size_t i = begin; i < begin + map.size(); ++i) visit(*ranked_[i].entry);
    ranked_.resize(begin);
  }

 private:
  struct Ranked {
    int rank = 0;
    const Entry* entry = nullptr;
  };

  KeyOrder order_;
  std::vector<Ranked> ranked_;
};

class JsonWriter {
 public:
  JsonWriter(KeyOrder order, int indent, std::string& out) : entries_(order), indent_(indent), out_(out) {}

  void write(const Node& node) {
    if (node.is_map()) {
      write_map(node);
    } else if (node.is_list()) {
      write_list(node);
    } else if (node.is_string()) {
      write_json_string(node.text(), out_);
    } else {
      out_ += node.text();
    }
  }

 private:
  void write_map(const Node& map) {
    out_ += '{';
    ++depth_;
    bool first = true;
    entries_.for_each(map, [&](const Entry& entry) {
      separate(first);
      write_json_string(entry.key, out_);
      out_ += indent_ > 0 ? ": " : ":";
      write(*entry.value);
    });
    finish(first, '}');
  }

  void write_list(const Node& list) {
    out_ += '[';
    ++depth_;
    bool first = true;
    for (const Node* item : list.items()) {
      separate(first);
      write(*item);
    }
    finish(first, ']');
  }

  void separate(bool& first) {
    if (!first) out_ += ',';
    first = false;
    new_line();
  }

  void finish(bool empty, char bracket) {
    --depth_;
    if (!empty) new_line();
    out_ += bracket;
  }

  void new_line() {
    if (indent_ == 0) return;
    out_ += '\n';
    out_.append(static_cast<size_t>(indent_) * depth_, ' ');
  }

  OrderedEntries entries_;
  int indent_;
  std::string& out_;
  size_t depth_ = 0;
};

bool is_odd(uint32_t code) {
  return (code >= 0x80 && code < 0xA0) || code == 0x2028 || code == 0x2029 || code == 0xFEFF ||
         code == 0xFFFE || code == 0xFFFF;
}

// Writes a string in double quotes. Besides JSON's escapes, escapes characters that YAML 1.1 refuses or reads
// as line breaks, so that JSON stays valid YAML.
void write_escaped(std::string_view text, bool is_json, std::string& out) {
  const auto is_plain = [](char c) { return c >= 0x20 && c < 0x7F && short_escape(c).empty(); };
  out += '"';
  for (size_t i = 0; i < text.size();) {
    const auto plain =
        static_cast<size_t>(std::ranges::find_if_not(text.substr(i), is_plain) - (text.begin() + i));
    out += text.substr(i, plain);
    i += plain;
    if (i == text.size()) break;
    const base::CodePoint point = base::decode_utf8(text.substr(i));
    const size_t length = std::max<size_t>(point.length, 1);
    // The only ASCII characters left here are control characters and those with a short escape.
    const bool is_escaped = point.length == 1 || is_odd(point.value) || (point.value == 0xA0 && !is_json);
    if (const std::string_view escaped = short_escape(text[i]); !escaped.empty()) {
      out += escaped;
    } else if (is_escaped) {
      const bool is_short = !is_json && point.value <= 0xFF;
      out += is_short ? fmt::format("\\x{:02x}", point.value) : fmt::format("\\u{:04x}", point.value);
    } else {
      out += text.substr(i, length);
    }
    i += length;
  }
  out += '"';
}

}  // namespace

void write_json_string(std::string_view text, std::string& out) {
  write_escaped(text, true, out);
}

void write_json(const Node& node, KeyOrder order, int indent, std::string& out) {
  JsonWriter(order, indent, out).write(node);
}

namespace {

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

// Whether the text has characters that are not printable, or that some readers take for line breaks.
bool has_odd_space(std::string_view text) {
  const auto is_beyond_ascii = [](char c) { return static_cast<unsigned char>(c) >= 0x80; };
  if (base::is_ascii(text)) return false;
  for (size_t at = 0; at < text.size();) {
    if (!is_beyond_ascii(text[at])) {
      ++at;
      continue;
    }
    const base::CodePoint point = base::decode_utf8(text.substr(at));
    if (is_odd(point.value) || point.value == 0xA0) return true;
    at += std::max<size_t>(point.length, 1);
  }
  return false;
}

// Whether the text is letters, digits and harmless punctuation, after a letter or a slash: plain for every
// reader, without a closer look. Most texts are; short ones that may be a truth value don't count.
bool is_word(std::string_view text) {
  constexpr size_t kLongestTruth = 5;
  if (text.size() <= kLongestTruth || (!base::is_letter(text.front()) && text.front() != '/')) return false;
  return std::ranges::all_of(text, [](char c) {
    return base::is_alnum(c) || c == '-' || c == '_' || c == '.' || c == '/' || c == '=' || c == ',';
  });
}

bool is_plain_safe(std::string_view text) {
  if (is_word(text)) return true;
  if (text.empty() || is_ambiguous_plain(text)) return false;
  if (text.front() == ' ' || text.back() == ' ' || text.back() == ':') return false;
  constexpr std::string_view kIndicators = "-?:,[]{}#&*!|>'\"%@`";
  if (kIndicators.find(text.front()) != std::string_view::npos) {
    // "-x", "?x" and ":x" are plain, "- x" is not; nor is a lone "-".
    const bool may = text.front() == '-' && text.size() > 1 && text[1] != ' ' && !text.starts_with("---");
    if (!may) return false;
  }
  if (text.starts_with("...")) return false;
  if (text.find(": ") != std::string_view::npos || text.find(" #") != std::string_view::npos) return false;
  return std::ranges::none_of(text, is_control) && !has_odd_space(text);
}

// Whether a block scalar keeps the text's lines as they are. Few readers tell a last line of blanks from a
// missing one.
bool is_block_safe(std::string_view text) {
  if (text.find('\n') == std::string_view::npos) return false;
  const size_t end = text.find_last_not_of('\n');
  if (end != std::string_view::npos && base::is_blank(text[end])) return false;
  if (base::is_blank(text.front()) || text.front() == '\n') return false;
  if (std::ranges::any_of(text, [](char c) { return is_control(c) && c != '\n' && c != '\t'; })) return false;
  return !has_odd_space(text);
}

void write_single_quoted(std::string_view text, std::string& out) {
  out += '\'';
  for (const char c : text) {
    out += c;
    if (c == '\'') out += c;
  }
  out += '\'';
}

// YAML 1.1 reads a number with an exponent as a string if it has no point or the exponent has no sign.
void write_number(std::string_view text, std::string& out) {
  const size_t mark = text.find_first_of("eE");
  out += text.substr(0, mark);
  if (mark == std::string_view::npos) return;
  if (text.find('.') == std::string_view::npos) out += ".0";
  out += 'e';
  if (text[mark + 1] != '-' && text[mark + 1] != '+') out += '+';
  out += text.substr(mark + 1);
}

// Readers look at most 1024 characters ahead for the ":" after a key.
constexpr size_t kLongestSimpleKey = 1000;

class YamlWriter {
 public:
  YamlWriter(KeyOrder order, std::string& out, std::vector<LeafLine>* leaves = nullptr)
      : entries_(order), out_(out), leaves_(leaves) {}

  void write_root(const Node& node) {
    if (node.is_scalar() || node.size() == 0) return write_scalar(node, 0);
    write_collection(node, 0, false);
  }

 private:
  // Writes what follows a "key:" or "-" and ends the line. After a dash, a collection begins on the same
  // line.
  void write_value(const Node& node, size_t indent, bool after_dash) {
    if (node.is_scalar() || node.size() == 0) {
      out_ += ' ';
      return write_scalar(node, indent);
    }
    if (!after_dash) out_ += '\n';
    write_collection(node, indent, after_dash);
  }

  void write_collection(const Node& node, size_t indent, bool first_inline) {
    if (node.is_map()) {
      write_entries(node, indent, first_inline);
    } else {
      write_items(node, indent, first_inline);
    }
  }

  // Begins the line of an entry or item; the first one may follow a dash on its line.
  void begin_line(bool& is_inline, size_t indent) {
    out_.append(is_inline ? 1 : indent, ' ');
    is_inline = false;
  }

  void write_entries(const Node& map, size_t indent, bool first_inline) {
    entries_.for_each(map, [&](const Entry& entry) {
      begin_line(first_inline, indent);
      write_key(entry.key, indent);
      // A list has the indentation of its key, as kubectl prints it.
      write_value(*entry.value, entry.value->is_list() ? indent : indent + 2, false);
    });
  }

  void write_items(const Node& list, size_t indent, bool first_inline) {
    for (const Node* item : list.items()) {
      begin_line(first_inline, indent);
      out_ += '-';
      write_value(*item, indent + 2, true);
    }
  }

  void write_key(std::string_view key, size_t indent) {
    const size_t begin = out_.size();
    if (is_plain_safe(key) && key.size() <= 128) {
      out_ += key;
    } else {
      write_quoted(key);
    }
    if (out_.size() - begin > kLongestSimpleKey) {
      out_.insert(begin, "? ");
      out_ += '\n';
      out_.append(indent, ' ');
    }
    out_ += ':';
  }

  void write_scalar(const Node& node, size_t indent) {
    const size_t begin = out_.size();
    write_leaf(node, indent);
    if (leaves_) leaves_->push_back({&node, out_.find('\n', begin)});
  }

  void write_leaf(const Node& node, size_t indent) {
    if (node.is_map()) {
      out_ += "{}\n";
    } else if (node.is_list()) {
      out_ += "[]\n";
    } else if (!node.is_string()) {
      if (node.is_number()) {
        write_number(node.text(), out_);
      } else {
        out_ += node.text();
      }
      out_ += '\n';
    } else if (is_word(node.text())) {
      out_.append(node.text()).append(1, '\n');
    } else if (is_block_safe(node.text())) {
      write_block(node.text(), std::max<size_t>(indent, 2));
    } else {
      write_line_string(node.text());
    }
  }

  void write_line_string(std::string_view text) {
    if (is_plain_safe(text)) {
      out_ += text;
    } else {
      write_quoted(text);
    }
    out_ += '\n';
  }

  // Writes the text in double quotes, as kubectl prints it, unless single ones avoid escapes.
  void write_quoted(std::string_view text) {
    const bool needs_escapes = std::ranges::any_of(text, is_control) || has_odd_space(text);
    if (!needs_escapes && text.find_first_of("\"\\") != std::string_view::npos) {
      write_single_quoted(text, out_);
    } else {
      write_escaped(text, false, out_);
    }
  }

  void write_block(std::string_view text, size_t indent) {
    const size_t last = text.find_last_not_of('\n');
    const size_t breaks = text.size() - last - 1;
    out_ += breaks == 0 ? "|-\n" : breaks == 1 ? "|\n" : "|+\n";
    for (const std::string_view line : base::Lines(text)) {
      if (!line.empty()) out_.append(indent, ' ');
      out_ += line;
      out_ += '\n';
    }
  }

  OrderedEntries entries_;
  std::string& out_;
  std::vector<LeafLine>* leaves_;
};

}  // namespace

void write_yaml(const Node& node, KeyOrder order, std::string& out) {
  YamlWriter(order, out).write_root(node);
}

void write_yaml(const Node& node, KeyOrder order, std::string& out, std::vector<LeafLine>& leaves) {
  YamlWriter(order, out, &leaves).write_root(node);
}

}  // namespace trainjobc::yaml
