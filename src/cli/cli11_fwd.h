// SPDX-License-Identifier: Apache-2.0

// CLI11's classes, for headers that only pass references on: CLI11's own header takes seconds to compile.
#pragma once

namespace CLI {
class App;
class Option;
}  // namespace CLI
