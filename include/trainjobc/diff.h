// The public C++ API of diff: compile_sources() with Options::with_defaults, read_live() for what a cluster
// gave, and compare_objects() of both; the formats turn its report into text.
#pragma once

#include "tools/diff/compare_objects.h"
#include "tools/diff/format/formats.h"
#include "trainjobc/trainjobc.h"
