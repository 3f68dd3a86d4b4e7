// SPDX-License-Identifier: Apache-2.0

// The files of the workspace folders as `lint` finds and checks them, with the buffers of the editor in the
// place of the files on disk.
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
// Whether its name is that of a file with objects.
bool is_manifest(std::string_view path);

// One text of a file. Immutable; who refers to its nodes or its file holds it. Not thread safe: objects are
// read when they are needed.
class ParsedText {
 public:
  // `before`: an earlier text of the file, which tells what can be read; nullptr if there is none.
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

// What an editor shows of them.
std::string text_of(const std::vector<inputs::Message>& messages);

// The current text, which can't be read, with the documents of it that can't be read replaced by what they
// were in `readable`. All of `readable` if the two don't have the same number of documents.
std::string with_readable_documents(const ParsedText& current, const ParsedText& readable);

// A TrainJob or a runtime of the workspace.
struct WorkspaceObject {
  DocumentId document;
  std::shared_ptr<const ParsedText> text;        // that it is in
  const compile::InputObject* object = nullptr;  // in `text`: its kind, root and id; never null
};

// What a document's TrainJobs become.
struct CompiledDocument {
  std::shared_ptr<const ParsedText> text;  // that was compiled; nullptr if there is none that can be read
  Compilation
      compilation;  // its objects, whose nodes have origins; its findings are those before suppressions
  const schema::VersionSchemas* schemas = nullptr;  // of the Trainer version it is compiled for; never null
};

// What `lint` says, and what that refers to.
struct WorkspaceFindings {
  base::Diagnostics diagnostics;      // sorted
  std::vector<LintedObject> objects;  // that were linted, without nodes
  std::vector<std::string> files;     // sorted
  std::vector<std::shared_ptr<const void>> memory;
};

// How the files of a workspace are loaded.
struct LoadSettings {
  base::ProcessRunner& programs;  // that build roots; outlives the workspace
  inputs::Environment environment = {};
  // Whether kustomizations and charts are built, for findings(), and again when one of their files was saved.
  // Otherwise their files are checked one by one.
  bool builds_roots = false;
};

// Not thread safe. Lookups are computed when they are first needed, and kept until a change.
class Workspace {
 public:
  // `disk` outlives it. `policy`: of compiled documents.
  Workspace(const base::FileSystem& disk, LoadSettings settings, policy::PolicyOptions policy = {});

  // ----- changes -----

  void set_folders(std::vector<std::string> folders);
  const std::vector<std::string>& folders() const { return folders_; }
  // Opens a document, or gives it another text.
  void set_text(const DocumentId& document, std::string text);
  void close(const DocumentId& document);
  // An open document was written to disk. Whether that may change findings.
  bool note_saved(const DocumentId& document);
  // A file on disk, or in a folder of this path, was created, changed or deleted.
  void note_change_on_disk(const std::string& path);
  // nullptr if the document is not open.
  const std::string* buffer(const DocumentId& document) const;

  // Reads what has changed. To be called after changes and before lookups; findings() does it.
  void bring_up_to_date();

  // ----- findings -----

  // What `lint` says about the files, with the buffers in place of files. What can't be read while it is
  // edited counts as it was when it could be read last; its findings stay on the lines that did not change,
  // beside what is wrong with its syntax.
  std::shared_ptr<const WorkspaceFindings> findings();
  // The same in a small workspace. In a large one those of the last findings(), with what is found in the
  // documents that were edited since then: each is checked with the runtimes that its jobs can refer to, but
  // not what the edit changes in other documents. nullptr if all files have to be read again.
  std::shared_ptr<const WorkspaceFindings> early_findings();
  // Whether findings() is known.
  bool is_up_to_date() const { return findings_ != nullptr; }
  // Why not all files can be read; "" if they can. Then the findings are those of what was read last.
  const std::string& problem() const { return problem_; }
  // The same of kustomizations and charts.
  const std::string& root_problem() const { return root_problem_; }

  // ----- lookups of features -----

  // The current text; nullptr if the document is neither in the workspace nor open.
  std::shared_ptr<const ParsedText> current(const DocumentId& document) const;
  // The last text all of whose documents could be read: mostly the current one. nullptr if there was none.
  std::shared_ptr<const ParsedText> last_readable(const DocumentId& document) const;

  // All TrainJobs and runtimes of last_readable() of each document, sorted by document. Runtimes include
  // those of the configurations' `runtimes`.
  std::vector<WorkspaceObject> jobs() const;
  std::vector<WorkspaceObject> runtimes() const;
  // The runtime that a TrainJob of the document in namespace `ns` refers to; the default kind if `kind` is
  // "". nullopt if it is not in the workspace; those of the catalogue are in compile/runtimes.h.
  std::optional<WorkspaceObject> find_runtime(const DocumentId& document, std::string_view kind,
                                              std::string_view name, std::string_view ns) const;
  // Whether TrainJobs of `document` find the runtimes of `other`: it is of their scope, or its settings name
  // it.
  bool serves(const DocumentId& other, const DocumentId& document) const;

