// SPDX-License-Identifier: Apache-2.0

#include "compile/reuse/read_cache.h"

#include <algorithm>
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

// What aliases may repeat depends on the size of the file.
bool is_same(const ReadDocument& document, const ReadDocument& known) {
  const yaml::FoundDocument& a = document.document;
  const yaml::FoundDocument& b = known.document;
  const bool has_alias = a.text.find('*') != std::string_view::npos;
  return a.text == b.text && a.may_be_json == b.may_be_json && document.is_deferred == known.is_deferred &&
         (!has_alias || a.file->text().size() == b.file->text().size());
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
  const Key key = key_of(file.file->name(), options);
  // A second file of that name is another one.
  const auto before = used_.contains(key) ? files_.end() : files_.find(key);
  file.number = ++last_number_;
  number_documents(file, before != files_.end() ? before->second.get() : nullptr);
  auto kept = std::make_shared<const ReadFile>(std::move(file));
  if (before != files_.end()) moves_.add(before->second, *kept);
  return used_.insert_or_assign(key, std::move(kept)).first->second;
}

void ReadCache::number_documents(ReadFile& file, const ReadFile* before) {
  const size_t count = file.documents.size();
  const size_t old = before ? before->documents.size() : 0;
  const auto take = [&](ReadDocument& document, const ReadDocument& known) {
    if (!is_same(document, known)) return false;
    document.number = known.number;
    return true;
  };
  size_t first = 0;
  while (first < std::min(count, old) && take(file.documents[first], before->documents[first])) ++first;
  for (size_t last = 1; last <= std::min(count, old) - first; ++last) {
    if (!take(file.documents[count - last], before->documents[old - last])) break;
  }
  for (ReadDocument& document : file.documents) {
    if (document.number == 0) document.number = ++last_number_;
    for (size_t i = 0; i < document.read.objects.size(); ++i) {
      InputObject& object = document.read.objects[i];
      object.reading = file.number;
      object.document = document.number;
      object.item = i;
    }
  }
}

void ReadCache::forget_unused() {
  const std::lock_guard lock(mutex_);
  files_ = std::exchange(used_, {});
  moves_ = {};
}

}  // namespace trainjobc::compile
