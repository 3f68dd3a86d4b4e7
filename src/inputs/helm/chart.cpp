// SPDX-License-Identifier: Apache-2.0

#include "inputs/helm/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/arena.h"
#include "base/files/paths.h"
#include "base/text/text.h"
#include "yaml/node.h"
#include "yaml/read/reader.h"

namespace trainjobc::helm {

using base::SourceFile;
using yaml::Node;

namespace {

// A chart has dozens of files; more is a mistake or an attack.
constexpr size_t kMostFiles = 5000;
constexpr size_t kDeepestFolder = 32;

constexpr std::string_view kChartFile = "Chart.yaml";

std::string joined(const std::string& folder, std::string_view name) {
  return base::normal_path(fmt::format("{}/{}", folder, name));
}

// The URL of a "$ref" in a JSON Schema.
std::string fetched_by(std::string_view schema) {
  constexpr std::string_view kRef = "\"$ref\"";
  for (size_t at = schema.find(kRef); at != std::string_view::npos; at = schema.find(kRef, at + 1)) {
    std::string_view rest = schema.substr(at + kRef.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n:"), rest.size()));
    if (!rest.starts_with('"')) continue;
    const std::string_view target = rest.substr(1, std::min(rest.find('"', 1), rest.size()) - 1);
    if (target.find("://") != std::string_view::npos) return std::string(target);
  }
  return "";
}

}  // namespace

bool is_chart(const base::FileSystem& files, const std::string& folder) {
  return files.kind(joined(folder, kChartFile)) == base::FileKind::File;
}

// Reads a chart and its subcharts.
class ChartReader {
 public:
  explicit ChartReader(const base::FileSystem& files) : files_(files), chart_(std::make_shared<Chart>()) {}

  std::variant<std::shared_ptr<const Chart>, std::string> read(const std::string& folder,
                                                               const std::vector<std::string>& values) {
    chart_->folder_ = folder;
    const auto text = files_.read(joined(folder, kChartFile));
    if (const auto* error = std::get_if<base::IoError>(&text)) return error->message;
    for (const std::string& path : values) {
      const SourceFile* file = source(path);
      if (!file) return problem_;
      chart_->values_.insert(chart_->values_.begin(), file);
    }
    const Meta meta = read_meta(std::get<std::string>(text));
    read_chart(folder, meta.name, meta.name, meta, 0);
    if (!problem_.empty()) return problem_;
    return std::shared_ptr<const Chart>(std::move(chart_));
  }

 private:
  // What Chart.yaml says.
  struct Meta {
    std::string name;
    std::vector<std::pair<std::string, std::string>> aliases;  // names of subcharts, with their aliases
  };

  static Meta read_meta(const std::string& text) {
    Meta meta;
    const yaml::Text read(text);
    if (!read.root()) return meta;
    meta.name = yaml::string_at(*read.root(), "name");
    for (const Node* dependency : yaml::items_at(*read.root(), "dependencies")) {
      const std::string_view alias = yaml::string_at(*dependency, "alias");
      if (!alias.empty()) meta.aliases.emplace_back(yaml::string_at(*dependency, "name"), alias);
    }
    return meta;
  }

  const SourceFile* source(const std::string& path) {
    auto text = files_.read(path);
    if (const auto* error = std::get_if<base::IoError>(&text)) {
      problem_ = error->message;
      return nullptr;
    }
    return &chart_->sources_.emplace_back(path, std::move(std::get<std::string>(text)));
  }

  // `prefix` is how helm names the chart's files, `names` the keys under which its values are nested:
  // "training/tuner".
  void read_chart(const std::string& folder, const std::string& prefix, const std::string& names,
                  const Meta& meta, size_t depth) {
    if (depth == kDeepestFolder) return;
    const std::string defaults = joined(folder, "values.yaml");
    if (files_.exists(defaults)) chart_->defaults_[names] = source(defaults);
    if (const auto text = files_.read(joined(folder, "values.schema.json"));
        const auto* schema = std::get_if<std::string>(&text)) {
      if (chart_->fetched_.empty()) chart_->fetched_ = fetched_by(*schema);
    }
    note_links(folder);
    read_templates(joined(folder, "templates"), prefix + "/templates", names, depth);
    read_others(folder, prefix, names, meta, depth);
  }

  std::vector<base::DirectoryEntry> list(const std::string& folder) const {
    if (!files_.is_directory(folder)) return {};
    auto listed = files_.list(folder);
    auto* entries = std::get_if<std::vector<base::DirectoryEntry>>(&listed);
    return entries ? std::move(*entries) : std::vector<base::DirectoryEntry>();
  }

