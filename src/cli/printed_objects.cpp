// SPDX-License-Identifier: Apache-2.0

#include "cli/printed_objects.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/files/paths.h"
#include "base/text/text.h"
#include "features/kubectl/kubectl.h"
#include "secret/secret.h"
#include "yaml/node.h"
#include "yaml/read/reader.h"
#include "yaml/write/writer.h"

namespace trainjobc::cli {
namespace {

// Objects written by the user keep the order of their keys.
yaml::KeyOrder order_of(const Object& object) {
  return object.passthrough ? yaml::KeyOrder::AsIs : yaml::KeyOrder::Kubernetes;
}

// Formats an object as an item of a List.
std::string as_json(const Object& object) {
  std::string text;
  yaml::write_json(*object.root, order_of(object), 4, text);
  std::string out;
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "        ";
  }
  return out;
}

std::string text_of(const Object& object, ObjectFormat format) {
  if (format == ObjectFormat::Name)
    return kubectl::name_of(object.api_version, object.kind, object.name) + "\n";
  if (format == ObjectFormat::Json) return as_json(object);
  std::string text;
  yaml::write_yaml(*object.root, order_of(object), text);
  return text;
}

}  // namespace

report::Joints joints_of(ObjectFormat format, bool is_empty) {
  if (format == ObjectFormat::Name) return {};
  if (format == ObjectFormat::Yaml) return {"", "---\n", ""};
  constexpr std::string_view kClosing =
      "\n    ],\n    \"kind\": \"List\",\n    \"metadata\": {\n        \"resourceVersion\": \"\"\n    }\n}\n";
  return {is_empty ? "{\n    \"apiVersion\": \"v1\",\n    \"items\": ["
                   : "{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n        ",
          ",\n        ", is_empty ? kClosing.substr(kClosing.find(']')) : kClosing};
}

std::string file_name(const Object& object) {
  std::string version = base::lower_case(object.api_version);
  std::ranges::replace(version, '/', '_');
  return fmt::format("{}_{}_{}.yaml", version, base::lower_case(object.kind), base::lower_case(object.name));
}

namespace {

using yaml::Node;

std::string_view file_of(const Node& node) {
  const base::Location at = yaml::locate(node);
  return at.file ? at.file->name() : std::string_view();
}

const Node* made_by(const Node& job, const yaml::Maker& make) {
  const auto at = [&](std::initializer_list<std::string_view> path) { return job.at(path); };
  const Node* by = make.with(nullptr, "apiVersion", at({"apiVersion"}));
  by = make.with(by, "kind", at({"kind"}));
  const Node* name = at({"metadata", "name"});
  by = make.with(by, "name", name ? name : at({"metadata", "generateName"}));
  return at({"metadata", "namespace"}) ? make.with(by, "namespace", at({"metadata", "namespace"})) : by;
}

// Implements --annotate-origin: adds the annotation config.kubernetes.io/origin, like kustomize's
// originAnnotations. It names the file of an object passed through, and the file and the TrainJob of a
// rendered one.
const Node* annotate_origin(const Object& object, const yaml::Maker& make) {
  const Node* origin = nullptr;
  if (object.train_job) {
    origin = make.with(origin, "configuredIn", make.copied(file_of(*object.train_job)));
    origin = make.with(origin, "configuredBy", made_by(*object.train_job, make));
  } else {
    origin = make.with(origin, "path", make.copied(file_of(*object.root)));
  }
  std::string text;
  yaml::write_yaml(*origin, yaml::KeyOrder::AsIs, text);
  return make.with_path(object.root, {"metadata", "annotations", "config.kubernetes.io/origin"},
                        make.copied(text));
}

}  // namespace

PrintedObject print(const Object& object, const PrintStyle& style) {
  base::Arena arena;
  const yaml::Maker make(arena);
  Object shown = object;
  if (style.annotate_origin) shown.root = annotate_origin(shown, make);
  if (style.mask_secrets) shown.root = secret::masked_object(*shown.root, make);
  PrintedObject printed;
  printed.text = text_of(shown, style.format);
  printed.text.shrink_to_fit();
  printed.is_secret = object.kind == "Secret";
  printed.scope = object.scope;
  if (!style.to_files) return printed;
  printed.file = file_name(object);
  printed.ns = object.ns;
  return printed;
}

PrintedJob print_job(std::span<const Object> objects, const PrintStyle& style) {
  PrintedJob printed;
  printed.objects.reserve(objects.size());
  for (const Object& object : objects) {
    printed.objects.push_back(print(object, style));
    printed.keys.add(object);
  }
  return printed;
}

