// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "base/arena.h"
#include "base/files/paths.h"
#include "base/text/text.h"
#include "inputs/gitops/objects.h"
#include "inputs/gitops/own_source.h"
#include "inputs/gitops/roots.h"
#include "inputs/helm/chart.h"
#include "yaml/read/reader.h"
#include "yaml/write/writer.h"

namespace trainjobc::gitops {
namespace {

using yaml::Node;

// The longest name that helm takes; Flux shortens others with a hash.
constexpr size_t kMostOfName = 53;

// `base` with `over`, as Flux merges values: maps key by key, anything else is replaced.
const Node* merged(const Node* base, const Node* over, const yaml::Maker& make) {
  if (!base || !over || !base->is_map() || !over->is_map()) return over ? over : base;
  const Node* all = base;
  for (const yaml::Entry& entry : over->entries())
    all = make.with(all, entry.key, merged(base->get(entry.key), entry.value, make));
  return all;
}

// A value as --set reads it.
const Node* typed(std::string_view text, const yaml::Maker& make) {
  const bool is_quoted =
      text.size() > 1 && text.front() == text.back() && (text[0] == '"' || text[0] == '\'');
  if (is_quoted) return make.copied(text.substr(1, text.size() - 2));
  if (text == "true" || text == "false") return make.boolean(text == "true");
  if (text == "null") return make.null();
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  const bool is_number = !digits.empty() && digits.size() < 19 &&
                         std::ranges::all_of(digits, base::is_digit) &&
                         (digits == "0" || digits.front() != '0');
  return is_number ? make.plain(yaml::Kind::Int, make.copied(text)->text()) : make.copied(text);
}

// Whether a targetPath is keys and dots alone, and its value a plain one.
bool is_plain(std::string_view path, std::string_view value) {
  const auto is_key = [](char c) { return base::is_alnum(c) || c == '_' || c == '-' || c == '.'; };
  return std::ranges::all_of(path, is_key) && value.find_first_of(",{}\\\n") == std::string_view::npos;
}

class ReleaseReader {
 public:
  ReleaseReader(const Repository& repository, const Objects& objects, const Manifest& object)
      : repository_(repository),
        files_(repository.files),
        objects_(objects),
        object_(object),
        spec_(*object.root->get("spec")) {}

  Root read() {
    root_.content = Content::Chart;
    set_names();
    set_chart();
    add_values();
    root_.ignored = present(&spec_, "spec", {"postRenderers", "commonMetadata"});
    return std::move(root_);
  }

 private:
  void set_names() {
    helm::Release& release = root_.release;
    const std::string_view target = yaml::string_at(spec_, "targetNamespace");
    release.ns = target.empty() ? object_.ns() : std::string(target);
    release.name = yaml::string_at(spec_, "releaseName");
    if (release.name.empty())
      release.name = target.empty() ? object_.name() : fmt::format("{}-{}", target, object_.name());
    root_.ns = release.ns;
  }

  // spec.chart.spec, or the spec of the HelmChart that spec.chartRef names.
  const Node* chart_spec() {
    const Node* own = spec_.at({"chart", "spec"});
    const Node* ref = spec_.get("chartRef");
    if (own || !ref) return own;
    const std::string kind(yaml::string_at(*ref, "kind"));
    const std::string name(yaml::string_at(*ref, "name"));
    std::string ns(yaml::string_at(*ref, "namespace"));
    if (ns.empty()) ns = object_.ns();
    root_.folder = name;
    const Manifest* chart = kind == "HelmChart" ? objects_.find(kind, ns, name, object_.file) : nullptr;
    if (chart && chart->is("source.toolkit.fluxcd.io/", kind)) return chart->root->get("spec");
    root_.missing = fmt::format("{} {}/{} is not read", kind, ns, name);
    return nullptr;
  }

  void set_chart() {
    const Node* chart = chart_spec();
    if (!chart) {
      if (root_.missing.empty()) root_.missing = "it names no chart";
      return;
    }
    const std::string_view source = yaml::string_at(*chart, {"sourceRef", "kind"});
    root_.folder = yaml::string_at(*chart, "chart");
    if (source == "HelmRepository") {
      root_.missing = "a chart of a Helm repository is not read";
      return;
    }
    root_.missing = repository_.source.why_other(chart->get("sourceRef"), object_.ns(), object_.file);
    if (root_.missing.empty() && yaml::is_true_at(spec_, "suspend")) root_.missing = "it is suspended";
    if (!root_.missing.empty()) return;
    root_.folder = path_in(repository_.folder, root_.folder);
    root_.release.chart = root_.folder;
    if (!files_.is_directory(root_.folder)) {
      root_.missing = "the repository has no such folder";
    } else if (!helm::is_chart(files_, root_.folder)) {
      root_.missing = "it is not a chart";
    } else if (root_.release.name.size() > kMostOfName) {
      root_.missing = fmt::format("the name of its release has more than {} characters", kMostOfName);
    } else {
      add_files(*chart);
    }
  }

