// The public C++ API of migrate: migrate::migrate() rewrites sources for another Trainer version, and says
// what can't be carried over and what renders differently.
#pragma once

#include "tools/migrate/migrate.h"
#include "trainjobc/trainjobc.h"