namespace {

// Makes a name a valid component of a path, even if it is that of a foreign object.
std::string component(std::string name) {
  std::ranges::replace_if(
      name, [](char c) { return c == '/' || static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, '_');
  return name == "." || name == ".." ? "_" : name;
}

// The path of an object's file: the folder of its namespace, if there are several, and the file's name.
std::string path_of(const std::string& file, const std::string& ns, bool in_folder) {
  return in_folder && !ns.empty() ? component(ns) + "/" + component(file) : component(file);
}

// The folders of scopes in the output: their paths below the working directory, or below the folder that
// contains all of them.
class ScopeFolders {
 public:
  explicit ScopeFolders(std::span<const PrintedObject* const> objects) {
    for (const PrintedObject* object : objects) {
      const std::string folder = base::absolute_path(object->scope.empty() ? "." : object->scope);
      if (!folders_.try_emplace(object->scope, folder).second) continue;
      while (!is_below(folder, root_)) root_ = base::parent_of(root_);
    }
  }

  // The folder of the object's scope with a slash at its end, or "".
  std::string of(const PrintedObject& object) const {
    if (folders_.size() < 2) return "";
    const std::string path = base::path_below(folders_.at(object.scope), root_);
    return path.empty() ? "" : path + "/";
  }

 private:
  static bool is_below(const std::string& folder, const std::string& root) {
    return folder == root || root == "/" || !base::path_below(folder, root).empty();
  }

  std::map<std::string, std::string> folders_;  // absolute, by scope
  std::string root_ = base::working_directory();
};

using Files = std::map<std::string, const PrintedObject*>;

// The objects by path in the directory; empty, after an error, if two would have the same path.
Files by_path(Console& console, std::span<const PrintedObject* const> objects, const ScopeFolders& folders) {
  std::map<std::string_view, std::set<std::string_view>> namespaces;  // by scope
  for (const PrintedObject* object : objects) namespaces[object->scope].insert(object->ns);
  Files files;
  for (const PrintedObject* object : objects) {
    const bool in_folder = namespaces[object->scope].size() > 1;
    const std::string path = folders.of(*object) + path_of(object->file, object->ns, in_folder);
    if (files.try_emplace(path, object).second) continue;
    fail(console, fmt::format("--output-dir: two objects would be written to {}", path));
    return {};
  }
  return files;
}

// Whether the text is the manifest of one object, whose file belongs at this path.
bool is_manifest_at(const std::string& path, std::string text) {
  const base::SourceFile file(path, std::move(text));
  base::Arena arena;
  base::Diagnostics problems;
  const std::vector<yaml::Document> documents = yaml::read(file, arena, problems);
  if (problems.has_errors() || documents.size() != 1) return false;
  const yaml::Node& root = *documents.front().root;
  const Object object = described(root);
  const std::string own = file_name(object);
  const std::string ns(object.ns);
  return path == path_of(own, ns, false) || path == path_of(own, ns, true);
}

// The path without the folder of its scope.
std::string below_scope(const std::string& path, const std::set<std::string>& scopes) {
  std::string_view folder;
  for (const std::string& scope : scopes) {
    if (path.starts_with(scope) && scope.size() > folder.size()) folder = scope;
  }
  return path.substr(folder.size());
}

// The folders of scopes, which are the lines that end with a slash.
std::set<std::string> listed_scopes(std::string_view list) {
  std::set<std::string> scopes;
  for (const std::string_view line : base::Lines(list)) {
    if (line.ends_with('/')) scopes.emplace(line);
  }
  return scopes;
}

// The files that earlier runs wrote. As users may have edited the list and the directory, a line counts only
// if it names a regular file inside the directory, with the manifest that belongs at that path.
std::set<std::string> listed(Console& console, const std::string& directory, std::string_view list) {
  const std::set<std::string> scopes = listed_scopes(list);
  std::set<std::string> files;
  for (const std::string_view line : base::Lines(list)) {
    const std::string name(line);
    if (name.ends_with('/')) continue;
    const std::string path = fmt::format("{}/{}", directory, name);
    if (!console.files().stays_inside(directory, name) || !console.files().exists(path)) continue;
    if (is_manifest_at(below_scope(name, scopes), console.files().text_of(path))) files.insert(name);
  }
  return files;
}

// `scopes` are their folders.
int prune_files(Console& console, const std::string& directory, const Files& written,
                const std::set<std::string>& scopes, Prune prune) {
  const std::string list = fmt::format("{}/{}", directory, kOutputList);
  std::set<std::string> kept = scopes;
  for (const auto& [path, object] : written) kept.insert(path);
  if (console.files().exists(list)) {
    const auto text = got(console, console.files().read(list));
    if (!text) return kFailed;
    if (prune == Prune::Later) kept.merge(listed_scopes(*text));
    for (const std::string& old : listed(console, directory, *text)) {
      if (prune == Prune::Later) kept.insert(old);
      if (kept.contains(old)) continue;
      const auto error = console.files().remove(fmt::format("{}/{}", directory, old));
      if (error) return fail(console, error->message);
    }
  }
  const std::string names = kept.empty() ? "" : fmt::format("{}\n", fmt::join(kept, "\n"));
  if (const auto error = console.files().write(list, names, 0666)) return fail(console, error->message);
  return kOk;
}

// Whether all files can be written to their paths. False after an error.
bool all_stay_inside(Console& console, const std::string& directory, const Files& files, Prune prune) {
  std::vector<std::string> names;
  for (const auto& [name, object] : files) names.push_back(name);
  if (prune != Prune::No) names.emplace_back(kOutputList);
  for (const std::string& name : names) {
    if (console.files().stays_inside(directory, name)) continue;
    fail(console,
         fmt::format("--output-dir: {}/{} is not a regular file, or its path contains a symbolic link",
                     directory, name));
    return false;
  }
  return true;
}

}  // namespace

int write_directory(Console& console, const std::string& directory,
                    std::span<const PrintedObject* const> objects, Prune prune) {
  const ScopeFolders folders(objects);
  const Files files = by_path(console, objects, folders);
  if (files.empty() && !objects.empty()) return kFailed;
  if (const auto error = console.files().make_directory(directory)) return fail(console, error->message);
  if (!all_stay_inside(console, directory, files, prune)) return kFailed;
  for (const auto& [name, object] : files) {
    const std::string path = fmt::format("{}/{}", directory, name);
    const unsigned mode = object->is_secret ? 0600 : 0666;
    if (const auto error = console.files().write_in_folder(path, object->text, mode))
      return fail(console, error->message);
  }
  std::set<std::string> scopes;
  for (const PrintedObject* object : objects) scopes.insert(folders.of(*object));
  scopes.erase("");
  return prune != Prune::No ? prune_files(console, directory, files, scopes, prune) : kOk;
}

}  // namespace trainjobc::cli
