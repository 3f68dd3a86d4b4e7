// SPDX-License-Identifier: Apache-2.0

// All of libfmt as one object: the header-only library, compiled with -fkeep-inline-functions.
#include <fmt/format.h>
