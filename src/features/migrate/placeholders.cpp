// SPDX-License-Identifier: Apache-2.0

#include "features/migrate/placeholders.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text/text.h"
#include "features/migrate/v1/enclosing.h"
#include "features/migrate/v1/workflow.h"
#include "yaml/read/reader.h"

namespace trainjobc::migrate {

// What replaces the placeholders in a text.
enum class Filler { Envsubst, Katib, Argo };

struct WantedPlaceholders {
  std::set<std::string> names;
  std::map<size_t, std::string> numbers;  // by offset in the file
  std::set<std::string> pages;            // those of `numbers` that are amounts of huge pages
  std::map<size_t, std::string> words;    // Argo's outside of quotes, which YAML would take for maps
  Filler filler = Filler::Envsubst;
};

namespace {

using Wanted = WantedPlaceholders;

using yaml::Node;

// Fields whose values are numbers.
constexpr std::array<std::string_view, 24> kNumberFields{"activeDeadlineSeconds",
                                                         "backoffLimit",
                                                         "containerPort",
                                                         "failureThreshold",
                                                         "fsGroup",
                                                         "gpusPerNode",
                                                         "hostPort",
                                                         "initialDelaySeconds",
                                                         "maxReplicas",
                                                         "maxRestarts",
                                                         "minAvailable",
                                                         "minReplicas",
                                                         "nProcPerNode",
                                                         "nprocPerNode",
                                                         "periodSeconds",
                                                         "port",
                                                         "priority",
                                                         "replicas",
                                                         "runAsGroup",
                                                         "runAsUser",
                                                         "sizeLimit",
                                                         "slotsPerWorker",
                                                         "terminationGracePeriodSeconds",
                                                         "ttlSecondsAfterFinished"};
// Maps whose values are amounts.
constexpr std::array<std::string_view, 3> kAmountFields{"limits", "minResources", "requests"};
// Fields whose values must be names.
constexpr std::array<std::string_view, 14> kNameFields{
    "claimName",        "generateName",  "hostname",          "name",
    "namespace",        "priorityClass", "priorityClassName", "queue",
    "schedulerName",    "secretName",    "serviceAccount",    "serviceAccountName",
    "storageClassName", "subdomain"};
// Maps and lists whose values are values of labels.
constexpr std::array<std::string_view, 4> kLabelFields{"labels", "matchLabels", "nodeSelector", "values"};

bool begins_name(char c) {
  return base::is_letter(c) || c == '_';
}

// Argo's placeholder that begins at `at`, {{…}}; "" if there is none.
std::string_view argo_placeholder_at(std::string_view text, size_t at) {
  if (!text.substr(at).starts_with("{{")) return {};
  const size_t line_end = std::min(text.find('\n', at), text.size());
  const size_t end = text.substr(0, line_end).find("}}", at);
  return end != std::string_view::npos ? text.substr(at, end + 2 - at) : std::string_view();
}

// The placeholder that begins at `at`, $NAME, ${NAME} or <NAME>; "" if there is none. Katib's names contain
// dots.
std::string_view placeholder_at(std::string_view text, size_t at, Filler filler) {
  if (filler == Filler::Argo) return argo_placeholder_at(text, at);
  const bool is_angle = text[at] == '<';
  if (!is_angle && text[at] != '$') return {};
  const bool in_braces = !is_angle && at + 1 < text.size() && text[at + 1] == '{';
  const size_t begin = at + (in_braces ? 2 : 1);
  size_t end = begin;
  while (end < text.size() && (begins_name(text[end]) || (end > begin && base::is_digit(text[end])) ||
                               (is_angle && end > begin && text[end] == '-') ||
                               (in_braces && filler == Filler::Katib && text[end] == '.')))
    ++end;
  if (end == begin) return {};
  if (is_angle || in_braces) {
    if (end >= text.size() || text[end] != (is_angle ? '>' : '}')) return {};
    ++end;
  }
  return text.substr(at, end - at);
}

std::string_view bare_name(std::string_view placeholder) {
  const size_t begin = placeholder.find_first_not_of("${<");
  if (begin == std::string_view::npos) return placeholder;
  return placeholder.substr(begin, placeholder.find_last_not_of("}>") + 1 - begin);
}

// The text of a job as it was read, and as its user wrote it, with the same offsets.
struct Written {
  const base::SourceFile& read;
  std::string_view text;
  size_t begin = 0;  // offset in the file
};

class Finder {
 public:
  Finder(const Written& written, Wanted& wanted) : written_(written), wanted_(wanted) {}

