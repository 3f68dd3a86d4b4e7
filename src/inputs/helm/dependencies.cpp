// SPDX-License-Identifier: Apache-2.0

#include "inputs/helm/dependencies.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files/paths.h"
#include "base/text/text.h"

namespace trainjobc::helm {
namespace {

// Functions of templates whose results differ from call to call, or from machine to machine: the time,
// chance, the order of a map, names of the network. Source: github.com/Masterminds/sprig, functions.go, and
// Helm's pkg/engine/funcs.go.
constexpr std::array<std::string_view, 36> kVarying{"now",
                                                    "ago",
                                                    "date",
                                                    "date_in_zone",
                                                    "dateInZone",
                                                    "date_modify",
                                                    "dateModify",
                                                    "must_date_modify",
                                                    "mustDateModify",
                                                    "htmlDate",
                                                    "htmlDateInZone",
                                                    "toDate",
                                                    "mustToDate",
                                                    "durationRound",
                                                    "randAlpha",
                                                    "randAlphaNum",
                                                    "randAscii",
                                                    "randNumeric",
                                                    "randBytes",
                                                    "randInt",
                                                    "shuffle",
                                                    "uuidv4",
                                                    "genPrivateKey",
                                                    "genCA",
                                                    "genCAWithKey",
                                                    "genSelfSignedCert",
                                                    "genSelfSignedCertWithKey",
                                                    "genSignedCert",
                                                    "genSignedCertWithKey",
                                                    "encryptAES",
                                                    "bcrypt",
                                                    "htpasswd",
                                                    "keys",
                                                    "values",
                                                    "lookup",
                                                    "getHostByName"};
constexpr size_t kMostChartFiles = 5000;
constexpr size_t kMostChartBytes = size_t{32} << 20U;

constexpr bool is_of_word(char c) {
  return base::is_alnum(c) || c == '_';
}

// Whether the text calls one of the functions: a field, a variable or a part of a name is not a call.
template <class Names>
bool calls_any(std::string_view text, const Names& names) {
  for (size_t at = 0; at < text.size(); ++at) {
    if (!is_of_word(text[at])) continue;
    const size_t begin = at;
    while (at < text.size() && is_of_word(text[at])) ++at;
    const char before = begin > 0 ? text[begin - 1] : ' ';
    if (before != '.' && before != '$' && base::contains(names, text.substr(begin, at - begin))) return true;
  }
  return false;
}

// Like calls_any, for the actions of a text that is, or may become, a template.
template <class Names>
bool actions_call_any(std::string_view text, const Names& names) {
  return std::ranges::any_of(split_template(text, 0, text.size()), [&](const Piece& piece) {
    return piece.kind != Piece::Kind::Text && !piece.action.starts_with("/*") &&
           calls_any(piece.action, names);
  });
}

// Whether a JSON Schema may refer to another file.
bool refers_elsewhere(std::string_view schema) {
  constexpr std::string_view kRef = "\"$ref\"";
  for (size_t at = schema.find(kRef); at != std::string_view::npos; at = schema.find(kRef, at + 1)) {
    const std::string_view target = base::trimmed(schema.substr(at + kRef.size()), ": \t\r\n");
    if (!target.starts_with("\"#")) return true;
  }
  return false;
}

class ChartFiles {
 public:
  ChartFiles(const base::FileSystem& files, const Chart& chart)
      : files_(files), chart_(chart), ignores_git_(ignores_git()) {}

  // Adds the files of the folder. Returns false if other things than their contents may decide what is
  // rendered.
  bool add(const std::string& folder, const std::string& below = "") {
    const auto listed = files_.list(folder);
    const auto* entries = std::get_if<std::vector<base::DirectoryEntry>>(&listed);
    return entries && std::ranges::all_of(*entries, [&](const base::DirectoryEntry& entry) {
             return add(entry, base::joined_path(folder, entry.name), below + entry.name);
           });
  }

  bool add_file(std::string name, const std::string& path) {
    auto text = files_.read(path);
    const auto* read = std::get_if<std::string>(&text);
    if (!read || texts_.size() == kMostChartFiles || (bytes_ += read->size()) > kMostChartBytes) return false;
    if (name.ends_with("values.schema.json") && refers_elsewhere(*read)) return false;
    texts_.push_back(std::move(std::get<std::string>(text)));
    found_.emplace_back(std::move(name), path);
    return true;
  }

  // Adds the text of values that are in no file.
  void add_text(std::string text) { texts_.push_back(std::move(text)); }

  bool may_vary() const {
    static constexpr std::array<std::string_view, 1> kTemplating{"tpl"};
    const bool makes_templates = std::ranges::any_of(
        texts_, [](const std::string& text) { return actions_call_any(text, kTemplating); });
    // If a template writes templates, names of functions may be anywhere in a text.
    return std::ranges::any_of(texts_, [&](const std::string& text) {
      return makes_templates ? calls_any(text, kVarying) : actions_call_any(text, kVarying);
    });
  }

  std::vector<std::pair<std::string, std::string>> take() { return std::move(found_); }

 private:
  bool ignores_git() const {
    const std::string ignored = files_.text_of(base::joined_path(chart_.folder(), ".helmignore"));
    for (const std::string_view line : base::Lines(ignored)) {
      if (base::trimmed(line) == ".git/") return true;
    }
    return false;
  }

  bool add(const base::DirectoryEntry& entry, const std::string& path, const std::string& name) {
    if (entry.is_link) return false;
    if (entry.kind == base::FileKind::Directory)
      return (name == ".git" && ignores_git_) || add(path, name + "/");
    if (entry.kind != base::FileKind::File || name.ends_with(".tgz") || name.ends_with(".tar.gz"))
      return false;
    return files_.stays_inside(chart_.folder(), name) && add_file("chart/" + name, path);
  }

  const base::FileSystem& files_;
  const Chart& chart_;
  bool ignores_git_;
  std::vector<std::pair<std::string, std::string>> found_;
  std::vector<std::string> texts_;
  size_t bytes_ = 0;
};

}  // namespace

std::shared_ptr<const base::Dependencies> dependencies_of(const base::FileSystem& files,
                                                          const Release& release, const Chart& chart,
                                                          std::string call) {
  ChartFiles found(files, chart);
  if (!found.add(chart.folder())) return nullptr;
  for (size_t i = 0; i < release.values.size(); ++i) {
    if (!found.add_file(fmt::format("values/{}", i), release.values[i])) return nullptr;
  }
  // Values may become templates, too.
  found.add_text(release.inline_values);
  for (const Parameter& parameter : release.parameters) found.add_text(parameter.value);
  if (found.may_vary()) return nullptr;
  auto dependencies = std::make_shared<base::Dependencies>();
  dependencies->call = std::move(call);
  dependencies->files = &files;
  dependencies->read = found.take();
  return dependencies;
}

}  // namespace trainjobc::helm
