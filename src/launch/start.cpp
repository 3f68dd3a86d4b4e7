// SPDX-License-Identifier: Apache-2.0

#include "launch/start.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text/text.h"
#include "policy/runtime_info.h"

namespace trainjobc::launch {

std::optional<int64_t> visible_gpus(const yaml::Node& container) {
  const yaml::Node* limits = container.at({"resources", "limits"});
  const yaml::Node* requests = container.at({"resources", "requests"});
  if (!limits && !requests) return std::nullopt;
  return policy::gpus_per_node({limits, requests, nullptr});
}

std::optional<int64_t> SettingValue::number() const {
  return text ? base::read_integer(*text) : std::nullopt;
}

std::string SettingValue::source() const {
  switch (from) {
    case From::Nothing: return "";
    case From::Flag: return flag->name.substr(0, flag->name.find('='));
    case From::Variable: return std::string(name);
    case From::Value: return "the default";
    case From::Gpus: return "the node's GPUs";
  }
  return "";
}

namespace {

using From = SettingValue::From;

// A variable, which may be missing, and whose value may be unknown.
struct Found {
  bool is_there = false;
  std::optional<std::string> text;
};

bool is_name_character(char c) {
  return base::is_alnum(c) || c == '_';
}

// A launcher inside its pod.
class Pod {
 public:
  Pod(const Launch& launch, const Surroundings& surroundings) : launch_(launch), around_(surroundings) {}

  Start start() {
    Start start;
    start.program = launch_.launcher;
    config_ = setting(Setting::Config);
    for (size_t i = 0; i < kSettingCount; ++i) start.settings[i] = setting(static_cast<Setting>(i));
    settings_ = &start.settings;
    decide(start);
    start.processes = processes(start);
    return start;
  }

 private:
  // A text of the command line, or of a variable, as the launcher receives it. nullopt if unknown.
  std::optional<std::string> resolved(const std::string& raw, size_t depth = 0) const {
    constexpr size_t kDeepest = 8;
    std::string text = expanded_text(raw, around_.env);
    if (text.find("{{") != std::string::npos || depth > kDeepest) return std::nullopt;
    if (!launch_.in_script) return text;
    std::string out;
    for (size_t at = 0; at < text.size();) {
      if (text[at] != '$' && text[at] != '`') {
        out += text[at++];
        continue;
      }
      const auto value = shell_value(text, at, depth);
      if (!value) return std::nullopt;
      out += *value;
    }
    return out;
  }

  // The value of $NAME, ${NAME} or ${NAME:-VALUE} at `at`, which moves past it. nullopt for anything else.
  std::optional<std::string> shell_value(std::string_view text, size_t& at, size_t depth) const {
    const bool is_braced = text.substr(at).starts_with("${");
    const size_t begin = at + (is_braced ? 2 : 1);
    size_t end = begin;
    while (end < text.size() && is_name_character(text[end])) ++end;
    if (end == begin || text[at] == '`') return std::nullopt;
    const Found found = variable(text.substr(begin, end - begin), depth + 1);
    if (!is_braced) {
      at = end;
      return found.text;
    }
    const size_t close = text.find('}', end);
    if (close == std::string_view::npos) return std::nullopt;
    const std::string_view rest = text.substr(end, close - end);
    at = close + 1;
    if (rest.empty() || (rest.starts_with(":-") && found.is_there)) return found.text;
    if (!rest.starts_with(":-") || may_be_set(text.substr(begin, end - begin))) return std::nullopt;
    return resolved(std::string(rest.substr(2)), depth + 1);
  }

  // Whether the variable may be set in places that can't be seen. Nobody puts torchrun's own variables there.
  bool may_be_set(std::string_view name) const {
    return (around_.has_more_env || launch_.has_more_variables) && !name.starts_with("PET_");
  }

