// What yaml-cpp gets to see of a document.
#pragma once

#include <string>
#include <string_view>

namespace trainjobc::yaml {

// The document's text with changes that keep every offset: what yaml-cpp does not take as Kubernetes' parser
// does, and the lexer reads for itself anyway, is written differently. Aliases become plain scalars,
// YAML 1.1's rarer line breaks line feeds; an anchor or tag that yaml-cpp would take for the first key of a
// map is blanked out. Empty where the document can be used as it is.
std::string text_for_parser(std::string_view document);

}  // namespace trainjobc::yaml
