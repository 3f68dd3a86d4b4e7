// SPDX-License-Identifier: Apache-2.0

// Rewrites every TrainJob and runtime of a file in place.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/source.h"
#include "yaml/node.h"

namespace trainjobc::migrate {

struct RewrittenFile {
  std::string text;            // the file's text if nothing changes; includes its byte order mark
  size_t changed = 0;          // number of objects that migrate
  base::Diagnostics problems;  // why an object can't be changed
  std::string unread;          // the file's text with its readable documents blanked; "" if all could be read
};

// What an object becomes: the same object again, another one, or several.
struct Changed {
  std::vector<const yaml::Node*> objects;
  bool is_new = false;  // of other kinds: comments on removed fields may be removed, too
  std::vector<const yaml::Node*> apart = {};  // more new objects, each in a file of its own
  bool follows = false;  // it doesn't migrate itself, but selects pods of objects that do
};

using Change =
    std::function<Changed(const yaml::Node& object, const yaml::Maker& make, base::Diagnostics& problems)>;

// Calls `change` for every object of the file, with Lists expanded, and for a list, which may be a patch;
// then rewrites the documents. A document whose new text would not read back correctly stays as it is, and
// gets a problem of rule migrate/in-place. Locations of problems refer to the text of `file`; nodes live
// until the end of the call.
RewrittenFile rewrite_file(const base::SourceFile& file, const Change& change);

}  // namespace trainjobc::migrate
