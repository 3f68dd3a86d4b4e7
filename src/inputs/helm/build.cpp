// SPDX-License-Identifier: Apache-2.0

#include "inputs/helm/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/files/paths.h"
#include "base/text/text.h"
#include "inputs/helm/alignment.h"
#include "inputs/helm/dependencies.h"
#include "inputs/repository.h"
#include "model/trainer_names.h"
#include "yaml/changes.h"
#include "yaml/read/reader.h"

namespace trainjobc::helm {

using yaml::Node;

namespace {

// The Kubernetes version whose rules are checked; helm's default is the one that it was built with.
constexpr std::string_view kKubeVersion = "v1.36.0";
constexpr std::string_view kSourceComment = "# Source: ";

// The folder outside of which nothing is read: the path's repository; without one, the working directory if
// it is above the path; otherwise the path itself.
std::string readable_folder(const base::FileSystem& files, const std::string& path) {
  const std::string place = base::absolute_path(path);
  if (std::string repository = inputs::repository_of(files, place); !repository.empty()) return repository;
  const std::string here = base::working_directory();
  return base::path_below(place, here).empty() ? place : here;
}

// What is wrong with what helm would read; "" if nothing is.
std::string refusal_of(const base::FileSystem& files, const Release& release) {
  if (!release.name.empty() && !base::is_lower_alnum(release.name.front()))
    return fmt::format("{}: \"{}\" is not the name of a release", release.chart, release.name);
  const std::string folder = readable_folder(files, release.chart);
  for (const std::string& path : release.values) {
    if (!base::is_inside(folder, path))
      return fmt::format("{}: the values file {} is outside of the repository", release.chart, path);
    // helm splits the argument at commas.
    if (path.find_first_of(",\"") != std::string::npos)
      return fmt::format("{}: helm can't read the values file {}: it has a comma or a quote in its name",
                         release.chart, path);
  }
  return "";
}

std::string refusal_of(const base::FileSystem& files, const Chart& chart) {
  const std::string folder = readable_folder(files, chart.folder());
  for (const std::string& link : chart.links()) {
    if (!base::is_inside(folder, link))
      return fmt::format("{}: {} is a link out of the repository", chart.folder(), link);
  }
  return "";
}

// Spells a path so that helm takes it for a file or folder, whatever its name is.
std::string as_path(const std::string& path) {
  return path.starts_with('/') ? path : "./" + path;
}

// Escapes commas, which separate values of --set except in a list in braces.
std::string with_commas_escaped(std::string_view value) {
  if (value.starts_with('{') && value.ends_with('}')) return std::string(value);
  std::string escaped;
  for (size_t i = 0; i < value.size(); ++i) {
    if (value[i] == ',' && (i == 0 || value[i - 1] != '\\')) escaped += '\\';
    escaped += value[i];
  }
  return escaped;
}

base::IoResult<std::vector<std::string>> call_of(const base::FileSystem& files, const Release& release,
                                                 const Chart& chart) {
  std::vector<std::string> argv{"helm", "template"};
  argv.push_back(fmt::format("--namespace={}", release.ns.empty() ? "default" : release.ns));
  // A cluster with Trainer has these APIs, and charts ask for them.
  argv.push_back(
      fmt::format("--kube-version={}", release.kube_version.empty() ? kKubeVersion : release.kube_version));
  for (const std::string_view version : {model::kTrainerApiVersion, model::kJobSetApiVersion})
    argv.push_back(fmt::format("--api-versions={}", version));
  for (const std::string_view kind :
       {model::kTrainJob, model::kTrainingRuntime, model::kClusterTrainingRuntime})
    argv.push_back(fmt::format("--api-versions={}/{}", model::kTrainerApiVersion, kind));
  if (!chart.fetched().empty()) argv.emplace_back("--skip-schema-validation");
  std::string place;
  for (const std::string& path : release.values) {
    if (auto error = base::take(files.on_disk(path), place)) return *error;
    argv.push_back("--values=" + as_path(place));
  }
  if (!release.inline_values.empty()) argv.emplace_back("--values=-");
  for (const Parameter& parameter : release.parameters) {
    argv.push_back(fmt::format("{}={}={}", parameter.is_text ? "--set-string" : "--set", parameter.name,
                               with_commas_escaped(parameter.value)));
  }
  argv.push_back(release.name.empty() ? "release-name" : release.name);
  if (auto error = base::take(files.on_disk(release.chart), place)) return *error;
  argv.push_back(as_path(place));
  return argv;
}

// A document of helm's output: the lines after the comment that names its template.
struct Output {
  std::string_view source;  // "training/templates/job.yaml"; "" if there is no comment
  uint32_t first_line = 0;
  std::string_view text;
};

Output output_at(const base::SourceFile& file, uint32_t line) {
  uint32_t comment = line;
  while (comment > 0 && !file.line(comment).starts_with(kSourceComment)) {
    if (comment < line && file.line(comment).starts_with("---")) return {};
    --comment;
  }
  if (comment == 0) return {};
  uint32_t end = comment + 1;
  while (end <= file.line_count() && !file.line(end).starts_with("---")) ++end;
  Output output;
  output.source = base::trimmed(file.line(comment).substr(kSourceComment.size()));
  output.first_line = comment + 1;
  const size_t begin = file.line_start(comment + 1);
  output.text = file.text().substr(begin, file.line_start(end) - begin);
  return output;
}

class HelmRelocator final : public yaml::Relocator {
 public:
  explicit HelmRelocator(std::shared_ptr<const Chart> chart) : chart_(std::move(chart)) {}

