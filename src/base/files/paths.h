// Where a path of the command line lies, by its text alone: links are not followed.
#pragma once

#include <string>
#include <string_view>

namespace trainjobc::base {

// What reports call standard input.
inline constexpr std::string_view kStdin = "<stdin>";

// The working directory; "" if it is gone.
std::string working_directory();

// "/repo/jobs/a.yaml" for "jobs/../jobs/a.yaml" in /repo, without a slash at its end.
std::string absolute_path(const std::string& path);

// The folder that an absolute path lies in; "" above the root.
std::string parent_of(const std::string& absolute);

// Relative to the working directory where it lies below it ("." for itself); otherwise as it is.
std::string shortest_path(const std::string& absolute);

// An absolute path from an absolute folder that it lies below; "" if it lies elsewhere.
std::string path_below(const std::string& absolute, const std::string& folder);

// An absolute path from an absolute folder, which may climb: "../jobs/a.yaml".
std::string path_from(const std::string& absolute, const std::string& folder);

}  // namespace trainjobc::base
