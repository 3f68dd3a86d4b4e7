// SPDX-License-Identifier: Apache-2.0

// Rules of the reader: what no YAML reader, or not Kubernetes' reader, accepts.
#include <array>

#include "rules/rules_tables.h"

namespace trainjobc::rules::tables {
namespace {

using enum base::Severity;
using base::Stage;

constexpr std::array kYamlRules = std::to_array<Rule>({
    {"yaml/after-document-end", Stage::Yaml, Warning, "Text after the document end marker \"...\" is ignored",
     "The line \"...\" ends a YAML document. Kubernetes splits files only at \"---\" and reads one "
     "document from each part, so everything from \"...\" to the next \"---\" is silently dropped: an "
     "object there is never created. Put a \"---\" line before it, or remove the \"...\"."},
    {"yaml/alias", Stage::Yaml, Error, "An alias is inside the value that it refers to",
     "An alias repeats the value of its anchor. An alias inside that value would repeat itself forever, "
     "which JSON can't express, and every manifest is converted to JSON. Anchor a smaller part of the "
     "value, or write it out."},
    {"yaml/aliases", Stage::Yaml, Error, "Aliases expand to too much of the document",
     "A few anchors that refer to each other can expand to billions of values, a known way to exhaust a "
     "server's memory. Kubernetes' YAML reader measures how much of a document comes from aliases and "
     "refuses the document above a limit. Write the repeated parts out, or use fewer nested aliases."},
    {"yaml/character", Stage::Yaml, Error, "The file contains bytes that YAML does not allow",
     "YAML is UTF-8 text without control characters other than tab and line breaks. Stray bytes come from "
     "files in another encoding, or from terminal output pasted with its colours. Save the file as UTF-8; "
     "if you need a control character, write it as an escape in double quotes.\n\n"
     "    value: \"\\x1b[0m\""},
    {"yaml/document-end", Stage::Yaml, Error, "A document end marker does not end a document",
     "The line \"...\" ends the document above it. There is no document above this one, so Kubernetes' "
     "reader stops here. The line is usually left over from deleted text. Remove it; \"---\" alone "
     "separates documents."},
    {"yaml/document-separator", Stage::Yaml, Error, "A document starts on the same line as its \"---\"",
     "YAML lets a document start right after its separator. Kubernetes splits files at lines that begin "
     "with \"---\", and either drops or refuses the rest of such a line. Start the document on the next "
     "line; a comment after the separator is fine.\n\n"
     "    ---\n    apiVersion: trainer.kubeflow.org/v1alpha1"},
    {"yaml/duplicate-key", Stage::Yaml, Error, "A map sets the same key twice",
     "Only one of the two values could apply, and which one depends on the reader. Often a copied block "
     "keeps a key that should have been replaced. Kubernetes tools refuse the file under strict decoding, "
     "which is kubectl's default. Keep one of the two; env variables and containers belong in one list "
     "under one key."},
    {"yaml/encoding", Stage::Yaml, Error, "The file is not UTF-8",
     "The file is UTF-16 or UTF-32, which some Windows editors and PowerShell's redirection write. YAML "
     "allows both, but Kubernetes' tools split and decode files as UTF-8 and fail. Save it as UTF-8, "
     "preferably without a byte order mark."},
    {"yaml/key", Stage::Yaml, Error, "A key is null, a list or a map",
     "Manifests are converted to JSON, where every key is a string. A key that is empty or null, or that "
     "is a list or a map (often an unquoted template such as {{ name }}), has no equivalent there. Quote "
     "it if you mean the text itself.\n\n"
     "    \"null\": value"},
    {"yaml/merge", Stage::Yaml, Error, "The value of a merge key \"<<\" is not a map",
     "\"<<\" copies the entries of another map into this one. Its value must be a map or a list of maps, "
     "usually given as aliases. Anything else can't be merged, and the file is refused. Point it at an "
     "anchored map.\n\n"
     "    <<: *defaults"},
    {"yaml/no-kind", Stage::Yaml, Error, "A Trainer object has no apiVersion or kind",
     "Without both fields the API server can't tell what the object is, and kubectl stops at it. The "
     "fields or the spec of this document show that it is a TrainJob or a runtime; usually wrong "
     "indentation hides apiVersion and kind. Documents of other tools without these fields are "
     "ignored.\n\n"
     "    apiVersion: trainer.kubeflow.org/v1alpha1\n    kind: TrainJob"},
    {"yaml/not-an-object", Stage::Yaml, Error, "A document is a list of objects",
     "Every Kubernetes object is a map with apiVersion and kind, and the API server can't read a list of "
     "objects. Write the objects as documents separated by \"---\", or as the items of a List.\n\n"
     "    apiVersion: v1\n    kind: List\n    items: []"},
    {"yaml/scalar", Stage::Yaml, Error, "A scalar does not match its tag, or JSON can't express it",
     "The value is tagged as a number, a boolean or binary data but is not one, or it is a number such as "
     ".inf or .nan that JSON can't express. Such a file never reaches the API server. Quote the value if "
     "you mean text, or correct the value or its tag."},
    {"yaml/syntax", Stage::Yaml, Error, "The text is not valid YAML",
     "The reader lost track of the structure here; the rest of the document was not checked. Common "
     "causes are tabs in the indentation, a line indented more or less than its siblings, an unclosed "
     "quote or bracket, and an unquoted value that contains \": \". The mistake may be a few lines above "
     "this place."},
    {"yaml/template", Stage::Yaml, Error, "The file is a template that was not rendered",
     "Placeholders such as {{ .Values.name }} or ${NAME} are in place of the values that the cluster "
     "expects, so the manifest can't be checked. Lint the rendered template, and list the template itself "
     "under exclude in the configuration.\n\n"
     "    helm template charts/training | trainjobc lint -"},
    {"yaml/too-deep", Stage::Yaml, Error, "The document is nested too deeply",
     "Lists and maps are nested more deeply than in any Kubernetes object. Readers refuse such text "
     "because it exhausts their stack. It comes from a faulty generator or from an attack. Check what "
     "wrote the file."},
    {"yaml/too-large", Stage::Yaml, Error, "The document contains too many values",
     "With its aliases expanded, the document has more values or text than an API server would read: "
     "requests are limited to 3 MiB. Split it into several documents, and move data into files that the "
     "training code loads."},
});

}  // namespace

std::span<const Rule> yaml() {
  return kYamlRules;
}

}  // namespace trainjobc::rules::tables
