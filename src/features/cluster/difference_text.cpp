// SPDX-License-Identifier: Apache-2.0

#include "features/cluster/difference_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "k8s/object_meta.h"
#include "k8s/value_text.h"
#include "yaml/write/writer.h"

namespace trainjobc::cluster {
namespace {

using yaml::Node;

constexpr size_t kMaxWidth = 56;  // a value on one line
constexpr size_t kContext = 16;   // characters around the place where long values differ
constexpr std::string_view kCut = "…";

bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

// The nearest place at or before `at` where no character is cut.
size_t boundary(std::string_view text, size_t at) {
  at = std::min(at, text.size());
  while (at > 0 && at < text.size() && is_continuation(text[at])) --at;
  return at;
}

std::string cut(std::string_view text, size_t begin, size_t end) {
  begin = boundary(text, begin);
  end = boundary(text, std::max(begin, end));
  return fmt::format("{}{}{}", begin > 0 ? kCut : "", text.substr(begin, end - begin),
                     end < text.size() ? kCut : "");
}

// Cuts both texts to the part that differs.
void cut_to_difference(ValueTexts& texts) {
  const std::string& a = texts.live;
  const std::string& b = texts.rendered;
  const size_t shorter = std::min(a.size(), b.size());
  const auto ahead = std::ranges::mismatch(a, b);
  const auto same_ahead = static_cast<size_t>(ahead.in1 - a.begin());
  const auto tails = std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend());
  const size_t same_after = std::min(static_cast<size_t>(tails.first - a.rbegin()), shorter - same_ahead);
  const size_t begin = same_ahead > kContext ? same_ahead - kContext : 0;
  const auto shown = [&](const std::string& text) {
    return cut(text, begin, std::min(text.size() - same_after + kContext, begin + kMaxWidth));
  };
  texts = {shown(a), shown(b)};
}

bool is_file_mode(const Node& value, std::string_view key) {
  return value.is_int() && (key == "defaultMode" || key == "mode");
}

// `value` with file modes in octal; `key` is the key of `value`.
const Node* with_octal_modes(const Node& value, std::string_view key, const yaml::Maker& make) {
  if (is_file_mode(value, key) && value.as_int()) {
    const std::string text = k8s::mode_text(*value.as_int());
    return make.plain(yaml::Kind::Int, make.copied(text)->text());
  }
  if (value.is_map()) {
    std::vector<yaml::Entry> entries(value.entries().begin(), value.entries().end());
    for (yaml::Entry& entry : entries) entry.value = with_octal_modes(*entry.value, entry.key, make);
    return make.map(entries);
  }
  if (!value.is_list()) return &value;
  std::vector<const Node*> items;
  for (const Node* item : value.items()) items.push_back(with_octal_modes(*item, "", make));
  return make.list(items);
}

std::string keys_text(const Node& list, const schema::Schema* schema) {
  std::string text = "[";
  for (const Node* item : list.items()) {
    if (text.size() > 1) text += ", ";
    text += schema ? schema::item_keys(*item, *schema) : readable_text(item, "");
  }
  return text + "]";
}

// spec | replicatedJobs[node] | template…
std::vector<std::string> segments_of(const schema::FieldPath& path) {
  std::vector<std::string> segments;
  for (const schema::Step& step : path) {
    const std::string text = schema::to_keyed_string({step});
    if (text.starts_with('[') && !segments.empty()) {
      segments.back() += text;
    } else {
      segments.push_back(text);
    }
  }
  return segments;
}

// The begin and number of the steps from a replicatedJob to its pod spec.
constexpr size_t kPodStart = 2;
constexpr std::array<std::string_view, 4> kPodSteps{"template", "spec", "template", "spec"};

bool leads_to_pod(const std::vector<std::string>& segments) {
  return segments.size() > kPodStart + kPodSteps.size() && segments[1].starts_with("replicatedJobs[") &&
         std::equal(kPodSteps.begin(), kPodSteps.end(), segments.begin() + kPodStart);
}

std::string joined(const std::vector<std::string>& segments, size_t begin, size_t end) {
  std::string text;
  for (size_t i = begin; i < end; ++i) {
    if (i > begin) text += '.';
    text += segments[i];
  }
  return text;
}

std::string shortened(const std::vector<std::string>& segments, const std::vector<std::string>& above) {
  size_t shared = 0;
  while (shared + 1 < segments.size() && shared < above.size() && segments[shared] == above[shared]) ++shared;
  if (!leads_to_pod(segments)) {
    if (leads_to_pod(above)) shared = std::min(shared, kPodStart);
    if (shared < kPodStart) shared = 0;
    return (shared > 0 ? "…" : "") + joined(segments, shared, segments.size());
  }
  const size_t pod = kPodStart + kPodSteps.size();
  const std::string job = shared >= kPodStart ? "" : joined(segments, 0, kPodStart);
  return job + "…" + joined(segments, std::max(shared, pod), segments.size());
}

}  // namespace

std::string value_text(const Node* value) {
  if (!value) return "none";
  std::string text;
  yaml::write_json(*value, yaml::KeyOrder::Kubernetes, 0, text);
  return text;
}

std::string readable_text(const Node* value, std::string_view key) {
  base::Arena arena;
  return value_text(value ? with_octal_modes(*value, key, yaml::Maker(arena)) : nullptr);
}

ValueTexts value_texts(const Difference& difference) {
  if (difference.order) {
    const schema::Schema* list = schema::value_schema(difference.path.back());
    return {keys_text(*difference.live, list), keys_text(*difference.rendered, list)};
  }
  const std::string_view key = difference.path.empty() ? std::string_view() : difference.path.back().key;
  ValueTexts texts{readable_text(difference.live, key), readable_text(difference.rendered, key)};
  if (texts.live.size() <= kMaxWidth && texts.rendered.size() <= kMaxWidth) return texts;
  if (difference.live && difference.rendered) {
    cut_to_difference(texts);
  } else {
    texts = {cut(texts.live, 0, kMaxWidth), cut(texts.rendered, 0, kMaxWidth)};
  }
  return texts;
}

std::string short_path(const schema::FieldPath& path, const schema::FieldPath& above) {
  return shortened(segments_of(path), segments_of(above));
}

std::string without_pod_steps(std::string path) {
  constexpr std::string_view kSteps = ".template.spec.template.spec.";
  const size_t at = path.find(kSteps);
  return at == std::string::npos ? path : path.replace(at, kSteps.size(), kCut);
}

std::string title_of(const ObjectDiff& object) {
  return fmt::format("{} {}/{}", object.kind, k8s::effective_namespace(object.ns), object.name);
}

std::string Causes::of(const Difference& difference) {
  const base::Location& location = difference.location;
  std::string place;
  if (location.file) place = fmt::format("{}:{}", location.file->name(), location.line);
  const bool same = !place.empty() && place == last_place_;
  last_place_ = place;
  if (!difference.rule.empty()) {
    if (place.empty()) return difference.rule;
    return fmt::format("{} {} {}", difference.rule, difference.is_around ? "in" : "from",
                       same ? "the same" : place);
  }
  if (place.empty()) return "";
  if (difference.is_around) return fmt::format("in {}", same ? "the same" : place);
  if (same) return "the same";
  const std::string field = difference.cause ? fields_.of(*difference.cause) : "";
  return field.empty() ? place : fmt::format("{}  {}", place, field);
}

}  // namespace trainjobc::cluster