  // The TrainJobs of last_readable(document), compiled with the runtimes of the workspace. Never null.
  std::shared_ptr<const CompiledDocument> compiled(const DocumentId& document) const;

  // The schemas of the Trainer version that a document is compiled for.
  const schema::VersionSchemas& schemas_of(const DocumentId& document) const;

  // The settings that apply to a document: of its configuration.
  const inputs::InputGroup& settings_of(const DocumentId& document) const;
  // What it is compiled from.
  struct Inputs {
    std::vector<Source> own;     // the document
    std::vector<Source> others;  // that may contain runtimes
  };
  Inputs inputs_of(const DocumentId& document) const;
  // For the passes.
  Options options_of(const DocumentId& document) const;

 private:
  struct Document {
    std::shared_ptr<const ParsedText> current;  // nullptr: not parsed
    std::shared_ptr<const ParsedText> before;   // the one before the current text
    std::shared_ptr<const ParsedText> last_readable;
    std::shared_ptr<const CompiledDocument> compiled;
  };
  // A document that is linted as it was when it could be read.
  struct Frozen {
    std::shared_ptr<const ParsedText> current;
    std::shared_ptr<const base::SourceFile> linted;
  };

  // The kustomizations and charts of the folders.
  struct Roots {
    std::vector<inputs::InputGroup> groups;
    bool has_to_build = true;     // all of them
    std::set<DocumentId> saved;   // since they were built
    std::vector<Source> patches;  // of those that are not built; they are not whole objects
    // What findings refer to: the files that groups are made of, as they are on disk, and the patches.
    std::map<DocumentId, std::shared_ptr<const base::SourceFile>> parts;
    std::set<DocumentId> built;  // of the parts: those of groups
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
  std::map<DocumentId, std::string> buffers_;  // of open documents
  std::unique_ptr<base::FileSystem> files_;    // the disk with the buffers over it
  LoadSettings settings_;
  policy::PolicyOptions policy_;
  std::vector<std::string> folders_;
  std::string problem_;
  std::string root_problem_;
  bool has_to_load_ = true;
  bool has_roots_ = false;
  Roots roots_;
  std::vector<inputs::InputGroup> groups_;              // never empty
  std::map<DocumentId, std::vector<Source*>> sources_;  // in `groups_`; a runtime may be in several
  std::map<DocumentId, size_t> group_of_;               // of inputs
  std::shared_ptr<const lint::Findings> linted_;        // of the last findings(); nullptr: there was none
  std::set<DocumentId> edited_;                         // since then
  std::shared_ptr<const WorkspaceFindings> findings_;   // nullptr: something has changed
  std::set<DocumentId> changed_;                        // whose sources are out of date
  std::map<DocumentId, Frozen> frozen_;
  mutable std::map<DocumentId, Document> documents_;
};

// Finds the lines of one text in another that differs from it in one place.
class LineMap {
 public:
  LineMap(const base::SourceFile& from, const base::SourceFile& to);

  // From 1; 0 for a line that the other text does not have.
  uint32_t operator()(uint32_t line) const;

 private:
  uint32_t first_ = 0;  // so many lines at the beginning are the same
  uint32_t last_ = 0;   // and so many at the end
  uint32_t from_ = 0;   // the number of lines
  uint32_t to_ = 0;
};

// The findings of a workspace between two edits, by document, and as textDocument/publishDiagnostics sends
// them. (This, and what Workspace finds, is in features/lsp/findings.cpp.)
class PublishedFindings {
 public:
  explicit PublishedFindings(std::shared_ptr<const WorkspaceFindings> findings);
  PublishedFindings(const PublishedFindings&) = delete;
  PublishedFindings& operator=(const PublishedFindings&) = delete;

  std::vector<DocumentId> documents() const;
  // Those of a document, in their order.
  const std::vector<const base::Diagnostic*>& of(const DocumentId& document) const;
  // Whether the others say the same about the document.
  bool is_same(const PublishedFindings& other, const DocumentId& document) const;

  Json to_json(const base::Diagnostic& found) const;
  Range range_of(const base::Diagnostic& found) const;

 private:
  std::shared_ptr<const WorkspaceFindings> findings_;
  lint::ReportInput input_;
  lint::Places places_{input_};
  std::map<DocumentId, std::vector<const base::Diagnostic*>> by_document_;
};

}  // namespace trainjobc::lsp
