// What must hold of every command that rewrites files, whatever they contain.
#pragma once

#include <string>
#include <string_view>

namespace trainjobc::test {

// Each returns what is wrong, or "": the rewritten text must read as well as the old one did, hold the same
// values but for the change, and another run must change nothing.
std::string wrong_with_fix(const std::string& text);
std::string wrong_with_migrate(const std::string& text, std::string_view to);
std::string wrong_with_function(const std::string& text);

// All of them.
std::string wrong_with_rewriting(const std::string& text);

}  // namespace trainjobc::test
