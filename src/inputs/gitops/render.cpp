// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>

#include "base/arena.h"
#include "base/text/text.h"
#include "compile/input.h"
#include "inputs/gitops/roots.h"
#include "inputs/kustomize/kustomization.h"
#include "model/train_job.h"
#include "rules/rules.h"
#include "yaml/node.h"
#include "yaml/read/reader.h"
#include "yaml/write/writer.h"

namespace trainjobc::gitops {
namespace {

using yaml::Node;

constexpr const char* kRule = "advice/flux-variable";
constexpr std::string_view kSwitch = "kustomize.toolkit.fluxcd.io/substitute";

using Key = std::pair<std::string, std::string>;  // kind and name

Key key_of(const Node& root) {
  return {std::string(yaml::string_at(root, "kind")),
          std::string(yaml::string_at(root, {"metadata", "name"}))};
}

// What the rendered documents are made of.
struct Memory {
  std::deque<base::SourceFile> files;
  base::Arena arena;
  std::vector<std::shared_ptr<const yaml::Relocator>> relocators;
  std::map<Key, const Node*> written;  // by kind and name with their variables replaced
};

class WrittenRelocator final : public yaml::Relocator {
 public:
  explicit WrittenRelocator(std::shared_ptr<const Memory> memory) : memory_(std::move(memory)) {}

  const Node* relocate(const Node& root, const yaml::Maker& make) const override {
    const Node* written = base::value_or(memory_->written, key_of(root));
    return written ? kustomize::with_origins_of(root, *written, make) : &root;
  }

 private:
  std::shared_ptr<const Memory> memory_;
};

bool is_disabled(const Node& root) {
  for (const std::string_view field : {"labels", "annotations"}) {
    const Node* map = root.at({"metadata", field});
    if (map && map->is_map() && yaml::string_at(*map, kSwitch) == "disabled") return true;
  }
  return false;
}

// Calls `use` with the name and the offset of each variable in the text: "${name}", "${name:=…".
template <class Use>
void for_each_variable(std::string_view text, Use use) {
  for (size_t at = text.find("${"); at != std::string_view::npos; at = text.find("${", at + 2)) {
    size_t end = at + 2;
    while (end < text.size() &&
           std::string_view("}:=,^/#% \t{$\"'").find(text[end]) == std::string_view::npos)
      ++end;
    const bool is_variable =
        end < text.size() && std::string_view("}:=,^/#%").find(text[end]) != std::string_view::npos;
    if (is_variable) use(text.substr(at + 2, end - at - 2), at);
  }
}

using PlacesByName = std::map<std::string, std::vector<base::Location>, std::less<>>;

class Renderer {
 public:
  Renderer(const Root& root, std::string name) : root_(root) {
    rendered_.source.name = std::move(name);
    known_ = root.variables;
    for (const std::string& unknown : root.unknown) known_.try_emplace(unknown, "");
  }

  Rendered render(const std::vector<Source>& sources) {
    for (const Source& source : sources) add(source);
    rendered_.memory = memory_;
    rendered_.source.relocator = std::make_shared<WrittenRelocator>(memory_);
    return std::move(rendered_);
  }

 private:
  void add(const Source& source) {
    const base::SourceFile& file = memory_->files.emplace_back(source.name, source.text);
    if (source.relocator) memory_->relocators.push_back(source.relocator);
    base::Diagnostics problems;
    const auto documents = yaml::read(file, memory_->arena, problems);
    if (problems.has_errors()) {
      rendered_.unread.push_back(source);
      return;
    }
    for (const yaml::Document& document : documents) {
      if (!document.root->is_map()) continue;
      const Node* written = source.relocator
                                ? source.relocator->relocate(*document.root, yaml::Maker(memory_->arena))
                                : document.root;
      add(*document.root, *written);
    }
  }

  void add(const Node& root, const Node& written) {
    std::string text;
    yaml::write_yaml(root, yaml::KeyOrder::AsIs, text);
    if (!is_disabled(root)) {
      Substituted substituted = substitute(text, known_);
      report(substituted, written);
      if (substituted.error.empty()) text = std::move(substituted.text);
    }
    base::SourceFile& made = memory_->files.emplace_back(rendered_.source.name, text);
    base::Diagnostics ignored;
    for (const yaml::Document& document : yaml::read(made, memory_->arena, ignored))
      memory_->written[key_of(*document.root)] = &written;
    rendered_.source.text += "---\n" + text;
  }