  Found variable(std::string_view name, size_t depth = 0) const {
    for (auto own = launch_.variables.rbegin(); own != launch_.variables.rend(); ++own) {
      if (own->first == name) return {true, resolved(own->second, depth + 1)};
    }
    const Variable* given = find_variable(around_.env, name);
    if (!given) return {};
    return {true, given->source.empty() ? std::optional(given->value) : std::nullopt};
  }

  std::optional<SettingValue> from_flag(const Source& source) const {
    auto flag = launch_.flag(source.name);
    if (!flag) return std::nullopt;
    SettingValue value{From::Flag, source.name, resolved(flag->value), std::move(flag)};
    const auto number = value.number();
    return source.above_one && number && *number <= 1 ? std::nullopt : std::optional(std::move(value));
  }

  std::optional<SettingValue> from_variable(const Source& source) const {
    Found found = variable(source.name);
    if (found.is_there && found.text == "") return std::nullopt;
    if (!found.is_there && !may_be_set(source.name)) return std::nullopt;
    return SettingValue{From::Variable, source.name, std::move(found.text), {}};
  }

  SettingValue setting(Setting which) const {
    for (const Source& source : launch_.launcher->sources(which)) {
      switch (source.kind) {
        case Source::Kind::Flag:
          if (auto value = from_flag(source)) return *std::move(value);
          break;
        case Source::Kind::Variable:
          if (auto value = from_variable(source)) return *std::move(value);
          break;
        case Source::Kind::Value:
          if (config_.is_told()) return {};
          return {From::Value, "", std::string(source.name), {}};
        case Source::Kind::Gpus:
          if (config_.is_told()) return {};
          return {From::Gpus, "", gpus_text(), {}};
      }
    }
    return {};
  }

  std::optional<std::string> gpus_text() const {
    if (!around_.gpus) return std::nullopt;
    return std::to_string(std::max<int64_t>(1, *around_.gpus));
  }

  const SettingValue& value_of(Setting setting) const { return (*settings_)[static_cast<size_t>(setting)]; }

  // Conditions. nullopt means unknown.

  std::optional<bool> equals(const std::optional<std::string>& text, const Condition& condition) const {
    if (!text) return std::nullopt;
    if (condition.above_one) {
      const auto number = base::read_integer(*text);
      return number ? std::optional(*number > 1) : std::nullopt;
    }
    return condition.value.empty() || *text == condition.value;
  }

  std::optional<bool> is_set(const Condition& condition) const {
    constexpr std::array<std::string_view, 5> kFalse{"", "0", "false", "False", "n"};
    const Found found = variable(condition.name);
    if (!found.is_there) return may_be_set(condition.name) ? std::nullopt : std::optional(false);
    if (!condition.value.empty()) return equals(found.text, condition);
    return found.text ? std::optional(!base::contains(kFalse, std::string_view(*found.text))) : true;
  }

  std::optional<bool> is_told(const Condition& condition) const {
    const SettingValue& value = value_of(condition.setting);
    if (condition.value.empty() && !condition.above_one) return value.is_told();
    return value.from == From::Nothing && !config_.is_told() ? std::optional(false)
                                                             : equals(value.text, condition);
  }

  bool has_yaml() const {
    const auto is_yaml = [](std::string_view word) {
      return word.ends_with(".yaml") || word.ends_with(".yml") || word.ends_with(".json");
    };
    const auto config = launch_.flag("--config");
    return (config && is_yaml(config->value)) ||
           (launch_.program.size() > launch_.named && is_yaml(launch_.program[launch_.named]));
  }

  std::optional<bool> has_many(std::string_view name) const {
    for (const std::string& word : launch_.program) {
      if (word.starts_with(name) && word.substr(name.size()).starts_with('='))
        return word.find(',') != std::string::npos;
    }
    return false;
  }

