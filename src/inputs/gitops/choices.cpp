// SPDX-License-Identifier: Apache-2.0

#include "inputs/gitops/choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace trainjobc::gitops {
namespace {

constexpr size_t kMostVariants = 8;

// Without " (spot)", which other_cluster() adds.
std::string without_other(const std::string& cluster) {
  return cluster.substr(0, cluster.find(" ("));
}

}  // namespace

// The variants are those of the object that was found first. An object with as many candidates pairs up with
// them, as in config/prod and secrets/prod.
void Choices::add(const std::string& cluster, const ObjectName& name,
                  const std::vector<const Manifest*>& objects) {
  if (objects.size() > kMostVariants) return;
  const std::string own = own_name_of(cluster);
  Places places;
  std::set<std::string> files;
  for (const Manifest* object : objects) {
    places.push_back(object->place());
    files.insert(object->file);
  }
  std::ranges::sort(places);
  if (!by_cluster_[own].try_emplace(name, places).second || names_.contains(own)) return;
  for (size_t i = 0; i < places.size(); ++i) {
    // A file with several of them needs the line, too.
    const std::string& place = places[i];
    const std::string from = files.size() == places.size() ? place.substr(0, place.rfind(':')) : place;
    const std::string variant = fmt::format("{} with {}", own, from);
    names_[own].push_back(variant);
    variants_[variant] = {own, i};
  }
}

std::vector<std::string> Choices::variants_of(const std::string& cluster) const {
  const auto found = names_.find(cluster);
  return found != names_.end() ? found->second : std::vector{cluster};
}

const Choices::Variant* Choices::variant(const std::string& cluster) const {
  const auto found = variants_.find(without_other(cluster));
  return found != variants_.end() ? &found->second : nullptr;
}

std::string Choices::own_name_of(const std::string& cluster) const {
  const Variant* found = variant(cluster);
  return found ? found->cluster : without_other(cluster);
}

const Manifest* Choices::chosen(const std::string& cluster, const ObjectName& name,
                                const std::vector<const Manifest*>& objects) const {
  const Variant* own = variant(cluster);
  if (!own) return nullptr;
  const auto& choices = by_cluster_.at(own->cluster);
  const auto places = choices.find(name);
  if (places == choices.end() || own->number >= places->second.size()) return nullptr;
  const auto found = std::ranges::find(objects, places->second[own->number], &Manifest::place);
  return found != objects.end() ? *found : nullptr;
}

bool Choices::is_first_variant(const std::string& cluster) const {
  const Variant* own = variant(cluster);
  return own && own->number == 0;
}

}  // namespace trainjobc::gitops
