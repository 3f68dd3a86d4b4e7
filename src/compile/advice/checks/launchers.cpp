// SPDX-License-Identifier: Apache-2.0

// Whether the nodes of a job can meet with the settings that its launcher gets.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/text/text.h"
#include "compile/advice/checks.h"
#include "compile/advice/trained.h"
#include "k8s/jobset/jobset.h"
#include "policy/plugin.h"
#include "rules/rules.h"
#include "yaml/rewrite/edits.h"

namespace trainjobc::compile::advice::launchers {
namespace {

using launch::Launch;
using launch::Result;
using launch::Setting;
using launch::SettingValue;
using launch::Start;
using yaml::Node;
using Kind = Launch::Kind;

constexpr std::string_view kNoLauncher = "advice/no-launcher";
constexpr std::string_view kLauncherSetting = "advice/launcher-setting";

// The numbers of nodes that "2" or "1:4" allows; nullopt for other text.
struct NodeRange {
  int64_t least = 0;
  int64_t most = 0;
};
std::optional<NodeRange> node_range(std::string_view text) {
  const size_t colon = text.find(':');
  const auto least = base::read_integer(text.substr(0, colon));
  const auto most = colon == std::string_view::npos ? least : base::read_integer(text.substr(colon + 1));
  return least && most ? std::optional(NodeRange{*least, *most}) : std::nullopt;
}

std::string_view host_in(std::string_view endpoint) {
  return endpoint.substr(0, endpoint.rfind(':'));
}

// A variable that the job sets for programs other than torchrun; check_env_numbers compares it.
bool is_compared_elsewhere(const SettingValue& value) {
  return value.from == SettingValue::From::Variable && base::contains(kNumberVariables, value.name);
}

// Only accepts $NAME: ${NAME} is usually a template's.
// The variable that the text begins with, as a shell would read it: "$NAME", "${NAME}:29500"; "" if there is
// none.
std::string_view shell_variable_in(std::string_view text) {
  if (!text.starts_with('$')) return {};
  const bool is_braced = text.substr(1).starts_with('{');
  const std::string_view rest = text.substr(is_braced ? 2 : 1);
  const auto end = std::ranges::find_if_not(rest, [](char c) { return base::is_alnum(c) || c == '_'; });
  const bool is_closed = !is_braced || (end != rest.end() && *end == '}');
  return is_closed ? rest.substr(0, static_cast<size_t>(end - rest.begin())) : std::string_view();
}

class LauncherCheck {
 public:
  LauncherCheck(const TrainingContainer& trained, Advisor& advisor)
      : trained_(trained), launch_(trained.launch), start_(trained.start()), advisor_(advisor) {}

  void check() {
    if (check_literals() || check_script()) return;
    if (trained_.nodes > 1 && check_result()) return;
    check_processes();
    check_address();
  }

 private:
  // Where a finding points, and what it would remove.
  struct Target {
    std::optional<Launch::Flag> flag;
    std::string_view variable;
  };

  static Target target_of(const SettingValue& value) {
    return {value.flag, value.from == SettingValue::From::Variable ? value.name : ""};
  }

  // `blame` is a flag, "$NAME", or the name of a setting.
  Target target_of(std::string_view blame) const {
    constexpr std::array<std::pair<std::string_view, Setting>, 5> kNames{{{"nodes", Setting::Nodes},
                                                                          {"world", Setting::World},
                                                                          {"rank", Setting::Rank},
                                                                          {"address", Setting::Address},
                                                                          {"backend", Setting::Backend}}};
    if (blame.starts_with('$')) return {{}, blame.substr(1)};
    if (blame.starts_with('-')) return {launch_.flag(blame), ""};
    const auto* const setting = base::find(kNames, blame, &std::pair<std::string_view, Setting>::first);
    return setting ? target_of(start_[setting->second]) : Target();
  }

  bool is_switch(const Launch::Flag& flag) const {
    return flag.words == 1 && flag.name.find('=') == std::string::npos;
  }

  std::string written(const Launch::Flag& flag) const {
    return flag.words > 1 ? fmt::format("{} {}", flag.name, flag.value) : flag.name;
  }

  base::Diagnostic& report(const Target& target, std::string message, std::string hint, bool removes) {
    if (target.flag) {
      const std::string text = written(*target.flag);
      base::Diagnostic& found = trained_.command.report(kLauncherSetting, target.flag->word,
                                                        std::move(message), std::move(hint), advisor_, text);
      if (removes)
        base::suggest_fix(found, trained_.command.without(target.flag->word, target.flag->words, text));
      return found;
    }
    const auto* const assigned =
        base::find(launch_.variables, target.variable, &std::pair<std::string, std::string>::first);
    if (assigned)
      return report_assignment(fmt::format("{}={}", assigned->first, assigned->second), std::move(message),
                               std::move(hint), removes);
    if (!target.variable.empty())
      return report_variable(target.variable, std::move(message), std::move(hint), removes);
    return trained_.command.report(kLauncherSetting, launch_.word, std::move(message), std::move(hint),
                                   advisor_, written_program(launch_));
  }