  void find(const Node& job) {
    for (const yaml::Entry& entry : job.entries()) walk(*entry.value, entry.key, "");
  }

 private:
  void walk(const Node& node, std::string_view key, std::string_view parent) {
    const bool is_argo = wanted_.filler == Filler::Argo;
    if (!is_argo && (key == "annotations" || key == "command" || key == "args")) return;
    for (const yaml::Entry& entry : node.entries()) walk(*entry.value, entry.key, key);
    for (const Node* item : node.items()) walk(*item, item->is_scalar() ? key : "", key);
    if (!node.is_string()) return;
    const bool is_number = base::contains(kNumberFields, key) || base::contains(kAmountFields, parent);
    const bool is_name = base::contains(kNameFields, key) || base::contains(kLabelFields, key) ||
                         base::contains(kLabelFields, parent);
    const base::Location at = yaml::locate(node);
    if ((!is_number && !is_name && !is_argo) || at.file != &written_.read || at.line != at.end_line) return;
    const size_t begin = written_.read.line_start(at.line) + at.column - 1;
    const size_t end = written_.read.line_start(at.line) + at.end_column - 1;
    const bool is_word = is_argo && written_.text.substr(begin).starts_with("{{");
    for (size_t i = begin; i < end; ++i) {
      const std::string placeholder(placeholder_at(written_.text.substr(0, end), i, wanted_.filler));
      if (placeholder.empty()) continue;
      if (is_number) {
        wanted_.numbers[written_.begin + i] = placeholder;
        if (key.starts_with("hugepages-")) wanted_.pages.insert(placeholder);
      } else if (is_name) {
        wanted_.names.insert(placeholder);
      } else if (is_word) {
        wanted_.words[written_.begin + i] = placeholder;
      }
    }
  }

