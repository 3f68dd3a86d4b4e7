// Rewriting files: every TrainJob and runtime of a file, in its place.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/source.h"
#include "tools/migrate/objects.h"
#include "yaml/node.h"

namespace trainjobc::migrate {

struct RewrittenFile {
  std::string text;            // the file's own where nothing changes, its byte order mark included
  size_t changed = 0;          // objects
  base::Diagnostics problems;  // what keeps an object as it is
};

// Gives the new root of an object of the file, or the old one.
using Change = std::function<const yaml::Node*(const yaml::Node& object, const yaml::Maker& make,
                                               base::Diagnostics& problems)>;

// Asks `change` about every object of the file, Lists expanded, and rewrites the documents. A document whose
// text would not read back as what is meant is left as it is, which is a problem of rule migrate/in-place.
// `text` of the problems' locations is that of `file`; nodes live until the end of the call.
RewrittenFile rewrite_file(const base::SourceFile& file, const Change& change);

}  // namespace trainjobc::migrate
