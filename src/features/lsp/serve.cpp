// SPDX-License-Identifier: Apache-2.0

#include "features/lsp/serve.h"

#include <algorithm>
#include <optional>

namespace trainjobc::lsp {
namespace {

// False if nothing more can be read.
bool take_messages(MessageReader& reader, Server& server) {
  while (auto message = reader.next()) {
    if (const auto* body = std::get_if<std::string>(&*message)) {
      server.receive(*body);
    } else if (std::holds_alternative<MessageReader::TooLarge>(*message)) {
      server.refuse("the message is too large");
    } else {
      server.refuse("the message has no Content-Length");
      return false;
    }
  }
  return true;
}

// When what the last edit changes elsewhere is checked.
class Rest {
 public:
  void begin() { end_ = std::chrono::steady_clock::now() + kRest; }
  bool is_over() const { return left().count() <= 0; }
  std::chrono::milliseconds left() const {
    const auto left = end_ - std::chrono::steady_clock::now();
    return std::max(std::chrono::ceil<std::chrono::milliseconds>(left), std::chrono::milliseconds(0));
  }

 private:
  std::chrono::steady_clock::time_point end_;
};

}  // namespace

int serve(Server& server, const ReadBytes& read) {
  MessageReader reader;
  Rest rest;
  bool is_open = true;
  while (!server.exit_status()) {
    if (is_open) {
      auto wait = server.has_news() ? rest.left() : std::chrono::milliseconds(-1);
      if (server.has_messages() || server.has_edits()) wait = std::chrono::milliseconds(0);
      const std::optional<std::string> bytes = read(wait);
      if (bytes) reader.feed(*bytes);
      is_open = bytes.has_value() && take_messages(reader, server);
    }
    if (server.has_messages()) {
      server.handle_next();
    } else if (!is_open) {
      return 1;  // without `exit`
    } else if (server.has_edits()) {
      server.publish_early();
      rest.begin();
    } else if (server.has_news() && rest.is_over()) {
      server.publish();
    }
  }
  return *server.exit_status();
}

}  // namespace trainjobc::lsp
