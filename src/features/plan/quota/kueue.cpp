// SPDX-License-Identifier: Apache-2.0

#include "features/plan/quota/kueue.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/text/text.h"

namespace trainjobc::plan {
namespace {

constexpr int64_t kNewestPatch = std::numeric_limits<int64_t>::max();

// Each version is a copy of the one before it, with its changes. Source: Kueue at its tags.
constexpr KueueBehaviour kKueue15{.version = "0.15"};

constexpr KueueBehaviour kKueue16 = [] {
  KueueBehaviour row = kKueue15;
  row.version = "0.16";
  row.skips_zero = true;
  row.new_preference = true;
  return row;
}();

constexpr KueueBehaviour kKueue17 = [] {
  KueueBehaviour row = kKueue16;
  row.version = "0.17";
  row.counts_pod_limits = true;
  row.own_labels_only = true;
  return row;
}();

constexpr KueueBehaviour kKueue18 = [] {
  KueueBehaviour row = kKueue17;
  row.version = "0.18";
  row.most_pod_sets = 10;
  row.reads_claims = true;
  return row;
}();

constexpr KueueBehaviour kKueue19 = [] {
  KueueBehaviour row = kKueue18;
  row.version = "0.19";
  row.most_pod_sets = 18;
  return row;
}();

constexpr std::array kRows{kKueue15, kKueue16, kKueue17, kKueue18, kKueue19};

// The first patch releases of a version that have behaviour which came after its first release.
struct Patches {
  std::string_view version;
  int64_t pod_limits = 0;
  int64_t own_labels = 0;
};

constexpr std::array kPatches = std::to_array<Patches>({
    {"0.17", 7, 6},
    {"0.18", 3, 2},
});

KueueBehaviour at_patch(KueueBehaviour row, int64_t patch) {
  if (const Patches* since = base::find(kPatches, row.version, &Patches::version)) {
    row.counts_pod_limits = row.counts_pod_limits && patch >= since->pod_limits;
    row.own_labels_only = row.own_labels_only && patch >= since->own_labels;
  }
  return row;
}

struct Version {
  int64_t major = 0;
  int64_t minor = 0;
  int64_t patch = kNewestPatch;
};

std::optional<Version> read_version(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  std::vector<int64_t> numbers;
  while (!text.empty() && numbers.size() < 3) {
    const size_t dot = std::min(text.find('.'), text.size());
    std::string_view part = text.substr(0, dot);
    if (numbers.size() == 2) part = part.substr(0, part.find('-'));  // such as 0.19.0-rc.1
    if (part.empty() || !std::ranges::all_of(part, base::is_digit)) return std::nullopt;
    numbers.push_back(base::read_integer(part).value_or(kNewestPatch));
    text.remove_prefix(std::min(dot + 1, text.size()));
  }
  if (numbers.size() < 2) return std::nullopt;
  Version version{numbers[0], numbers[1]};
  if (numbers.size() == 3) version.patch = numbers[2];
  return version;
}

const KueueBehaviour* find_row(const Version& version) {
  const std::string name = std::to_string(version.major) + "." + std::to_string(version.minor);
  return base::find(kRows, std::string_view(name), &KueueBehaviour::version);
}

}  // namespace

const KueueBehaviour& newest_kueue() {
  return kRows.back();
}

std::vector<std::string> kueue_versions() {
  std::vector<std::string> versions;
  for (const KueueBehaviour& row : kRows) versions.emplace_back(row.version);
  return versions;
}

std::optional<KueueBehaviour> read_kueue_version(std::string_view text) {
  const auto version = read_version(text);
  const KueueBehaviour* row = version ? find_row(*version) : nullptr;
  return row ? std::optional(at_patch(*row, version->patch)) : std::nullopt;
}

std::optional<KueueBehaviour> kueue_of_image(std::string_view image) {
  image = image.substr(0, image.find('@'));
  const size_t colon = image.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view tag = image.substr(colon + 1);
  if (auto known = read_kueue_version(tag)) return known;
  const auto version = read_version(tag);
  const auto newest = read_version(newest_kueue().version);
  const bool is_newer =
      version && (version->major > newest->major ||
                  (version->major == newest->major && version->minor > newest->minor));
  return is_newer ? std::optional(newest_kueue()) : std::nullopt;
}

}  // namespace trainjobc::plan
