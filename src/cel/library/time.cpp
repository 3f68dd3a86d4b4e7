// SPDX-License-Identifier: Apache-2.0

// Durations and timestamps, as Go reads and writes them.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <chrono>
#include <limits>
#include <utility>

#include "base/text/text.h"
#include "cel/library/library.h"

namespace trainjobc::cel {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kFirstSecond = -62135596800;  // year 1
constexpr int64_t kLastSecond = 253402300799;   // of year 9999

constexpr std::array kUnits = std::to_array<std::pair<std::string_view, int64_t>>({{"ns", 1},
                                                                                   {"us", 1'000},
                                                                                   {"\xC2\xB5s", 1'000},
                                                                                   {"\xCE\xBCs", 1'000},
                                                                                   {"ms", 1'000'000},
                                                                                   {"s", kSecond},
                                                                                   {"m", 60 * kSecond},
                                                                                   {"h", 3600 * kSecond}});

std::string_view take_while(std::string_view& text, bool (*fits)(char)) {
  size_t size = 0;
  while (size < text.size() && fits(text[size])) ++size;
  const std::string_view taken = text.substr(0, size);
  text.remove_prefix(size);
  return taken;
}

// Nanoseconds of one part, such as 1.5h; nullopt if it is not one.
std::optional<unsigned __int128> take_part(std::string_view& text) {
  const std::string_view whole = take_while(text, base::is_digit);
  std::string_view fraction;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = take_while(text, base::is_digit);
  }
  const std::string_view name = take_while(text, [](char c) { return c != '.' && !base::is_digit(c); });
  const auto* unit = base::find(kUnits, name, &std::pair<std::string_view, int64_t>::first);
  if (whole.size() + fraction.size() == 0 || !unit || whole.size() > 19) return std::nullopt;
  unsigned __int128 out = 0;
  for (const char digit : whole) out = out * 10 + static_cast<unsigned>(digit - '0');
  out *= static_cast<uint64_t>(unit->second);
  double scale = 1;
  int64_t part = 0;
  for (const char digit : fraction) {
    if (part > std::numeric_limits<int64_t>::max() / 10 - 1) break;
    part = part * 10 + (digit - '0');
    scale *= 10;
  }
  return out + static_cast<uint64_t>(static_cast<double>(part) * (static_cast<double>(unit->second) / scale));
}

std::optional<int> take_digits(std::string_view& text, size_t count) {
  if (text.size() < count) return std::nullopt;
  int value = 0;
  for (const char c : text.substr(0, count)) {
    if (!base::is_digit(c)) return std::nullopt;
    value = value * 10 + (c - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool take_mark(std::string_view& text, char mark) {
  if (!text.starts_with(mark)) return false;
  text.remove_prefix(1);
  return true;
}

// The minutes of Z or +01:00; nullopt if it is neither.
std::optional<int> take_zone(std::string_view& text) {
  if (take_mark(text, 'Z')) return 0;
  const bool is_west = text.starts_with('-');
  if (!is_west && !text.starts_with('+')) return std::nullopt;
  text.remove_prefix(1);
  const auto hours = take_digits(text, 2);
  if (!hours || !take_mark(text, ':')) return std::nullopt;
  const auto minutes = take_digits(text, 2);
  if (!minutes || *hours > 24 || *minutes > 60) return std::nullopt;
  return (is_west ? -1 : 1) * (*hours * 60 + *minutes);
}

struct Clock {
  std::chrono::year_month_day date;
  int64_t day_of_year = 0;  // from 0
  unsigned weekday = 0;
  int64_t seconds = 0;  // of the day
};

Clock clock_of(int64_t seconds) {
  const std::chrono::sys_seconds time{std::chrono::seconds(seconds)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  Clock out;
  out.date = day;
  const std::chrono::sys_days first = out.date.year() / std::chrono::January / 1;
  out.day_of_year = (day - first).count();
  out.weekday = std::chrono::weekday(day).c_encoding();
  out.seconds = (time - day).count();
  return out;
}

// The minutes of a zone's name east of UTC: "UTC", "-07:00"; nullopt for other names, which need a database.
std::optional<int64_t> zone_minutes(std::string_view zone, bool& is_wrong) {
  if (zone.empty() || zone == "UTC" || zone == "Local") return 0;
  const size_t colon = zone.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view hours_text = zone.substr(0, colon);
  if (hours_text.starts_with('+')) hours_text.remove_prefix(1);
  const auto hours = base::read_integer(hours_text);
  const auto minutes = base::read_integer(zone.substr(colon + 1));
  is_wrong = !hours || !minutes || std::abs(*hours) > 100'000 || std::abs(*minutes) > 1'000'000;
  if (is_wrong) return std::nullopt;
  return *hours * 60 + (zone.starts_with('-') ? -*minutes : *minutes);
}

Value checked_timestamp(__int128 nanoseconds, int16_t offset, Context& context) {
  __int128 seconds = nanoseconds / kSecond;
  auto rest = static_cast<int64_t>(nanoseconds % kSecond);
  if (rest < 0) {
    rest += kSecond;
    --seconds;
  }
  if (seconds < kFirstSecond || seconds > kLastSecond) return context.fail("timestamp overflow");
  Value out = Value::timestamp_of(static_cast<int64_t>(seconds), static_cast<uint32_t>(rest));
  out.offset = offset;
  return out;
}

Value checked_duration(__int128 nanoseconds, Context& context) {
  const auto fitting = static_cast<int64_t>(nanoseconds);
  return fitting == nanoseconds ? Value::duration_of(fitting) : context.fail("integer overflow");
}

__int128 nanoseconds_of(const Value& timestamp) {
  return __int128{timestamp.integer} * kSecond + timestamp.size;
}

}  // namespace

std::optional<int64_t> read_duration(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return 0;
  if (text.empty()) return std::nullopt;
  unsigned __int128 total = 0;
  constexpr unsigned __int128 kMost = uint64_t{1} << 63U;
  while (!text.empty()) {
    const auto part = take_part(text);
    if (!part) return std::nullopt;
    total += *part;
    if (total > kMost) return std::nullopt;
  }
  if (total == kMost && !is_negative) return std::nullopt;
  return is_negative ? static_cast<int64_t>(0 - static_cast<uint64_t>(total)) : static_cast<int64_t>(total);
}

std::optional<Value> read_timestamp(std::string_view text) {
  const auto year = take_digits(text, 4);
  if (!year || !take_mark(text, '-')) return std::nullopt;
  const auto month = take_digits(text, 2);
  if (!month || !take_mark(text, '-')) return std::nullopt;
  const auto day = take_digits(text, 2);
  if (!day || !take_mark(text, 'T')) return std::nullopt;
  const auto hours = take_digits(text, 2);
  if (!hours || !take_mark(text, ':')) return std::nullopt;
  const auto minutes = take_digits(text, 2);
  if (!minutes || !take_mark(text, ':')) return std::nullopt;
  const auto seconds = take_digits(text, 2);
  if (!seconds || *hours > 23 || *minutes > 59 || *seconds > 59) return std::nullopt;
  uint32_t nanoseconds = 0;
  if (take_mark(text, '.') || take_mark(text, ',')) {
    const std::string_view digits = take_while(text, base::is_digit);
    if (digits.empty()) return std::nullopt;
    for (size_t i = 0; i < 9; ++i)
      nanoseconds = nanoseconds * 10 + (i < digits.size() ? static_cast<uint32_t>(digits[i] - '0') : 0);
  }
  const auto offset = take_zone(text);
  const auto date = std::chrono::year(*year) / std::chrono::month(static_cast<unsigned>(*month)) /
                    std::chrono::day(static_cast<unsigned>(*day));
  if (!offset || !text.empty() || !date.ok()) return std::nullopt;
  const int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  Value out = Value::timestamp_of(days * 86400 + *hours * 3600 + *minutes * 60 + *seconds - *offset * 60,
                                  nanoseconds);
  out.offset = static_cast<int16_t>(*offset);
  return out;
}

std::string timestamp_text(const Value& timestamp) {
  const Clock clock = clock_of(timestamp.integer + timestamp.offset * 60);
  std::string out =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(clock.date.year()),
                  static_cast<unsigned>(clock.date.month()), static_cast<unsigned>(clock.date.day()),
                  clock.seconds / 3600, clock.seconds / 60 % 60, clock.seconds % 60);
  if (timestamp.size > 0) {
    out += fmt::format(".{:09}", timestamp.size);
    out.resize(out.find_last_not_of('0') + 1);
  }
  if (timestamp.offset == 0) return out + "Z";
  const int minutes = std::abs(timestamp.offset);
  return out + fmt::format("{}{:02}:{:02}", timestamp.offset < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

std::string duration_text(int64_t nanoseconds) {
  const double seconds =
      static_cast<double>(nanoseconds / kSecond) + static_cast<double>(nanoseconds % kSecond) / kSecond;
  std::array<char, 64> buffer{};
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), seconds, std::chars_format::fixed).ptr;
  return std::string(buffer.data(), end) + "s";
}

Value to_duration(const Call& call) {
  if (call[0].kind == Kind::Duration) return call[0];
  if (call[0].kind == Kind::String) {
    if (const auto read = read_duration(call.text(0))) return Value::duration_of(*read);
  }
  return call.context.fail(
      fmt::format("type conversion error from '{}' to 'google.protobuf.Duration'", type_name(call[0].kind)));
}

Value to_timestamp(const Call& call) {
  const Value& from = call[0];
  if (from.kind == Kind::Timestamp) return from;
  if (from.kind == Kind::Int) return checked_timestamp(__int128{from.integer} * kSecond, 0, call.context);
  const auto read = read_timestamp(from.text());
  if (!read) {
    return call.context.fail("type conversion error from 'string' to 'google.protobuf.Timestamp'");
  }
  return checked_timestamp(nanoseconds_of(*read), read->offset, call.context);
}

Value duration_part(const Call& call) {
  const char which = call.expr.name[3];  // of getHours, getMinutes, getMilliseconds, getSeconds
  const bool is_milli = call.expr.name == "getMilliseconds";
  const int64_t unit = which == 'H'   ? 3600 * kSecond
                       : is_milli     ? 1'000'000
                       : which == 'M' ? 60 * kSecond
                                      : kSecond;
  return Value::integer_of(call[0].integer / unit);
}

Value timestamp_part(const Call& call) {
  int64_t seconds = call[0].integer;
  if (call.args.size() == 2) {
    bool is_wrong = false;
    const auto minutes = zone_minutes(call.text(1), is_wrong);
    if (is_wrong) return call.context.fail("invalid time zone");
    if (!minutes) return call.context.unknown(fmt::format("time zone {}", call.text(1)));
    seconds += *minutes * 60;
  }
  const Clock clock = clock_of(seconds);
  const std::string_view part = call.expr.name;
  if (part == "getFullYear") return Value::integer_of(static_cast<int>(clock.date.year()));
  if (part == "getMonth") return Value::integer_of(static_cast<unsigned>(clock.date.month()) - 1);
  if (part == "getDayOfYear") return Value::integer_of(clock.day_of_year);
  if (part == "getDayOfMonth") return Value::integer_of(static_cast<unsigned>(clock.date.day()) - 1);
  if (part == "getDate") return Value::integer_of(static_cast<unsigned>(clock.date.day()));
  if (part == "getDayOfWeek") return Value::integer_of(clock.weekday);
  if (part == "getHours") return Value::integer_of(clock.seconds / 3600);
  if (part == "getMinutes") return Value::integer_of(clock.seconds / 60 % 60);
  if (part == "getSeconds") return Value::integer_of(clock.seconds % 60);
  return Value::integer_of(call[0].size / 1'000'000);
}

Value add_time(const Value& a, const Value& b, Context& context) {
  if (a.kind == Kind::Duration && b.kind == Kind::Duration)
    return checked_duration(__int128{a.integer} + b.integer, context);
  const Value& time = a.kind == Kind::Timestamp ? a : b;
  const Value& duration = a.kind == Kind::Timestamp ? b : a;
  if (time.kind != Kind::Timestamp || duration.kind != Kind::Duration) return context.no_such_overload();
  return checked_timestamp(nanoseconds_of(time) + duration.integer, time.offset, context);
}

Value subtract_time(const Value& a, const Value& b, Context& context) {
  if (a.kind == Kind::Duration && b.kind == Kind::Duration)
    return checked_duration(__int128{a.integer} - b.integer, context);
  if (a.kind != Kind::Timestamp) return context.no_such_overload();
  if (b.kind == Kind::Timestamp) return checked_duration(nanoseconds_of(a) - nanoseconds_of(b), context);
  if (b.kind != Kind::Duration) return context.no_such_overload();
  return checked_timestamp(nanoseconds_of(a) - b.integer, a.offset, context);
}

}  // namespace trainjobc::cel
