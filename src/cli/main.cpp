// SPDX-License-Identifier: Apache-2.0

#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <new>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "base/files/descriptor.h"
#include "cli/command.h"
#include "cli/program_console.h"

namespace {

// Allocates nothing: there may be no memory left.
int fail(std::initializer_list<std::string_view> message) noexcept {
  for (const std::string_view part : message) static_cast<void>(trainjobc::base::write_all(2, part));
  return trainjobc::cli::kFailed;
}

// Whether even this little memory can't be allocated.
bool is_out_of_memory() noexcept {
  constexpr size_t kLittle = 1024;
  void* volatile memory = std::malloc(kLittle);
  std::free(memory);
  return memory == nullptr;
}

// Reports an exception that no layer caught. Returns the exit status.
int report(const std::exception_ptr& failure) noexcept {
  try {
    if (failure) std::rethrow_exception(failure);
  } catch (const std::bad_alloc&) {
    return fail({"trainjobc: out of memory\n"});
  } catch (const std::exception& error) {
    return fail({"trainjobc: internal error, please report it: ", error.what(), "\n"});
  } catch (...) {
    return fail({"trainjobc: internal error, please report it\n"});
  }
  // Without memory, the C++ runtime may end the program instead of throwing an exception.
  if (is_out_of_memory()) return fail({"trainjobc: out of memory\n"});
  return fail({"trainjobc: internal error, please report it\n"});
}

// For exceptions that leave a destructor.
[[noreturn]] void end() noexcept {
  std::_Exit(report(std::current_exception()));
}

// Otherwise, a thread's memory grows page by page, with a system call each.
void allocate_in_large_steps() noexcept {
#ifdef __GLIBC__
  constexpr int kStep = 1 << 20;
  static_cast<void>(::mallopt(M_TOP_PAD, kStep));
#endif
}

}  // namespace

int main(int argc, char** argv) {
  std::set_terminate(end);
  allocate_in_large_steps();
  try {
    trainjobc::cli::ProcessConsole process;
    trainjobc::cli::ProgramConsole console(process);
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    return trainjobc::cli::run(arguments, console);
  } catch (...) {
    return report(std::current_exception());
  }
}
