// SPDX-License-Identifier: Apache-2.0

#include "compile/advice/job_command.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "secret/secret.h"
#include "yaml/rewrite/edits.h"

namespace trainjobc::compile::advice {

using launch::WordPlace;

namespace {

// Finds a part of a script; nullopt unless it occurs exactly once as words of its own.
std::optional<size_t> find_only(std::string_view script, std::string_view part) {
  constexpr std::string_view kBetween = " \t\n;&|()";
  std::optional<size_t> found;
  for (size_t at = script.find(part); at != std::string_view::npos; at = script.find(part, at + 1)) {
    const size_t end = at + part.size();
    const bool is_apart =
        (at == 0 || part.front() == ' ' || kBetween.find(script[at - 1]) != std::string_view::npos) &&
        (end == script.size() || kBetween.find(script[end]) != std::string_view::npos);
    if (!is_apart) continue;
    if (found) return std::nullopt;
    found = at;
  }
  return found;
}

// The place of a part of a word; the whole word if that is unknown.
base::Location locate_part(const yaml::Node& word, std::string_view part) {
  const auto at = part.empty() ? std::nullopt : find_only(word.text(), part);
  return at ? yaml::WrittenText(word).place_or_all(*at, part.size()) : yaml::locate(word);
}

}  // namespace

JobCommand::JobCommand(const AdviceContext& context, const yaml::Node& container)
    : context_(context),
      line_{container.get("command"), container.get("args")},
      words_(launch::words_of(line_)),
      script_(launch::script_index(words_)) {}

const yaml::Node* JobCommand::own_list(const WordPlace& place) const {
  const model::Trainer& trainer = *context_.job.trainer;
  const yaml::Node* own = place.in_args ? trainer.args : trainer.command;
  return own && own->size() > 0 ? own : nullptr;
}

base::Diagnostic& JobCommand::report(std::string_view rule, size_t index, std::string message,
                                     std::string hint, Advisor& advisor, std::string_view part) const {
  const WordPlace place = launch::place_of_word(line_, index);
  if (!own_list(place)) {
    base::Diagnostic& found =
        advisor.warn(rule, "spec.runtimeRef.name", std::move(message),
                     yaml::locate(*context_.job.runtime_ref.name.node), std::move(hint));
    add_note(found, "the runtime's command", place.word);
    return found;
  }
  base::Diagnostic& found = advisor.warn(
      rule, fmt::format("spec.trainer.{}[{}]", place.in_args ? "args" : "command", place.item),
      std::move(message), locate_part(*place.word, index == script_ ? part : ""), std::move(hint));
  found.hide_source = secret::may_hold_secret(place.word->text());
  return found;
}

// Trainer completes some commands: words that it adds are not in the job's list.
const yaml::Node* JobCommand::own_word(size_t index) const {
  const WordPlace place = launch::place_of_word(line_, index);
  const yaml::Node* own = own_list(place);
  return own && place.item < own->size() ? own->items()[place.item] : nullptr;
}

std::vector<base::Edit> JobCommand::without(size_t index, size_t count, std::string_view part) const {
  if (index == script_) return with(index, fmt::format(" {}", part), "");
  if (!own_word(index)) return {};
  const WordPlace place = launch::place_of_word(line_, index);
  return yaml::remove_items(*own_list(place), place.item, count);
}

std::vector<base::Edit> JobCommand::with(size_t index, std::string_view part, std::string_view by) const {
  const yaml::Node* script = own_word(index);
  const auto at = script ? find_only(script->text(), part) : std::nullopt;
  if (!at) return {};
  // Removing a part keeps the spaces after it, and removes those before it.
  const size_t before = script->text().find_last_not_of(' ', *at);
  const size_t begin = by.empty() && before != std::string_view::npos && before < *at ? before + 1 : *at;
  return yaml::WrittenText(*script).replace(begin, *at + part.size() - begin, by);
}

}  // namespace trainjobc::compile::advice