  // Reports a variable that the command sets: [env, NAME=value, torchrun], or a script.
  base::Diagnostic& report_assignment(const std::string& text, std::string message, std::string hint,
                                      bool removes) {
    const auto& words = trained_.words();
    const auto at = std::ranges::find(words, text);
    const bool is_word = at != words.end();
    const size_t index = is_word ? static_cast<size_t>(at - words.begin()) : launch_.word;
    base::Diagnostic& found =
        trained_.command.report(kLauncherSetting, index, std::move(message), std::move(hint), advisor_, text);
    if (removes && is_word) base::suggest_fix(found, trained_.command.without(index, 1));
    return found;
  }

  base::Diagnostic& report_variable(std::string_view name, std::string message, std::string hint,
                                    bool removes) {
    const model::TrainJob& job = trained_.context.job;
    const auto items = yaml::items_of(job.trainer->env);
    const auto at =
        std::ranges::find_if(items, [&](const Node* one) { return text_at(*one, "name") == name; });
    if (at == items.end()) {
      base::Diagnostic& found = advisor_.warn(kLauncherSetting, "spec.runtimeRef.name", std::move(message),
                                              yaml::locate(*job.runtime_ref.name.node), std::move(hint));
      add_note(found, "the runtime's variable",
               yaml::find_named(yaml::items_at(*trained_.container, "env"), name));
      return found;
    }
    const auto index = static_cast<size_t>(at - items.begin());
    const Node* value = (*at)->get("value");
    base::Diagnostic& found =
        advisor_.warn(kLauncherSetting, fmt::format("spec.trainer.env[{}].value", index), std::move(message),
                      yaml::locate(value ? *value : **at), std::move(hint));
    if (removes) base::suggest_fix(found, yaml::remove_items(*job.trainer->env, index, 1));
    return found;
  }

  // The controller's variable that replaces the setting; "" if the launcher reads none.
  std::string_view family_variable(Setting setting) const {
    for (const launch::Source& source : launch_.launcher->sources(setting)) {
      const bool is_variable = source.kind == launch::Source::Kind::Variable;
      if (is_variable && base::contains(trained_.framework->env, source.name)) return source.name;
    }
    return "";
  }

  // Whether the controller's variables are enough for the launcher without this setting.
  bool is_removable(Setting setting) const {
    const launch::Program& launcher = *launch_.launcher;
    if (!launcher.has_script || !launcher.sources(Setting::Total).empty()) return false;
    if (setting != Setting::Endpoint) return !family_variable(setting).empty();
    const auto needs_endpoint = [](const launch::Case& one) {
      const launch::Condition* only = one.conditions.size() == 1 ? &one.conditions.front() : nullptr;
      return only && only->kind == launch::Condition::Kind::Setting && only->setting == Setting::Endpoint;
    };
    return launcher.reads_family() && start_[Setting::Backend].text == "static" &&
           std::ranges::none_of(launcher.cases, needs_endpoint);
  }

  // Reports a setting that contradicts the job.
  void report_setting(Setting setting, std::string message, std::string hint = "") {
    const bool removes = is_removable(setting);
    const std::string_view variable =
        setting == Setting::Endpoint ? trained_.framework->address : family_variable(setting);
    if (removes) hint = fmt::format("remove it: {} reads {}", launch_.name(), variable);
    report(target_of(start_[setting]), std::move(message), std::move(hint), removes);
  }

  // The setting as the user knows it: "--nnodes 2", "NNODES 2".
  std::string said(Setting setting) const {
    const SettingValue& value = start_[setting];
    return fmt::format("{} {}", value.flag ? value.name : value.source(), value.text.value_or(""));
  }

  // What Kubernetes replaces, in the place of a shell's variable: the same one if the container has it, or
  // the controller's for the setting.
  std::string reference_for(std::string_view variable, Setting setting) const {
    using Variable = std::pair<Setting, std::string_view policy::Framework::*>;
    constexpr std::array<Variable, 6> kOfFramework{{{Setting::Nodes, &policy::Framework::nodes},
                                                    {Setting::Processes, &policy::Framework::processes},
                                                    {Setting::Rank, &policy::Framework::rank},
                                                    {Setting::Address, &policy::Framework::address},
                                                    {Setting::Endpoint, &policy::Framework::address},
                                                    {Setting::Port, &policy::Framework::port}}};
    const auto env = yaml::items_at(*trained_.container, "env");
    if (yaml::find_named(env, variable)) return fmt::format("write $({})", variable);
    const auto* const own = base::find(kOfFramework, setting, &Variable::first);
    const std::string_view name = own ? trained_.framework->*own->second : std::string_view();
    return yaml::find_named(env, name) ? fmt::format("write $({})", name) : "write its value";
  }

