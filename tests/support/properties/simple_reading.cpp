// SPDX-License-Identifier: Apache-2.0

#include "support/properties/simple_reading.h"

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "base/source.h"
#include "yaml/read/documents.h"
#include "yaml/read/events.h"

namespace trainjobc::test {
namespace {

using yaml::Event;

std::string describe(const Event& event) {
  static constexpr std::string_view kTypes[] = {"Scalar", "Alias", "OpenList", "OpenMap", "Close", "End"};
  return fmt::format("{}{}{} \"{}\" {} {} {} &{} {}\n", kTypes[static_cast<size_t>(event.type)],
                     event.plain ? " plain" : "", event.flow ? " flow" : "", event.text, event.start,
                     event.begin, event.end, event.anchor, event.tag);
}

// Of libyaml; ends with the error if there is one.
std::string all_events(std::string_view document) {
  std::string out;
  try {
    yaml::EventStream stream({document, 1}, {});
    for (Event event = stream.next(); event.type != Event::Type::End; event = stream.next())
      out += describe(event);
  } catch (const yaml::SyntaxError& error) {
    out += error.message;
  } catch (const yaml::OtherEscapes&) {
    out += "escapes";
  }
  return out;
}

}  // namespace

std::string different_events(std::string_view document) {
  const base::SourceFile file("job.yaml", std::string(document));
  base::Diagnostics ignored;
  const auto simple = yaml::read_simple(file.text());
  if (!simple || !yaml::check_characters(file, {file.text(), 1}, ignored)) return "";
  std::string out;
  for (const Event& event : simple->events) out += describe(event);
  const std::string expected = all_events(file.text());
  return out == expected ? "" : fmt::format("{}---\n{}", out, expected);
}

}  // namespace trainjobc::test
