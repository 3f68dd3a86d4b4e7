#include "cli/app.h"
#include "cli/process_console.h"

int main(int argc, char** argv) {
  trainjobc::cli::ProcessConsole console;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  return trainjobc::cli::run(arguments, console);
}
