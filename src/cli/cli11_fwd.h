// CLI11's classes, for headers: its own header costs seconds where only a reference is passed on.
#pragma once

namespace CLI {
class App;
class Option;
}  // namespace CLI