  const Written& written_;
  Wanted& wanted_;
};

// Argo replaces placeholders before it reads the text: each counts as a word of the same length.
void find_in_manifest(const base::SourceFile& file, const Node& manifest, Wanted& wanted) {
  const std::string_view block = v1::block_of(manifest);
  if (block.find("{{") == std::string_view::npos) return;
  std::string text(block);
  for (size_t i = 0; i < text.size(); ++i) {
    const size_t size = argo_placeholder_at(block, i).size();
    if (size > 0) std::fill_n(text.begin() + static_cast<ptrdiff_t>(i), size, 'p');
  }
  const base::SourceFile read("", std::move(text));
  base::Arena arena;
  base::Diagnostics problems;
  wanted.filler = Filler::Argo;
  const Written written{read, block, static_cast<size_t>(block.data() - file.text().data())};
  for (const yaml::Document& document : yaml::read(read, arena, problems)) {
    if (v1::is_v1(*document.root)) Finder(written, wanted).find(*document.root);
  }
}

void find_in_jobs(const Node& root, const base::SourceFile& file, Wanted& wanted) {
  if (!root.is_map()) return;
  const Written written{file, file.text()};
  if (v1::is_v1(root)) {
    Finder(written, wanted).find(root);
  } else if (const Node* trial = v1::trial_job(root)) {
    wanted.filler = Filler::Katib;
    Finder(written, wanted).find(*trial);
  } else if (yaml::string_at(root, "kind").ends_with("List")) {
    for (const Node* item : yaml::items_at(root, "items")) find_in_jobs(*item, file, wanted);
  }
  for (const Node* manifest : v1::manifests_of(root)) find_in_manifest(file, *manifest, wanted);
}

// Returns nullopt if it isn't clear what a placeholder stands for: it is written in two ways, or is a number
// here and part of a name there.
std::optional<Wanted> find_wanted(const base::SourceFile& file) {
  base::Arena arena;
  base::Diagnostics problems;
  Wanted wanted;
  for (const yaml::Document& document : yaml::read(file, arena, problems))
    find_in_jobs(*document.root, file, wanted);
  const bool is_empty = wanted.names.empty() && wanted.numbers.empty() && wanted.words.empty();
  if (problems.has_errors() || is_empty) return std::nullopt;
  std::map<std::string_view, std::string> spelled;
  const auto is_alone = [&](const std::string& placeholder) {
    return spelled.try_emplace(bare_name(placeholder), placeholder).first->second == placeholder;
  };
  std::set<std::string_view> numbers;
  for (const auto& [offset, placeholder] : wanted.numbers) {
    if (!is_alone(placeholder) || wanted.names.contains(placeholder)) return std::nullopt;
    numbers.insert(placeholder);
  }
  for (const auto& [offset, placeholder] : wanted.words) {
    if (!is_alone(placeholder) || numbers.contains(placeholder)) return std::nullopt;
  }
  if (!std::ranges::all_of(wanted.names, is_alone)) return std::nullopt;
  for (size_t i = 0; i < file.text().size(); ++i) {
    const std::string_view other = placeholder_at(file.text(), i, wanted.filler);
    if (other.empty() || wanted.names.contains(std::string(other))) continue;
    const auto known = spelled.find(bare_name(other));
    if (known != spelled.end() && wanted.names.contains(known->second)) return std::nullopt;
  }
  return wanted;
}

// Whether the digits there are a number of their own.
bool ends_number(std::string_view text, size_t begin, size_t end) {
  return (begin == 0 || !base::is_digit(text[begin - 1])) &&
         (end == text.size() || !base::is_digit(text[end]));
}

void add_numbers(std::string_view text, std::set<std::string>& numbers) {
  constexpr size_t kShortest = 4;  // of a stand-in
  for (size_t i = 0; i < text.size(); ++i) {
    size_t end = i;
    while (end < text.size() && base::is_digit(text[end])) ++end;
    if (end - i >= kShortest) numbers.emplace(text.substr(i, end - i));
    i = std::max(i, end);
  }
}

// Small enough for the addresses of that many pods to be written out.
constexpr int kFirstStandIn = 7001;
constexpr int kRoundStep = 1009;
// An amount of huge pages must be a multiple of the page size.
constexpr int64_t kHugePage = int64_t{1} << 30U;

}  // namespace

Placeholders::Placeholders(std::vector<Source>& inputs, const std::set<std::string>& without, int round)
    : next_(kFirstStandIn + (round * kRoundStep)) {
  std::map<size_t, Wanted> wanted;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string& text = inputs[i].text;
    const bool may_have =
        text.find("kubeflow.org/") != std::string::npos &&
        (text.find_first_of("$<") != std::string::npos || text.find("argoproj.io/") != std::string::npos);
    if (!may_have || without.contains(inputs[i].name)) continue;
    if (auto found = find_wanted(base::SourceFile(inputs[i].name, text)))
      wanted.emplace(i, std::move(*found));
  }
  if (wanted.empty()) return;
  std::set<std::string> taken;
  for (const Source& source : inputs) add_numbers(source.text, taken);
  for (const auto& [i, of_file] : wanted) fill(inputs[i], of_file, taken);
}

std::string Placeholders::add_stand_in(const std::string& placeholder, std::string_view prefix,
                                       const std::set<std::string>& taken, int64_t unit) {
  while (taken.contains(std::to_string(next_ * unit))) ++next_;
  std::string stand_in = std::string(prefix) + std::to_string(next_++ * unit);
  placeholders_[stand_in] = placeholder;
  return stand_in;
}

