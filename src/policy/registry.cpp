#include <array>

#include "policy/plugin.h"
#include "policy/plugins.h"

namespace trainjobc::policy {

std::span<const Plugin> registry() {
  static constexpr std::array kPlugins = std::to_array<Plugin>({
      {"PlainML", nullptr, plainml::expand, nullptr},
      {"Torch", torch::validate, torch::expand, nullptr},
      {"MPI", mpi::validate, mpi::expand, mpi::build},
      {"JAX", nullptr, jax::expand, nullptr},
      {"XGBoost", xgboost::validate, xgboost::expand, nullptr},
      {"Flux", flux::validate, flux::expand, flux::build},
      {"CoScheduling", nullptr, coscheduling::expand, coscheduling::build},
      {"Volcano", volcano::validate, volcano::expand, volcano::build},
      {"JobSet", jobset::validate, nullptr, nullptr},
  });
  return kPlugins;
}

}  // namespace trainjobc::policy
