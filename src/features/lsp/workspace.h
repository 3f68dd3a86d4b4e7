// SPDX-License-Identifier: Apache-2.0

// The files of the workspace folders as `lint` finds and checks them, with the editor's buffers in place of
// the files on disk.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/arena.h"
#include "base/files/file_system.h"
#include "base/process.h"
#include "base/source.h"
#include "compile/compile.h"
#include "compile/input.h"
#include "features/lsp/protocol.h"
#include "inputs/groups.h"
#include "inputs/load.h"
#include "lint/lint.h"
#include "lint/report/findings.h"
#include "schema/schema.h"
#include "yaml/read/reader.h"

namespace trainjobc::lsp {

// Whether the document is a .trainjobc.yaml.
bool is_settings_file(std::string_view path);
// Whether a file of this name may contain objects.
bool is_manifest(std::string_view path);

// One text of a file. Immutable; it must outlive the nodes and the file taken from it. Not thread safe:
// objects are read when they are first needed.
class ParsedText {
 public:
  // `before` is an earlier text of the file, which helps to find out what can be read; nullptr if there is
  // none.
  ParsedText(std::string name, std::string text, const ParsedText* before = nullptr);

  std::shared_ptr<const base::SourceFile> file;
  bool is_readable = true;  // whether every document can be read
  struct Part {
    yaml::FoundDocument document;
    bool is_readable = true;
  };
  std::vector<Part> parts;

  // The TrainJobs and runtimes of the documents that can be read, in order, with Lists expanded, dialects
  // translated and secrets marked; `location` is where the object begins.
  const std::vector<compile::InputObject>& objects() const;

 private:
  struct Objects {
    compile::ObjectMemory memory;
    std::vector<compile::InputObject> list;
  };
  mutable std::unique_ptr<Objects> objects_;
};

// The messages as an editor shows them.
std::string text_of(const std::vector<inputs::Message>& messages);

// The current, unreadable text, in which the documents that can't be read are replaced by what they were in
// `readable`. Returns all of `readable` if the numbers of documents differ.
std::string with_readable_documents(const ParsedText& current, const ParsedText& readable);

// A TrainJob or a runtime of the workspace.
struct WorkspaceObject {
  DocumentId document;
  std::shared_ptr<const ParsedText> text;        // which contains it
  const compile::InputObject* object = nullptr;  // one of the text's objects; never null
};

// The result of compiling a document's TrainJobs.
struct CompiledDocument {
  std::shared_ptr<const ParsedText> text;  // which was compiled; nullptr if no text is readable
  Compilation compilation;                 // objects with their nodes' origins; findings before suppressions
  const schema::VersionSchemas* schemas = nullptr;  // those of its Trainer version; never null
};

// The findings of `lint`, and what they refer to.
struct WorkspaceFindings {
  base::Diagnostics diagnostics;      // sorted
  std::vector<LintedObject> objects;  // all that were linted, without nodes
  std::vector<std::string> files;     // sorted
  std::vector<std::shared_ptr<const void>> memory;
};

// How the files of a workspace are loaded.
struct LoadSettings {
  base::ProcessRunner& programs;  // run to build roots; outlives the workspace
  inputs::Environment environment = {};
  // Whether to build kustomizations and charts for findings(), and again after one of their files is saved.
  // Otherwise their files are checked one by one.
  bool builds_roots = false;
};

// Not thread safe. Lookups are computed when they are first needed, and kept until a change.
class Workspace {
 public:
  // `disk` must outlive the workspace. `policy` applies to compiled documents.
  Workspace(const base::FileSystem& disk, LoadSettings settings, policy::PolicyOptions policy = {});

  // ----- Changes -----

  void set_folders(std::vector<std::string> folders);
  const std::vector<std::string>& folders() const { return folders_; }
  // Opens a document, or changes its text.
  void set_text(const DocumentId& document, std::string text);
  void close(const DocumentId& document);
  // An open document was written to disk. Returns whether that may change findings.
  bool note_saved(const DocumentId& document);
  // A file on disk, or in a folder of this path, was created, changed or deleted.
  void note_change_on_disk(const std::string& path);
  // Returns nullptr if the document is not open.
  const std::string* buffer(const DocumentId& document) const;

