// SPDX-License-Identifier: Apache-2.0

// The order in which people expect the fields of Kubernetes objects.
#include <algorithm>
#include <array>

#include "base/text/name_prefix.h"
#include "yaml/write/writer.h"

namespace trainjobc::yaml {
namespace {

struct Rank {
  std::string_view key;
  int rank = 0;
  uint64_t prefix = base::prefix_of(key);
};

// Sorted by key. Fields that identify an object come first, its contents last.
constexpr std::array kRanks = std::to_array<Rank>({
    {"annotations", 24},    {"apiVersion", 0},      {"args", 34},      {"binaryData", 92},
    {"command", 33},        {"containers", 95},     {"data", 91},      {"env", 36},
    {"envFrom", 35},        {"generateName", 21},   {"image", 31},     {"imagePullPolicy", 32},
    {"initContainers", 94}, {"items", 97},          {"key", 19},       {"kind", 1},
    {"labels", 23},         {"metadata", 2},        {"name", 20},      {"namespace", 22},
    {"ports", 37},          {"replicatedJobs", 96}, {"resources", 38}, {"spec", 90},
    {"status", 99},         {"stringData", 93},     {"template", 95},  {"type", 25},
    {"value", 40},          {"valueFrom", 41},      {"volumes", 96},
});
static_assert(std::ranges::is_sorted(kRanks, {}, &Rank::key));

constexpr int kOther = 50;

}  // namespace

int key_rank(std::string_view key) {
  const uint64_t prefix = base::prefix_of(key);
  for (auto found = std::ranges::lower_bound(kRanks, prefix, {}, &Rank::prefix);
       found != kRanks.end() && found->prefix == prefix; ++found) {
    if (found->key == key) return found->rank;
  }
  return kOther;
}

std::vector<const Entry*> ordered_entries(const Node& map, KeyOrder order) {
  struct Ranked {
    int rank;
    const Entry* entry;
  };
  std::vector<const Entry*> entries;
  entries.reserve(map.size());
  if (order == KeyOrder::AsIs) {
    for (const Entry& entry : map.entries()) entries.push_back(&entry);
    return entries;
  }
  std::vector<Ranked> ranked;
  ranked.reserve(map.size());
  for (const Entry& entry : map.entries())
    ranked.push_back({order == KeyOrder::Kubernetes ? key_rank(entry.key) : 0, &entry});
  std::ranges::sort(ranked, [](const Ranked& a, const Ranked& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.entry->key < b.entry->key;
  });
  for (const Ranked& one : ranked) entries.push_back(one.entry);
  return entries;
}

}  // namespace trainjobc::yaml
