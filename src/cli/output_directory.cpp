#include "cli/output_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "cli/exit_status.h"
#include "cli/print_objects.h"

namespace trainjobc::cli {
namespace {

// One component of a path, whatever a foreign object is called.
std::string component(std::string name) {
  std::ranges::replace(name, '/', '_');
  std::ranges::replace(name, '\0', '_');
  return name == "." || name == ".." ? "_" : name;
}

// The objects by their paths in the directory; nothing where two share one, which has been said.
std::map<std::string, const Object*> plan(Console& console, std::span<const Object> objects) {
  std::set<std::string_view> namespaces;
  for (const Object& object : objects) namespaces.insert(object.ns);
  std::map<std::string, const Object*> files;
  for (const Object& object : objects) {
    std::string path = component(file_name(object));
    if (namespaces.size() > 1 && !object.ns.empty()) path = component(std::string(object.ns)) + "/" + path;
    if (files.try_emplace(path, &object).second) continue;
    fail(console, fmt::format("--output-dir: two objects belong into {}", path));
    return {};
  }
  return files;
}

// The lines of the last run's list that name files below the directory.
std::vector<std::string> listed(std::string_view text) {
  std::vector<std::string> files;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::filesystem::path path(text.substr(at, end - at));
    const bool climbs = std::ranges::count(path, std::filesystem::path("..")) > 0;
    if (!path.empty() && path.is_relative() && !climbs) files.push_back(path.string());
    at = end + 1;
  }
  return files;
}

int prune_files(Console& console, const std::string& directory,
                const std::map<std::string, const Object*>& kept) {
  const std::string list = fmt::format("{}/{}", directory, kOutputList);
  if (console.files().exists(list)) {
    const auto text = console.files().read(list);
    if (const auto* error = std::get_if<base::IoError>(&text)) return fail(console, error->message);
    for (const std::string& old : listed(std::get<std::string>(text))) {
      const std::string path = fmt::format("{}/{}", directory, old);
      if (kept.contains(old) || !console.files().exists(path)) continue;
      if (const auto error = console.files().remove(path)) return fail(console, error->message);
    }
  }
  std::string names;
  for (const auto& [path, object] : kept) names += path + "\n";
  if (const auto error = console.files().write(list, names, 0644)) return fail(console, error->message);
  return kOk;
}

}  // namespace

int write_directory(Console& console, const std::string& directory, std::span<const Object> objects,
                    bool prune) {
  const auto files = plan(console, objects);
  if (files.empty() && !objects.empty()) return kFailed;
  if (const auto error = console.files().make_directory(directory)) return fail(console, error->message);
  for (const auto& [name, object] : files) {
    const std::string path = fmt::format("{}/{}", directory, name);
    const std::string folder = path.substr(0, path.rfind('/'));
    if (const auto error = console.files().make_directory(folder)) return fail(console, error->message);
    const unsigned mode = object->kind == "Secret" ? 0600 : 0644;
    const std::string text = print_objects(std::span(object, 1), ObjectFormat::Yaml);
    if (const auto error = console.files().write(path, text, mode)) return fail(console, error->message);
  }
  return prune ? prune_files(console, directory, files) : kOk;
}

}  // namespace trainjobc::cli