  // Reads what has changed. Must be called after changes and before lookups; findings() does so itself.
  void bring_up_to_date();

  // ----- Findings -----

  // The findings of `lint`, with the buffers in place of files. A document that can't be read while it is
  // edited counts as it was when it was last readable; findings stay on the lines that did not change, next
  // to its syntax errors.
  std::shared_ptr<const WorkspaceFindings> findings();
  // Equals findings() in a small workspace. In a large one, the last findings() with new ones for the
  // documents edited since then: each is checked with the runtimes that its jobs can refer to, but effects of
  // the edit on other documents are left out. nullptr if all files have to be read again.
  std::shared_ptr<const WorkspaceFindings> early_findings();
  // Whether findings() is computed.
  bool is_up_to_date() const { return findings_ != nullptr; }
  // Why some files can't be read, in which case findings are those of what was last read; "" if all can.
  const std::string& problem() const { return problem_; }
  // Why some kustomizations and charts can't be built; "" if all can.
  const std::string& root_problem() const { return root_problem_; }

  // ----- Lookups of features -----

  // The current text; nullptr if the document is neither in the workspace nor open.
  std::shared_ptr<const ParsedText> current(const DocumentId& document) const;
  // The last text whose documents could all be read: mostly the current one. nullptr if there is none.
  std::shared_ptr<const ParsedText> last_readable(const DocumentId& document) const;

  // All TrainJobs and runtimes of each document's last_readable(), sorted by document. Runtimes include those
  // of the configurations' `runtimes`.
  std::vector<WorkspaceObject> jobs() const;
  std::vector<WorkspaceObject> runtimes() const;
  // The runtime to which a TrainJob of the document in namespace `ns` refers; a `kind` of "" means the
  // default. nullopt if it is not in the workspace; for those of the catalogue see compile/runtimes.h.
  std::optional<WorkspaceObject> find_runtime(const DocumentId& document, std::string_view kind,
                                              std::string_view name, std::string_view ns) const;
  // Whether TrainJobs of `document` find the runtimes of `other`: it belongs to their scope, or their
  // settings name it.
  bool serves(const DocumentId& other, const DocumentId& document) const;

  // The TrainJobs of last_readable(document), compiled with the runtimes of the workspace. Never null.
  std::shared_ptr<const CompiledDocument> compiled(const DocumentId& document) const;

  // The schemas of the Trainer version for which a document is compiled.
  const schema::VersionSchemas& schemas_of(const DocumentId& document) const;

  // The settings of the configuration that applies to a document.
  const inputs::InputGroup& settings_of(const DocumentId& document) const;
  // What a document is compiled from.
  struct Inputs {
    std::vector<Source> own;     // the document itself
    std::vector<Source> others;  // may contain runtimes
  };
  Inputs inputs_of(const DocumentId& document) const;
  // The options for the passes.
  Options options_of(const DocumentId& document) const;

 private:
  struct Document {
    std::shared_ptr<const ParsedText> current;  // nullptr: not parsed yet
    std::shared_ptr<const ParsedText> before;   // the text before the current one
    std::shared_ptr<const ParsedText> last_readable;
    std::shared_ptr<const CompiledDocument> compiled;
  };
  // A document that is linted in its last readable form.
  struct Frozen {
    std::shared_ptr<const ParsedText> current;
    std::shared_ptr<const base::SourceFile> linted;
  };

  // The kustomizations and charts of the folders.
  struct Roots {
    std::vector<inputs::InputGroup> groups;
    bool has_to_build = true;     // all of them, not only for `saved`
    std::set<DocumentId> saved;   // saved since they were built
    std::vector<Source> patches;  // patches of roots that aren't built; not whole objects
    // The files to which findings refer: those that groups are made of, as they are on disk, and the patches.
    std::map<DocumentId, std::shared_ptr<const base::SourceFile>> parts;
    std::set<DocumentId> built;  // those of the parts that groups are made of
  };

