// Rules of the reader: what no YAML reader, or not that of Kubernetes, takes.
#include <array>

#include "compile/rules/rules_tables.h"

namespace trainjobc::compile::rules {
namespace {

using enum base::Severity;
using base::Stage;

constexpr std::array kRules = std::to_array<Rule>({
    {"yaml/after-document-end", Stage::Yaml, Warning,
     "Text after the document end marker \"...\" is not read",
     "The line \"...\" ends a YAML document. Kubernetes splits files at \"---\" only and reads one "
     "document from each part, so everything from \"...\" up to the next \"---\" is dropped without a "
     "word: an object there is never created. Put a line \"---\" before it, or remove the \"...\"."},
    {"yaml/alias", Stage::Yaml, Error, "An alias stands inside the value that it refers to",
     "An alias repeats the value of its anchor. One that stands inside that value would repeat itself "
     "without end, and JSON, which every manifest is turned into, can't express that. Anchor a smaller "
     "part of the value, or write it out."},
    {"yaml/aliases", Stage::Yaml, Error, "Aliases blow the document up",
     "A few anchors that refer to each other can stand for billions of values, which is a known way to "
     "exhaust a server's memory. Kubernetes' YAML reader counts how much of a document comes from aliases "
     "and refuses it beyond a share. Write the repeated parts out, or use fewer nested aliases."},
    {"yaml/character", Stage::Yaml, Error, "The file holds bytes that YAML does not allow",
     "YAML is UTF-8 text without control characters other than tab and line breaks. Stray bytes come from "
     "files in another encoding, or from terminal output that was pasted with its colours. Save the file "
     "as UTF-8; where a control character is meant, write it as an escape in double quotes.\n\n"
     "    value: \"\\x1b[0m\""},
    {"yaml/document-end", Stage::Yaml, Error, "A document end marker stands where no document ends",
     "The line \"...\" ends the document above it, and here there is none, so that Kubernetes' reader "
     "stops. It is usually left over from text that was cut. Remove the line; documents are separated by "
     "\"---\" alone."},
    {"yaml/document-separator", Stage::Yaml, Error, "A document begins on the line of its \"---\"",
     "YAML lets a document begin right behind its separator, but Kubernetes cuts files into documents at "
     "lines that begin with \"---\" and throws the rest of such a line away or refuses it. Begin the "
     "document on the next line; a comment behind the separator is fine.\n\n"
     "    ---\n    apiVersion: trainer.kubeflow.org/v1alpha1"},
    {"yaml/duplicate-key", Stage::Yaml, Error, "A map sets the same key twice",
     "Only one of the two values could count, and which one depends on the reader: the first is often "
     "forgotten when a block is copied. Kubernetes tools refuse the file under strict decoding, which "
     "kubectl uses by default. Keep one of the two; env variables and containers belong into one list "
     "under one key."},
    {"yaml/encoding", Stage::Yaml, Error, "The file is not UTF-8",
     "The file is UTF-16 or UTF-32, as some Windows editors and PowerShell's redirection write it. YAML "
     "allows both, but Kubernetes' tools split and decode files as UTF-8 and fail. Save it as UTF-8, "
     "without a byte order mark if you can choose."},
    {"yaml/key", Stage::Yaml, Error, "A key is null, a list or a map",
     "Manifests become JSON, where every key is a string. A key that is empty or null, or a list or map "
     "(often an unquoted template such as {{ name }}), has no counterpart there. Quote it if the text "
     "itself is meant.\n\n"
     "    \"null\": value"},
    {"yaml/merge", Stage::Yaml, Error, "A merge key \"<<\" is given something else than maps",
     "\"<<\" copies the entries of another map into this one, so it takes a map, or a list of maps, "
     "usually by alias. Anything else can't be merged, and the file is refused. Point it at an anchored "
     "map.\n\n"
     "    <<: *defaults"},
    {"yaml/no-kind", Stage::Yaml, Error, "An object of Trainer lacks apiVersion or kind",
     "Without both fields the API server can't tell what the object is, and kubectl stops at it. The "
     "document is a TrainJob or a runtime by the field that it has, or by its spec; the usual cause is an "
     "indentation that hides them. Documents of other tools without these fields are passed over.\n\n"
     "    apiVersion: trainer.kubeflow.org/v1alpha1\n    kind: TrainJob"},
    {"yaml/not-an-object", Stage::Yaml, Error, "A document is a list of objects",
     "Every Kubernetes object is a map with apiVersion and kind, and the API server can't read a list of "
     "them. "
     "Write the objects as documents with \"---\" between them, or as the items of a List.\n\n"
     "    apiVersion: v1\n    kind: List\n    items: []"},
    {"yaml/scalar", Stage::Yaml, Error, "A scalar can't be read as what it is marked or looks like",
     "The value is tagged as a number, a boolean or binary data and isn't one, or it is a number such as "
     ".inf or .nan that JSON has no word for. The API server never gets to see such a file. Quote it if "
     "text is meant, or correct the value or its tag."},
    {"yaml/syntax", Stage::Yaml, Error, "The text is not YAML",
     "The reader lost the structure at this place; what lies below it in the document was not checked. "
     "Usual causes are tabs in the indentation, a line that stands deeper or less deep than its siblings, "
     "a quote or bracket that is not closed, and an unquoted value that holds \": \". The mistake may "
     "stand a few lines above the place."},
    {"yaml/template", Stage::Yaml, Error, "The file is a template that was not rendered",
     "Placeholders such as {{ .Values.name }} or ${NAME} stand where the cluster expects values, so that "
     "nothing can be said of the manifest. Lint what the template renders to, and leave the template out "
     "by exclude in the configuration.\n\n"
     "    helm template charts/training | trainjobc lint -"},
    {"yaml/too-deep", Stage::Yaml, Error, "The document is nested too deeply",
     "Lists and maps stand inside each other for more levels than any object of Kubernetes has. Readers "
     "refuse such text, since it exhausts their stack; it comes from generators that went astray, or from "
     "an attack. Look at what wrote the file."},
    {"yaml/too-large", Stage::Yaml, Error, "The document holds too many values",
     "With its aliases written out, the document stands for more values or text than an API server would "
     "read: "
     "requests are limited to 3 MiB. Split it into several documents, and move data into files that the "
     "training code loads."},
});

}  // namespace

std::span<const Rule> yaml() {
  return kRules;
}

}  // namespace trainjobc::compile::rules
