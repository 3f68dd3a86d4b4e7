// SPDX-License-Identifier: Apache-2.0

// Variables of MPI that Trainer does not set.
#pragma once

#include <array>
#include <string_view>

namespace trainjobc::policy::mpi {

// With more arguments of ssh: of MPICH and of Intel MPI.
std::array<std::string_view, 2> ssh_arguments_of_hydra();

}  // namespace trainjobc::policy::mpi
