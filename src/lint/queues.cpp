// SPDX-License-Identifier: Apache-2.0

#include "lint/queues.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/text/suggest.h"
#include "base/text/text.h"
#include "k8s/object_meta.h"
#include "yaml/read/reader.h"

namespace trainjobc::lint {
namespace {

constexpr std::string_view kQueueRule = "advice/queue";

// "team-a" of "TrainJob/team-a/bert".
std::string namespace_of(const std::string& object) {
  const size_t begin = object.find('/') + 1;
  return object.substr(begin, object.rfind('/') - begin);
}

// The finding's message names the queue first.
std::string_view queue_of(const base::Diagnostic& found) {
  const std::string_view text = found.message;
  const size_t begin = std::min(text.find('"'), text.size() - 1) + 1;
  return text.substr(begin, text.find('"', begin) - begin);
}

bool is_about_volcano(const base::Diagnostic& found) {
  return found.field.find("volcano") != std::string::npos;
}

}  // namespace

KnownQueues::KnownQueues(const std::vector<inputs::InputGroup>& groups) {
  for (const inputs::InputGroup& group : groups) {
    add(group.inputs, group.ns);
    add(group.runtimes, group.ns);
  }
}

void KnownQueues::add(const std::vector<Source>& sources, std::string_view ns) {
  for (const Source& source : sources) read(source, ns);
}

void KnownQueues::read(const Source& source, std::string_view ns) {
  if (source.text.find("Queue") == std::string::npos) return;
  const base::SourceFile file(source.name, source.text);
  base::Diagnostics ignored;
  for (const yaml::FoundDocument& found : yaml::find_documents(file, ignored)) {
    if (found.text.find("Queue") == std::string_view::npos) continue;
    base::Arena arena;
    for (const yaml::Document& document : yaml::read_document(found, arena, ignored)) {
      const std::string_view kind = yaml::string_at(*document.root, "kind");
      const std::string_view version = yaml::string_at(*document.root, "apiVersion");
      has_volcano_ = has_volcano_ || (kind == "Queue" && version.starts_with("scheduling.volcano.sh/"));
      if (kind != "LocalQueue" || !version.starts_with("kueue.x-k8s.io/")) continue;
      const std::string_view own = yaml::string_at(*document.root, {"metadata", "namespace"});
      const std::string_view name = yaml::string_at(*document.root, {"metadata", "name"});
      names_[std::string(k8s::effective_namespace(own.empty() ? ns : own))].emplace_back(name);
    }
  }
}

std::optional<std::string_view> KnownQueues::meant(const base::Diagnostic& found) const {
  const auto known = names_.find(namespace_of(found.object));
  if (is_about_volcano(found) || known == names_.end()) return std::nullopt;
  const std::string_view name = queue_of(found);
  const std::vector<std::string_view> names(known->second.begin(), known->second.end());
  return base::contains(names, name) ? std::nullopt : base::closest(name, names);
}

void KnownQueues::narrow(base::Diagnostics& findings) const {
  const auto is_known = [&](const base::Diagnostic& found) {
    if (is_about_volcano(found)) return has_volcano_;
    return names_.contains(namespace_of(found.object)) && !meant(found);
  };
  const bool has_any = has_volcano_ || !names_.empty();
  // The message names the queue and its namespace.
  const auto key_of = [&](const base::Diagnostic& found) { return has_any ? found.message : std::string(); };
  std::map<std::string, size_t> counts;
  for (const base::Diagnostic& found : findings.items()) {
    if (found.rule == kQueueRule && !is_known(found)) ++counts[key_of(found)];
  }
  findings.retain([&](base::Diagnostic& found) {
    if (found.rule != kQueueRule) return true;
    const auto count = counts.find(key_of(found));
    if (is_known(found) || count == counts.end()) return false;
    if (const auto other = meant(found)) {
      found.hint = fmt::format("did you mean \"{}\"?", *other);
      found.message = fmt::format("the inputs have no LocalQueue \"{}\" in namespace \"{}\"", queue_of(found),
                                  namespace_of(found.object));
    }
    const size_t others = count->second - 1;
    if (others > 0) found.notes.push_back({"the same for " + base::counted(others, "other job"), {}});
    counts.erase(count);
    return true;
  });
}

}  // namespace trainjobc::lint
