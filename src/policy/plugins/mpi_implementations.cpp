#include "policy/plugins/mpi_implementations.h"

#include <algorithm>
#include <array>

namespace trainjobc::policy::mpi {
namespace {

// Source of the names: each implementation's manual.
constexpr std::array kImplementations = std::to_array<Implementation>({
    {"OpenMPI", "OMPI_MCA_orte_default_hostfile", "OMPI_MCA_orte_keep_fqdn_hostnames",
     "OMPI_MCA_orte_set_default_slots", "OMPI_MCA_plm_rsh_args", " slots="},
    {"Intel", "I_MPI_HYDRA_HOST_FILE", "", "I_MPI_PERHOST", "I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS", ":"},
    {"MPICH", "HYDRA_HOST_FILE", "", "", "HYDRA_LAUNCHER_EXTRA_ARGS", ":"},
});

}  // namespace

const Implementation* find_implementation(std::string_view name) {
  const auto found = std::ranges::find(kImplementations, name, &Implementation::name);
  return found != kImplementations.end() ? &*found : nullptr;
}

}  // namespace trainjobc::policy::mpi
