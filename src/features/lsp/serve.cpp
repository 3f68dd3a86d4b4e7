// SPDX-License-Identifier: Apache-2.0

#include "features/lsp/serve.h"

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

}  // namespace

int serve(Server& server, const ReadBytes& read) {
  MessageReader reader;
  bool is_open = true;
  while (!server.exit_status()) {
    const bool has_work = server.has_messages() || server.has_news();
    if (is_open) {
      const std::optional<std::string> bytes = read(!has_work);
      if (bytes) reader.feed(*bytes);
      is_open = bytes.has_value() && take_messages(reader, server);
    }
    if (server.has_messages()) {
      server.handle_next();
    } else if (!is_open) {
      return 1;  // without `exit`
    } else if (server.has_news()) {
      server.publish();
    }
  }
  return *server.exit_status();
}

}  // namespace trainjobc::lsp
