// SPDX-License-Identifier: Apache-2.0

// string.format: %s, %d, %f, %e, %b, %x, %X and %o.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text/text.h"
#include "cel/library/library.h"

namespace trainjobc::cel {
namespace {

constexpr int kDefaultPrecision = 6;
constexpr int kMostPrecision = 1000;

struct Clause {
  char letter = 0;
  int precision = kDefaultPrecision;
  size_t size = 0;  // in the format, with its percent sign
  std::string_view problem;
};

Clause read_clause(std::string_view text) {
  Clause clause{.size = 1};
  if (text.size() < 2) return {.problem = "unexpected end of string"};
  if (text[1] == '.') {
    const size_t end = std::min(text.find_first_not_of("0123456789", 2), text.size());
    const auto precision = base::read_integer(text.substr(2, end - 2));
    if (end == text.size()) return {.problem = "could not find end of precision specifier"};
    if (!precision) return {.problem = "error while converting precision to integer"};
    clause.precision = static_cast<int>(std::min<int64_t>(*precision, kMostPrecision + 1));
    clause.size = end;
  }
  clause.letter = text[clause.size++];
  if (!base::contains(std::string_view("sdfebxXo"), clause.letter))
    clause.problem = "unrecognized formatting clause";
  return clause;
}

// The kinds that a clause takes; all for %s but those of Kubernetes' types.
bool takes_kind(char letter, Kind kind) {
  switch (letter) {
    case 'd':
    case 'o': return kind == Kind::Int || kind == Kind::Uint;
    case 'b': return kind == Kind::Int || kind == Kind::Uint || kind == Kind::Bool;
    case 'x':
    case 'X': return kind == Kind::Int || kind == Kind::Uint || kind == Kind::String || kind == Kind::Bytes;
    case 'f':
    case 'e': return kind == Kind::Double || kind == Kind::String;
    default: return kind <= Kind::Type && kind >= Kind::Null;
  }
}

std::optional<std::string> element_text(const Value& value);

std::optional<std::string> list_text(const Value& list) {
  std::string out = "[";
  for (size_t i = 0; i < list.size; ++i) {
    const auto item = element_text(item_of(list, i));
    if (!item) return std::nullopt;
    out += (i > 0 ? ", " : "") + *item;
  }
  return out + "]";
}

std::optional<std::string> map_text(const Value& map) {
  std::vector<std::pair<std::string, std::string>> entries;
  for (size_t i = 0; i < map.size; ++i) {
    const auto key = element_text(key_of(map, i));
    const auto value = element_text(entry_of(map, i));
    if (!key || !value) return std::nullopt;
    entries.emplace_back(*key, *value);
  }
  std::ranges::stable_sort(entries, {}, &std::pair<std::string, std::string>::first);
  std::string out = "{";
  for (const auto& [key, value] : entries) out += (out.size() > 1 ? ", " : "") + key + ":" + value;
  return out + "}";
}

std::optional<std::string> plain_text(const Value& value) {
  if (value.kind == Kind::Null) return "null";
  if (value.kind == Kind::List) return list_text(value);
  if (value.kind == Kind::Map) return map_text(value);
  return text_of(value);
}

std::string fixed_text(double value, int precision) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-∞" : "∞";
  return fmt::format("{:.{}f}", value, precision);
}

// As a part of a list or map, where texts have quotes.
std::optional<std::string> element_text(const Value& value) {
  const auto text = plain_text(value);
  if (!text) return std::nullopt;
  switch (value.kind) {
    case Kind::String: return quoted(*text);
    case Kind::Bytes: return "b" + quoted(*text);
    case Kind::Double:
      if (!std::isfinite(value.real)) return quoted(std::isnan(value.real) ? "NaN" : *text);
      return fmt::format("{:.6f}", value.real);
    case Kind::Timestamp: return fmt::format("timestamp({})", quoted(*text));
    case Kind::Duration: return fmt::format("duration({})", quoted(*text));
    default: return text;
  }
}

// With commas between the thousands.
std::string grouped(std::string text) {
  const size_t begin = text.starts_with('-') ? 1 : 0;
  const size_t point = std::min(text.find('.'), text.size());
  if (begin < text.size() && !base::is_digit(text[begin])) return text;
  for (size_t at = point; at > begin + 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

// As the API server writes it, which takes the precision for a width: 1.500000×10⁰³.
std::string scientific_text(double value, size_t width) {
  constexpr auto kDigits =
      std::to_array<std::string_view>({"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"});
  std::string out = fixed_text(value, kDefaultPrecision);
  if (std::isfinite(value)) {
    const std::string plain = fmt::format("{:e}", value == 0 ? 0 : value);  // without the sign of -0.0
    const size_t e = plain.find('e');
    out = plain.substr(0, e) + (plain[e + 1] == '-' ? "×10⁻" : "×10");
    for (const char digit : plain.substr(e + 2)) out += kDigits[static_cast<size_t>(digit - '0')];
  }
  const size_t size = count_runes(out);
  return out.insert(0, width - std::min(width, size), ' ');
}

std::optional<std::string> real_clause(const Clause& clause, const Value& value) {
  double real = value.real;
  if (value.kind == Kind::String) {
    if (value.text() != "NaN" && value.text() != "Infinity" && value.text() != "-Infinity")
      return std::nullopt;
    real = value.text() == "NaN" ? std::nan("") : value.text() == "Infinity" ? HUGE_VAL : -HUGE_VAL;
  }
  return clause.letter == 'f' ? grouped(fixed_text(real, clause.precision))
                              : scientific_text(real, static_cast<size_t>(clause.precision));
}

std::string whole_clause(char letter, const Value& value) {
  const std::string spec = fmt::format("{{:{}}}", letter);
  if (value.kind == Kind::Bool) return value.boolean ? "1" : "0";
  return value.kind == Kind::Int ? fmt::format(fmt::runtime(spec), value.integer)
                                 : fmt::format(fmt::runtime(spec), value.natural);
}

// nullopt if the clause does not take the value.
std::optional<std::string> clause_text(const Clause& clause, const Value& value) {
  if (!takes_kind(clause.letter, value.kind)) return std::nullopt;
  if (clause.letter == 's') return plain_text(value);
  if (clause.letter == 'f' || clause.letter == 'e') return real_clause(clause, value);
  if (value.kind != Kind::String && value.kind != Kind::Bytes) return whole_clause(clause.letter, value);
  std::string out;
  const std::string_view form = clause.letter == 'x' ? "{:02x}" : "{:02X}";
  for (const char c : value.text()) out += fmt::format(fmt::runtime(form), static_cast<unsigned char>(c));
  return out;
}

}  // namespace

Value format(const Call& call) {
  std::string out;
  std::string_view rest = call.text(0);
  size_t index = 0;
  while (!rest.empty()) {
    const size_t percent = std::min(rest.find('%'), rest.size());
    out += rest.substr(0, percent);
    rest.remove_prefix(percent);
    if (rest.empty()) break;
    if (rest.starts_with("%%")) {
      out += '%';
      rest.remove_prefix(2);
      continue;
    }
    if (index >= call[1].size) return call.context.fail(fmt::format("index {} out of range", index));
    const Clause clause = read_clause(rest);
    if (!clause.problem.empty()) return call.context.fail(clause.problem);
    if (clause.precision > kMostPrecision) call.context.spend_all();
    const Value value = item_of(call[1], index++);
    const auto text = clause.precision > kMostPrecision ? std::nullopt : clause_text(clause, value);
    if (!text)
      return call.context.fail(
          fmt::format("error during formatting: %{} does not take {}", clause.letter, type_name(value.kind)));
    out += *text;
    rest.remove_prefix(clause.size);
  }
  return call.context.text(out);
}

// The part of an argument that a clause does not take; nullptr if it takes it.
static const Expr* unfit(char letter, const Expr& arg) {
  const Type& type = *arg.type;
  const bool is_foreign = type.kind == TypeKind::Opaque || type.kind == TypeKind::Object;
  if (is_foreign || (has_kind(type.kind) && !takes_kind(letter, kind_of(type.kind)))) return &arg;
  if (arg.op != Op::List && arg.op != Op::Map) return nullptr;
  for (const Expr* part : arg.args) {
    if (const Expr* found = unfit(letter, *part)) return found;
  }
  return nullptr;
}

std::string format_problem(std::string_view format, std::span<Expr* const> args, const Expr*& culprit) {
  size_t index = 0;
  for (size_t at = format.find('%'); at < format.size(); at = format.find('%', at)) {
    if (format.substr(at).starts_with("%%")) {
      at += 2;
      continue;
    }
    if (index >= args.size()) return fmt::format("index {} out of range", index);
    const Clause clause = read_clause(format.substr(at));
    if (!clause.problem.empty()) return fmt::format("could not parse formatting clause: {}", clause.problem);
    culprit = unfit(clause.letter, *args[index]);
    if (culprit)
      return fmt::format("error during formatting: %{} does not take '{}'", clause.letter,
                         to_string(*culprit->type));
    ++index;
    at += clause.size;
  }
  if (index == args.size()) return "";
  return fmt::format("too many arguments supplied to string.format (expected {}, got {})", index,
                     args.size());
}

}  // namespace trainjobc::cel