  // Reports texts such as $PET_NNODES that no shell expands.
  bool check_literals() {
    std::set<size_t> said;  // words
    for (const Setting setting : {Setting::Nodes, Setting::Processes, Setting::Total, Setting::World,
                                  Setting::Rank, Setting::Address, Setting::Port, Setting::Endpoint}) {
      const SettingValue& value = start_[setting];
      if (!value.flag || launch_.in_script || !value.text) continue;
      const std::string_view variable = shell_variable_in(*value.text);
      if (variable.empty() || !said.insert(value.flag->word).second) continue;
      report(target_of(value),
             fmt::format("{} gets the text {}: without a shell, nothing expands it", launch_.name(),
                         *value.text),
             reference_for(variable, setting), false);
    }
    return !said.empty();
  }

  // Reports a script that is itself a launcher.
  bool check_script() {
    if (!launch_.launcher->has_script) return false;
    const Launch script = launch::launch_of_script(launch_);
    if (script.kind != Kind::Launcher) return false;
    const Start start = script_start(script);
    const bool is_harmless = !start.result || *start.result == Result::One || *start.result == Result::Told;
    if (is_harmless) return false;
    const std::string name(script.name());
    const std::string message =
        *start.result == Result::Driver
            ? fmt::format("{} starts {} once for each process, and it must run once", launch_.name(), name)
            : fmt::format("{} starts {} once for each process, and each starts processes of its own",
                          launch_.name(), name);
    std::string hint(script.launcher->hint);
    if (*start.result != Result::Driver && !script.launcher->instead.empty())
      hint = fmt::format("write {} instead", joined(words_instead(script)));
    trained_.command.report(kLauncherSetting, launch_.word, message, std::move(hint), advisor_,
                            written_program(launch_));
    return true;
  }

  Start script_start(const Launch& script) const {
    const bool has_more = !yaml::items_at(*trained_.container, "envFrom").empty();
    std::vector<launch::Variable> env;
    for (const Node* item : yaml::items_at(*trained_.container, "env")) {
      env.push_back({std::string(text_at(*item, "name")), std::string(text_at(*item, "value")),
                     item->get("valueFrom") ? "elsewhere" : ""});
    }
    return launch::start_of(script, {env, has_more, launch::visible_gpus(*trained_.container)});
  }

  // The first half of the message.
  std::string because() const {
    const launch::Case& one = *start_.decided;
    std::string_view text = one.because;
    if (text.empty()) {
      text = one.result == Result::One ? "{name} starts one process on each node, and does not read {family}"
                                       : "{name} starts processes on its own node only, and does not read "
                                         "{family}";
    }
    return filled(text);
  }

  // Replaces the placeholders in the text of a row.
  std::string filled(std::string_view text) const {
    std::string out(text);
    const auto replace = [&](std::string_view name, const std::string& by) {
      for (size_t at = out.find(name); at != std::string::npos; at = out.find(name, at + by.size()))
        out.replace(at, name.size(), by);
    };
    replace("{nodes}", std::to_string(trained_.nodes));
    replace("{name}", std::string(launch_.name()));
    replace("{family}", std::string(trained_.framework->env_family));
    replace("{backend}", start_[Setting::Backend].text.value_or("the rendezvous"));
    return out;
  }

  // Returns true if the nodes don't form one world.
  bool check_result() {
    if (!start_.result) return true;
    switch (*start_.result) {
      case Result::Told: return true;
      case Result::One:
      case Result::Alone: return report_alone();
      case Result::Driver: return report_driver();
      case Result::Waits:
      case Result::Fails: return report_never();
      case Result::World: return check_nodes() || check_rank() || check_endpoint();
    }
    return true;
  }

  std::string hint() const {
    const launch::Case& one = *start_.decided;
    if (!one.hint.empty()) return filled(one.hint);
    if (!launch_.launcher->hint.empty()) return filled(launch_.launcher->hint);
    return fmt::format("start it with {}: {}", trained_.framework->env_reader,
                       words_for(*trained_.framework, launch_));
  }

  bool report_alone() {
    base::Diagnostic& found = trained_.command.report(
        kNoLauncher, launch_.word,
        fmt::format("{}: the {} nodes train alone, each the whole job", because(), trained_.nodes), hint(),
        advisor_, written_program(launch_));
    base::suggest_fix(found, launch_.launcher->instead.empty() ? start_with_reader(trained_, launch_)
                                                               : start_instead(trained_, launch_));
    return true;
  }