  void note_links(const std::string& folder) {
    for (const base::DirectoryEntry& entry : list(folder)) {
      if (entry.is_link) chart_->links_.push_back(joined(folder, entry.name));
    }
  }

  void read_templates(const std::string& folder, const std::string& prefix, const std::string& names,
                      size_t depth) {
    if (depth == kDeepestFolder) return;
    for (const base::DirectoryEntry& entry : list(folder)) {
      const std::string path = joined(folder, entry.name);
      const std::string name = fmt::format("{}/{}", prefix, entry.name);
      if (entry.is_link) chart_->links_.push_back(path);
      if (entry.kind == base::FileKind::Directory) {
        read_templates(path, name, names, depth + 1);
      } else if (entry.kind == base::FileKind::File && chart_->sources_.size() < kMostFiles) {
        if (const SourceFile* file = source(path)) add_template(*file, name, names);
      }
    }
  }

  void add_template(const SourceFile& file, const std::string& name, const std::string& names) {
    chart_->templates_[name] = &file;
    chart_->charts_[&file] = names;
    const std::string_view text = file.text();
    std::vector<std::pair<std::string_view, size_t>> open;  // name for a define, "" for other blocks
    for (const Piece& piece : split_template(text, 0, text.size())) {
      if (piece.kind == Piece::Kind::Open) {
        const std::string_view word = word_of(piece.action);
        open.emplace_back(word == "define" || word == "block" ? name_in(piece.action) : "", piece.end);
      } else if (piece.kind == Piece::Kind::Close && !open.empty()) {
        const auto [defined, begin] = open.back();
        open.pop_back();
        if (!defined.empty())
          chart_->definitions_.try_emplace(std::string(defined), Chart::Body{&file, begin, piece.begin});
      }
    }
  }

  void read_others(const std::string& folder, const std::string& prefix, const std::string& names,
                   const Meta& meta, size_t depth) {
    const std::string charts = joined(folder, "charts");
    note_links(charts);
    for (const base::DirectoryEntry& entry : list(charts)) {
      const std::string path = joined(charts, entry.name);
      if (entry.kind != base::FileKind::Directory || !is_chart(files_, path)) continue;
      const auto text = files_.read(joined(path, kChartFile));
      const auto* read = std::get_if<std::string>(&text);
      if (!read) continue;
      const Meta own = read_meta(*read);
      std::vector<std::string> called;
      for (const auto& [name, alias] : meta.aliases) {
        if (name == own.name) called.push_back(alias);
      }
      if (called.empty()) called.push_back(own.name);
      for (const std::string& name : called)
        read_chart(path, fmt::format("{}/charts/{}", prefix, name), fmt::format("{}/{}", names, name), own,
                   depth + 1);
    }
  }

