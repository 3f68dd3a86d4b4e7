// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>

#include "base/text/text.h"
#include "features/lsp/code_actions.h"
#include "yaml/read/reader.h"

namespace trainjobc::lsp {
namespace {

// Whether both texts can be read, with the same values.
bool reads_the_same(const base::SourceFile& before, const base::SourceFile& after) {
  base::Arena arena;
  base::Diagnostics problems;
  const auto documents = yaml::read(before, arena, problems);
  const auto others = yaml::read(after, arena, problems);
  return !problems.has_errors() &&
         std::ranges::equal(documents, others, [](const yaml::Document& a, const yaml::Document& b) {
           return yaml::equal(*a.root, *b.root);
         });
}

}  // namespace

std::optional<Insertion> suppression_of(const base::SourceFile& file, uint32_t line, std::string_view rule) {
  if (file.name().ends_with(".json")) return std::nullopt;
  const std::string_view text = file.line(line);
  const size_t indent = std::min(text.find_first_not_of(' '), text.size());
  const std::string_view line_end = file.text().find("\r\n") != std::string_view::npos ? "\r\n" : "\n";
  Insertion comment{
      {line - 1, 0},
      fmt::format("{}# trainjobc:ignore {} -- TODO: the reason{}", std::string(indent, ' '), rule, line_end)};
  std::string changed(file.text());
  changed.insert(file.line_start(line), comment.text);
  if (!reads_the_same(file, base::SourceFile(file.name(), std::move(changed)))) return std::nullopt;
  return comment;
}

}  // namespace trainjobc::lsp
