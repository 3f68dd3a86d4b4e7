// SPDX-License-Identifier: Apache-2.0

// A server of the Language Server Protocol 3.17, and its loop over a stream of bytes.
//
// Beyond the protocol:
// - trainjobc/renderedJobSet {"textDocument": {"uri"}, "namespace", "name"} answers {"uri", "languageId",
//   "text"}: the objects of a TrainJob as `render` prints them, without their secrets, and the address of a
//   virtual document for them, trainjobc-jobset:/NAMESPACE/NAME.yaml. The command trainjobc.showJobSet, with
//   the arguments [uri, namespace, name] that the lens has, answers the same.
// - trainjobc/explainRule {"rule"} answers {"text"}: Markdown. A diagnostic's data also has the explanation;
//   its codeDescription leads to the rule's page.
// - workspace/textDocumentContent {"uri"} answers {"text"}, as in version 3.18 of the protocol: a runtime of
//   the catalogue, trainjobc-runtime://catalogue/v2.3/NAME.yaml. Definitions lead there if the client has the
//   capability workspace.textDocumentContent.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "features/lsp/protocol.h"
#include "features/lsp/workspace.h"

namespace trainjobc::lsp {

class Server {
 public:
  using Send = std::function<void(const Json& message)>;
  // Keeps a text as a file outside the workspace and returns its path; "" if it can't.
  using KeepFile = std::function<std::string(const std::string& name, std::string_view text)>;

  // `disk` outlives it. `keep` is for runtimes of the catalogue, if the client opens only files.
  Server(const base::FileSystem& disk, LoadSettings settings, policy::PolicyOptions policy, Send send,
         KeepFile keep = {});
  ~Server();

  // Queues a message. One that cancels a queued request answers that.
  void receive(const std::string& body);
  // A message that could not be read.
  void refuse(std::string_view why);

  bool has_messages() const { return !queue_.empty(); }
  // Whether so much is waiting that no more should be read.
  bool is_full() const { return waiting_bytes_ > kMostWaiting; }
  // Handles the first message of the queue.
  void handle_next();

  // Whether something has changed since findings were published last.
  bool has_news() const { return is_open_ && has_news_; }
  // Whether findings are published: from `initialized` until `shutdown`.
  bool is_open() const { return is_open_; }
  // Publishes the findings that have changed.
  void publish();
  // Whether a document was edited since the last publication.
  bool has_edits() const { return is_open_ && has_edits_; }
  // The same, but in a large workspace only what is known at once: see Workspace::early_findings.
  void publish_early();

  // nullptr if the document is not open.
  const std::string* buffer(const DocumentId& document) const { return workspace_.buffer(document); }

  // After `exit`: 0 if `shutdown` came before it, otherwise 1.
  std::optional<int> exit_status() const { return exit_status_; }

 private:
  static constexpr size_t kMostWaiting = size_t{64} << 20U;

  struct Waiting;  // a message
  using Queue = std::list<Waiting>;
  using Reply = std::variant<Json, WhyNot>;
  using Request = Reply (Server::*)(const Json& params);
  using Notification = void (Server::*)(const Json& params);
  static const std::map<std::string_view, Request>& requests();
  static const std::map<std::string_view, Notification>& notifications();

  Json take(Queue::iterator waiting);
  void handle(const Json& message);
  void handle_request(const Json& id, std::string_view method, const Json& params);
  void handle_notification(std::string_view method, const Json& params);
  Reply answer(Request request, const Json& params);

  Reply initialize(const Json& params);
  Reply shutdown(const Json& params);
  Reply completion(const Json& params);
  Reply definition(const Json& params);
  Reply references(const Json& params);
  Reply rename(const Json& params);
  Reply content(const Json& params);
  Reply decline_formatting(const Json& params);
  Reply actions(const Json& params);
  Reply resolve_action(const Json& params);
  Reply execute(const Json& params);
  Reply rendered(const Json& params);
  Reply explain(const Json& params);

  void initialized(const Json& params);
  void exit(const Json& params);
  void did_open(const Json& params);
  void did_change(const Json& params);
  void did_save(const Json& params);
  void did_close(const Json& params);
  void did_change_files(const Json& params);
  void did_change_folders(const Json& params);

  // Calls `use(document, position)` if the parameters name both; null for a document that is not a file.
  template <class Use>
  Reply at_position(const Json& params, Use use);
  template <class Use>
  Reply in_document(const Json& params, Use use);
  // The answer of a function of the workspace and the document (and the position).
  template <auto function>
  Reply answer_at(const Json& params);
  template <auto function>
  Reply answer_in(const Json& params);
  // The location with a file in place of a virtual document; null if there can't be one.
  Json as_file(Json location) const;
  Reply render(const std::string& uri, const std::string& ns, const std::string& name);
  void publish(std::shared_ptr<const WorkspaceFindings> findings);
  void publish(const DocumentId& document);

  Workspace workspace_;
  Send send_;
  KeepFile keep_;
  Queue queue_;
  std::multimap<std::string, Queue::iterator> waiting_;  // the requests in it, by their ids
  size_t waiting_bytes_ = 0;
  bool is_initialized_ = false;
  bool is_open_ = false;
  bool is_shut_down_ = false;
  std::optional<int> exit_status_;
  bool has_news_ = false;
  bool has_edits_ = false;
  std::unique_ptr<const PublishedFindings> published_;
  std::map<DocumentId, int64_t> versions_;            // of open documents
  std::map<DocumentId, int64_t> published_versions_;  // of the texts that the client has findings on
  std::string problem_;                               // that was shown last
  std::string root_problem_;                          // likewise
  bool watches_files_ = false;                        // the client registers watchers
  bool knows_snippets_ = false;                       // the client completes with placeholders
  bool resolves_actions_ = false;                     // the client resolves edits of code actions
  bool opens_virtual_ = false;                        // the client asks for the text of virtual documents
  int64_t last_request_ = 0;                          // of those sent
};

// The next bytes of the client; nullopt at their end. "" if there are none yet after `wait`; a negative one
// has no end.
using ReadBytes = std::function<std::optional<std::string>(std::chrono::milliseconds wait)>;

// After this time without an edit, the keyboard rests: the whole workspace is checked.
inline constexpr std::chrono::milliseconds kRest{120};

// Handles messages until the client ends; returns the exit status. Findings are published when no message is
// waiting, so that those of one keystroke don't keep the next ones waiting: first those on the documents that
// were edited, those on the rest when the keyboard rests. Answers in order of the requests.
int serve(Server& server, const ReadBytes& read);

}  // namespace trainjobc::lsp
