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
#include <utility>
#include <variant>
#include <vector>

#include "features/lsp/edited_text.h"
#include "features/lsp/protocol.h"
#include "features/lsp/workspace.h"

namespace trainjobc::lsp {

class Server {
 public:
  using Send = std::function<void(const std::string& message)>;
  // Keeps a text as a file outside the workspace and returns its path; "" if it can't.
  using KeepFile = std::function<std::string(const std::string& name, std::string_view text)>;

  // `disk` must outlive the server. `keep` is used for runtimes of the catalogue if the client opens only
  // files.
  Server(const base::FileSystem& disk, LoadSettings settings, policy::PolicyOptions policy, Send send,
         KeepFile keep = {});
  ~Server();

  // Queues a message. One that cancels a queued request answers that request.
  void receive(const std::string& body);
  // Answers a message that could not be read.
  void refuse(std::string_view why);

  bool has_messages() const { return !queue_.empty(); }
  // Whether so many bytes are waiting that no more should be read.
  bool is_full() const { return waiting_bytes_ > kMostWaiting; }
  // Handles the first message in the queue.
  void handle_next();

  // Whether anything has changed since findings were last published.
  bool has_news() const { return is_open_ && has_news_; }
  // Whether findings are published: from `initialized` until `shutdown`.
  bool is_open() const { return is_open_; }
  // Publishes the findings that have changed.
  void publish();
  // Whether a document was edited since the last publication.
  bool has_edits() const { return is_open_ && has_edits_; }
  // Publishes, but in a large workspace only what is known immediately: see Workspace::early_findings.
  void publish_early();

  // Returns nullptr if the document is not open.
  const std::string* buffer(const DocumentId& document) const { return workspace_.buffer(document); }

  // After `exit`: 0 if `shutdown` came before it, otherwise 1.
  std::optional<int> exit_status() const { return exit_status_; }

 private:
  static constexpr size_t kMostWaiting = size_t{64} << 20U;

  struct Waiting;  // a queued message
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

  // Calls `use(document, position)` if the parameters contain both; answers null for a document that is not a
  // file.
  template <class Use>
  Reply at_position(const Json& params, Use use);
  template <class Use>
  Reply in_document(const Json& params, Use use);
  // Answers with a function of the workspace and the document (and the position).
  template <auto function>
  Reply answer_at(const Json& params);
  template <auto function>
  Reply answer_in(const Json& params);
  // The location with a file in place of a virtual document; null if that fails.
  Json as_file(Json location) const;
  Reply render(const std::string& uri, const std::string& ns, const std::string& name);
  void publish(std::shared_ptr<const WorkspaceFindings> findings);
  // `before` is what was published last; nullptr if nothing was.
  void publish(const DocumentId& document, const PublishedFindings* before);
  void send(const Json& message);

  Workspace workspace_;
  Send send_;
  KeepFile keep_;
  Queue queue_;
  std::multimap<std::string, Queue::iterator> waiting_;  // the queued requests, by id
  size_t waiting_bytes_ = 0;
  bool is_initialized_ = false;
  bool is_open_ = false;
  bool is_shut_down_ = false;
  std::optional<int> exit_status_;
  bool has_news_ = false;
  bool has_edits_ = false;
  std::unique_ptr<const PublishedFindings> published_;
  std::map<DocumentId, int64_t> versions_;                   // of open documents
  std::optional<std::pair<DocumentId, EditedText>> edited_;  // the document that was edited last
  std::map<DocumentId, int64_t> published_versions_;  // versions of the texts that the client has findings on
  std::map<DocumentId, std::vector<std::string>> texts_;  // the findings sent for open documents, as texts
  std::string problem_;                                   // the message shown last
  std::string root_problem_;                              // likewise
  bool watches_files_ = false;                            // the client lets servers register file watchers
  bool knows_snippets_ = false;                           // the client supports placeholders in completions
  bool resolves_actions_ = false;  // the client supports resolving edits of code actions
  bool opens_virtual_ = false;     // the client supports virtual documents
  int64_t last_request_ = 0;       // number of the last request that was sent
};

// Reads the next bytes from the client; nullopt at the end of the stream. "" if there are none within `wait`;
// a negative `wait` has no limit.
using ReadBytes = std::function<std::optional<std::string>(std::chrono::milliseconds wait)>;

// After this time without an edit, the keyboard rests, and the whole workspace is checked.
inline constexpr std::chrono::milliseconds kRest{120};

// Handles messages until the client ends; returns the exit status. Findings are published when no message is
// waiting, so that those of one keystroke don't delay the next: first those on the edited documents, and when
// the keyboard rests, the others. Answers in the order of the requests.
int serve(Server& server, const ReadBytes& read);

}  // namespace trainjobc::lsp
