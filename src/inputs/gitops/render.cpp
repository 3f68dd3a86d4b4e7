// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <tuple>

#include "base/arena.h"
#include "base/text/suggest.h"
#include "base/text/text.h"
#include "compile/input.h"
#include "inputs/gitops/overlay.h"
#include "inputs/gitops/references.h"
#include "inputs/gitops/roots.h"
#include "model/train_job.h"
#include "rules/rules.h"
#include "yaml/changes.h"
#include "yaml/node.h"
#include "yaml/read/reader.h"
#include "yaml/write/go_writer.h"

namespace trainjobc::gitops {
namespace {

using yaml::Node;

constexpr const char* kRule = "advice/flux-variable";
constexpr std::string_view kSwitch = "kustomize.toolkit.fluxcd.io/substitute";
constexpr std::string_view kEscape =
    "write $${ for a ${ that is not a variable, or disable substitution for the object";

using Key = std::tuple<std::string, std::string, std::string>;  // kind, namespace and name

Key key_of(const Node& root) {
  return {std::string(yaml::string_at(root, "kind")),
          std::string(yaml::string_at(root, {"metadata", "namespace"})),
          std::string(yaml::string_at(root, {"metadata", "name"}))};
}

bool is_disabled(const Node& root) {
  for (const std::string_view field : {"labels", "annotations"}) {
    const Node* map = root.at({"metadata", field});
    if (map && map->is_map() && yaml::string_at(*map, kSwitch) == "disabled") return true;
  }
  return false;
}

// What the rendered documents are made of.
struct RenderMemory {
  Root root;
  Variables known;  // with "" for what is not read
  std::deque<base::SourceFile> files;
  base::Arena arena;
  std::vector<std::shared_ptr<const yaml::Relocator>> relocators;
  std::map<Key, const Node*> written;  // with their variables, by what they have become
  std::map<Place, Reference> references;
};

// The origins of what was written, variable by variable.
class FluxRelocator final : public yaml::Relocator {
 public:
  explicit FluxRelocator(std::shared_ptr<const RenderMemory> memory) : memory_(std::move(memory)) {}

  const Node* relocate(const Node& root, const yaml::Maker& make) const override {
    const Node* written = base::value_or(memory_->written, key_of(root));
    return written ? relocated(root, *written, make) : &root;
  }

 private:
  const Node* relocated(const Node& made, const Node& written, const yaml::Maker& make) const {
    const bool is_same_kind = made.is_map() == written.is_map() && made.is_list() == written.is_list();
    if (made.is_scalar() && written.is_scalar()) {
      const bool is_same = made.text() == written.text() && made.kind() == written.kind();
      return make.with_origin(made, is_same ? written.origin() : make.made("flux", {&written}));
    }
    if (!is_same_kind)
      return yaml::with_origins(made, make,
                                [&](const yaml::Origin&) { return make.made("flux", {&written}); });
    if (made.is_list()) return list(made, written, make);
    std::vector<yaml::Entry> entries;
    for (const yaml::Entry& entry : made.entries()) {
      const yaml::Entry* own = entry_of(written, entry.key);
      if (own) {
        entries.push_back({entry.key, relocated(*entry.value, *own->value, make), own->key_origin});
        continue;
      }
      const yaml::Origin origin = make.made("flux", {&written});
      const auto at = [&](const yaml::Origin&) { return origin; };
      entries.push_back({entry.key, yaml::with_origins(*entry.value, make, at), origin});
    }
    return make.map(entries, written.origin());
  }

  const Node* list(const Node& made, const Node& written, const yaml::Maker& make) const {
    std::vector<const Node*> items;
    for (size_t i = 0; i < made.items().size(); ++i) {
      const bool is_there = i < written.items().size();
      items.push_back(relocated(*made.items()[i], is_there ? *written.items()[i] : written, make));
    }
    return make.list(items, written.origin());
  }

  // That of the key, or of a key with variables that has become it.
  const yaml::Entry* entry_of(const Node& written, std::string_view key) const {
    if (const yaml::Entry* same = written.find(key)) return same;
    for (const yaml::Entry& entry : written.entries()) {
      if (entry.key.find("${") != std::string_view::npos && substitute(entry.key, memory_->known).text == key)
        return &entry;
    }
    return nullptr;
  }

