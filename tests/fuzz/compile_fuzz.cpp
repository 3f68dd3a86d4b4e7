// SPDX-License-Identifier: Apache-2.0

// Any text through all passes, as lint and as render: no crash, no hang, no undefined behaviour.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "compile/compile.h"
#include "support/properties/sample.h"

namespace {

size_t compile(const std::string& text, bool render) {
  trainjobc::Options options;
  options.render = render;
  options.with_defaults = render;
  options.snapshot = render;
  options.threads = 1;
  options.policy.ssh_key.source = trainjobc::policy::SshKeySource::Seed;
  options.policy.ssh_key.material = "any sixteen bytes";
  const trainjobc::Compilation compiled = trainjobc::compile_sources({{"in.yaml", text}}, {}, options);
  size_t size = 0;
  for (const trainjobc::base::Diagnostic& found : compiled.diagnostics.items())
    size += format_text(found, {}).size();
  return size + compiled.objects.size();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const size_t said = compile(text, false);
  // Twice the same: nothing that it says depends on what ran before.
  if (trainjobc::test::is_sampled(text, 8) && compile(text, false) != said) std::abort();
  compile(text, true);
  return 0;
}
