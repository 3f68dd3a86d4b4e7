// SPDX-License-Identifier: Apache-2.0

// Paths of the command line. All but the last two functions look at their text only: links are not followed.
#pragma once

#include <string>
#include <string_view>

namespace trainjobc::base {

// The name of standard input in reports.
inline constexpr std::string_view kStdin = "<stdin>";

// The working directory; "" if it was deleted.
std::string working_directory();

// The path without ".", without ".." after a name, and without a trailing slash.
std::string normal_path(std::string_view path);

// "/repo/jobs/a.yaml" for "jobs/../jobs/a.yaml" in /repo, without a trailing slash.
std::string absolute_path(const std::string& path);

// The folder of an absolute path; "" above the root.
std::string parent_of(const std::string& absolute);

// The path relative to the working directory if it is below it ("." for the directory itself); otherwise
// unchanged.
std::string shortest_path(const std::string& absolute);

// "folder/name"; just the name for the folder ".".
std::string joined_path(const std::string& folder, const std::string& name);

// An absolute path relative to an absolute folder above it; "" if the path is not below the folder.
std::string path_below(const std::string& absolute, const std::string& folder);

// An absolute path relative to any absolute folder: "../jobs/a.yaml".
std::string path_from(const std::string& absolute, const std::string& folder);

// The path as an absolute one, without "..", and without symbolic links as far as it exists.
std::string real_path(const std::string& path);

// Whether the target of the path is below the folder.
bool is_inside(const std::string& folder, const std::string& path);

}  // namespace trainjobc::base