  std::shared_ptr<const RenderMemory> memory_;
};

// Whether the text has a character that JSON doesn't escape and YAML forbids: DEL, C1 controls but NEL,
// U+FFFE.
bool breaks_json(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    if (rest[0] == '\x7f' || rest.starts_with("\xEF\xBF\xBE") || rest.starts_with("\xEF\xBF\xBF"))
      return true;
    // "\xC2\x85" is NEL.
    if (rest.size() > 1 && rest[0] == '\xC2' && rest[1] <= '\x9F' && rest[1] != '\x85') return true;
  }
  return false;
}

// Whether Flux applies other objects because of it, whose path and variables depend on its own.
bool is_of_flux(const Node& object) {
  const std::string_view version = yaml::string_at(object, "apiVersion");
  return version.starts_with(kKustomizationGroup) || version.starts_with(kHelmReleaseGroup);
}

class Renderer {
 public:
  Renderer(const Root& root, std::string name) : memory_(std::make_shared<RenderMemory>()) {
    memory_->root = root;
    rendered_.source.name = std::move(name);
    memory_->known = root.variables;
    for (const std::string& unknown : root.unknown) memory_->known.try_emplace(unknown, "");
  }

  Rendered render(const std::vector<Source>& sources) {
    for (const Source& source : sources) add(source);
    rendered_.memory = memory_;
    rendered_.source.relocator = std::make_shared<FluxRelocator>(memory_);
    rendered_.annotate = [memory = memory_](base::Diagnostic& found) {
      explain_reference(memory->root, memory->references, found);
    };
    return std::move(rendered_);
  }

 private:
  const Root& root() const { return memory_->root; }

  void add(const Source& source) {
    const base::SourceFile& file = memory_->files.emplace_back(source.name, source.text);
    if (source.relocator) memory_->relocators.push_back(source.relocator);
    base::Diagnostics problems;
    const auto documents = yaml::read(file, memory_->arena, problems);
    if (problems.has_errors()) {
      rendered_.unread.push_back(source);
      return;
    }
    const yaml::Maker make(memory_->arena);
    for (const yaml::Document& document : documents) {
      if (!document.root->is_map()) continue;
      if (source.relocator) {
        add(*with_overlay(root(), *source.relocator->relocate(*document.root, make), make));
        continue;
      }
      for (const Node* object : objects_of(*document.root)) {
        if (!is_local_config(*object)) add(*with_overlay(root(), *as_kustomize_reads(*object, make), make));
      }
    }
  }

  void add(const Node& written) {
    if (const Node* culprit =
            find_string(written, [](const Node& value) { return breaks_json(value.text()); })) {
      add_finding(written, yaml::locate(*culprit),
                  "kustomize can't write this object: yaml: control characters are not allowed",
                  "leave out the control character");
      return;
    }
    std::string text;
    yaml::write_go_yaml(written, text);
    if (root().has_variables() && !is_disabled(written)) {
      Substituted substituted = substitute(text, memory_->known, root().strictness);
      report(substituted, written);
      if (substituted.error.empty()) text = std::move(substituted.text);
    }
    base::SourceFile& made = memory_->files.emplace_back(rendered_.source.name, text);
    base::Diagnostics problems;
    const auto documents = yaml::read(made, memory_->arena, problems);
    if (problems.has_errors()) return report_unreadable(written, problems);
    for (const yaml::Document& document : documents) add_made(*document.root, written, text);
  }

  void add_made(const Node& made, const Node& written, const std::string& text) {
    const yaml::Maker make(memory_->arena);
    const Node* final = with_common_metadata(root(), made, make);
    memory_->written.try_emplace(key_of(*final), with_common_metadata(root(), written, make));
    rendered_.source.text += "---\n";
    if (final == &made)
      rendered_.source.text += text;
    else
      yaml::write_go_yaml(*final, rendered_.source.text);
  }

  void report(const Substituted& substituted, const Node& written) {
    if (!substituted.error.empty()) {
      const Node* culprit = find_string(written, [&](const Node& value) {
        return !substitute(value.text(), memory_->known).error.empty();
      });
      add_finding(written, yaml::locate(culprit ? *culprit : written),
                  fmt::format("Flux can't replace the variables of this object: {}", substituted.error),
                  std::string(kEscape));
    }
    report_strings(written, written);
  }

  // Of the object `written`, the strings below the node.
  void report_strings(const Node& node, const Node& written) {
    for (const yaml::Entry& entry : node.entries()) {
      if (entry.key.find("${") != std::string_view::npos)
        report_string(entry.key, yaml::locate_key(entry), written);
      report_strings(*entry.value, written);
    }
    for (const Node* item : node.items()) report_strings(*item, written);
    if (node.is_string() && node.text().find("${") != std::string_view::npos)
      report_string(node.text(), yaml::locate(node), written);
  }