void Placeholders::fill(Source& source, const Wanted& wanted, const std::set<std::string>& taken) {
  const base::SourceFile file(source.name, source.text);
  const std::string_view text = file.text();
  std::map<std::string, std::string> stand_ins;
  const auto add_name = [&](const std::string& placeholder) {
    if (!stand_ins.contains(placeholder)) stand_ins[placeholder] = add_stand_in(placeholder, "p", taken, 1);
  };
  std::ranges::for_each(wanted.names, add_name);
  for (const auto& [offset, placeholder] : wanted.words) add_name(placeholder);
  for (const auto& [offset, placeholder] : wanted.numbers) {
    if (stand_ins.contains(placeholder)) continue;
    stand_ins[placeholder] =
        add_stand_in(placeholder, "", taken, wanted.pages.contains(placeholder) ? kHugePage : 1);
  }
  if (wanted.filler == Filler::Argo) needing_.insert(source.name);
  std::string filled;
  Changes& changes = files_[source.name];
  for (size_t i = 0; i < text.size();) {
    const std::string placeholder(placeholder_at(text, i, wanted.filler));
    if (placeholder.empty() ||
        (!wanted.names.contains(placeholder) && !wanted.numbers.contains(i) && !wanted.words.contains(i))) {
      filled += text[i++];
      continue;
    }
    const std::string& stand_in = stand_ins[placeholder];
    changes.push_back({filled.size(), stand_in.size(), placeholder.size()});
    filled += stand_in;
    i += placeholder.size();
  }
  originals_->emplace(source.name, file);
  source.text = (file.had_byte_order_mark() ? "\xEF\xBB\xBF" : "") + filled;
}

std::string Placeholders::put_back(std::string_view text) const {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const size_t digits = text[i] == 'p' ? i + 1 : i;
    size_t end = digits;
    while (end < text.size() && base::is_digit(text[end])) ++end;
    const auto known =
        ends_number(text, digits, end) ? placeholders_.find(text.substr(i, end - i)) : placeholders_.end();
    if (end == digits || known == placeholders_.end()) {
      out += text[i++];
      continue;
    }
    out += known->second;
    i = end;
  }
  return out;
}

const Node* Placeholders::put_back(const Node& node, const yaml::Maker& make) const {
  if (node.is_list()) {
    std::vector<const Node*> items;
    for (const Node* item : node.items()) items.push_back(put_back(*item, make));
    return make.list(items);
  }
  if (!node.is_map()) return node.is_null() ? &node : make.copied(put_back(node.text()));
  std::vector<yaml::Entry> entries;
  for (const yaml::Entry& entry : node.entries())
    entries.push_back({entry.key, put_back(*entry.value, make), {}});
  return make.map(entries);
}

base::Location Placeholders::put_back(const base::Location& at) const {
  const auto changes = at.file ? files_.find(at.file->name()) : files_.end();
  if (changes == files_.end()) return at;
  const base::SourceFile& original = originals_->at(at.file->name());
  const auto old_column = [&](uint32_t line, uint32_t column) {
    const size_t start = at.file->line_start(line);
    const size_t offset = start + column - 1;
    size_t now = column;
    for (auto change = std::ranges::lower_bound(changes->second, start, {}, &Change::offset);
         change != changes->second.end() && change->offset < offset; ++change)
      now += change->old_size - change->size;  // unsigned arithmetic wraps around
    return static_cast<uint32_t>(now);
  };
  return {&original, at.line, old_column(at.line, at.column), at.end_line,
          at.end_line > 0 ? old_column(at.end_line, at.end_column) : at.end_column};
}

base::Diagnostic Placeholders::put_back(base::Diagnostic finding) const {
  for (std::string* text : {&finding.object, &finding.field, &finding.message, &finding.hint})
    *text = put_back(*text);
  finding.location = put_back(finding.location);
  for (base::Note& note : finding.notes) {
    note.message = put_back(note.message);
    note.location = put_back(note.location);
  }
  return finding;
}

}  // namespace trainjobc::migrate
