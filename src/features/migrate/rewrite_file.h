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
  std::string unread;          // the file's lines without its documents; "" if all could be read
};

// What an object becomes: the same again, another one, or several.
struct Changed {
  std::vector<const yaml::Node*> objects;
  bool is_new = false;  // they are other kinds of objects: comments beside what is gone may go too
  std::vector<const yaml::Node*> apart = {};  // objects that it becomes, too, in files of their own
  bool follows = false;  // it is none of the objects that migrate: it only selects their pods
};

using Change =
    std::function<Changed(const yaml::Node& object, const yaml::Maker& make, base::Diagnostics& problems)>;

// Calls `change` for every object of the file, with Lists expanded, and for a list, which may be a patch; and
// rewrites the documents. A document whose new text would not read back correctly stays as it is, which is a
// problem of rule migrate/in-place. Locations of problems refer to the text of `file`; nodes live until the
// end of the call.
RewrittenFile rewrite_file(const base::SourceFile& file, const Change& change);

}  // namespace trainjobc::migrate
