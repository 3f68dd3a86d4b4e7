// SPDX-License-Identifier: Apache-2.0

#include "features/gitops/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>

#include "base/arena.h"
#include "compile/input.h"
#include "features/kustomize/origins.h"
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
  return {std::string(yaml::string_at(root, "kind")), std::string(yaml::string_at(root, {"metadata", "name"}))};
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
    const auto found = memory_->written.find(key_of(root));
    return found != memory_->written.end() ? kustomize::with_origins_of(root, *found->second, make) : &root;
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

// Whether the text begins with the variable: "${name}", "${name:=…".
bool begins_with(std::string_view text, std::string_view name) {
  if (!text.starts_with("${") || text.substr(2, name.size()) != name) return false;
  const std::string_view rest = text.substr(std::min(name.size() + 2, text.size()));
  return !rest.empty() && (rest.front() == '}' || std::string_view(":=,^/#%").find(rest.front()) != std::string_view::npos);
}

std::optional<size_t> find_variable(std::string_view text, std::string_view name) {
  for (size_t at = text.find("${"); at != std::string_view::npos; at = text.find("${", at + 1)) {
    if (begins_with(text.substr(at), name)) return at;
  }
  return std::nullopt;
}

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
    for (const std::string& name : substituted.unset) {
      std::vector<base::Location> places;
      find(written, name, places);
      for (const base::Location& at : places) {
        note_undecided(at);
        if (!root_.not_here.empty() || !is_ours) continue;
        add_finding(written, at,
                    fmt::format("nothing sets the variable {}: {} at {} replaces it by nothing", name, root_.title,
                                root_.place),
                    fmt::format("set {0} under spec.postBuild.substitute, or write a default: ${{{0}:=value}}", name));
      }
    }
    for (const std::string& name : root_.unknown) {
      std::vector<base::Location> places;
      find(written, name, places);
      for (const base::Location& at : places) note_undecided(at);
    }
  }

  void note_undecided(const base::Location& at) {
    if (at.file) rendered_.undecided.emplace_back(at.file->name(), at.line);
  }

  void add_finding(const Node& written, const base::Location& at, std::string message, std::string hint) {
    base::Diagnostic found = rules::finding(kRule);
    found.object = model::identify(written).str();
    found.message = std::move(message);
    found.hint = std::move(hint);
    found.location = at;
    rendered_.found.add(std::move(found));
  }

  // The places of the variable in the values below the node.
  static void find(const Node& node, const std::string& name, std::vector<base::Location>& places) {
    if (node.is_map()) {
      for (const yaml::Entry& entry : node.entries()) find(*entry.value, name, places);
    } else if (node.is_list()) {
      for (const Node* item : node.items()) find(*item, name, places);
    } else if (node.is_string() && find_variable(node.text(), name)) {
      places.push_back(place_in(yaml::locate(node), name));
    }
  }

  // The variable itself, on its line of a text that may have several.
  static base::Location place_in(base::Location at, const std::string& name) {
    constexpr uint32_t kMostLines = 1000;
    if (!at.file || at.line == 0) return at;
    const uint32_t last = std::max(at.end_line, std::min(at.line + kMostLines, at.file->line_count()));
    for (uint32_t line = at.line; line <= last; ++line) {
      const auto found = find_variable(at.file->line(line), name);
      if (!found) continue;
      const std::string_view text = at.file->line(line);
      const auto begin = static_cast<uint32_t>(*found + 1);
      const size_t end = std::min(text.find('}', *found), text.size() - 1);
      return {at.file, line, begin, line, static_cast<uint32_t>(end + 2)};
    }
    return at;
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