  void report(const Substituted& substituted, const Node& written) {
    const bool is_ours = compile::is_trainer_kind(yaml::string_at(written, "kind"));
    if (!substituted.error.empty() && is_ours) {
      add_finding(written, yaml::locate(written),
                  fmt::format("Flux can't replace the variables of this object: {}", substituted.error),
                  "write $${ for a ${ that is not a variable, or disable substitution for the object");
    }
    if (substituted.unset.empty() && root_.unknown.empty()) return;
    PlacesByName places;
    find_variables(written, places);
    for (const std::string& name : substituted.unset) {
      for (const base::Location& at : places[name]) {
        note_undecided(at);
        if (!root_.not_here.empty() || !is_ours) continue;
        add_finding(
            written, at,
            fmt::format("nothing sets the variable {}: {} at {} replaces it by nothing", name, root_.title,
                        root_.place),
            fmt::format("set {0} under spec.postBuild.substitute, or write a default: ${{{0}:=value}}",
                        name));
      }
    }
    for (const auto& [name, found] : places) {
      if (root_.unknown.contains(name))
        std::ranges::for_each(found, [&](const base::Location& at) { note_undecided(at); });
    }
  }

  void note_undecided(const base::Location& at) {
    if (at.file) rendered_.undecided.emplace_back(at.file->name(), at.line);
  }

  void add_finding(const Node& written, const base::Location& at, std::string message, std::string hint) {
    base::Diagnostic found = rules::finding(kRule, std::move(message), std::move(hint), at);
    found.object = model::identify(written).str();
    rendered_.found.add(std::move(found));
  }

  using Found = std::map<std::string_view, std::optional<base::Location>>;

  // The places of the variables in the values below the node.
  static void find_variables(const Node& node, PlacesByName& places) {
    for (const yaml::Entry& entry : node.entries()) find_variables(*entry.value, places);
    for (const Node* item : node.items()) find_variables(*item, places);
    if (!node.is_string()) return;
    Found own;
    for_each_variable(node.text(), [&](std::string_view name, size_t) { own.try_emplace(name); });
    if (own.empty()) return;
    const base::Location at = yaml::locate(node);
    narrow(own, at);
    for (const auto& [name, place] : own) places[std::string(name)].push_back(place.value_or(at));
  }

  // Each to the variable itself, on its first line of a text that may have several.
  static void narrow(Found& variables, const base::Location& at) {
    constexpr uint32_t kMostLines = 1000;
    if (!at.file || at.line == 0) return;
    const std::string_view first = at.file->line(at.line);
    const size_t column = std::min<size_t>(at.column - 1, first.size());
    const std::string_view from = first.substr(column);
    const bool is_quoted = from.starts_with('"') || from.starts_with('\'');
    const uint32_t last =
        is_quoted ? at.end_line : std::max(at.end_line, std::min(at.line + kMostLines, at.file->line_count()));
    size_t left = variables.size();
    for (uint32_t line = at.line; line <= last && left > 0; ++line) {
      std::string_view text = at.file->line(line);
      // Other values may stand beside it.
      if (line == at.end_line) text = text.substr(0, at.end_column - 1);
      const size_t before = line == at.line ? std::min(column, text.size()) : 0;
      text.remove_prefix(before);
      for_each_variable(text, [&](std::string_view name, size_t begin) {
        const auto found = variables.find(name);
        if (found == variables.end() || found->second) return;
        const size_t end = std::min(text.find('}', begin), text.size() - 1);
        found->second = base::Location{at.file, line, static_cast<uint32_t>(before + begin + 1), line,
                                       static_cast<uint32_t>(before + end + 2)};
        --left;
      });
    }
  }

  const Root& root_;
  Variables known_;  // with "" for what is not read
  std::shared_ptr<Memory> memory_ = std::make_shared<Memory>();
  Rendered rendered_;
};

}  // namespace

Rendered render(const Root& root, const std::vector<Source>& sources, std::string name) {
  return Renderer(root, std::move(name)).render(sources);
}

}  // namespace trainjobc::gitops
