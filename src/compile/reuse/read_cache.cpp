// SPDX-License-Identifier: Apache-2.0

#include "compile/reuse/read_cache.h"

#include <string_view>
#include <utility>

namespace trainjobc::compile {
namespace {

bool is_text_of(std::string_view text, const base::SourceFile& file) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  const bool has_mark = text.starts_with(kMark);
  if (has_mark) text.remove_prefix(kMark.size());
  return has_mark == file.had_byte_order_mark() && text == file.text();
}

}  // namespace

ReadCache::Key ReadCache::key_of(const std::string& name, const ReadOptions& options) {
  return {name,
          std::string(options.pinned_version),
          options.is_input,
          options.keep_foreign,
          options.keep_jobs,
          options.defer_jobs};
}

std::shared_ptr<const ReadFile> ReadCache::find(const Source& source, const ReadOptions& options) {
  const std::lock_guard lock(mutex_);
  const Key key = key_of(source.name, options);
  for (const auto* files : {&used_, &files_}) {
    const auto found = files->find(key);
    if (found == files->end() || !is_text_of(source.text, *found->second->file)) continue;
    return used_.insert_or_assign(key, found->second).first->second;
  }
  return nullptr;
}

std::shared_ptr<const ReadFile> ReadCache::add(ReadFile file, const ReadOptions& options) {
  const std::lock_guard lock(mutex_);
  file.number = ++last_number_;
  for (ReadDocument& document : file.documents) {
    for (InputObject& object : document.read.objects) object.reading = file.number;
  }
  const Key key = key_of(file.file->name(), options);
  return used_.insert_or_assign(key, std::make_shared<const ReadFile>(std::move(file))).first->second;
}

void ReadCache::forget_unused() {
  const std::lock_guard lock(mutex_);
  files_ = std::exchange(used_, {});
}

}  // namespace trainjobc::compile
