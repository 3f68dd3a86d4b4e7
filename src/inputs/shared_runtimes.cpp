// SPDX-License-Identifier: Apache-2.0

// Shares runtimes between the groups of a scope. Each group is compiled by itself, so giving each group all
// runtimes of all others would take quadratic time: a document that several groups have is shared once, and
// if there are many, a group gets only those that its TrainJobs name.
#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "compile/input.h"
#include "compile/runtimes.h"
#include "inputs/groups.h"
#include "model/runtime.h"
#include "model/train_job.h"
#include "model/trainer_names.h"
#include "schema/schema.h"
#include "yaml/read/reader.h"

namespace trainjobc::inputs {
namespace {

using Key = std::tuple<std::string, std::string, std::string>;  // kind, namespace, name

Key key_of(const model::ObjectId& id) {
  return {std::string(id.kind), std::string(model::effective_namespace(id)), std::string(id.name)};
}

bool mentions_runtime(std::string_view text) {
  return text.find("TrainingRuntime") != std::string_view::npos;
}

// A document that may have runtimes.
struct Document {
  yaml::FoundDocument found;
  std::set<Key> runtimes;
  bool is_readable = true;
};

// A source of a group, with the documents that no earlier source has.
struct SharedSource {
  size_t group = 0;
  const Source* source = nullptr;
  const base::SourceFile* file = nullptr;
  std::vector<yaml::FoundDocument> others;  // documents without runtimes, or shared already
  std::vector<Document> documents;
};

Document read_shared(const yaml::FoundDocument& found) {
  Document document{found, {}};
  compile::ObjectMemory memory;
  const compile::ReadObjects read =
      compile::read_objects(found, {.is_input = false, .keep_foreign = false, .keep_jobs = false}, memory);
  document.is_readable = !read.diagnostics.has_errors();
  for (const compile::InputObject& object : read.objects) {
    if (object.is_runtime()) document.runtimes.insert(key_of(object.id));
  }
  return document;
}

// The documents with runtimes in the groups of one scope.
class Pool {
 public:
  void add(size_t group, const Source& source) {
    if (!mentions_runtime(source.text)) return;
    const base::SourceFile& file = files_.emplace_back(source.name, source.text);
    SharedSource shared{group, &source, &file};
    base::Diagnostics ignored;
    for (const yaml::FoundDocument& found : yaml::find_documents(file, ignored)) {
      Document document;
      if (mentions_runtime(found.text) && known_.insert(found.text).second) document = read_shared(found);
      if (!document.runtimes.empty() || !document.is_readable) {
        ++size_;
        for (const Key& key : document.runtimes) keys_.insert(key);
        shared.documents.push_back(std::move(document));
      } else {
        shared.others.push_back(found);
      }
    }
    if (!shared.documents.empty()) sources_.push_back(std::move(shared));
  }

  bool is_small() const {
    constexpr size_t kFew = 32;
    return size_ <= kFew;
  }
  bool has(const Key& key) const { return keys_.contains(key); }

  // All documents of other groups; given `names`, only those with a runtime of one of the names.
  std::vector<Source> shared_with(size_t group, const std::set<std::string>* names) const {
    std::vector<Source> all;
    for (const SharedSource& shared : sources_) {
      if (shared.group == group) continue;
      std::vector<yaml::FoundDocument> left_out = shared.others;
      size_t wanted = 0;
      for (const Document& document : shared.documents) {
        const bool is_wanted = !names || std::ranges::any_of(document.runtimes, [&](const Key& key) {
          return names->contains(std::get<2>(key));
        });
        if (is_wanted)
          ++wanted;
        else
          left_out.push_back(document.found);
      }
      if (wanted == 0) continue;
      std::ranges::sort(left_out, {}, &yaml::FoundDocument::first_line);
      all.push_back(*shared.source);
      all.back().text = yaml::without_documents(shared.file->text(), left_out);
    }
    return all;
  }

 private:
  std::deque<base::SourceFile> files_;
  std::set<std::string_view> known_;
  std::vector<SharedSource> sources_;
  std::set<Key> keys_;
  size_t size_ = 0;  // number of documents
};

// The runtimes that the TrainJobs of the group refer to.
std::set<Key> wanted_of(const InputGroup& group) {
  std::set<Key> wanted;
  for (const Source& source : group.inputs) {
    const base::SourceFile file(source.name, source.text);
    base::Diagnostics ignored;
    for (const yaml::FoundDocument& found : yaml::find_documents(file, ignored)) {
      if (found.text.find("untimeRef") == std::string_view::npos) continue;
      compile::ObjectMemory memory;
      for (const compile::InputObject& object : compile::read_objects(found, {}, memory).objects) {
        if (object.kind != compile::InputKind::TrainJob || !object.root) continue;
        wanted.insert(
            key_of(model::runtime_of(*object.root, object.id.ns.empty() ? group.ns : object.id.ns)));
      }
    }
  }
  return wanted;
}

std::set<Key> runtimes_of(const std::vector<Source>& sources) {
  std::set<Key> keys;
  for (const Source& source : sources) {
    if (!mentions_runtime(source.text)) continue;
    const base::SourceFile file(source.name, source.text);
    base::Diagnostics ignored;
    for (const yaml::FoundDocument& found : yaml::find_documents(file, ignored))
      keys.merge(read_shared(found).runtimes);
  }
  return keys;
}

bool is_in_catalogue(const Key& key) {
  if (std::get<0>(key) != model::kClusterTrainingRuntime) return false;
  return std::ranges::all_of(schema::all_versions(), [&](const schema::VersionSchemas& version) {
    return compile::find_catalogue_runtime(version.trainer, std::get<2>(key)) != nullptr;
  });
}

// Whether each of them is found. For one that isn't, messages list the others that exist.
bool are_known(const std::set<Key>& wanted, const Pool& pool, const InputGroup& group) {
  std::optional<std::set<Key>> extra;  // runtimes of --runtimes and the configuration
  return std::ranges::all_of(wanted, [&](const Key& key) {
    if (pool.has(key) || (group.use_catalogue && is_in_catalogue(key))) return true;
    if (!extra) extra = runtimes_of(group.runtimes);
    return extra->contains(key);
  });
}

}  // namespace

void share_runtimes(std::vector<InputGroup>& groups, Sharing sharing) {
  std::map<std::string_view, std::vector<size_t>> scopes;
  for (size_t i = 0; i < groups.size(); ++i) scopes[groups[i].scope].push_back(i);
  for (const auto& [scope, members] : scopes) {
    if (members.size() < 2) continue;
    Pool pool;
    for (const size_t i : members) {
      for (const Source& source : groups[i].inputs) pool.add(i, source);
    }
    for (const size_t i : members) {
      InputGroup& group = groups[i];
      std::optional<std::set<std::string>> names;
      if (sharing == Sharing::Named && !pool.is_small()) {
        const std::set<Key> wanted = wanted_of(group);
        if (are_known(wanted, pool, group)) {
          names.emplace();
          for (const Key& key : wanted) names->insert(std::get<2>(key));
        }
      }
      std::vector<Source> shared = pool.shared_with(i, names ? &*names : nullptr);
      std::ranges::move(group.runtimes, std::back_inserter(shared));
      group.runtimes = std::move(shared);
    }
  }
}

}  // namespace trainjobc::inputs