  void report_string(std::string_view text, const base::Location& at, const Node& written) {
    const Reference reference = reference_in(text);
    if (reference.names.empty()) return;
    if (at.file) memory_->references.try_emplace(beginning_of(at), reference);
    const Substituted own = substitute(text, memory_->known, root().strictness);
    for (const std::string& name : reference.names) {
      if (root().unknown.contains(name)) note_undecided(place_in(at, name, Use::Any));
    }
    for (const std::string& name : own.unset)
      report_unset(name, place_in(at, name, Use::WithoutDefault), written);
  }

  void report_unset(const std::string& name, const base::Location& at, const Node& written) {
    note_undecided(at);
    if (!compile::is_trainer_kind(yaml::string_at(written, "kind")) && !is_of_flux(written)) return;
    const std::string_view meant = known_names().closest(name).value_or("");
    // What an object sets that is not here is not known.
    if (meant.empty() && !root().not_here.empty()) return;
    add_finding(
        written, at,
        fmt::format("nothing sets the variable {}: {} of {} ({}) {}", name, root().title, root().cluster,
                    root().place,
                    root().strictness == Strictness::Strict ? "fails, since its controller is strict"
                                                            : "replaces it by nothing"),
        meant.empty()
            ? fmt::format("set {0} under spec.postBuild.substitute, or write a default: ${{{0}:=value}}",
                          name)
            : fmt::format("did you mean {}?", meant));
  }

  const base::SuggestionList& known_names() {
    if (!known_names_) {
      std::vector<std::string_view> names;
      for (const auto& [known, value] : memory_->known) names.push_back(known);
      known_names_.emplace(std::move(names));
    }
    return *known_names_;
  }

  // Finds the value that breaks the YAML which Flux writes.
  void report_unreadable(const Node& written, const base::Diagnostics& problems) {
    const Node* culprit = find_string(written, [&](const Node& value) {
      if (value.text().find("${") == std::string_view::npos) return false;
      const yaml::Maker make(memory_->arena);
      std::string text;
      yaml::write_go_yaml(*make.map({{"value", &value, {}}}), text);
      const yaml::Text read(substitute(text, memory_->known).text);
      return !read.root() || !read.root()->is_map();
    });
    const base::Location at = yaml::locate(culprit ? *culprit : written);
    base::Diagnostic found = finding_at(
        written, at,
        fmt::format("Flux can't read this object after it has replaced its variables: {}",
                    problems.items().front().message),
        "the value breaks the quotes that Flux writes around it: change the value, or write it here");
    const Reference reference = culprit ? reference_in(culprit->text()) : Reference();
    for (const std::string& name : reference.names) {
      const auto definition = root().definitions.find(name);
      if (definition != root().definitions.end())
        found.notes.push_back({fmt::format("the value of {}", name), definition->second});
    }
    rendered_.found.add(std::move(found));
  }

  // The first string below the node for which `is_it` holds.
  template <class IsIt>
  static const Node* find_string(const Node& node, const IsIt& is_it) {
    if (node.is_string()) return is_it(node) ? &node : nullptr;
    for (const yaml::Entry& entry : node.entries()) {
      if (const Node* found = find_string(*entry.value, is_it)) return found;
    }
    for (const Node* item : node.items()) {
      if (const Node* found = find_string(*item, is_it)) return found;
    }
    return nullptr;
  }

  void note_undecided(const base::Location& at) {
    if (at.file) rendered_.undecided.emplace_back(at.file->name(), at.line);
  }

  static base::Diagnostic finding_at(const Node& written, const base::Location& at, std::string message,
                                     std::string hint) {
    base::Diagnostic found = rules::finding(kRule, std::move(message), std::move(hint), at);
    found.object = model::identify(written).str();
    return found;
  }

  void add_finding(const Node& written, const base::Location& at, std::string message, std::string hint) {
    rendered_.found.add(finding_at(written, at, std::move(message), std::move(hint)));
  }

  std::shared_ptr<RenderMemory> memory_;
  Rendered rendered_;
  std::optional<base::SuggestionList> known_names_;  // of variables, once one is unset
};

}  // namespace

Rendered render(const Root& root, const std::vector<Source>& sources, std::string name) {
  return Renderer(root, std::move(name)).render(sources);
}

}  // namespace trainjobc::gitops