  bool report_driver() {
    if (launch_.starts_ray || sets_ranks(trained_)) return true;
    trained_.command.report(kNoLauncher, launch_.word, because(), hint(), advisor_, written_program(launch_));
    return true;
  }

  bool report_never() {
    const launch::Case& one = *start_.decided;
    const bool waits = one.result == Result::Waits;
    std::string advice = one.is_removable ? fmt::format("remove it: {} reads {}", launch_.name(),
                                                        trained_.framework->env_family)
                                          : hint();
    report(target_of(one.blame), waits ? fmt::format("{}: they never meet", because()) : because(),
           std::move(advice), one.is_removable);
    return true;
  }

  bool check_nodes() {
    const SettingValue& value = start_[Setting::Nodes];
    if (const auto world = start_[Setting::World].number()) return check_world(*world);
    const auto range = value.is_told() && value.text ? node_range(*value.text) : std::nullopt;
    if (!range || is_compared_elsewhere(value)) return false;
    if (range->least <= trained_.nodes && trained_.nodes <= range->most) return false;
    report_setting(
        Setting::Nodes,
        fmt::format("{} contradicts the job, which has {} nodes", said(Setting::Nodes), trained_.nodes),
        fmt::format("write {}", trained_.nodes));
    return true;
  }

  bool check_world(int64_t world) {
    const auto each = start_[Setting::Processes].number();
    if (!each || world == *each * trained_.nodes || is_compared_elsewhere(start_[Setting::World]))
      return false;
    report_setting(Setting::World,
                   fmt::format("{} contradicts the job, which has {} nodes with {} processes each",
                               said(Setting::World), trained_.nodes, *each),
                   fmt::format("write {}", trained_.nodes * *each));
    return true;
  }

  // Reports a rank that is the same on two nodes.
  bool check_rank() {
    const SettingValue& value = start_[Setting::Rank];
    const auto rank = value.is_told() ? value.number() : std::nullopt;
    if (!rank || rank != trained_.starts[1][Setting::Rank].number()) return false;
    const SettingValue& backend = start_[Setting::Backend];
    if (backend.is_told() && backend.text != "static") return false;  // the backend chooses ranks itself
    report_setting(Setting::Rank,
                   fmt::format("{} is the rank of each of the {} nodes: they never meet", said(Setting::Rank),
                               trained_.nodes),
                   value.flag ? fmt::format("write $({})", trained_.framework->rank)
                              : fmt::format("set it in the command: [env, {}=$({}), …]", value.name,
                                            trained_.framework->rank));
    return true;
  }

  bool check_endpoint() {
    const SettingValue& value = start_[Setting::Endpoint];
    if (!value.text || !is_this_host(host_in(*value.text))) return false;
    report_setting(Setting::Endpoint,
                   fmt::format("{} is another host on each of the {} nodes: they never meet",
                               said(Setting::Endpoint), trained_.nodes),
                   fmt::format("write $({}) for the host", trained_.framework->address));
    return true;
  }

  void check_processes() {
    const Node* given = trained_.context.job.trainer->num_proc_per_node;
    const auto wanted = given ? given->as_int() : std::nullopt;
    const SettingValue& value = start_[Setting::Processes];
    if (!wanted || !value.flag || family_variable(Setting::Processes).empty()) return;
    const auto number = value.number();
    if (!number || *wanted == *number) return;
    report_setting(Setting::Processes, fmt::format("{} replaces the job's numProcPerNode: {}",
                                                   said(Setting::Processes), *wanted));
  }

  void check_address() {
    const SettingValue& value = start_[Setting::Address];
    if (!value.is_told() || !value.text || is_compared_elsewhere(value)) return;
    if (base::contains(trained_.framework->env, value.name)) return;  // the controller's variable
    const bool is_local = trained_.nodes > 1 && is_this_host(*value.text);
    if (!is_local && !k8s::jobset::is_foreign_pod(
                         k8s::jobset::view_job_set(trained_.context.admitted_job_set), *value.text))
      return;
    report_setting(Setting::Address,
                   is_local ? fmt::format("{} is another host on each of the {} nodes: they never meet",
                                          said(Setting::Address), trained_.nodes)
                            : foreign_pod(trained_.context, *value.text),
                   fmt::format("write $({})", trained_.framework->address));
  }

  const TrainingContainer& trained_;
  const Launch& launch_;
  const Start& start_;
  Advisor& advisor_;
};

void check_trained(const TrainingContainer& trained, Advisor& advisor) {
  const bool is_launched = trained.has_launchers() && trained.launch.kind == Kind::Launcher;
  if (is_launched) LauncherCheck(trained, advisor).check();
}

}  // namespace

Checks checks() {
  return {.training = {check_trained}};
}

}  // namespace trainjobc::compile::advice::launchers
