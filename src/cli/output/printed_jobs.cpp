// SPDX-License-Identifier: Apache-2.0

#include "cli/output/printed_jobs.h"

#include "cli/output/annotate_origin.h"
#include "cli/output/mask.h"

namespace trainjobc::cli {

PrintedObject print(const Object& object, const PrintStyle& style) {
  base::Arena arena;
  const yaml::Maker make(arena);
  Object shown = object;
  if (style.annotate_origin) shown.root = annotate_origin(shown, make);
  if (style.mask_secrets) shown.root = mask_secrets(*shown.root, make);
  PrintedObject printed;
  printed.text = print_object(shown, style.format);
  printed.text.shrink_to_fit();
  printed.is_secret = object.kind == "Secret";
  if (!style.to_files) return printed;
  printed.file = file_name(object);
  printed.ns = object.ns;
  return printed;
}

void PrintingSink::take(size_t job, std::span<const Object> objects) {
  PrintedJob& printed = jobs_[job];
  printed.objects.reserve(objects.size());
  for (const Object& object : objects) {
    printed.objects.push_back(print(object, style_));
    printed.keys.add(object);
  }
}

}  // namespace trainjobc::cli