  std::optional<bool> holds_as_written(const Condition& condition) const {
    switch (condition.kind) {
      case Condition::Kind::Flag: {
        const auto flag = launch_.flag(condition.name);
        if (!flag) return false;
        const bool is_any = condition.value.empty() && !condition.above_one;
        return is_any ? std::optional(true) : equals(resolved(flag->value), condition);
      }
      case Condition::Kind::Variable: return is_set(condition);
      case Condition::Kind::Setting: return is_told(condition);
      case Condition::Kind::Gpus: return around_.gpus ? std::optional(*around_.gpus > 1) : std::nullopt;
      case Condition::Kind::Flags: return launch_.has_flags();
      case Condition::Kind::Yaml: return has_yaml();
      case Condition::Kind::Many: return has_many(condition.name);
    }
    return std::nullopt;
  }

  std::optional<bool> holds(const Condition& condition) const {
    const auto written = holds_as_written(condition);
    return written ? std::optional(*written != condition.is_negated) : std::nullopt;
  }

  // Decides for the first case whose conditions hold; for none if one of them is unknown.
  void decide(Start& start) const {
    for (const Case& one : launch_.launcher->cases) {
      bool is_known = true;
      bool fits = true;
      for (const Condition& condition : one.conditions) {
        const auto held = holds(condition);
        is_known = is_known && held;
        fits = fits && held.value_or(true);
      }
      if (!fits) continue;
      if (is_known) {
        start.result = one.result;
        start.decided = &one;
      }
      return;
    }
  }

  // The number of devices in "0,1" or "[0, 1]"; a comma may be the last character.
  static int64_t items_of_list(std::string_view list) {
    int64_t items = 0;
    for (size_t at = 0; at < list.size(); ++at) {
      const bool begins = base::is_alnum(list[at]) && (at == 0 || !base::is_alnum(list[at - 1]));
      if (begins) ++items;
    }
    return items;
  }

  // Those of a node.
  std::optional<int64_t> told_processes() const {
    if (!launch_.launcher->sources(Setting::Total).empty()) {
      const SettingValue& nodes = value_of(Setting::Nodes);
      const auto total = value_of(Setting::Total).number();
      if (nodes.from != From::Flag) return config_.is_told() ? std::nullopt : total;
      const auto count = nodes.number();
      return total && count && *count > 0 ? std::optional(*total / *count) : std::nullopt;
    }
    const SettingValue& value = value_of(Setting::Processes);
    if (const auto number = value.number()) return number;
    if (value.text && value.text->find(',') != std::string::npos) return items_of_list(*value.text);
    const bool is_gpus = value.text == "gpu" || value.text == "auto";
    return is_gpus && around_.gpus.value_or(0) > 0 ? around_.gpus : std::nullopt;
  }

  // Whether the setting is not a number, although the launcher needs one.
  bool is_refused(Setting setting) const {
    const SettingValue& value = value_of(setting);
    return value.is_told() && value.text && !value.number() &&
           !(setting == Setting::Nodes && value.text->find(':') != std::string::npos);
  }

  std::optional<int64_t> processes(const Start& start) const {
    if (!start.result || start.decided->is_uncountable) return std::nullopt;
    switch (*start.result) {
      case Result::One: return 1;
      case Result::Fails:
      case Result::Driver:
      case Result::Told: return std::nullopt;
      case Result::World:
      case Result::Alone:
      case Result::Waits: break;
    }
    const SettingValue& nodes = value_of(Setting::Nodes);
    const bool is_unknown = nodes.is_told() && !nodes.text;
    if (is_unknown || is_refused(Setting::Nodes) || is_refused(Setting::Rank)) return std::nullopt;
    return told_processes();
  }

  const Launch& launch_;
  const Surroundings& around_;
  SettingValue config_;
  const std::array<SettingValue, kSettingCount>* settings_ = nullptr;
};

}  // namespace

Start start_of(const Launch& launch, const Surroundings& surroundings) {
  return Pod(launch, surroundings).start();
}

}  // namespace trainjobc::launch