  const base::FileSystem& files_;
  std::shared_ptr<Chart> chart_;
  std::string problem_;
};

std::variant<std::shared_ptr<const Chart>, std::string> read_chart(const base::FileSystem& files,
                                                                   const std::string& folder,
                                                                   const std::vector<std::string>& values) {
  return ChartReader(files).read(folder, values);
}

const SourceFile* Chart::find_template(std::string_view source) const {
  return base::value_or(templates_, source);
}

Chart::Body Chart::find_definition(std::string_view name) const {
  return base::value_or(definitions_, name);
}

std::vector<const SourceFile*> Chart::templates() const {
  std::vector<const SourceFile*> all;
  for (const auto& [name, file] : templates_) all.push_back(file);
  return all;
}

std::vector<std::string> Chart::files() const {
  std::vector<std::string> all;
  for (const SourceFile& file : sources_) all.push_back(file.name());
  return all;
}

secret::SecretTexts Chart::secrets() const {
  secret::SecretTexts secrets;
  const auto collect = [&](const SourceFile* file) {
    if (!file) return;
    base::Arena arena;
    base::Diagnostics ignored;
    for (const yaml::Document& document : yaml::read(*file, arena, ignored))
      secrets.collect_unmarked(*document.root);
  };
  std::ranges::for_each(values_, collect);
  for (const auto& [names, file] : defaults_) collect(file);
  return secrets;
}

namespace {

base::Location find_in(const SourceFile& file, const std::vector<std::string_view>& path) {
  base::Arena arena;
  base::Diagnostics ignored;
  for (const yaml::Document& document : yaml::read(file, arena, ignored)) {
    const Node* node = document.root;
    for (const std::string_view key : path) node = node ? node->get(key) : nullptr;
    if (node) return yaml::locate(*node);
  }
  return {};
}

}  // namespace

std::vector<std::string_view> keys_of(std::string_view path) {
  if (path.empty()) return {};
  if (path.ends_with('.')) path.remove_suffix(1);
  return base::split(path, ".");
}

base::Location Chart::find_value(const SourceFile& from, std::string_view path) const {
  const auto chart = charts_.find(&from);
  if (chart == charts_.end() || chart->second.empty() || path.empty()) return {};
  // The values of a subchart are below its name in those of its parent; the user's are the outermost chart's.
  const std::vector<std::string_view> names = base::split(chart->second, "/");
  const std::vector<std::string_view> keys = keys_of(path);
  const auto below = [&](size_t outer) {
    std::vector<std::string_view> all;
    if (keys.front() != "global") all.assign(names.begin() + static_cast<std::ptrdiff_t>(outer), names.end());
    all.insert(all.end(), keys.begin(), keys.end());
    return all;
  };
  for (const SourceFile* file : values_) {
    if (const base::Location at = find_in(*file, below(1)); at.file) return at;
  }
  std::string outer;
  for (size_t i = 0; i < names.size(); ++i) {
    outer.append(i > 0 ? "/" : "").append(names[i]);
    const SourceFile* defaults = base::value_or(defaults_, outer);
    if (!defaults) continue;
    if (const base::Location at = find_in(*defaults, below(i + 1)); at.file) return at;
  }
  return {};
}

// Templates.

std::string_view word_of(std::string_view action) {
  return action.substr(0, std::min(action.find_first_of(" \t\r\n("), action.size()));
}

std::string_view name_in(std::string_view action) {
  static constexpr std::array<std::string_view, 4> kWords{"include", "template", "define", "block"};
  const std::string_view word = word_of(action);
  if (!base::contains(kWords, word)) return {};
  const std::string_view rest = base::trimmed(action.substr(word.size()), base::kSpace);
  if (rest.empty() || (rest.front() != '"' && rest.front() != '`')) return {};
  const size_t end = rest.find(rest.front(), 1);
  return end == std::string_view::npos ? std::string_view() : rest.substr(1, end - 1);
}

namespace {

// The end of an action that begins with "{{", after its "}}"; npos if it isn't closed.
size_t action_end(std::string_view text, size_t at) {
  const std::string_view inside = text.substr(at + 2);
  if (inside.starts_with("/*") || inside.starts_with("- /*")) {
    const size_t comment = text.find("*/", at);
    const size_t end = comment == std::string_view::npos ? comment : text.find("}}", comment);
    return end == std::string_view::npos ? end : end + 2;
  }
  char quote = 0;
  for (size_t i = at + 2; i + 1 < text.size(); ++i) {
    if (quote != 0) {
      if (text[i] == '\\' && quote == '"')
        ++i;
      else if (text[i] == quote)
        quote = 0;
    } else if (text[i] == '"' || text[i] == '`') {
      quote = text[i];
    } else if (text[i] == '}' && text[i + 1] == '}') {
      return i + 2;
    }
  }
  return std::string_view::npos;
}

std::string_view inside_of(std::string_view action) {
  action = action.substr(2, action.size() - 4);
  if (action.starts_with('-')) action.remove_prefix(1);
  if (action.ends_with('-')) action.remove_suffix(1);
  return base::trimmed(action, base::kSpace);
}

Piece::Kind kind_of(std::string_view action) {
  static constexpr std::array<std::string_view, 5> kOpening{"if", "with", "range", "block", "define"};
  const std::string_view word = word_of(action);
  if (base::contains(kOpening, word)) return Piece::Kind::Open;
  if (word == "else") return Piece::Kind::Else;
  if (word == "end") return Piece::Kind::Close;
  const size_t assigned = action.starts_with('$') ? action.find('=') : std::string_view::npos;
  const bool is_assignment = assigned != std::string_view::npos && assigned < action.find_first_of("\"`(");
  if (action.empty() || action.starts_with("/*") || is_assignment || word == "fail" || word == "break" ||
      word == "continue")
    return Piece::Kind::Silent;
  return Piece::Kind::Output;
}

}  // namespace

std::vector<Piece> split_template(std::string_view text, size_t begin, size_t end) {
  std::vector<Piece> pieces;
  const std::string_view part = text.substr(0, end);
  size_t at = begin;
  while (at < end) {
    const size_t open = part.find("{{", at);
    const size_t close = open == std::string_view::npos ? open : action_end(part, open);
    const size_t until = close == std::string_view::npos ? end : open;
    if (until > at) pieces.push_back({Piece::Kind::Text, at, until, {}});
    if (close == std::string_view::npos) break;
    const std::string_view action = inside_of(part.substr(open, close - open));
    pieces.push_back({kind_of(action), open, close, action});
    at = close;
  }
  return pieces;
}

}  // namespace trainjobc::helm
