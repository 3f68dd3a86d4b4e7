#include "cli/config.h"

namespace trainjobc::cli {

bool matches_glob(std::string_view glob, std::string_view path) {
  if (glob.empty()) return path.empty();
  if (glob.starts_with("**")) {
    std::string_view rest = glob.substr(2);
    if (rest.starts_with('/')) rest.remove_prefix(1);
    for (size_t i = 0; i <= path.size(); ++i) {
      const bool at_name = i == 0 || path[i - 1] == '/' || glob.size() == 2;
      if (at_name && matches_glob(rest, path.substr(i))) return true;
    }
    return false;
  }
  if (glob.front() == '*') {
    for (size_t i = 0; i <= path.size(); ++i) {
      if (matches_glob(glob.substr(1), path.substr(i))) return true;
      if (i < path.size() && path[i] == '/') return false;
    }
    return false;
  }
  if (path.empty()) return false;
  const bool same = glob.front() == path.front() || (glob.front() == '?' && path.front() != '/');
  return same && matches_glob(glob.substr(1), path.substr(1));
}

}  // namespace trainjobc::cli