  // Adds valuesFiles, which replace the chart's values.yaml; helm reads that file in any case.
  void add_files(const Node& chart) {
    const bool skips = yaml::is_true_at(chart, "ignoreMissingValuesFiles");
    const std::string own = base::shortest_path(base::absolute_path(root_.folder + "/values.yaml"));
    bool has_defaults = false;
    for (const Node* file : yaml::items_at(chart, "valuesFiles")) {
      std::string path = path_in(repository_.folder, file->text());
      has_defaults = has_defaults || path == own;
      if (path == own && root_.release.values.empty()) continue;
      add_values_file(files_, file->text(), std::move(path), skips, root_);
    }
    if (root_.release.values.empty() || has_defaults) return;
    const Node* all = nullptr;
    for (const std::string& path : root_.release.values) all = merged(all, values_of(path), make_);
    values_ = without(values_of(own), all);
  }

  // Returns nullptr if the file has no values.
  const Node* values_of(const std::string& path) {
    const Node* root = texts_.emplace_back(files_.text_of(path)).root();
    return root && root->is_map() ? root : nullptr;
  }

  // Sets each default that is not among the values to null, which deletes it.
  const Node* without(const Node* defaults, const Node* values) {
    const Node* nulls = nullptr;
    if (!defaults) return nulls;
    for (const yaml::Entry& entry : defaults->entries()) {
      const Node* own = values ? values->get(entry.key) : nullptr;
      if (!own) {
        nulls = make_.with(nulls, entry.key, make_.null());
      } else if (own->is_map() && entry.value->is_map()) {
        if (const Node* inner = without(entry.value, own)) nulls = make_.with(nulls, entry.key, inner);
      }
    }
    return nulls;
  }

  // Of two that set a value, the last one counts, and spec.values most.
  void add_values() {
    for (const Node* from : yaml::items_at(spec_, "valuesFrom")) add_values_from(*from);
    if (const Node* own = spec_.get("values"); own && own->is_map()) values_ = merged(values_, own, make_);
    if (values_) yaml::write_yaml(*values_, yaml::KeyOrder::AsIs, root_.release.inline_values);
  }

  void add_values_from(const Node& from) {
    const std::string kind(yaml::string_at(from, "kind"));
    const std::string name(yaml::string_at(from, "name"));
    const std::string title = object_.ns().empty() ? fmt::format("{} {}", kind, name)
                                                   : fmt::format("{} {}/{}", kind, object_.ns(), name);
    std::string_view key = yaml::string_at(from, "valuesKey");
    if (key.empty()) key = "values.yaml";
    const Manifest* source =
        kind == "ConfigMap" ? objects_.find(kind, object_.ns(), name, object_.file) : nullptr;
    const Node* data = source ? source->root->get("data") : nullptr;
    const Node* text = data && data->is_map() ? data->get(key) : nullptr;
    const std::string_view path = yaml::string_at(from, "targetPath");
    if (!text || !text->is_scalar()) {
      leave_out(title, path);
      return;
    }
    if (!path.empty()) {
      set_at(path, text->text(), title);
      return;
    }
    const yaml::Text& values = texts_.emplace_back(text->text());
    if (values.root() && values.root()->is_map()) values_ = merged(values_, values.root(), make_);
  }

  void leave_out(const std::string& title, std::string_view path) {
    if (!base::contains(root_.without, title)) root_.without.push_back(title);
    if (path.empty())
      root_.unknown_values.any = true;
    else
      root_.unknown_values.paths.emplace_back(path);
  }

  void set_at(std::string_view path, std::string_view value, const std::string& title) {
    if (!is_plain(path, value)) {
      leave_out(title, path);
      return;
    }
    values_ = make_.with_path(values_, helm::keys_of(path), typed(value, make_));
  }

  const Repository& repository_;
  const base::FileSystem& files_;
  const Objects& objects_;
  const Manifest& object_;
  const Node& spec_;
  std::deque<yaml::Text> texts_;
  base::Arena arena_;
  yaml::Maker make_{arena_};
  const Node* values_ = nullptr;
  Root root_ = root_of(object_);
};

}  // namespace

Root read_release(const Repository& repository, const Objects& objects, const Manifest& object) {
  return ReleaseReader(repository, objects, object).read();
}

std::vector<Root> find_releases(const Repository& repository, const Objects& objects,
                                const std::string& cluster) {
  std::vector<Root> found;
  for (const Manifest& object : objects.all()) {
    if (!object.is(kHelmReleaseGroup, "HelmRelease")) continue;
    found.push_back(read_release(repository, objects, object));
    found.back().cluster = cluster + other_cluster(object);
  }
  return found;
}

}  // namespace trainjobc::gitops
