// What each implementation of MPI calls its settings.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace trainjobc::policy::mpi {

// Names of variables; "" if an implementation has none.
struct Implementation {
  std::string_view name;            // spec.mlPolicy.mpi.mpiImplementation
  std::string_view hostfile;        // path of the hostfile
  std::string_view keeps_domains;   // "true": hosts keep their full names
  std::string_view slots;           // processes a node
  std::string_view shell_args;      // arguments of ssh
  std::string_view slot_separator;  // between a host and its slots in the hostfile
};

// OpenMPI, which Trainer sets up; Intel and MPICH, of dialects. nullptr for others.
const Implementation* find_implementation(std::string_view name);

}  // namespace trainjobc::policy::mpi
