// SPDX-License-Identifier: Apache-2.0

// Reads YAML or JSON text and returns the whole result as one string.
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "yaml/read/reader.h"
#include "yaml/write/writer.h"

namespace trainjobc::test {

// A file that has been read; its documents live as long as it does.
class Reading {
 public:
  explicit Reading(std::string_view text, const yaml::ReadLimits& limits = {})
      : file_("job.yaml", std::string(text)), documents_(yaml::read(file_, arena_, diagnostics_, limits)) {}

  const base::SourceFile& file() const { return file_; }
  const std::vector<yaml::Document>& documents() const { return documents_; }
  const base::Diagnostics& diagnostics() const { return diagnostics_; }
  const yaml::Node& root() const { return *documents_.front().root; }

  // Each document as JSON on one line, then the diagnostics as the text report shows them.
  std::string all() const {
    std::string out;
    for (const yaml::Document& document : documents_) {
      yaml::write_json(*document.root, yaml::KeyOrder::AsIs, 0, out);
      out += '\n';
    }
    for (const base::Diagnostic& diagnostic : diagnostics_.items()) out += base::format_text(diagnostic, {});
    return out;
  }

 private:
  base::SourceFile file_;
  base::Arena arena_;
  base::Diagnostics diagnostics_;
  std::vector<yaml::Document> documents_;
};

inline std::string read_all(std::string_view text, const yaml::ReadLimits& limits = {}) {
  return Reading(text, limits).all();
}

}  // namespace trainjobc::test