  const Node* relocate(const Node& root, const yaml::Maker& make) const override {
    const base::SourceFile* file = root.origin().file();
    if (!file) return &root;
    const Output output = output_at(*file, root.origin().line());
    const base::SourceFile* source = chart_->find_template(output.source);
    if (!source) return &root;
    const Alignment alignment(*chart_, *source, output.text);
    // A template is not YAML, so it contains no value that others could change: the values are derived from
    // its places.
    return yaml::with_origins(root, make, [&](const yaml::Origin& built) {
      if (!built.file() || built.line() < output.first_line) return built;
      const Place place = alignment.at(built.line() - output.first_line + 1, built.column());
      const yaml::Origin origin(place.file, place.line, place.column, place.is_text && built.in_flow());
      return make.made("helm", {make.string("", origin)});
    });
  }

 private:
  std::shared_ptr<const Chart> chart_;
};

// The secrets in all values that the release is rendered with.
secret::SecretTexts secrets_of(const Release& release, const Chart& chart) {
  secret::SecretTexts secrets = chart.secrets();
  const yaml::Text values(release.inline_values);
  if (values.root()) secrets.collect_unmarked(*values.root());
  base::Arena arena;
  const yaml::Maker make(arena);
  for (const Parameter& parameter : release.parameters) {
    const std::string_view key = std::string_view(parameter.name).substr(parameter.name.rfind('.') + 1);
    secrets.collect_unmarked(*make.with(nullptr, key, make.string(parameter.value)));
  }
  return secrets;
}

BuildResult result_of(const Release& release, std::shared_ptr<const Chart> chart,
                      base::IoResult<base::ProcessResult> answer) {
  if (base::is_missing(answer)) return BuildFailure{true, "helm is not on the PATH"};
  auto output = builder::output_of(fmt::format("helm template {}", release.scope()), std::move(answer),
                                   [&] { return secrets_of(release, *chart); });
  if (auto* failure = std::get_if<BuildFailure>(&output)) return std::move(*failure);
  Source source{release.scope() + "/(built)", std::move(std::get<std::string>(output))};
  source.relocator = std::make_shared<HelmRelocator>(chart);
  return Built{release, std::move(source), std::move(chart)};
}

}  // namespace

std::string Release::scope() const {
  std::string all = name.empty() ? chart : fmt::format("{}@{}", chart, name);
  for (const std::string& path : values) {
    const std::string below = base::path_below(base::absolute_path(path), base::absolute_path(chart));
    all += "+" + (below.empty() ? path : below);
  }
  return all;
}

std::vector<BuildResult> build(const base::FileSystem& files, base::ProcessRunner& runner,
                               std::span<const Release> releases, const BuildOptions& options) {
  std::vector<BuildResult> results(releases.size(), BuildFailure{});
  std::vector<std::shared_ptr<const Chart>> charts(releases.size());
  std::vector<base::ProcessRequest> requests;
  std::vector<size_t> asked;
  for (size_t i = 0; i < releases.size(); ++i) {
    const Release& release = releases[i];
    std::string refusal = refusal_of(files, release);
    if (refusal.empty()) {
      auto read = read_chart(files, release.chart, release.values);
      if (auto* problem = std::get_if<std::string>(&read))
        refusal = std::move(*problem);
      else
        charts[i] = std::get<std::shared_ptr<const Chart>>(read);
    }
    if (refusal.empty()) refusal = refusal_of(files, *charts[i]);
    if (!refusal.empty()) {
      results[i] = BuildFailure{false, std::move(refusal)};
      continue;
    }
    std::vector<std::string> argv;
    if (auto error = base::take(call_of(files, release, *charts[i]), argv)) {
      results[i] = result_of(release, charts[i], std::move(*error));
      continue;
    }
    std::string call = fmt::format("{}", fmt::join(argv, "\n"));
    requests.push_back({.argv = std::move(argv), .input = release.inline_values, .timeout = options.timeout});
    requests.back().depends_on = dependencies_of(files, release, *charts[i], std::move(call));
    asked.push_back(i);
  }
  auto answers = runner.run_all(requests);
  for (size_t i = 0; i < answers.size(); ++i)
    results[asked[i]] = result_of(releases[asked[i]], charts[asked[i]], std::move(answers[i]));
  return results;
}

namespace {

// The paths that an action uses: `trainer.image` for `.Values.trainer.image`.
std::vector<std::string_view> values_paths(std::string_view action) {
  constexpr std::string_view kValues = ".Values.";
  std::vector<std::string_view> paths;
  for (size_t at = action.find(kValues); at != std::string_view::npos;
       at = action.find(kValues, at + kValues.size())) {
    const std::string_view rest = action.substr(at + kValues.size());
    const auto end =
        std::ranges::find_if(rest, [](char c) { return !base::is_alnum(c) && c != '_' && c != '.'; });
    paths.push_back(rest.substr(0, static_cast<size_t>(end - rest.begin())));
  }
  return paths;
}

// Whether a value comes from no file. `inline_values` is the root of the release's.
bool is_overridden(const Release& release, const yaml::Node* inline_values, std::string_view path) {
  const auto is_it = [&](const Parameter& parameter) { return parameter.name.starts_with(path); };
  if (std::ranges::any_of(release.parameters, is_it)) return true;
  const yaml::Node* node = inline_values;
  for (const std::string_view key : keys_of(path)) node = node ? node->get(key) : nullptr;
  return node != nullptr;
}

bool is_empty(const base::Location& value) {
  if (!value.file) return true;
  constexpr std::array<std::string_view, 6> kEmpty{"", "''", "\"\"", "null", "~", "{}"};
  std::string_view text = value.file->line(value.line).substr(value.column - 1);
  text = base::trimmed(text.substr(0, text.find(" #")), base::kSpace);
  return base::contains(kEmpty, text);
}

bool is_unknown(const Chart& chart, const base::SourceFile& file, std::string_view path,
                const UnknownValues& unknown) {
  const auto is_part = [](std::string_view inner, std::string_view outer) {
    return inner.starts_with(outer) && (inner.size() == outer.size() || inner[outer.size()] == '.');
  };
  const auto concerns = [&](const std::string& own) { return is_part(path, own) || is_part(own, path); };
  return std::ranges::any_of(unknown.paths, concerns) ||
         (unknown.any && is_empty(chart.find_value(file, path)));
}

}  // namespace

std::vector<std::pair<std::string, uint32_t>> undecided_lines(const Release& release, const Chart& chart,
                                                              const UnknownValues& unknown) {
  std::vector<std::pair<std::string, uint32_t>> lines;
  if (unknown.empty()) return lines;
  const yaml::Text values(release.inline_values);
  for (const base::SourceFile* file : chart.templates()) {
    const std::string_view text = file->text();
    bool is_whole = false;
    for (const Piece& piece : split_template(text, 0, text.size())) {
      const auto depends = [&](std::string_view path) {
        return !path.empty() && !is_overridden(release, values.root(), path) &&
               is_unknown(chart, *file, path, unknown);
      };
      if (!std::ranges::any_of(values_paths(piece.action), depends)) continue;
      is_whole = is_whole || piece.kind != Piece::Kind::Output;
      lines.emplace_back(file->name(), file->line_at(piece.begin));
    }
    for (uint32_t line = 1; is_whole && line <= file->line_count(); ++line)
      lines.emplace_back(file->name(), line);
  }
  return lines;
}

std::optional<base::Note> note_on_value(const Release& release, const Chart& chart,
                                        const base::Location& at) {
  if (!at.file || at.line == 0) return std::nullopt;
  const std::string_view text = at.file->text();
  const size_t begin = at.file->line_start(at.line);
  const size_t first = begin + at.column - 1;
  const size_t last = at.end_line == at.line ? begin + at.end_column - 1 : first + 1;
  for (const Piece& piece : split_template(text, begin, begin + at.file->line(at.line).size())) {
    if (piece.kind != Piece::Kind::Output || piece.end <= first || piece.begin >= last) continue;
    const auto paths = values_paths(piece.action);
    if (paths.size() != 1 || paths.front().empty()) return std::nullopt;
    const std::string_view path = paths.front();
    if (is_overridden(release, yaml::Text(release.inline_values).root(), path)) return std::nullopt;
    const base::Location value = chart.find_value(*at.file, path);
    if (!value.file) return std::nullopt;
    return base::Note{fmt::format("the value of .Values.{}", path), value};
  }
  return std::nullopt;
}

}  // namespace trainjobc::helm
