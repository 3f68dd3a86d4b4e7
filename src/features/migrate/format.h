// SPDX-License-Identifier: Apache-2.0

// Reports of migrations: what became of each object.
#pragma once

#include <cstddef>
#include <string>

#include "features/migrate/migrate.h"

namespace trainjobc::migrate {

// For a terminal: a table, in columns of `width`; 0: none.
std::string format_table(const Migration& migration, size_t width);
// For people who finish the migration: the table, the order in which to apply the files, and for each object
// what differs and what to do. `to` is the Trainer version.
std::string format_markdown(const Migration& migration, const std::string& to);
// For programs: {"trainerVersion": …, "objects": […], "apply": […], "findings": […], "notForTrainer": […]}
std::string format_json(const Migration& migration, const std::string& to);

}  // namespace trainjobc::migrate