  void note_change();
  inputs::Request request_for(std::vector<std::string> paths) const;
  void load();
  void build_roots();
  std::unique_ptr<base::FileSystem> as_saved() const;
  bool is_of_roots(const DocumentId& document) const;
  void index_roots();
  std::vector<inputs::InputGroup> linted_groups() const;
  void move_to_buffer(const DocumentId& document, const base::SourceFile& part,
                      WorkspaceFindings& findings) const;
  void move_from_output(WorkspaceFindings& findings) const;
  void take(std::vector<inputs::InputGroup> groups);
  std::vector<inputs::InputGroup> open_documents() const;
  std::vector<std::string> unread_documents() const;
  void update_source(const DocumentId& document);
  Document& look_up(const DocumentId& document) const;
  std::vector<WorkspaceObject> objects(bool jobs) const;
  bool is_small() const;
  std::shared_ptr<WorkspaceFindings> last_findings() const;
  void lint_edited(const DocumentId& document, WorkspaceFindings& findings) const;
  std::vector<inputs::InputGroup> group_with(const DocumentId& document, std::string text) const;
  std::shared_ptr<const WorkspaceFindings> as_shown(std::shared_ptr<WorkspaceFindings> findings);
  void add_syntax_errors(const DocumentId& document, WorkspaceFindings& findings) const;
  void add_configuration_errors(WorkspaceFindings& findings);

  const base::FileSystem& disk_;
  std::map<DocumentId, std::string> buffers_;  // texts of open documents
  std::unique_ptr<base::FileSystem> files_;    // the disk with the buffers on top
  LoadSettings settings_;
  policy::PolicyOptions policy_;
  std::vector<std::string> folders_;
  std::string problem_;
  std::string root_problem_;
  bool has_to_load_ = true;
  bool has_roots_ = false;
  Roots roots_;
  std::vector<inputs::InputGroup> groups_;              // never empty
  std::map<DocumentId, std::vector<Source*>> sources_;  // within `groups_`; a runtime may be in several
  std::map<DocumentId, size_t> group_of_;               // index of an input's group
  std::shared_ptr<const lint::Findings> linted_;        // by the last findings(); nullptr if there was none
  std::set<DocumentId> edited_;                         // since `linted_`
  std::shared_ptr<const WorkspaceFindings> findings_;   // nullptr after a change
  std::set<DocumentId> changed_;                        // documents whose sources are out of date
  std::map<DocumentId, Frozen> frozen_;
  mutable std::map<DocumentId, Document> documents_;
};

// Maps the lines of one text to those of another that differs from it in one place.
class LineMap {
 public:
  LineMap(const base::SourceFile& from, const base::SourceFile& to);

  // Lines count from 1; returns 0 for a line that the other text does not have.
  uint32_t operator()(uint32_t line) const;

 private:
  uint32_t first_ = 0;  // how many lines at the beginning are equal
  uint32_t last_ = 0;   // how many lines at the end are equal
  uint32_t from_ = 0;   // number of lines of each text
  uint32_t to_ = 0;
};

// The findings of a workspace between two edits, by document, in the form of textDocument/publishDiagnostics.
// (This, and the findings of Workspace, are in features/lsp/findings.cpp.)
class PublishedFindings {
 public:
  explicit PublishedFindings(std::shared_ptr<const WorkspaceFindings> findings);
  PublishedFindings(const PublishedFindings&) = delete;
  PublishedFindings& operator=(const PublishedFindings&) = delete;

  std::vector<DocumentId> documents() const;
  // The findings on a document, in order.
  const std::vector<const base::Diagnostic*>& of(const DocumentId& document) const;
  // Whether the other findings on the document are the same.
  bool is_same(const PublishedFindings& other, const DocumentId& document) const;

  Json to_json(const base::Diagnostic& found) const;
  // The texts of all of a document's. `others_texts` are those of `other`, which may be nullptr; most
  // findings are the same after an edit.
  std::vector<std::string> texts_of(const DocumentId& document, const PublishedFindings* other,
                                    std::vector<std::string> others_texts) const;
  Range range_of(const base::Diagnostic& found) const;

 private:
  std::shared_ptr<const WorkspaceFindings> findings_;
  lint::ReportInput input_;
  lint::Places places_{input_};
  std::map<DocumentId, std::vector<const base::Diagnostic*>> by_document_;
};

}  // namespace trainjobc::lsp
